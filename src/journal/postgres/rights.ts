/**
 * Whether the role of a connection may write a journal: what a hub needs of the tables, compared with what the server
 * grants. Nothing is changed. The guide for PostgreSQL has the statements that grant it.
 * Source: docs/protocol/record.md, section 15.
 */
import type { Client } from "./driver.ts";

/** By table, what a hub does there. An update of one column is enough where only that one is changed. */
const needed: readonly (readonly [table: string, rights: readonly string[]])[] = [
  ...["entry", "once"].map((table) => [table, ["SELECT", "INSERT"]] as const),
  ...["team", "life", "mark", "note", "snapshot"].map((table) => [table, ["SELECT", "INSERT", "UPDATE"]] as const),
  ["journal", ["SELECT", "UPDATE"]],
];

/** Rights on a single column count, but there are none to remove. A table that is not there is no matter of rights. */
const lacking = `
  SELECT r.wanted || ' on ' || r.name AS lack
    FROM unnest($1::text[], $2::text[]) AS r (name, wanted)
    JOIN pg_class c ON c.relname = r.name
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
   WHERE NOT has_any_column_privilege(c.oid, r.wanted)
  UNION ALL
  SELECT 'default_transaction_read_only = off'
   WHERE current_setting('transaction_read_only') = 'on' AND NOT pg_is_in_recovery()
   ORDER BY 1`;

/** What the role lacks, in words such as `INSERT on entry, UPDATE on team`; null: nothing. Throws what the driver throws. */
export async function lackingRights(client: Client): Promise<string | null> {
  const all = needed.flatMap(([table, rights]) => rights.map((right) => [table, right] as const));
  const { rows } = await client.query({
    text: lacking,
    values: [all.map(([table]) => table), all.map(([, right]) => right)],
  });
  return rows.length === 0 ? null : rows.map(({ lack }) => String(lack)).join(", ");
}

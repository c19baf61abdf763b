/**
 * The search index of a journal on PostgreSQL: for each entry an array of numbers under a GIN index, and for each team up to
 * which entry they are complete. The tables are made with the journal, or when they are first filled; a journal without
 * them is whole.
 */

import type { Answer, SearchRows } from "../remote/backend.ts";
import { indexForm } from "../searching.ts";
import { type Client, numberOf, type Values } from "./driver.ts";

/** The team's reach, where its last entry is still the one that was indexed. */
const reachOf = `(SELECT s.seq FROM searched s JOIN entry e ON e.team = s.team AND e.seq = s.seq AND e.hash = s.hash
                  WHERE s.team = ${numberOf} AND s.form = ${indexForm})`;

const statements = {
  areThere: "SELECT to_regclass('search') IS NOT NULL AND to_regclass('searched') IS NOT NULL AS there",
  indexedTo: `SELECT coalesce(${reachOf}, 0) AS reach`,
  ascending: proposing("ASC"),
  descending: proposing("DESC"),
  begin: `INSERT INTO searched (team, seq, hash, form) SELECT number, 0, '', ${indexForm} FROM team WHERE name = $1
          ON CONFLICT (team) DO NOTHING`,
  lock: `SELECT CASE WHEN s.form = ${indexForm} AND e.seq IS NOT NULL THEN s.seq ELSE 0 END AS reach, s.seq = 0 AS fresh
         FROM searched s LEFT JOIN entry e ON e.team = s.team AND e.seq = s.seq AND e.hash = s.hash
         WHERE s.team = ${numberOf} FOR UPDATE OF s`,
  drop: `DELETE FROM search WHERE team = ${numberOf}`,
  add: `INSERT INTO search (team, seq, grams) SELECT ${numberOf}, r.seq, r.grams::int[]
        FROM unnest($2::bigint[], $3::text[]) AS r (seq, grams)`,
  reach: `UPDATE searched SET seq = $2, hash = $3, form = ${indexForm} WHERE team = ${numberOf}`,
} as const;

function proposing(order: "ASC" | "DESC"): string {
  return `WITH r AS (SELECT coalesce(${reachOf}, 0) AS reach)
    SELECT r.reach, ARRAY(SELECT s.seq FROM search s WHERE s.team = ${numberOf} AND s.grams @> $2::int[]
                          AND s.seq > $3 AND s.seq <= least($4, r.reach) ORDER BY s.seq ${order} LIMIT $5) AS seqs FROM r`;
}

/** The tables of the index. */
export const searchTables = `
CREATE TABLE IF NOT EXISTS search (team int NOT NULL, seq bigint NOT NULL, grams int[] NOT NULL, PRIMARY KEY (team, seq));
CREATE INDEX IF NOT EXISTS search_grams ON search USING gin (grams);
CREATE TABLE IF NOT EXISTS searched (team int PRIMARY KEY, seq bigint NOT NULL, hash text COLLATE "C" NOT NULL, form int NOT NULL);
`;

const undefinedTable = "42P01";

/** The index over connections that `onConnection` gives. */
export function searchRows(
  onConnection: <Value>(act: (client: Client) => Promise<Value>) => Answer<Value>,
): SearchRows {
  let areThere = false;
  const ask = (client: Client, name: keyof typeof statements, values: Values = []) =>
    client.query({ name: `search ${name}`, text: statements[name], values });
  const hasTables = async (client: Client) => {
    if (!areThere) areThere = (await ask(client, "areThere")).rows[0]?.there === true;
    return areThere;
  };
  /** What is asked of the tables, or `none` where they are missing or were taken away. */
  const asked = <Value>(none: Value, question: (client: Client) => Promise<Value>): Answer<Value> =>
    onConnection(async (client) => {
      if (!(await hasTables(client))) return none;
      try {
        return await question(client);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === undefinedTable)) throw error;
        areThere = false;
        return none;
      }
    });
  return {
    indexedTo: (team) => asked(0, async (client) => Number((await ask(client, "indexedTo", [team])).rows[0]?.reach)),
    propose: (team, { grams, after, upTo, newestFirst, limit }) =>
      asked({ reach: 0, seqs: [] as readonly number[] }, async (client) => {
        const values: Values = [team, [...grams], after, upTo, limit];
        const [row] = (await ask(client, newestFirst ? "descending" : "ascending", values)).rows;
        const seqs = Array.isArray(row?.seqs) ? row.seqs.map(Number) : [];
        return { reach: Number(row?.reach), seqs };
      }),
    prepare: () =>
      onConnection(async (client) => {
        if (await hasTables(client)) return;
        // Two hubs that make them at once would refuse each other.
        await client.query({ text: "BEGIN" });
        await client.query({ text: "SELECT pg_advisory_xact_lock(hashtext(current_schema() || ' search'))" });
        await client.query({ text: searchTables });
        await client.query({ text: "COMMIT" });
      }),
    add: (team, rows, { from, seq, hash }) =>
      onConnection(async (client) => {
        await client.query({ text: "BEGIN" });
        await ask(client, "begin", [team]);
        const [found] = (await ask(client, "lock", [team])).rows;
        const isNext = Number(found?.reach) === from;
        if (isNext) {
          if (from === 0 && found?.fresh !== true) await ask(client, "drop", [team]);
          const grams = rows.map((row) => `{${row.grams.join()}}`);
          await ask(client, "add", [team, rows.map((row) => row.seq), grams]);
          await ask(client, "reach", [team, seq, hash]);
        }
        await client.query({ text: isNext ? "COMMIT" : "ROLLBACK" });
        return isNext;
      }),
  };
}

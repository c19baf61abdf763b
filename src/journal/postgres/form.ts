/**
 * The tables of a journal on PostgreSQL, and how they are made. A team's row holds its head and is its lock; an entry is
 * written once and never changed. Everything else is next to the entries, or derived.
 */
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Client } from "./driver.ts";
import { missingProblem, type ServerAddress } from "./server.ts";

/** The form that this build writes. */
const formVersion = 1;

/** Of the advisory lock under which the tables are made; any number that nobody else uses. */
const creationLock = 7_210_511;

const tables = `
CREATE TABLE journal (one bool PRIMARY KEY DEFAULT true CHECK (one), id text NOT NULL, form int NOT NULL,
                      min_writer int NOT NULL, probed_at timestamptz);
CREATE TABLE team (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE,
                   seq bigint NOT NULL, hash text COLLATE "C" NOT NULL, epoch int NOT NULL,
                   signed bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
CREATE TABLE entry (team int NOT NULL REFERENCES team, seq bigint NOT NULL, hash text COLLATE "C" NOT NULL,
                    bytes bytea NOT NULL, PRIMARY KEY (team, seq));
ALTER TABLE entry ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE once (team int NOT NULL, id text COLLATE "C" NOT NULL, agent text COLLATE "C" NOT NULL,
                   seq bigint NOT NULL, PRIMARY KEY (team, id, agent));
CREATE TABLE life (team int NOT NULL, agent text COLLATE "C" NOT NULL, at bigint NOT NULL,
                   PRIMARY KEY (team, agent)) WITH (fillfactor = 50);
CREATE TABLE mark (team int NOT NULL, agent text COLLATE "C" NOT NULL, offered bigint NOT NULL, seen bigint NOT NULL,
                   PRIMARY KEY (team, agent)) WITH (fillfactor = 50);
CREATE TABLE note (team int NOT NULL, agent text COLLATE "C" NOT NULL, words text NOT NULL,
                   PRIMARY KEY (team, agent)) WITH (fillfactor = 50);
CREATE TABLE snapshot (team int PRIMARY KEY, seq bigint NOT NULL, body text NOT NULL);
INSERT INTO journal (id, form, min_writer) VALUES (gen_random_uuid()::text, ${formVersion}, ${formVersion});
`;

/**
 * Looks at the tables, and makes them where there are none and `create` says so. Answers whether this build may write.
 * Refuses with `journal-missing` and `journal-newer`; throws what the driver throws.
 */
export async function bringUp(client: Client, address: ServerAddress, create: boolean): Promise<Result<void, Problem>> {
  const { schema } = address;
  const before = await readForm(client, schema);
  if (before !== null) return checkForm(before, address);
  if (!create) return err(missingProblem(address.place));
  await client.query({ text: "BEGIN" });
  try {
    await client.query({ text: `SELECT pg_advisory_xact_lock(${creationLock})` });
    // Another process may have made them while this one waited.
    if ((await readForm(client, schema)) === null) {
      await client.query({ text: `CREATE SCHEMA IF NOT EXISTS ${schema}` });
      await client.query({ text: tables });
    }
    await client.query({ text: "COMMIT" });
  } catch (error) {
    await client.query({ text: "ROLLBACK" });
    throw error;
  }
  const made = await readForm(client, schema);
  return made === null ? err(missingProblem(address.place)) : checkForm(made, address);
}

interface Form {
  readonly form: number;
  readonly minWriter: number;
}

async function readForm(client: Client, schema: string): Promise<Form | null> {
  // A look into the catalogue itself: a name that was once not found is remembered, also while another process makes it.
  const there = await client.query({
    text: "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'journal'",
    values: [schema],
  });
  if (there.rows.length === 0) return null;
  const found = await client.query({ text: `SELECT form, min_writer FROM ${schema}.journal` });
  const row = found.rows[0];
  return row === undefined ? null : { form: Number(row.form), minWriter: Number(row.min_writer) };
}

function checkForm({ minWriter }: Form, { place }: ServerAddress): Result<void, Problem> {
  if (minWriter <= formVersion) return ok(undefined);
  return err(
    problem("journal-newer", place, `A newer Baton has written this journal (form ${minWriter}).`, {
      expected: `form ${formVersion} or older`,
      hint: "Install the Baton that wrote it, or a newer one.",
    }),
  );
}

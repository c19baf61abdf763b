/** What tests ask a PostgreSQL directly, past the journal. */
import { type Client, loadDriver, type Statement } from "../../../src/journal/postgres/driver.ts";
import { must } from "../../journal/journal-subject.ts";

/** Asks the server over a connection of the test's own, in the journal's schema; answers the last statement's rows. */
export async function sql(
  url: string,
  ...statements: readonly (string | Statement)[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { Client } = must(await loadDriver(url));
  const client = new Client({
    connectionString: withoutSchema(url),
    application_name: "test",
    connectionTimeoutMillis: 5_000,
    keepAlive: false,
    pipeline: false,
    query_timeout: 5_000,
  });
  (client as Client).on("error", () => undefined);
  await client.connect();
  try {
    await client.query({ text: `SET search_path TO ${schemaOf(url)}` });
    let rows: readonly Readonly<Record<string, unknown>>[] = [];
    for (const each of statements) ({ rows } = await client.query(typeof each === "string" ? { text: each } : each));
    return rows;
  } finally {
    await client.end();
  }
}

/** The schema of a journal's address. */
export function schemaOf(url: string): string {
  return new URL(url).searchParams.get("schema") ?? "";
}

function withoutSchema(url: string): string {
  return url.replace(/\?.*$/, "");
}

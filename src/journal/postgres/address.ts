/**
 * The URL of a journal on PostgreSQL: what the driver connects with, which journal of the database, and its place without
 * credentials.
 * Source: docs/protocol/record.md, section 15.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type KnownOptions, wrongOption } from "../address-options.ts";

/** Where a journal on PostgreSQL is. */
export interface ServerAddress {
  /** For the driver, with credentials. */
  readonly connectionString: string;
  /** The schema of the journal's tables. */
  readonly schema: string;
  /** Whether replicas may lack acknowledged entries, because nobody makes one of them the primary. */
  readonly allowsAsyncReplicas: boolean;
  /** For people: without credentials. */
  readonly place: string;
}

const schemaDefault = "baton";
const schemaForm = /^[a-z_][a-z0-9_]{0,47}$/;

/** Those of the journal, and those of the driver, which passes over what it does not know. */
const known: KnownOptions = {
  schema: null,
  replicas: null,
  sslmode: ["verify-full", "verify-ca", "require", "prefer", "no-verify", "disable"],
  sslrootcert: "file",
  sslcert: "file",
  sslkey: "file",
  sslnegotiation: ["direct", "postgres"],
  ssl: ["true", "1", "0"],
  uselibpqcompat: ["true", "false"],
  host: null,
  port: null,
  user: null,
  password: null,
  application_name: null,
  fallback_application_name: null,
  client_encoding: null,
  connect_timeout: null,
  statement_timeout: null,
  lock_timeout: null,
  idle_in_transaction_session_timeout: null,
  options: null,
};

/** Reads `postgres://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE[?schema=NAME][&replicas=async]`. Refuses with `wrong-usage`. */
export function readServerAddress(text: string): Result<ServerAddress, Problem> {
  const url = URL.parse(text);
  const hint = "write postgres://USER@HOST/DATABASE, with ?schema=NAME where several journals are in one database";
  if (url === null) {
    return err(makeProblem("wrong-usage", "journal", "This is not the URL of a database on PostgreSQL.", { hint }));
  }
  const unread = wrongOption(url.searchParams, known);
  if (unread !== null) return err(unread);
  const schema = url.searchParams.get("schema") ?? schemaDefault;
  url.searchParams.delete("schema");
  const replicas = url.searchParams.get("replicas");
  if (replicas !== null && replicas !== "async") {
    const problem = "The only thing to say of a server's replicas is that they may be behind.";
    return err(
      makeProblem("wrong-usage", "journal", problem, {
        received: replicas.slice(0, 80),
        expected: "replicas=async, or nothing",
      }),
    );
  }
  url.searchParams.delete("replicas");
  const place = `postgres://${url.host}${url.pathname}${schema === schemaDefault ? "" : `?schema=${schema}`}`;
  if (schemaForm.test(schema)) {
    return ok({ connectionString: url.href, schema, allowsAsyncReplicas: replicas === "async", place });
  }
  return err(
    makeProblem("wrong-usage", "journal", "This is not the name of a schema.", { received: schema.slice(0, 80), hint }),
  );
}

/**
 * The part of the driver `pg` that this engine uses, and how it is loaded: when a journal on PostgreSQL is opened, and
 * not before. It is an optional dependency, so it may be absent.
 */
import { reasonOf } from "../../base/plain-file.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Head } from "../entry.ts";
import type { Changes, Row } from "../remote/backend.ts";

/** The values of a statement, by place. */
export type Values = readonly (string | number | boolean | null | readonly (string | number | null)[])[];

export interface QueryResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A statement with a name is parsed by the server once for each connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: Values;
}

export interface Client {
  query(statement: Statement): Promise<QueryResult>;
  on(event: "error" | "end" | "notification", listener: (told: { readonly payload?: string }) => void): unknown;
}

/** A separate connection, outside of the pool. */
export interface OwnClient extends Client {
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

/** A connection of the pool. `release` with an error, or true, closes it. */
export interface PoolClient extends Client {
  release(error?: Error | boolean): void;
}

export interface Pool {
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
  on(event: "error" | "connect", listener: (subject: Client) => void): unknown;
}

export interface ConnectionConfig {
  readonly connectionString: string;
  readonly application_name: string;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  /** Sends what is asked together in one go, without waiting for each answer. */
  readonly pipeline: boolean;
  /** A server that does not answer a statement within it is taken for gone. */
  readonly query_timeout: number;
}

export interface PoolConfig extends ConnectionConfig {
  readonly max: number;
  readonly idleTimeoutMillis: number;
  readonly maxLifetimeSeconds: number;
  readonly onConnect: (client: Client) => Promise<void>;
}

export interface Driver {
  readonly Pool: new (config: PoolConfig) => Pool;
  readonly Client: new (config: ConnectionConfig) => OwnClient;
}

/** Loads the driver. Refuses with `journal-cannot-open` where it is not installed. */
export async function loadDriver(place: string): Promise<Result<Driver, Problem>> {
  // A name that is not written in the call is left alone by bundlers and by the compiler: the package may be absent.
  const name: string = "pg";
  try {
    const loaded: { readonly default: Driver } = await import(name);
    return ok(loaded.default);
  } catch (error) {
    return err(
      problem("journal-cannot-open", place, "The driver for PostgreSQL is not installed.", {
        received: reasonOf(error),
        hint: "Install it next to Baton: npm install pg@8. It is left out where optional dependencies are.",
      }),
    );
  }
}

/** Rows, ids, heartbeats and the head, as `writeAt` takes them. */
export function valuesOf({ head, rows, ids, signs }: Changes): Values {
  return [
    rows.map(({ seq }) => seq),
    rows.map(({ hash }) => hash),
    rows.map(({ text }) => text),
    ids.map(({ id }) => id),
    ids.map(({ agent }) => agent),
    ids.map(({ seq }) => seq),
    [...signs.keys()],
    [...signs.values()],
    head.seq,
    head.hash,
    head.epoch,
    signs.size,
  ];
}

export function rowsOf({ rows }: QueryResult): readonly Row[] {
  return rows.map(rowOf);
}

export function rowOf(row: Readonly<Record<string, unknown>>): Row {
  return { seq: Number(row.seq), hash: String(row.hash), text: String(row.text) };
}

export function headOf(row: Readonly<Record<string, unknown>>): Head {
  return { seq: Number(row.seq), hash: String(row.hash), epoch: Number(row.epoch) };
}

export function signsOf({ rows }: QueryResult): ReadonlyMap<string, number> {
  return new Map(rows.map((row) => [String(row.agent), Number(row.at)]));
}

export function notesOf({ rows }: QueryResult): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [String(row.agent), String(row.words)]));
}

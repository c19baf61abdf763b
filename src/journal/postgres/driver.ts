/**
 * The part of the driver `pg` that this engine uses, and how it is loaded: when a journal on PostgreSQL is opened, and
 * not before. It installs apart, so it may be absent.
 */

import { reasonOf } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Head } from "../entry.ts";
import type { Row } from "../remote/backend.ts";

/** The values of a statement, by place. */
export type Values = readonly (string | number | boolean | null | Uint8Array | readonly (string | number | null)[])[];

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

/** What a connection reports by itself. A notice has the server's message, and the file of its source that sent it. */
export interface Told {
  readonly payload?: string;
  readonly message?: string;
  readonly file?: string;
}

export interface Client {
  query(statement: Statement): Promise<QueryResult>;
  on(event: "error" | "end" | "notification" | "notice", listener: (told: Told) => void): unknown;
}

/** A separate connection, outside of the pool. The pool gives `done`. */
export interface OwnClient extends Client {
  /** Null: neither the address nor the environment has one. */
  password: string | null | typeof passwordFromFile;
  connect(done?: (error?: unknown) => void): Promise<unknown>;
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
  /** What its connections are made with. */
  readonly Client: Driver["Client"];
  readonly max: number;
  readonly idleTimeoutMillis: number;
  readonly maxLifetimeSeconds: number;
  /** Called with each new connection before it is used. */
  readonly onConnect?: (client: Client) => Promise<void>;
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
    const { Pool, Client } = loaded.default;
    return ok({ Pool, Client: readingPasswordFile(Client) });
  } catch (error) {
    return err(
      makeProblem("journal-cannot-open", place, "The driver for PostgreSQL is not installed.", {
        received: reasonOf(error),
        hint: "Install it next to Baton: npm install pg pgpass (add --global where Baton is global).",
      }),
    );
  }
}

/**
 * Connections that look for their password in PostgreSQL's password file, where nothing else has one. Left to itself the
 * driver does so too, and warns on standard error that it will not in its next version: each program is to ask `pgpass`.
 */
function readingPasswordFile(Client: Driver["Client"]): Driver["Client"] {
  return class extends Client {
    constructor(config: ConnectionConfig) {
      super(config);
      // Only here is it known that none came with the address or PGPASSWORD, which go before the file.
      if (this.password === null) this.password = passwordFromFile;
    }
  };
}

/** The password for the server, user and database that are given; undefined: the file has none, or there is no file. */
async function passwordFromFile(connection: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const name: string = "pgpass";
  let ask: PasswordFile;
  try {
    ({ default: ask } = await import(name));
  } catch {
    // The package is missing as the driver may be. Without it no file is read, and the server refuses who has no password.
    return undefined;
  }
  return await new Promise((resolve) => ask(connection, resolve));
}

type PasswordFile = (
  connection: Readonly<Record<string, unknown>>,
  found: (password: string | undefined) => void,
) => void;

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

/** The number of the team that a statement's first value names. */
export const numberOf = "(SELECT number FROM team WHERE name = $1)";

const entryColumns = "e.seq, e.hash, convert_from(e.bytes, 'UTF8') AS text";

const entriesOf = `SELECT ${entryColumns} FROM entry e WHERE e.team = ${numberOf}`;

/** A team whose head is the expected one, where no entry holds these ids and these were the last heartbeats. */
const asExpected = `name = $1 AND seq = $2 AND hash = $3
  AND NOT EXISTS (SELECT FROM unnest($4::text[], $5::text[]) AS p (id, agent)
                  CROSS JOIN LATERAL (SELECT FROM once o WHERE o.team = team.number AND o.id = p.id
                                      AND o.agent = p.agent LIMIT 1) AS held)
  AND NOT EXISTS (SELECT FROM unnest($6::text[], $7::bigint[]) AS s (agent, at)
                  LEFT JOIN life ON life.team = team.number AND life.agent = s.agent
                  WHERE life.at IS DISTINCT FROM s.at)`;

/** Gives the team whose head is the expected one the next. An entry of another process has moved it: then nothing is. */
const moveOne = `UPDATE team SET seq = $4, hash = $5, epoch = $6, due_rule = $7, due_at = $8, due_seq = $4
                 WHERE name = $1 AND seq = $2 AND hash = $3 RETURNING number`;
const addOne = "INSERT INTO entry (team, seq, hash, bytes) SELECT u.number, $9, $10, $11 FROM u";

/** Every statement of the reading and writing paths. */
const statements = {
  teams: "SELECT name FROM team WHERE seq > 0 ORDER BY name",
  head: "SELECT seq, hash, epoch FROM team WHERE name = $1 AND seq > 0",
  lock: "SELECT seq, hash, epoch FROM team WHERE name = $1 FOR UPDATE",
  addTeam: "INSERT INTO team (name, seq, hash, epoch) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
  rows: `${entriesOf} AND e.seq >= $2 AND e.seq <= $3 ORDER BY e.seq LIMIT $4`,
  rowsAt: `${entriesOf} AND e.seq = ANY($2::bigint[]) ORDER BY e.seq`,
  // One look into the index for each pair: left to itself the planner reads all ids of the team.
  pairs: `SELECT p.id, p.agent, ${entryColumns} FROM unnest($2::text[], $3::text[]) AS p (id, agent)
          CROSS JOIN LATERAL (SELECT o.team, o.seq FROM once o
                              WHERE o.team = ${numberOf} AND o.id = p.id AND o.agent = p.agent LIMIT 1) AS o
          CROSS JOIN LATERAL (SELECT * FROM entry WHERE team = o.team AND seq = o.seq LIMIT 1) AS e`,
  holdersOf: `SELECT ${entryColumns} FROM once o JOIN entry e ON e.team = o.team AND e.seq = o.seq
              WHERE o.team = ${numberOf} AND o.id = $2 ORDER BY o.seq DESC LIMIT $3`,
  countIds: `SELECT count(*) AS n FROM once WHERE team = ${numberOf} AND seq <= $2`,
  signs: `SELECT agent, at FROM life WHERE team = ${numberOf}`,
  notes: `SELECT agent, words FROM note WHERE team = ${numberOf}`,
  marks: `SELECT offered, seen FROM mark WHERE team = ${numberOf} AND agent = $2`,
  raiseMarks: `INSERT INTO mark AS m SELECT number, $2, $3::bigint, $4::bigint FROM team WHERE name = $1 AND seq > 0
               ON CONFLICT (team, agent) DO UPDATE
               SET offered = greatest(m.offered, excluded.offered), seen = greatest(m.seen, excluded.seen)`,
  addEntries: `INSERT INTO entry (team, seq, hash, bytes)
               SELECT ${numberOf}, r.seq, r.hash, convert_to(r.text, 'UTF8')
               FROM unnest($2::bigint[], $3::text[], $4::text[]) AS r (seq, hash, text)`,
  addIds: `INSERT INTO once (team, id, agent, seq)
           SELECT ${numberOf}, r.id, r.agent, r.seq FROM unnest($2::text[], $3::text[], $4::bigint[]) AS r (id, agent, seq)`,
  moveHead: `UPDATE team SET seq = $2, hash = $3, epoch = $4, signed = signed + $5, due_rule = $6, due_at = $7, due_seq = $2
             WHERE name = $1`,
  putSigns: `INSERT INTO life SELECT ${numberOf}, r.agent, r.at FROM unnest($2::text[], $3::bigint[]) AS r (agent, at)
             ON CONFLICT (team, agent) DO UPDATE SET at = excluded.at`,
  putNotes: `INSERT INTO note SELECT ${numberOf}, r.agent, r.words FROM unnest($2::text[], $3::text[]) AS r (agent, words)
             ON CONFLICT (team, agent) DO UPDATE SET words = excluded.words`,
  // A notice may be lost, so its transaction is not synced, which the next commit of the team would wait for.
  notify:
    "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, t.name) FROM unnest($2::text[]) AS t (name)",
  isAt: `SELECT FROM team WHERE ${asExpected}`,
  // The lock is taken and everything compared and written by one statement. What it reads is as of its beginning, so it
  // writes nothing where the team's row, which heartbeats change too, is another one by the time it has the lock.
  writeAt: `WITH t AS (SELECT number FROM team WHERE ${asExpected}
                       AND signed = (SELECT signed FROM team WHERE name = $1) FOR UPDATE),
    e AS (INSERT INTO entry (team, seq, hash, bytes) SELECT t.number, r.seq, r.hash, convert_to(r.text, 'UTF8')
          FROM t, unnest($8::bigint[], $9::text[], $10::text[]) AS r (seq, hash, text)),
    o AS (INSERT INTO once (team, id, agent, seq) SELECT t.number, r.id, r.agent, r.seq
          FROM t, unnest($11::text[], $12::text[], $13::bigint[]) AS r (id, agent, seq)),
    l AS (INSERT INTO life SELECT t.number, r.agent, r.at FROM t, unnest($14::text[], $15::bigint[]) AS r (agent, at)
          ON CONFLICT (team, agent) DO UPDATE SET at = excluded.at)
    UPDATE team SET seq = $16, hash = $17, epoch = $18, signed = team.signed + $19,
                    due_rule = $20, due_at = $21, due_seq = $16 FROM t WHERE team.number = t.number`,
  writeOne: `WITH u AS (${moveOne}) ${addOne}`,
  writeOneWithId: `WITH u AS (${moveOne}), e AS (${addOne})
    INSERT INTO once (team, id, agent, seq) SELECT u.number, $12, $13, $9 FROM u`,
  // What another build wrote without the index has moved the head away from it.
  due: `SELECT name, due_at AS at, due_rule AS rule, due_seq IS NOT DISTINCT FROM seq AS known FROM team
        WHERE seq > 0 AND (due_seq IS DISTINCT FROM seq OR due_rule IS DISTINCT FROM $1 OR due_at <= $2)
        UNION ALL (SELECT name, due_at, due_rule, true FROM team
                   WHERE seq > 0 AND due_seq = seq AND due_rule = $1 AND due_at > $2 ORDER BY due_at LIMIT 1)`,
  noteDue: `UPDATE team SET due_rule = $4, due_at = $5, due_seq = seq WHERE name = $1 AND seq = $2 AND hash = $3
            AND (due_rule, due_at, due_seq) IS DISTINCT FROM ($4, $5::bigint, seq)`,
  snapshot: `SELECT seq, body FROM snapshot WHERE team = ${numberOf}`,
  keepSnapshot: `INSERT INTO snapshot AS s SELECT number, $2::bigint, $3 FROM team WHERE name = $1
                 ON CONFLICT (team) DO UPDATE SET seq = excluded.seq, body = excluded.body WHERE s.seq <= excluded.seq`,
  heads: `SELECT name, seq, hash, epoch, (SELECT count(*) FROM entry e WHERE e.team = t.number) AS entries
          FROM team t WHERE seq > 0 ORDER BY name`,
  bytes: `SELECT sum(pg_total_relation_size(c.oid)) AS n FROM pg_class c
          WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`,
  probe: "UPDATE journal SET probed_at = clock_timestamp()",
  // A replica that has this has all that was visible before. Where the server waits for none, nothing is written.
  confirm: "UPDATE journal SET probed_at = clock_timestamp() WHERE current_setting('synchronous_standby_names') <> ''",
  ping: "SELECT 1",
} as const;

export function statement(name: keyof typeof statements, values: Values = []): Statement {
  return { name, text: statements[name], values };
}

/**
 * The journal's rows on PostgreSQL. A team's row is its lock; what is read and written under it uses the connection
 * that holds it, because with as many locked teams as connections a second one would never come. Statements of one step
 * are sent together, so a step costs one round trip: the lock with what is new, then the rows with the commit.
 */
import type { TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { emptyHead } from "../chain.ts";
import { type DueMark, dueAmong } from "../deadlines.ts";
import type { EngineFacts } from "../journal.ts";
import type { Answer, Backend, Changes, Expected, Facts, Failure, Locked, Question } from "../remote/backend.ts";
import {
  type Client,
  headOf,
  notesOf,
  type Pool,
  type PoolClient,
  type QueryResult,
  rowOf,
  rowsOf,
  type Statement,
  signsOf,
  statement,
  type Values,
} from "./driver.ts";
import type { Notices } from "./notices.ts";
import { throwDoubt } from "./replica-doubt.ts";
import { failureOf } from "./server.ts";

/** What a backend is made of. */
export interface Connections {
  readonly pool: Pool;
  readonly place: string;
  readonly engine: () => EngineFacts;
  /** Calls `ring` for each notice, over a separate connection. */
  watch(ring: (team: string | null) => void, signal: AbortSignal): void;
  readonly notices: Notices;
}

/** No entry has a higher number. */
const seqMax = Number.MAX_SAFE_INTEGER;

/** The backend over these connections. */
export function postgresBackend(connections: Connections): Backend {
  const { pool, place, notices } = connections;
  const one = async <Value>(asked: Statement, read: (result: QueryResult) => Value): Answer<Value> =>
    await onConnection(pool, place, async (client) => read(await client.query(asked)));
  const nothing = () => undefined;
  return {
    place,
    // Settings that promise less were refused.
    durability: "fsync",
    restoresWhole: true,
    teams: () => one(statement("teams"), ({ rows }) => rows.map((row) => String(row.name) as TeamName)),
    head: (team) => one(statement("head", [team]), ({ rows: [row] }) => (row === undefined ? null : headOf(row))),
    rows: (team, { from, to = seqMax, limit }) => one(statement("rows", [team, from, to, limit]), rowsOf),
    rowsAt: (team, seqs) => one(statement("rowsAt", [team, seqs]), rowsOf),
    holdersOf: (team, id, limit) => one(statement("holdersOf", [team, id, limit]), rowsOf),
    countIds: (team, seq) => one(statement("countIds", [team, seq]), ({ rows: [row] }) => Number(row?.n)),
    async writeAt(team, expected, changes) {
      const asked = changes === null ? isStill(team, expected) : writeWhere(team, expected, changes);
      const done = await onConnection(pool, place, (client) => isDone(client, asked));
      if (done.ok && done.value && (changes?.rows.length ?? 0) > 0) notices.send(team);
      return done;
    },
    lock: (team, question) => lockTeam(pool, { place, notices, team }, question),
    marks: (team, agent) =>
      one(statement("marks", [team, agent]), ({ rows: [row] }) => ({
        offered: Number(row?.offered ?? 0),
        seen: Number(row?.seen ?? 0),
      })),
    raiseMarks: (team, agent, { offered = 0, seen = 0 }) =>
      one(statement("raiseMarks", [team, agent, offered, seen]), nothing),
    signs: (team) => one(statement("signs", [team]), signsOf),
    notes: (team) => one(statement("notes", [team]), notesOf),
    snapshot: (team) =>
      one(statement("snapshot", [team]), ({ rows: [row] }) =>
        row === undefined ? null : { seq: Number(row.seq), text: String(row.body) },
      ),
    keepSnapshot: (team, { seq, text }) => one(statement("keepSnapshot", [team, seq, text]), nothing),
    due: (rule, atMs) =>
      one(statement("due", [rule, Math.floor(atMs)]), ({ rows }) => dueAmong(rows.map(dueOf), rule, atMs)),
    noteDue: (team, { seq, hash }, { rule, at }) => one(statement("noteDue", [team, seq, hash, rule, at]), nothing),
    facts: () =>
      onConnection(pool, place, async (client) => {
        const asked = [client.query(statement("heads")), client.query(statement("bytes"))] as const;
        const [heads, bytes, lacks] = await Promise.all([...asked, lackingRights(client)]);
        const teams = heads.rows.map((row) => ({
          team: String(row.name) as TeamName, // only teams are added
          entries: Number(row.entries),
          head: headOf(row),
        }));
        return {
          bytes: Number(bytes.rows[0]?.n ?? 0),
          teams,
          engine: { ...connections.engine(), ...(lacks === null ? {} : { lacksRights: lacks }) },
        };
      }),
    probe: () => one(statement("probe"), nothing),
    confirm: () => one(statement("confirm"), nothing),
    ping: () => one(statement("ping"), nothing),
    watch: (ring, signal) => connections.watch(ring, signal),
    async close() {
      await notices.close();
      await pool.end();
    },
  };
}

/** Whether the statement found the team as expected, and no entry with the id. */
async function isDone(client: Client, asked: Statement): Promise<boolean> {
  try {
    return (await client.query(asked)).rowCount === 1;
  } catch (error) {
    if (isIdTaken(error)) return false;
    throw error;
  }
}

/** Runs `act` on a connection of the pool, which is closed where that fails. */
async function onConnection<Value>(
  pool: Pool,
  place: string,
  act: (client: PoolClient) => Promise<Value>,
): Promise<Result<Value, Failure>> {
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    return err({ ...failureOf(error, place), isUnsent: true });
  }
  try {
    const value = await act(client);
    throwDoubt(client);
    client.release();
    return ok(value);
  } catch (error) {
    client.release(true);
    return err(failureOf(error, place));
  }
}

interface LockPlace {
  readonly place: string;
  readonly notices: Notices;
  readonly team: TeamName;
}

/** Takes the lock of the team and asks, in one round trip; a team that is new gets its row first. */
async function lockTeam(pool: Pool, of: LockPlace, question: Question): Promise<Result<Locked, Failure>> {
  const { place, team } = of;
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    return err(failureOf(error, place));
  }
  const release = () => {
    client.query({ text: "ROLLBACK" }).then(
      () => client.release(),
      () => client.release(true),
    );
  };
  try {
    const asked = () => [client.query(statement("lock", [team])), ...askedOf(client, team, question)] as const;
    const begun = client.query({ text: "BEGIN" });
    let [, found, ...facts] = await allOf([begun, ...asked()]);
    if (found?.rows.length === 0) {
      const { seq, hash, epoch } = emptyHead;
      const added = client.query(statement("addTeam", [team, seq, hash, epoch]));
      [, found, ...facts] = await allOf([added, ...asked()]);
    }
    const head = headOf(found?.rows[0] ?? {});
    return ok({
      head,
      ...factsOf(facts),
      release,
      ask: async (more) => {
        try {
          return ok(factsOf(await allOf(askedOf(client, team, more))));
        } catch (error) {
          return err(failureOf(error, place));
        }
      },
      write: (changes) => writeAndCommit(client, of, changes),
    });
  } catch (error) {
    client.release(true);
    return err(failureOf(error, place));
  }
}

/** Every answer, or the first error; what comes after an error is awaited, too, so that none is left over. */
async function allOf(asked: readonly Promise<QueryResult>[]): Promise<readonly QueryResult[]> {
  const done = await Promise.allSettled(asked);
  return done.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}

/** Asks what is new, the signs, who holds the ids, and the notes where they are wanted. */
function askedOf(client: Client, team: TeamName, { from, pairs, notes }: Question): readonly Promise<QueryResult>[] {
  return [
    client.query(statement("rows", [team, from, seqMax, pageRowsMax])),
    client.query(statement("signs", [team])),
    pairs.length === 0
      ? Promise.resolve(noRows)
      : client.query(statement("pairs", [team, pairs.map(({ id }) => id), pairs.map(({ agent }) => agent)])),
    notes ? client.query(statement("notes", [team])) : Promise.resolve(noRows),
  ];
}

function dueOf({ name, known, rule, at }: Readonly<Record<string, unknown>>): readonly [TeamName, DueMark | null] {
  const mark = known === true ? { rule: String(rule), at: at === null ? null : Number(at) } : null;
  return [String(name) as TeamName, mark]; // only teams are added
}

const noRows: QueryResult = { command: "", rowCount: 0, rows: [] };

function factsOf([rows = noRows, signs = noRows, pairs = noRows, notes = noRows]: readonly QueryResult[]): Facts {
  const holders = pairs.rows.map((row) => ({ id: String(row.id), agent: String(row.agent), row: rowOf(row) }));
  return { rows: rowsOf(rows), holders, signs: signsOf(signs), notes: notesOf(notes) };
}

/** Writes, moves the head and commits: sent together, answered together. Then it tells who follows. */
async function writeAndCommit(
  client: PoolClient,
  { place, notices, team }: LockPlace,
  changes: Changes,
): Promise<Result<void, Failure>> {
  const asked = statementsOf(team, changes);
  try {
    const done = await allOf([...asked.map((each) => client.query(each)), client.query({ text: "COMMIT" })]);
    throwDoubt(client);
    client.release();
    // After an error of a statement the server answers a commit by rolling back; the error is what is thrown then.
    if (done.at(-1)?.command === "COMMIT") {
      if (changes.rows.length > 0) notices.send(team);
      return ok(undefined);
    }
    return err(failureOf(new Error("Connection lost its transaction"), place));
  } catch (error) {
    client.release(true);
    return err(failureOf(error, place));
  }
}

/* What one statement writes. */

/** Asks whether the team is still as expected, which one row says. */
function isStill(team: TeamName, expected: Expected): Statement {
  return statement("isAt", expectedValues(team, expected));
}

/**
 * Writes the changes where the team is still as expected, which one row says. One entry that was decided without heartbeats,
 * as most are, needs less of the server: its id breaks a key where an older entry holds it.
 */
function writeWhere(team: TeamName, expected: Expected, changes: Changes): Statement {
  const { head, rows, ids, signs, due } = changes;
  const [row, id] = [rows[0], ids[0]];
  const isOne = row !== undefined && rows.length === 1 && ids.length <= 1 && signs.size === 0;
  const isKeyed = expected.absent.every((pair) => pair.id === id?.id && pair.agent === id.agent);
  if (!isOne || !isKeyed || expected.signs.size > 0)
    return statement("writeAt", [...expectedValues(team, expected), ...valuesOf(changes)]);
  const { seq, hash } = expected.head;
  const moved = [team, seq, hash, head.seq, head.hash, head.epoch, due?.rule ?? null, due?.at ?? null];
  const entry = [row.seq, row.hash, Buffer.from(row.text, "utf8")];
  return id === undefined
    ? statement("writeOne", [...moved, ...entry])
    : statement("writeOneWithId", [...moved, ...entry, id.id, id.agent]);
}

/** Whether the server wrote nothing because an entry holds the id. */
function isIdTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === "once_pkey";
}

/** What must still be so for something to be written. */
function expectedValues(team: TeamName, { head, absent, signs }: Expected): Values {
  const [ids, agents] = [absent.map(({ id }) => id), absent.map(({ agent }) => agent)];
  return [team, head.seq, head.hash, ids, agents, [...signs.keys()], [...signs.values()]];
}

/** Rows, ids, heartbeats and the head, as `writeAt` takes them. */
function valuesOf({ head, rows, ids, signs, due }: Changes): Values {
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
    due?.rule ?? null,
    due?.at ?? null,
  ];
}

/** What the changes write, and the new head. */
function statementsOf(team: TeamName, { head, rows, ids, signs, notes, due }: Changes): readonly Statement[] {
  const asked: Statement[] = [];
  if (rows.length > 0) asked.push(addEntries(team, rows));
  if (rows.length > 0 || signs.size > 0)
    asked.push(
      statement("moveHead", [team, head.seq, head.hash, head.epoch, signs.size, due?.rule ?? null, due?.at ?? null]),
    );
  if (ids.length > 0) asked.push(addIds(team, ids));
  if (signs.size > 0) asked.push(statement("putSigns", [team, [...signs.keys()], [...signs.values()]]));
  if (notes.size > 0) asked.push(statement("putNotes", [team, [...notes.keys()], [...notes.values()]]));
  return asked;
}

function addEntries(team: TeamName, rows: Changes["rows"]): Statement {
  const columns = [rows.map(({ seq }) => seq), rows.map(({ hash }) => hash), rows.map(({ text }) => text)];
  return statement("addEntries", [team, ...columns]);
}

function addIds(team: TeamName, ids: Changes["ids"]): Statement {
  const columns = [ids.map(({ id }) => id), ids.map(({ agent }) => agent), ids.map(({ seq }) => seq)];
  return statement("addIds", [team, ...columns]);
}

/* What a hub may do in the tables, compared with what the server grants. */

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
async function lackingRights(client: Client): Promise<string | null> {
  const all = needed.flatMap(([table, rights]) => rights.map((right) => [table, right] as const));
  const { rows } = await client.query({
    text: lacking,
    values: [all.map(([table]) => table), all.map(([, right]) => right)],
  });
  return rows.length === 0 ? null : rows.map(({ lack }) => String(lack)).join(", ");
}

/**
 * The journal's rows on PostgreSQL. A team's row is its lock; what is read and written under it uses the connection
 * that holds it, because with as many locked teams as connections a second one would never come. Statements of one step
 * are sent together, so a step costs one round trip: the lock with what is new, then the rows with the commit.
 */
import type { TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { emptyHead } from "../chain.ts";
import type { EngineFacts } from "../journal.ts";
import type { Answer, Backend, Changes, Facts, Failure, Locked, Question } from "../remote/backend.ts";
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
  type Values,
  valuesOf,
} from "./driver.ts";
import { failureOf } from "./server.ts";

/** What a backend is made of. */
export interface Connections {
  readonly pool: Pool;
  readonly place: string;
  /** The channel of notices. */
  readonly channel: string;
  readonly engine: () => EngineFacts;
  /** Calls `ring` for each notice, over a separate connection. */
  watch(ring: (team: string | null) => void, signal: AbortSignal): void;
}

const numberOf = "(SELECT number FROM team WHERE name = $1)";
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
  moveHead: "UPDATE team SET seq = $2, hash = $3, epoch = $4, signed = signed + $5 WHERE name = $1",
  putSigns: `INSERT INTO life SELECT ${numberOf}, r.agent, r.at FROM unnest($2::text[], $3::bigint[]) AS r (agent, at)
             ON CONFLICT (team, agent) DO UPDATE SET at = excluded.at`,
  putNotes: `INSERT INTO note SELECT ${numberOf}, r.agent, r.words FROM unnest($2::text[], $3::text[]) AS r (agent, words)
             ON CONFLICT (team, agent) DO UPDATE SET words = excluded.words`,
  notify: "SELECT pg_notify($1, $2)",
  isAt: `SELECT count(*) AS n FROM team WHERE ${asExpected}`,
  // The lock is taken and everything compared and written by one statement. What it reads is as of its beginning, so it
  // writes nothing where the team's row, which heartbeats change too, is another one by the time it has the lock.
  writeAt: `WITH t AS (SELECT number FROM team WHERE ${asExpected}
                       AND signed = (SELECT signed FROM team WHERE name = $1) FOR UPDATE),
    e AS (INSERT INTO entry (team, seq, hash, bytes) SELECT t.number, r.seq, r.hash, convert_to(r.text, 'UTF8')
          FROM t, unnest($8::bigint[], $9::text[], $10::text[]) AS r (seq, hash, text)),
    o AS (INSERT INTO once (team, id, agent, seq) SELECT t.number, r.id, r.agent, r.seq
          FROM t, unnest($11::text[], $12::text[], $13::bigint[]) AS r (id, agent, seq)),
    l AS (INSERT INTO life SELECT t.number, r.agent, r.at FROM t, unnest($14::text[], $15::bigint[]) AS r (agent, at)
          ON CONFLICT (team, agent) DO UPDATE SET at = excluded.at),
    u AS (UPDATE team SET seq = $16, hash = $17, epoch = $18, signed = team.signed + $19 FROM t
          WHERE team.number = t.number RETURNING 1)
    SELECT count(*) AS n, count(pg_notify($20, $1)) FROM u`,
  snapshot: `SELECT seq, body FROM snapshot WHERE team = ${numberOf}`,
  keepSnapshot: `INSERT INTO snapshot AS s SELECT number, $2::bigint, $3 FROM team WHERE name = $1
                 ON CONFLICT (team) DO UPDATE SET seq = excluded.seq, body = excluded.body WHERE s.seq <= excluded.seq`,
  heads: `SELECT name, seq, hash, epoch, (SELECT count(*) FROM entry e WHERE e.team = t.number) AS entries
          FROM team t WHERE seq > 0 ORDER BY name`,
  bytes: `SELECT sum(pg_total_relation_size(c.oid)) AS n FROM pg_class c
          WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`,
  probe: "UPDATE journal SET probed_at = clock_timestamp()",
  ping: "SELECT 1",
} as const;

function statement(name: keyof typeof statements, values: Values = []): Statement {
  return { name, text: statements[name], values };
}

/** No entry has a higher number. */
const seqMax = Number.MAX_SAFE_INTEGER;

/** The backend over these connections. */
export function postgresBackend(connections: Connections): Backend {
  const { pool, place, channel } = connections;
  const one = async <Value>(asked: Statement, read: (result: QueryResult) => Value): Answer<Value> =>
    await onConnection(pool, place, async (client) => read(await client.query(asked)));
  const nothing = () => undefined;
  return {
    place,
    teams: () => one(statement("teams"), ({ rows }) => rows.map((row) => String(row.name) as TeamName)),
    head: (team) => one(statement("head", [team]), ({ rows: [row] }) => (row === undefined ? null : headOf(row))),
    rows: (team, { from, to = seqMax, limit }) => one(statement("rows", [team, from, to, limit]), rowsOf),
    rowsAt: (team, seqs) => one(statement("rowsAt", [team, seqs]), rowsOf),
    holdersOf: (team, id, limit) => one(statement("holdersOf", [team, id, limit]), rowsOf),
    countIds: (team, seq) => one(statement("countIds", [team, seq]), ({ rows: [row] }) => Number(row?.n)),
    writeAt: (team, { head, absent, signs }, changes) => {
      const expected: Values = [
        team,
        head.seq,
        head.hash,
        absent.map(({ id }) => id),
        absent.map(({ agent }) => agent),
        [...signs.keys()],
        [...signs.values()],
      ];
      const asked =
        changes === null
          ? statement("isAt", expected)
          : statement("writeAt", [...expected, ...valuesOf(changes), channel]);
      return one(asked, ({ rows: [row] }) => Number(row?.n) === 1);
    },
    lock: (team, question) => lockTeam(pool, { place, channel, team }, question),
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
    facts: () =>
      onConnection(pool, place, async (client) => {
        const [heads, bytes] = await Promise.all([client.query(statement("heads")), client.query(statement("bytes"))]);
        const teams = heads.rows.map((row) => ({
          team: String(row.name) as TeamName, // only teams are added
          entries: Number(row.entries),
          head: headOf(row),
        }));
        return { bytes: Number(bytes.rows[0]?.n ?? 0), teams, engine: connections.engine() };
      }),
    probe: () => one(statement("probe"), nothing),
    ping: () => one(statement("ping"), nothing),
    watch: (ring, signal) => connections.watch(ring, signal),
    close: () => pool.end(),
  };
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
    client.release();
    return ok(value);
  } catch (error) {
    client.release(true);
    return err(failureOf(error, place));
  }
}

interface LockPlace {
  readonly place: string;
  readonly channel: string;
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

const noRows: QueryResult = { command: "", rowCount: 0, rows: [] };

function factsOf([rows = noRows, signs = noRows, pairs = noRows, notes = noRows]: readonly QueryResult[]): Facts {
  const holders = pairs.rows.map((row) => ({ id: String(row.id), agent: String(row.agent), row: rowOf(row) }));
  return { rows: rowsOf(rows), holders, signs: signsOf(signs), notes: notesOf(notes) };
}

/** Writes, moves the head, tells who follows, and commits: sent together, answered together. */
async function writeAndCommit(
  client: PoolClient,
  { place, channel, team }: LockPlace,
  { head, rows, ids, signs, notes }: Changes,
): Promise<Result<void, Failure>> {
  const asked: Statement[] = [];
  if (rows.length > 0) {
    const columns = [rows.map(({ seq }) => seq), rows.map(({ hash }) => hash), rows.map(({ text }) => text)];
    asked.push(statement("addEntries", [team, ...columns]), statement("notify", [channel, team]));
  }
  if (rows.length > 0 || signs.size > 0)
    asked.push(statement("moveHead", [team, head.seq, head.hash, head.epoch, signs.size]));
  if (ids.length > 0) {
    const columns = [ids.map(({ id }) => id), ids.map(({ agent }) => agent), ids.map(({ seq }) => seq)];
    asked.push(statement("addIds", [team, ...columns]));
  }
  if (signs.size > 0) asked.push(statement("putSigns", [team, [...signs.keys()], [...signs.values()]]));
  if (notes.size > 0) asked.push(statement("putNotes", [team, [...notes.keys()], [...notes.values()]]));
  try {
    const done = await allOf([...asked.map((each) => client.query(each)), client.query({ text: "COMMIT" })]);
    client.release();
    // After an error of a statement the server answers a commit by rolling back; the error is what is thrown then.
    if (done.at(-1)?.command === "COMMIT") return ok(undefined);
    return err(failureOf(new Error("Connection lost its transaction"), place));
  } catch (error) {
    client.release(true);
    return err(failureOf(error, place));
  }
}

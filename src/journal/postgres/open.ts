/**
 * Opening a journal on PostgreSQL: the driver is loaded, the server's settings are read back, the tables are looked at or
 * made, and the shared core of `journal/remote` does the rest.
 * Source: docs/protocol/record.md, section 15.
 */

import { systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { readAnchors } from "../anchor-file.ts";
import type { EngineFacts, Journal, JournalOptions, Projection } from "../journal.ts";
import { remoteJournal } from "../remote/remote-journal.ts";
import { serverClock } from "../remote/server-clock.ts";
import { waitingMsMax } from "../remote/store.ts";
import { readServerAddress, type ServerAddress } from "./address.ts";
import { postgresBackend } from "./backend.ts";
import { type Client, type ConnectionConfig, type Driver, loadDriver, type Pool, type PoolConfig } from "./driver.ts";
import { listen, noticesOf } from "./notices.ts";
import { noteDoubts } from "./replica-doubt.ts";
import { type Connected, failureOf, missingProblem, prepareConnection, readOnlyProblem } from "./server.ts";

/** Connections of one journal; each writing team holds one while its transaction runs. */
const connectionsMax = 8;
/** Then it is made again, and the settings and the time are read again. */
const connectionSecondsMax = 120;
const connectMs = 5_000;
/** More than the server lets a lock be waited for. */
const answerMs = 20_000;
const betweenTriesMs = 100;

/**
 * Opens the journal at `url`, `postgres://USER@HOST/DATABASE`, and makes it where there is none. Refuses with `wrong-usage`,
 * `journal-cannot-open` (no driver, a weak setting, an old version, no such user or database), `journal-missing`,
 * `journal-newer`, `journal-read-only`, and `journal-unreachable` where no server answers within `waitMs`. A standby opens
 * for reading.
 */
export async function openPostgresJournal<State>(
  url: string,
  projection: Projection<State>,
  options: JournalOptions = {},
): Promise<Result<Journal<State>, Problem>> {
  const address = readServerAddress(url);
  if (!address.ok) return address;
  const { place } = address.value;
  const driver = await loadDriver(place);
  if (!driver.ok) return driver;
  const mayOnlyRead = options.readOnly === true || options.refusal !== undefined;
  let connected: Connected | null = null;
  const clock = serverClock();
  const pool = poolOf(driver.value, address.value, {
    max: connectionsMax,
    onConnect: async (client) => {
      const found = await prepareConnection(client, address.value);
      connected = found;
      clock.learn(found.time);
    },
  });
  const deadline = systemClock.monotonic() + (options.waitMs ?? waitingMsMax);
  const ready = await firstConnection(pool, address.value, {
    create: options.create !== false && !mayOnlyRead,
    mayChange: () => !mayOnlyRead && connected?.isStandby !== true,
    deadline,
  });
  if (!ready.ok) {
    await pool.end();
    return ready;
  }
  const found = connected as Connected | null; // assigned by the connection, which the compiler does not see
  const isStandby = found?.isStandby === true;
  const refusal = options.refusal ?? (mayOnlyRead || isStandby ? readOnlyProblem(place) : null);
  const channel = `baton ${address.value.schema}`;
  const backend = postgresBackend({
    pool,
    place,
    engine: (): EngineFacts => connected?.engine ?? {},
    watch: (ring, signal) =>
      void listen({ connect: () => new driver.value.Client(configOf(address.value)), place, channel }, ring, signal),
    notices: noticesOf(poolOf(driver.value, address.value, { max: 1 }), place, channel),
  });
  const { headsFile } = options;
  const known = headsFile === undefined ? ok(new Map()) : readAnchors(headsFile);
  const heads = headsFile === undefined || !known.ok ? null : { known: known.value, path: headsFile };
  const failure = known.ok ? null : known.error;
  return ok(remoteJournal(backend, projection, { clock, ...options, refusal, heads, failure }));
}

function configOf({ connectionString }: ServerAddress): ConnectionConfig {
  return {
    connectionString,
    application_name: "baton",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    pipeline: true,
    query_timeout: answerMs,
  };
}

function poolOf(
  driver: Driver,
  address: ServerAddress,
  options: Pick<PoolConfig, "max"> & Partial<Pick<PoolConfig, "onConnect">>,
): Pool {
  const pool = new driver.Pool({
    ...configOf(address),
    Client: endedWhereRefused(driver),
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: connectionSecondsMax,
    ...options,
  });
  // A connection that breaks tells it here as well as to what is being asked; without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    noteDoubts(client);
  });
  return pool;
}

/**
 * Connections that are ended where they are not let in. The driver leaves one open that wants a password and has none, and
 * the process would wait with it until the server gives up.
 */
function endedWhereRefused({ Client }: Driver): Driver["Client"] {
  return class extends Client {
    constructor(config: ConnectionConfig) {
      super(config);
      // A server may let a connection in and end it before the pool listens, which would end the process.
      this.on("error", () => undefined);
    }

    override async connect(done?: (error?: unknown) => void): Promise<unknown> {
      const refused = (error: unknown) => {
        void this.end().catch(() => undefined); // a connection that is broken has nothing to end
        if (done === undefined) throw error;
        return error;
      };
      const problem: unknown = await super.connect().then(() => undefined, refused);
      done?.(problem);
      return undefined;
    }
  };
}

interface BringingUp {
  /** Whether tables are made where there are none. */
  readonly create: boolean;
  /** Whether tables of an older form may be brought to the newest one. */
  mayChange(): boolean;
}

/** Looks at the tables over the first connection; a server that is starting is waited for. */
async function firstConnection(
  pool: Pool,
  address: ServerAddress,
  { deadline, ...options }: BringingUp & { readonly deadline: number },
): Promise<Result<void, Problem>> {
  for (;;) {
    try {
      const client = await pool.connect();
      try {
        return await bringUp(client, address, options);
      } finally {
        client.release();
      }
    } catch (error) {
      const { kind, problem } = failureOf(error, address.place);
      if (kind !== "unreachable" || systemClock.monotonic() > deadline) return err(problem);
      await systemClock.wait(betweenTriesMs);
    }
  }
}

/*
 * The tables of a journal on PostgreSQL, and how they are made. A team's row holds its head and is its lock; an entry is
 * written once and never changed. Everything else is next to the entries, or derived. No table refers to the team by a
 * constraint: what writes takes the number from the team's row, and the server's look for it costs a tenth of a commit.
 */

/**
 * The form that this build writes. The second added the index of deadlines; a build of the first may write next to it, for
 * what it writes moves the head away from what the index was made for.
 */
const formVersion = 2;
const formOfWriters = 1;

/** Of the advisory lock under which the tables are made; any number that nobody else uses. */
const creationLock = 7_210_511;

const tables = `
CREATE TABLE journal (one bool PRIMARY KEY DEFAULT true CHECK (one), id text NOT NULL, form int NOT NULL,
                      min_writer int NOT NULL, probed_at timestamptz);
CREATE TABLE team (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE,
                   seq bigint NOT NULL, hash text COLLATE "C" NOT NULL, epoch int NOT NULL,
                   signed bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
CREATE TABLE entry (team int NOT NULL, seq bigint NOT NULL, hash text COLLATE "C" NOT NULL,
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
INSERT INTO journal (id, form, min_writer) VALUES (gen_random_uuid()::text, 1, ${formOfWriters});
`;

/** What leads from the first form to the second. */
const indexOfDeadlines = `
ALTER TABLE team ADD COLUMN IF NOT EXISTS due_rule text, ADD COLUMN IF NOT EXISTS due_at bigint,
                 ADD COLUMN IF NOT EXISTS due_seq bigint;
UPDATE journal SET form = ${formVersion} WHERE form < ${formVersion};
`;

/**
 * Looks at the tables, and makes them where there are none and `create` says so. Answers whether this build may write.
 * Refuses with `journal-missing` and `journal-newer`; throws what the driver throws.
 */
async function bringUp(
  client: Client,
  address: ServerAddress,
  { create, mayChange }: BringingUp,
): Promise<Result<void, Problem>> {
  const { schema } = address;
  const before = await readForm(client, schema);
  if (before !== null && (before.form >= formVersion || !mayChange())) return checkForm(before, address);
  if (before === null && !create) return err(missingProblem(address.place));
  await client.query({ text: "BEGIN" });
  try {
    await client.query({ text: `SELECT pg_advisory_xact_lock(${creationLock})` });
    // Another process may have made them while this one waited.
    if ((await readForm(client, schema)) === null) {
      await client.query({ text: `CREATE SCHEMA IF NOT EXISTS ${schema}` });
      await client.query({ text: tables });
    }
    await client.query({ text: indexOfDeadlines });
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
    makeProblem("journal-newer", place, `A newer Baton has written this journal (form ${minWriter}).`, {
      expected: `form ${formVersion} or older`,
      hint: "Install the Baton that wrote it, or a newer one.",
    }),
  );
}

/**
 * The server behind a journal's URL: the settings that a durable journal needs, and what its errors mean. Settings are read
 * back on each new connection, because a server can be configured again at any time.
 * Source: docs/protocol/record.md, section 15.
 */
import { systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { EngineFacts } from "../journal.ts";
import type { Failure } from "../remote/backend.ts";
import type { Measure } from "../remote/server-clock.ts";
import { certificateProblem } from "../server-certificate.ts";
import type { ServerAddress } from "./address.ts";
import type { Client } from "./driver.ts";

/** Below this, nobody has tried. */
const versionMin = 150_000;

/** What a connection was found to be. */
export interface Connected {
  /** A standby: it can only be read. */
  readonly isStandby: boolean;
  readonly engine: EngineFacts;
  readonly time: Measure;
}

/** A setting, the values with which nothing acknowledged is lost, and what to write where it has another. */
const needed: readonly (readonly [setting: string, values: readonly string[]])[] = [
  ["fsync", ["on"]],
  ["full_page_writes", ["on"]],
  ["synchronous_commit", ["on", "local", "remote_write", "remote_apply"]],
  ["server_encoding", ["UTF8"]],
  ["default_transaction_isolation", ["read committed"]],
  ["standard_conforming_strings", ["on"]],
];

/**
 * How many replicas follow the server, as each role may see. Programs that copy or archive the data are none, and neither
 * are those that decode it.
 */
const countReplicas = `
  SELECT count(*) FROM pg_stat_replication r
   WHERE r.application_name NOT IN ('pg_basebackup', 'pg_receivewal')
     AND NOT EXISTS (SELECT FROM pg_replication_slots s WHERE s.slot_type = 'logical' AND s.active_pid = r.pid)`;

/**
 * Sets up a new connection and reads back what it needs of the server. Throws `Unfit` for a version that is too old and
 * for a weak setting, and what the driver throws.
 */
export async function prepareConnection(client: Client, address: ServerAddress): Promise<Connected> {
  const { schema, place } = address;
  const names = ["server_version_num", "server_version", "synchronous_standby_names", ...needed.map(([name]) => name)];
  const askedAt = systemClock.monotonic();
  const [, read] = await Promise.all([
    client.query({
      // A process that stops while it holds the lock of a team must not keep it from others for long. How durable a
      // commit is stays as it was found, also where the server is configured again while this connection is open.
      text: `SELECT set_config('search_path', $1, false), set_config('lock_timeout', '5s', false),
                    set_config('idle_in_transaction_session_timeout', '10s', false),
                    set_config('client_min_messages', 'warning', false),
                    set_config('synchronous_commit', current_setting('synchronous_commit'), false)`,
      values: [schema],
    }),
    client.query({
      text: `SELECT pg_is_in_recovery() AS standby, extract(epoch FROM clock_timestamp()) * 1000 AS now,
                    (${countReplicas}) AS replicas, ${names.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`,
    }),
  ]);
  const answeredAt = systemClock.monotonic();
  const row = read.rows[0] ?? {};
  const found = (name: string) => String(row[name]);
  if (Number(found("server_version_num")) < versionMin) {
    throw new Unfit(weakness(place, "its version", found("server_version"), "15 or newer", "use a newer server"));
  }
  for (const [name, values] of needed) {
    if (values.includes(found(name))) continue;
    const [best = ""] = values;
    const value = /^[a-z]+$/.test(best) ? best : `'${best}'`;
    const hint =
      name === "server_encoding"
        ? "create the database with ENCODING 'UTF8' TEMPLATE template0"
        : `as the server's administrator: ALTER SYSTEM SET ${name} = ${value}; SELECT pg_reload_conf(); look for the role and the database, too: ALTER ROLE … SET, ALTER DATABASE … SET`;
    throw new Unfit(weakness(place, name, found(name), values.join(" | "), hint));
  }
  const standbys = found("synchronous_standby_names");
  const commit = found("synchronous_commit");
  const waiting = waitsForReplica.includes(commit) ? readStandbyNames(standbys) : null;
  const survives = waiting !== null;
  const replicas = Number(row.replicas);
  // Not each of several replicas has what one of them has confirmed.
  const failoverTo =
    waiting === null || replicas === 0 ? null : hasEachReplicaAll(waiting, replicas) ? "each" : "furthest";
  if (row.standby !== true && replicas > 0 && !survives && !address.allowsAsyncReplicas)
    throw new Unfit(lossyReplicas(place, standbys, commit));
  return {
    isStandby: row.standby === true,
    time: { serverMs: Number(row.now), askedAt, answeredAt },
    engine: {
      server: "PostgreSQL",
      serverVersion: found("server_version"),
      schema,
      synchronousCommit: commit,
      synchronousStandbys: standbys === "" ? "none" : standbys,
      replicas,
      survivesServerLoss: survives,
      ...(failoverTo === null ? {} : { failoverTo: `${failoverTo} replica` }),
      isStandby: row.standby === true,
    },
  };
}

/** A server that cannot keep a journal's promises. */
export class Unfit extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

function weakness(place: string, what: string, received: string, expected: string, hint: string): Problem {
  const message = `The server cannot keep what is acknowledged: ${what} is ${received}.`;
  return makeProblem("journal-cannot-open", place, message, { received, expected, hint });
}

/** Values of `synchronous_commit` with which a replica has on its disk what is acknowledged. */
const waitsForReplica: readonly string[] = ["on", "remote_apply"];

/** A replica that is made the primary would lack acknowledged entries. */
function lossyReplicas(place: string, standbys: string, commit: string): Problem {
  const [what, set] =
    standbys === ""
      ? ["synchronous_standby_names is empty", "synchronous_standby_names = '*'"]
      : [`synchronous_commit is ${commit}`, "synchronous_commit = 'on'"];
  const message = `The server has a replica, and acknowledges what that may not have: ${what}. A failover would lose it.`;
  return makeProblem("journal-cannot-open", place, message, {
    received: what,
    expected: `synchronous_standby_names not empty, and synchronous_commit ${waitsForReplica.join(" | ")}`,
    hint: `as the server's administrator: ALTER SYSTEM SET ${set}; SELECT pg_reload_conf(); or, where nobody ever promotes a replica, say so at the end of the URL: ?replicas=async`,
  });
}

/** Codes of the network, and of the driver where it has none. */
const networkCodes = /^(E[A-Z]+|UND_ERR.*)$/;
const driverWords = /connection|timeout|terminated|not queryable|closed/i;

/** The failure behind an error of the driver. An error that neither the server nor the network causes is thrown again. */
export function failureOf(error: unknown, place: string): Failure {
  if (error instanceof Unfit) return { kind: "refused", problem: error.problem };
  if (!(error instanceof Error)) throw error;
  // Several addresses were tried: each has its own error.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0], place);
  const withoutTls = tlsProblem(error, place);
  if (withoutTls !== null) return { kind: "refused", problem: withoutTls };
  // The message of the server names no password, and neither does the driver's.
  const received = `${error.message.slice(0, 200)}${"code" in error ? ` (${String(error.code)})` : ""}`;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // A server that crashes at a commit may have it when it is back, whatever it says of the reason.
  if (isCrash(error)) return unreachable(place, received);
  const known = code.length === 5 ? knownCode(code) : null;
  if (known !== null) return known(place, received);
  if (code === "" && /SASL|password/i.test(error.message)) return refusedEntry(place, received);
  if (networkCodes.test(code) || (code === "" && driverWords.test(error.message))) return unreachable(place, received);
  throw error;
}

/** Whether the server ends with this error: it cannot write its log. The severity may be in the server's language. */
function isCrash(error: Error): boolean {
  return ("severity" in error && error.severity === "PANIC") || /\bpg_wal\//.test(error.message);
}

type Meaning = (place: string, received: string) => Failure;

/** The meaning of an SQLSTATE. */
function knownCode(code: string): Meaning | null {
  if (/^(08...|57P0[1-5]|53300|25P03)$/.test(code)) return unreachable;
  if (["40001", "40P01", "55P03"].includes(code)) return busy;
  if (["53100", "53200", "53400"].includes(code)) return full;
  if (["25006", "42501"].includes(code)) return readOnly;
  if (["3F000", "42P01"].includes(code)) return missing;
  if (/^(28...|3D000)$/.test(code)) return refusedEntry;
  if (["XX001", "XX002", "58030", "22021", "23505"].includes(code)) return corrupt;
  return null;
}

const unreachable: Meaning = (place, received) => ({
  kind: "unreachable",
  problem: makeProblem("journal-unreachable", place, "The server of the journal does not answer.", {
    received,
    hint: "Nothing of this was recorded. Look whether the server runs and can be reached from here, then run this again, or send again with the same id.",
  }),
});

const busy: Meaning = (place, received) => ({
  kind: "busy",
  problem: makeProblem("journal-busy", place, "Other processes held the team's lock for the whole waiting time.", {
    received,
    hint: "Try again with the same id; if it stays busy, look for long transactions in pg_stat_activity.",
  }),
});

const full: Meaning = (place, received) => ({
  kind: "refused",
  problem: makeProblem("journal-full", place, "The server has no room: nothing of this was recorded.", {
    received,
    hint: "Free space or memory on the server, then send again with the same id.",
  }),
});

const readOnly: Meaning = (place, received) => ({ kind: "refused", problem: readOnlyProblem(place, received) });

/** The journal can be read but not written. */
export function readOnlyProblem(place: string, received?: string): Problem {
  return makeProblem("journal-read-only", place, "The journal can be read but not written.", {
    received,
    hint: "Connect as a role that may write, and to the primary: a standby can only be read.",
  });
}

const missing: Meaning = (place, received) => ({ kind: "refused", problem: missingProblem(place, received) });

/** The database has no journal. */
export function missingProblem(place: string, received?: string): Problem {
  return makeProblem("journal-missing", place, "There is no journal in this schema of the database.", {
    received,
    hint: "Run `baton journal place` with this URL, which makes it, or name the schema of the journal: ?schema=NAME.",
  });
}

const refusedEntry: Meaning = (place, received) => ({
  kind: "refused",
  problem: makeProblem("journal-cannot-open", place, "The server does not let this user in.", {
    received,
    hint: "Check user, password and database. The password may be in PGPASSWORD or in the file that PGPASSFILE names.",
  }),
});

const corrupt: Meaning = (place, received) => ({
  kind: "final",
  problem: makeProblem("journal-corrupt", place, "The journal's data is damaged; nothing more is written to it.", {
    received,
    hint: "Keep the server's files as they are, run `baton journal verify`, and restore a backup.",
  }),
});

/** How many standbys the server waits for, and of how many; null: of each that connects. */
interface Waiting {
  readonly count: number;
  readonly of: number | null;
}

/** Reads `a, b`, `2 (a, b, c)`, `FIRST 2 (a, b, c)`, `ANY 1 (a, b)` and the same with `*`; null: it waits for none. */
export function readStandbyNames(setting: string): Waiting | null {
  const text = setting.trim();
  if (text === "") return null;
  const [, count, list = text] = /^(?:(?:first|any)\s+)?(\d+)\s*\((.*)\)$/is.exec(text) ?? [];
  const names: readonly string[] = list.match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? [];
  const isEach = names.length === 0 || names.some((name) => name === "*" || name === '"*"');
  return { count: Number(count ?? 1), of: isEach ? null : names.length };
}

/** Whether each of the `replicas` that follow the server has every acknowledged entry; else only the furthest one has. */
export function hasEachReplicaAll({ count, of }: Waiting, replicas: number): boolean {
  return of !== null && count >= of && replicas <= of;
}

/** `journal-cannot-open` with what to do; null: `error` is about something else. */
function tlsProblem(error: Error, place: string): Problem | null {
  const untrusted = certificateProblem(error, place, "sslmode=verify-full&sslrootcert=FILE");
  if (untrusted !== null) return untrusted;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const syscall = "syscall" in error ? error.syscall : null;
  const received = `${error.message.slice(0, 200)}${code === "" ? "" : ` (${code})`}`;
  const told = (message: string, hint: string) =>
    makeProblem("journal-cannot-open", place, message, { received, hint });
  // A socket of the system that is not there fails at `connect`.
  if (syscall === "open" || code === "EISDIR")
    return told(
      "A file that the address names cannot be read.",
      "Name a file that this user can read, by its whole path: sslrootcert, sslcert and sslkey in the address.",
    );
  if (code.startsWith("ERR_OSSL"))
    return told(
      "A file that the address names holds no certificate or key.",
      "Name files in PEM form: sslrootcert, sslcert and sslkey in the address.",
    );
  if (error.message.includes("does not support SSL"))
    return told(
      "The address asks for TLS, and the server has none.",
      "Switch TLS on at the server (ssl = on, with its certificate). Only where the network itself is safe, take the options that begin with ssl out of the address.",
    );
  // The driver's own words, before it asks any server.
  if (error.message.includes("sslmode=verify-ca requires"))
    return told(
      "The address names no authority that sslmode=verify-ca could check.",
      "Name the authority's file, too: sslrootcert=FILE. Or write sslmode=verify-full, which also checks the server's name.",
    );
  return null;
}

/**
 * What a journal needs of the servers and of its two streams. All of it is read back when a journal is opened and each time
 * the connection was lost, because servers can be configured again at any time; what is weaker is refused with what to set.
 * Source: docs/protocol/record.md, section 16.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isAtLeast } from "../../base/text.ts";
import type { Durability } from "../entry.ts";
import type { EngineFacts } from "../journal.ts";
import type { Failure } from "../remote/backend.ts";
import type { Measure } from "../remote/server-clock.ts";
import type { NatsAddress } from "./address.ts";
import type { Link } from "./connection.ts";
import { missingProblem, unreachable } from "./failures.ts";
import { measureTime, type StreamInfo, streamInfo } from "./streams.ts";

/** Below this, servers are known to break what a journal needs of expected numbers. */
const versionMin = [2, 12, 7] as const;
/** The largest message of a journal: an entry of 8 MiB, behind others of one million characters. */
export const payloadMin = 12 * 1024 * 1024;
/** The form that this build writes. */
const formVersion = 1;

/** The streams and subjects of a journal. */
export interface Names {
  readonly log: string;
  readonly side: string;
  /** Where a team's entries are. */
  entries(team: string): string;
  /** Keys next to the log, by what they are. */
  key(...parts: readonly string[]): string;
  /** Plain messages about who writes a team. */
  turns(team: string): string;
}

export function namesOf({ name }: NatsAddress): Names {
  return {
    log: `BATON_${name}_log`,
    side: `BATON_${name}_side`,
    entries: (team) => `baton.${name}.e.${team}`,
    key: (...parts) => `baton.${name}.s.${parts.join(".")}`,
    turns: (team) => `baton.${name}.turn.${team}`,
  };
}

/** What was read back. */
export interface Settings {
  readonly durability: Durability;
  readonly maxPayload: number;
  readonly engine: EngineFacts;
  readonly time: Measure | null;
}

/** A field of a stream's configuration, and the values with which nothing acknowledged is lost; the first is made. */
type Needed = readonly (readonly [field: string, values: readonly unknown[], flag: string])[];

/** Both streams: files, no limits, nothing that drops or rewrites what is in them. */
const neededOfBoth: Needed = [
  ["storage", ["file"], ""],
  ["retention", ["limits"], ""],
  ["discard", ["new"], "--discard new"],
  ["max_msgs", [-1], "--max-msgs=-1"],
  ["max_bytes", [-1], "--max-bytes=-1"],
  ["max_age", [0], "--max-age=0"],
  ["max_msg_size", [-1], "--max-msg-size=-1"],
  ["max_consumers", [-1], "--max-consumers=-1"],
  ["no_ack", [false, undefined], ""],
  ["sealed", [false, undefined], ""],
  ["allow_rollup_hdrs", [false, undefined], "--no-allow-rollup"],
  ["allow_msg_ttl", [false, undefined], "--no-allow-msg-ttl"],
  ["allow_msg_counter", [false, undefined], ""],
  ["allow_msg_schedules", [false, undefined], ""],
  ["allow_direct", [false, undefined], "--no-allow-direct"],
  ["mirror", [undefined], ""],
  ["sources", [undefined], ""],
  ["subject_transform", [undefined], ""],
  ["persist_mode", [undefined, "default"], ""],
];

const neededOfLog: Needed = [
  ...neededOfBoth,
  ["max_msgs_per_subject", [-1], "--max-msgs-per-subject=-1"],
  ["deny_delete", [true], "--deny-delete"],
  ["deny_purge", [true], "--deny-purge"],
];

const neededOfSide: Needed = [...neededOfBoth, ["max_msgs_per_subject", [1], "--max-msgs-per-subject=1"]];

/** What differs between the two streams. */
interface Wanted {
  readonly name: string;
  readonly subject: string;
  readonly needed: Needed;
  readonly replicas: number;
}

/** Why a journal does not open; `mayPass`: a later try may succeed. */
interface NotOpened {
  readonly problem: Problem;
  readonly mayPass: boolean;
}

/**
 * Reads everything back, and makes the streams where there are none and `create` says so. Refuses with
 * `journal-cannot-open` (a weak setting, an old version), `journal-missing` and `journal-newer`.
 */
export async function bringUp(
  link: Link,
  address: NatsAddress,
  create: boolean,
  durability: Durability,
): Promise<Result<Settings, NotOpened>> {
  const { place } = address;
  const server = link.info();
  if (server === null) {
    const { kind, problem } = link.whyAway();
    return err({ problem: problem, mayPass: kind === "unreachable" });
  }
  const weakServer = checkServer(place, server.version, server.max_payload);
  if (weakServer !== null) return err({ problem: weakServer, mayPass: false });
  const replicas = address.replicas ?? (server.cluster === undefined ? 1 : 3);
  const names = namesOf(address);
  const logWanted: Wanted = { name: names.log, subject: names.entries("*"), needed: neededOfLog, replicas };
  const sideWanted: Wanted = { name: names.side, subject: names.key(">"), needed: neededOfSide, replicas };
  const side = await readStream(link, sideWanted, create);
  if (!side.ok) return side;
  const log = await measureTime(() => readStream(link, logWanted, create));
  if (!log.ok) return log;
  const { config, cluster } = log.value.info;
  const servers = [cluster?.leader ?? server.server_name, ...(cluster?.replicas ?? []).map(({ name }) => name)];
  const synced = await readSynced(address.monitors, servers);
  if (typeof synced === "object" && durability === "fsync")
    return err({ problem: notSynced(place, synced.not), mayPass: false });
  return ok({
    durability: synced === "yes" ? "fsync" : "os",
    maxPayload: server.max_payload,
    time: log.value.time,
    engine: {
      server: "NATS JetStream",
      serverVersion: server.version,
      stream: names.log,
      replicas: Number(config.num_replicas),
      leader: servers[0] ?? "",
      syncAlways: typeof synced === "object" ? "no" : synced,
      survivesServerLoss: Number(config.num_replicas) > 1,
    },
  });
}

/** The name is taken by a stream with another configuration: another process has just made it. */
const nameTaken = 10_058;

/** Reads a stream back, and makes it where there is none. */
async function readStream(link: Link, wanted: Wanted, create: boolean): Promise<Result<StreamInfo, NotOpened>> {
  const { place } = link;
  const notOpened = ({ problem, kind }: Failure) => err({ problem: problem, mayPass: kind === "unreachable" });
  for (let mayCreate = create; ; mayCreate = false) {
    const info = await streamInfo(link, wanted.name);
    if (!info.ok) return notOpened(info.error);
    if (info.value !== null) {
      const problem = checkStream(place, info.value, wanted) ?? checkForm(place, info.value);
      if (problem !== null) return err({ problem: problem, mayPass: false });
      const hasLeader = info.value.cluster === undefined || (info.value.cluster.leader ?? "") !== "";
      return hasLeader ? ok(info.value) : notOpened(unreachable(place, `the stream ${wanted.name} has no leader`));
    }
    if (!mayCreate) return err({ problem: missingProblem(place), mayPass: create });
    const made = await link.api(`STREAM.CREATE.${wanted.name}`, configOf(wanted), { timeoutMs: 5_000 });
    if (!made.ok && made.error.code !== nameTaken) return notOpened(made.error);
  }
}

function checkServer(place: string, version: string, maxPayload: number): Problem | null {
  if (!isAtLeast(version.split("-", 1)[0] ?? "", versionMin)) {
    return weakness(place, "its version", version, `${versionMin.join(".")} or newer`, "use a newer nats-server");
  }
  if (maxPayload >= payloadMin) return null;
  const hint = "in the configuration of each server: max_payload: 16MB; then reload or restart it";
  return weakness(place, "max_payload", String(maxPayload), `${payloadMin} or more`, hint);
}

function checkStream(
  place: string,
  { config }: StreamInfo,
  { name, subject, needed, replicas }: Wanted,
): Problem | null {
  const subjects = config.subjects as readonly string[] | undefined;
  const what = (field: string) => `${field} of the stream ${name}`;
  if (subjects?.length !== 1 || subjects[0] !== subject)
    return weakness(
      place,
      what("subjects"),
      JSON.stringify(subjects ?? null),
      subject,
      `nats stream edit ${name} --subjects '${subject}'`,
    );
  const copies = Number(config.num_replicas);
  if (copies < replicas)
    return weakness(
      place,
      what("num_replicas"),
      String(copies),
      `${replicas} or more`,
      `nats stream edit ${name} --replicas ${replicas}; to accept fewer: ?replicas=1 in the URL`,
    );
  for (const [field, values, flag] of needed) {
    const value = config[field];
    if (values.includes(value)) continue;
    const hint = flag === "" ? "make the stream again: it cannot be changed" : `nats stream edit ${name} ${flag}`;
    const expected = values.map((each) => JSON.stringify(each ?? null)).join(" | ");
    return weakness(place, what(field), JSON.stringify(value ?? null), expected, hint);
  }
  return null;
}

function checkForm(place: string, { config }: StreamInfo): Problem | null {
  const minWriter = Number(
    (config.metadata as Readonly<Record<string, string>> | undefined)?.["baton.min_writer"] ?? formVersion,
  );
  if (minWriter <= formVersion) return null;
  return makeProblem("journal-newer", place, `A newer Baton has written this journal (form ${minWriter}).`, {
    expected: `form ${formVersion} or older`,
    hint: "Install the Baton that wrote it, or a newer one.",
  });
}

function configOf({ name, subject, needed, replicas }: Wanted): Readonly<Record<string, unknown>> {
  const settings = needed.map(([field, [value]]) => [field, value] as const).filter(([, value]) => value !== undefined);
  return {
    name,
    subjects: [subject],
    num_replicas: replicas,
    description: "A journal of Baton",
    metadata: { "baton.form": String(formVersion), "baton.min_writer": String(formVersion) },
    ...Object.fromEntries(settings),
  };
}

function weakness(place: string, what: string, received: string, expected: string, hint: string): Problem {
  const message = `The server cannot keep what is acknowledged: ${what} is ${received}.`;
  return makeProblem("journal-cannot-open", place, message, { received, expected, hint });
}

function notSynced(place: string, servers: readonly Unsynced[]): Problem {
  const hint =
    "in the configuration of each server: jetstream { sync_interval: always }; then restart it, one after another";
  const what = servers.map(({ server, monitor }) => `${server} (as ${monitor} says)`).join(", ");
  return weakness(place, `sync_interval of ${what}`, "not always", "always", hint);
}

/** A server that acknowledges before it writes to its disk, and the monitor that said so. */
interface Unsynced {
  readonly server: string;
  readonly monitor: string;
}

/** How long a server's monitor may take. */
const monitorMs = 2_000;

/**
 * Whether each of these servers writes to its disk before it acknowledges, which only their monitors tell; else which do
 * not. `unknown`: a server could not be asked.
 */
async function readSynced(
  monitors: readonly string[],
  servers: readonly string[],
): Promise<"yes" | "unknown" | { readonly not: readonly Unsynced[] }> {
  const synced = new Set<string>();
  const not: Unsynced[] = [];
  for (const monitor of monitors) {
    const [jetstream, variables] = await Promise.all([
      readJson(`${monitor}/jsz?config=true`),
      readJson(`${monitor}/varz`),
    ]);
    const name = variables?.server_name;
    const config = jetstream?.config as Readonly<Record<string, unknown>> | undefined;
    if (typeof name !== "string" || config === undefined) continue;
    if (config.sync_always === true) synced.add(name);
    else not.push({ server: name, monitor });
  }
  if (not.length > 0) return { not };
  return servers.every((server) => synced.has(server)) ? "yes" : "unknown";
}

async function readJson(url: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(monitorMs) });
    return answer.ok ? ((await answer.json()) as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null; // What cannot be asked is not promised.
  }
}

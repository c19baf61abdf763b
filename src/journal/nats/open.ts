/**
 * Opening a journal on NATS JetStream: the driver is loaded, the servers' settings are read back, the streams are looked at
 * or made, and the shared core of `journal/remote` does the rest.
 * Source: docs/protocol/record.md, section 16.
 */

import { systemClock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { readAnchors } from "../anchor-file.ts";
import type { Journal, JournalOptions, Projection } from "../journal.ts";
import type { Answer, Failure } from "../remote/backend.ts";
import { remoteJournal } from "../remote/remote-journal.ts";
import { type ServerClock, serverClock } from "../remote/server-clock.ts";
import { waitingMsMax } from "../remote/store.ts";
import { type NatsAddress, readNatsAddress } from "./address.ts";
import { natsBackend } from "./backend.ts";
import { connectTo, type Link } from "./connection.ts";
import { readOnlyProblem, unreachable } from "./failures.ts";
import { bringUp, namesOf, type Settings } from "./settings.ts";
import { measureTime, streamInfo } from "./streams.ts";

const betweenTriesMs = 100;
/** How often the servers are asked for their settings and their time. */
const readBackMs = 60_000;

/**
 * Opens the journal at `url`, `nats://HOST/NAME`, and makes it where there is none. Refuses with `wrong-usage`,
 * `journal-cannot-open` (no driver, a weak setting, an old version, no such user), `journal-missing`, `journal-newer`, and
 * `journal-unreachable` where no server answers within `waitMs`.
 */
export async function openNatsJournal<State>(
  url: string,
  projection: Projection<State>,
  options: JournalOptions = {},
): Promise<Result<Journal<State>, Problem>> {
  const address = readNatsAddress(url);
  if (!address.ok) return address;
  const { place } = address.value;
  const deadline = systemClock.monotonic() + (options.waitMs ?? waitingMsMax);
  const connected = await connectTo(address.value, deadline);
  if (!connected.ok) return connected;
  const link = connected.value;
  const { readOnly, create, durability = "fsync", headsFile } = options;
  const mayOnlyRead = readOnly === true || options.refusal !== undefined;
  const first = await firstSettings(link, address.value, create !== false && !mayOnlyRead, { durability, deadline });
  if (!first.ok) {
    await link.close();
    return first;
  }
  const clock = serverClock();
  const ended = new AbortController();
  const bringUpAgain = () => bringUp(link, address.value, false, durability);
  const followed = followSettings(link, first.value, { bringUpAgain, clock, signal: ended.signal });
  const names = namesOf(address.value);
  const look = async (): Answer<void> => {
    const found = await measureTime(() => streamInfo(link, names.log));
    if (!found.ok) return found;
    if (found.value.time !== null) clock.learn(found.value.time);
    // Servers without a majority answer this, and take nothing.
    const { cluster } = found.value.info ?? {};
    if (cluster !== undefined && (cluster.leader ?? "") === "")
      return err(unreachable(link.place, `the stream ${names.log} has no leader`));
    return ok(undefined);
  };
  const refusal = options.refusal ?? (mayOnlyRead ? readOnlyProblem(place) : null);
  const backend = natsBackend({
    link: {
      ...link,
      async close() {
        ended.abort();
        await link.close();
      },
    },
    names,
    durability: () => followed.settings().durability,
    mayWrite: refusal === null,
    maxPayload: first.value.maxPayload,
    engine: () => followed.settings().engine,
    refused: followed.weakness,
    look,
  });
  const known = headsFile === undefined ? ok(new Map()) : readAnchors(headsFile);
  const heads = headsFile === undefined || !known.ok ? null : { known: known.value, path: headsFile };
  const failure = known.ok ? null : known.error;
  return ok(remoteJournal(backend, projection, { clock, ...options, refusal, heads, failure }));
}

async function firstSettings(
  link: Link,
  address: NatsAddress,
  create: boolean,
  { durability, deadline }: { readonly durability: "fsync" | "os"; readonly deadline: number },
): Promise<Result<Settings, Problem>> {
  for (;;) {
    const found = await bringUp(link, address, create, durability);
    if (found.ok) return found;
    if (!found.error.mayPass || systemClock.monotonic() > deadline) return err(found.error.problem);
    await systemClock.wait(betweenTriesMs);
  }
}

interface Following {
  readonly bringUpAgain: () => ReturnType<typeof bringUp>;
  readonly clock: ServerClock;
  readonly signal: AbortSignal;
}

/**
 * The servers' settings as they were read last: after each lost connection, before anything is sent on the word of those
 * before, and from time to time, because a member of a cluster may start again and break no connection to another one.
 */
function followSettings(link: Link, first: Settings, { bringUpAgain, clock, signal }: Following) {
  let settings = first;
  let weak: Failure | null = null;
  const learn = (found: Settings) => {
    settings = found;
    if (found.time !== null) clock.learn(found.time);
  };
  const readBack = async (): Promise<"done" | "again"> => {
    const found = await bringUpAgain();
    if (found.ok) learn(found.value);
    if (!found.ok && found.error.mayPass) return "again";
    weak = found.ok ? null : { kind: "refused", problem: found.error.problem };
    return "done";
  };
  let connections = 0;
  const afterReconnect = async () => {
    connections += 1;
    const own = connections;
    weak = { ...unreachable(link.place, "its settings were not read back yet"), isUnsent: true };
    while (own === connections && !signal.aborted && (await readBack()) === "again")
      await systemClock.wait(betweenTriesMs, signal);
  };
  const fromTimeToTime = async () => {
    while (!signal.aborted) {
      await systemClock.wait(readBackMs, signal);
      if (!signal.aborted && weak?.kind !== "unreachable") await readBack();
    }
  };
  learn(first);
  link.onReconnect(() => void afterReconnect());
  void fromTimeToTime();
  return { settings: () => settings, weakness: () => weak };
}

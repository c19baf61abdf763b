/**
 * A hub's work for remote agents: words that were recorded are sent, again until the remote has taken them, and open tasks
 * are followed until they are over. The record is the outbox: a hub that was killed goes on where the record is, and a
 * message has the same id in every try. Of several hubs one works with a remote at a time. One remote that is slow or away
 * holds up no other.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isRemoteOver, type RemoteAsk } from "../coordination/remotes/remotes.ts";
import {
  cancelRemoteTask,
  fetchCard,
  getRemoteTask,
  type RemoteCard,
  type RemotePlace,
  sendToRemote,
} from "../doors/a2a/client.ts";
import { type RemoteFault, type RemoteTask, reportOf } from "../doors/a2a/remote-task.ts";
import type { HubLog } from "../doors/http/index.ts";
import { batonActor } from "../runtime/context.ts";
import type { Hub } from "../runtime/hub.ts";
import type { OutgoingAsk, RemoteDelivery } from "../runtime/remotes/remotes.ts";
import { readRemotes } from "../workspace/remotes.ts";
import { type RemoteStreams, remoteStreams } from "./remote-streams.ts";
import { type RemoteTurns, remoteTurns } from "./remote-turns.ts";

/** How often new words are looked for, in milliseconds. */
const lookMs = 500;
/** How long a remote that fails is left alone, the longer the more often it has failed. */
const pauseMsMin = 1_000;
const pauseMsMax = 60_000;
/** How often an open task is looked at, less and less while nothing changes. */
const pollMsMin = 500;
const pollMsMax = 15_000;
const pollGrowth = 1.5;
/** How long a card is good, in milliseconds. */
const cardMs = 300_000;

/** What a hub remembers of a remote between two looks. Nothing of it is needed after a restart. */
interface Acquaintance {
  failures: number;
  notBefore: number;
  /** Another hub works with it. */
  isOthers: boolean;
  card: { readonly value: RemoteCard; readonly until: number; readonly of: string } | null;
  /** When to look at each ask again, and how long to wait after that. */
  readonly polls: Map<string, { at: number; waitMs: number; changed: number }>;
}

interface Delivering {
  readonly team: RemoteDelivery;
  readonly state: string;
  readonly log: HubLog;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly streams: RemoteStreams;
  readonly turns: RemoteTurns;
}

/** Sends and follows for `name` until `signal` aborts. */
export async function watchRemotes(hub: Hub, name: TeamName, log: HubLog, signal: AbortSignal): Promise<void> {
  const clock = systemClock;
  const met = new Map<string, Acquaintance>();
  const busy = new Map<string, Promise<void>>();
  const turns = remoteTurns(hub.journal, name);
  // What a stream missed is looked at without delay.
  const streams = remoteStreams(clock, log, (ask) => {
    for (const { polls } of met.values()) polls.delete(ask);
  });
  while (!signal.aborted) {
    const folded = hub.journal.condition().condition === "ready" ? await hub.journal.state(name) : null;
    const hasAsks = folded?.ok === true && folded.value.state.coordination.remotes.asks.size > 0;
    const team = hasAsks ? await hub.localTeam(name, batonActor) : null;
    const work = team?.ok === true ? await team.value.remoteWork() : null;
    if (team?.ok === true && work?.ok === true) {
      const delivering = { team: team.value, state: hub.stateFolder, log, clock, signal, streams, turns };
      streams.keepOnly(new Set(work.value.map(({ ask: { ask } }) => ask)));
      const remotes = Map.groupBy(work.value, ({ ask }) => ask.remote);
      await turns.keepOnly(new Set([...remotes.keys(), ...busy.keys()]));
      for (const [remote, asks] of remotes) {
        const known = met.get(remote) ?? { failures: 0, notBefore: 0, isOthers: false, card: null, polls: new Map() };
        met.set(remote, known);
        if (busy.has(remote) || clock.monotonic() < known.notBefore) continue;
        const done = serve(delivering, remote, known, asks).finally(() => busy.delete(remote));
        busy.set(remote, done);
      }
    }
    await clock.wait(lookMs, signal);
  }
  await Promise.all([...busy.values(), streams.ended()]);
  await turns.keepOnly(new Set());
}

/** Does what is open at one remote; the first failure that is not final ends the round and begins a pause. */
async function serve(
  delivering: Delivering,
  remote: string,
  known: Acquaintance,
  asks: readonly OutgoingAsk[],
): Promise<void> {
  const { clock, team, log, streams, turns } = delivering;
  const place = placeOf(delivering, remote);
  const open = place.ok ? await inTurn(delivering, remote, known, asks) : asks;
  const due = open.filter(
    ({ ask, unsent }) =>
      unsent.length > 0 ||
      ask.isWithdrawn ||
      (!streams.isFollowed(ask.ask) && isPollDue(known, ask, clock.monotonic())),
  );
  if (due.length === 0) return;
  const fault = place.ok ? await servedOrNot(delivering, place.value, known, due) : place.error;
  if (delivering.signal.aborted) return;
  if (fault === null) {
    if (known.failures > 0) log.info({ remote }, "the remote is reached again");
    known.failures = 0;
    await team.reachRemoteOnce(remote, null);
    return;
  }
  if (known.failures === 0)
    log.warn({ remote, code: fault.code, why: fault.message }, "the remote cannot be reached; it is tried again");
  known.failures += 1;
  known.notBefore = clock.monotonic() + Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(10, known.failures - 1));
  known.card = null;
  if (fault.code === "not-initialised" && (!isLeftToAll(known, due) || (await turns.isOthers(remote)))) return;
  await team.reachRemoteOnce(remote, { code: fault.code, message: fault.message });
  // Another hub may reach it.
  for (const { ask } of asks) await streams.end(ask.ask);
  await turns.leave(remote);
}

/** What is open at the remote, as it is once it is this hub's turn; nothing while it is another hub's. */
async function inTurn(
  { team, streams, turns, log }: Delivering,
  remote: string,
  known: Acquaintance,
  asks: readonly OutgoingAsk[],
): Promise<readonly OutgoingAsk[]> {
  const turn = await turns.take(remote);
  if (turn === "others" && !known.isOthers) log.debug({ remote }, "another hub works with the remote");
  known.isOthers = turn === "others";
  if (turn === "kept") return asks;
  if (turn === "taken") {
    const work = await team.remoteWork();
    return work.ok ? work.value.filter(({ ask }) => ask.remote === remote) : [];
  }
  for (const { ask } of asks) await streams.end(ask.ask);
  return [];
}

/** Where the remote is. Refuses what `readRemotes` does, and `not-initialised` where this hub has no address of it. */
function placeOf({ state, signal }: Delivering, remote: string): Result<RemotePlace, Problem> {
  const settings = readRemotes(state);
  if (!settings.ok) return settings;
  const found = settings.value.get(remote);
  if (found !== undefined) {
    const { card, token, isPrivateAllowed } = found;
    return ok({ card, token, rules: { isPrivateAllowed }, signal });
  }
  const hint = "The owner sets it where the hub runs: `baton remote add NAME URL`.";
  return err(problem("not-initialised", remote, "This hub has no address of the remote.", { hint }));
}

/**
 * Whether no hub has sent it either, for a hub without the remote's address: another hub of the team may have the address
 * and work with the remote. Where none has it, that shows at the second look, and is recorded once.
 */
function isLeftToAll({ failures }: Acquaintance, due: readonly OutgoingAsk[]): boolean {
  return failures === 2 && due.some(({ unsent }) => unsent.length > 0);
}

function isPollDue({ polls }: Acquaintance, { ask, changed }: RemoteAsk, now: number): boolean {
  const poll = polls.get(ask);
  return poll === undefined || poll.changed !== changed || now >= poll.at;
}

/** Null: everything that was due is done. */
async function servedOrNot(
  delivering: Delivering,
  place: RemotePlace,
  known: Acquaintance,
  due: readonly OutgoingAsk[],
): Promise<Problem | null> {
  const { clock, signal } = delivering;
  const { card } = place;
  if (known.card === null || known.card.of !== card || clock.monotonic() > known.card.until) {
    const fetched = await fetchCard(place);
    if (!fetched.ok) return fetched.error;
    known.card = { value: fetched.value, until: clock.monotonic() + cardMs, of: card };
  }
  for (const each of due) {
    if (signal.aborted) return null;
    const fault = await deliver(delivering, { place, card: known.card.value, known }, each);
    if (fault !== null) return fault;
  }
  return null;
}

interface Reached {
  readonly place: RemotePlace;
  readonly card: RemoteCard;
  readonly known: Acquaintance;
}

/** Sends what waits of one ask, then cancels, follows or looks at its task. Null: it went well, or is refused for good. */
async function deliver(
  delivering: Delivering,
  reached: Reached,
  { ask, unsent }: OutgoingAsk,
): Promise<Problem | null> {
  const { team, clock, streams, turns } = delivering;
  const { place, card, known } = reached;
  // What a stream shows may be older than the answers below, so none is recorded after them.
  await streams.end(ask.ask);
  let now = ask;
  const report = async (sent: number | null, task: RemoteTask) => {
    const told = reportOf(now, sent, task);
    const reply = await team.reportRemote(now, told);
    now = {
      ...now,
      ...told,
      remoteTask: told.remoteTask ?? now.remoteTask,
      remoteContext: told.remoteContext ?? now.remoteContext,
    };
    return reply.outcome === "accepted"
      ? null
      : reply.outcome === "failed"
        ? reply.problem
        : (reply.problems[0] ?? null);
  };
  for (const { seq, text } of unsent) {
    // Where the turn ended meanwhile, another hub may have sent it.
    if ((await turns.take(ask.remote)) !== "kept") return null;
    const { remoteTask: task, remoteContext: context } = now;
    // An answer may be lost after the remote has taken the message: the same id then has no second effect.
    const outgoing = { id: `baton-${ask.ask}-${seq}`, text, task, context: task === null ? null : context };
    const sent = await sendToRemote(place, card, outgoing);
    if (!sent.ok && !sent.error.isFinal) return sent.error.problem;
    const fault = await report(seq, sent.ok ? sent.value : refusedTask(now, sent.error));
    if (fault !== null) return fault;
  }
  const { remoteTask } = now;
  if (remoteTask !== null && !isRemoteOver(now.state)) {
    const order = { team, place, card, ask: ask.ask, remote: ask.remote, remoteTask };
    if (!ask.isWithdrawn && streams.begin(order)) return null;
    const after = await lookAt(reached, remoteTask, ask.isWithdrawn);
    if (!after.ok && !after.error.isFinal) return after.error.problem;
    const fault = await report(null, after.ok ? after.value : refusedTask(now, after.error));
    if (fault !== null) return fault;
  }
  const isChanged = JSON.stringify(now) !== JSON.stringify(ask);
  const before = known.polls.get(ask.ask);
  const waitMs = isChanged || before === undefined ? pollMsMin : Math.min(pollMsMax, before.waitMs * pollGrowth);
  if (isRemoteOver(now.state)) known.polls.delete(ask.ask);
  else known.polls.set(ask.ask, { at: clock.monotonic() + waitMs, waitMs, changed: ask.changed });
  return null;
}

/** The task as it is, after it was cancelled if it is withdrawn. */
async function lookAt({ place, card }: Reached, id: string, isWithdrawn: boolean) {
  const looked = isWithdrawn ? await cancelRemoteTask(place, card, id) : await getRemoteTask(place, card, id);
  const isAnswer = looked.ok || !looked.error.isFinal || looked.error.isUnknownTask === true;
  return isAnswer ? looked : getRemoteTask(place, card, id);
}

/** A message that the remote will not take: the first one ends the ask, a later one leaves the task as it is. */
function refusedTask(now: RemoteAsk, { problem: { message }, isUnknownTask }: RemoteFault): RemoteTask {
  const { remoteTask: id, remoteContext: context, work } = now;
  const isLost = id === null || isUnknownTask === true;
  return { id, context, state: isLost ? "refused" : now.state, words: message, work };
}

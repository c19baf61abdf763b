/**
 * A hub's work for remote agents: words that were recorded are sent, again until the remote has taken them, and open tasks
 * are looked at until they are over. The record is the outbox: a hub that was killed goes on where the record is, and a
 * message has the same id in every try, by any hub of the team, so a remote acts on it once. One remote that is slow or away
 * holds up no other.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import {
  cancelRemoteTask,
  fetchCard,
  getRemoteTask,
  type RemoteCard,
  type RemotePlace,
  sendToRemote,
} from "../doors/a2a/client.ts";
import { type RemoteProblem, type RemoteTask, reportOf } from "../doors/a2a/remote-task.ts";
import type { HubLog } from "../doors/http/index.ts";
import { batonActor } from "../perform/context.ts";
import type { Hub } from "../perform/hub.ts";
import { problemsOf } from "../perform/operations/reply.ts";
import { readRemotes } from "../perform/workspace/remotes.ts";
import { isRemoteOver, type RemoteAsk } from "../remotes/decide.ts";
import type { OutgoingAsk, RemoteDelivery } from "../remotes/handlers.ts";

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
  /** The failure that this hub recorded last, since it last reached the remote. */
  recorded: string | null;
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
}

/** Sends and polls for `name` until `signal` aborts. */
export async function watchRemotes(hub: Hub, name: TeamName, log: HubLog, signal: AbortSignal): Promise<void> {
  const clock = systemClock;
  const met = new Map<string, Acquaintance>();
  const busy = new Map<string, Promise<void>>();
  while (!signal.aborted) {
    const folded = hub.journal.condition().condition === "ready" ? await hub.journal.state(name) : null;
    const hasAsks = folded?.ok === true && folded.value.state.coordination.remotes.asks.size > 0;
    const team = hasAsks ? await hub.localTeam(name, batonActor) : null;
    const work = team?.ok === true ? await team.value.remoteWork() : null;
    if (team?.ok === true && work?.ok === true) {
      const delivering = { team: team.value, state: hub.stateFolder, log, clock, signal };
      const remotes = Map.groupBy(work.value, ({ ask }) => ask.remote);
      for (const [remote, asks] of remotes) {
        const known = met.get(remote) ?? { failures: 0, notBefore: 0, recorded: null, card: null, polls: new Map() };
        met.set(remote, known);
        if (busy.has(remote) || clock.monotonic() < known.notBefore) continue;
        const done = serve(delivering, remote, known, asks).finally(() => busy.delete(remote));
        busy.set(remote, done);
      }
    }
    await clock.wait(lookMs, signal);
  }
  await Promise.all(busy.values());
}

/** Does what is open at one remote; the first failure that is not final ends the round and begins a pause. */
async function serve(
  delivering: Delivering,
  remote: string,
  known: Acquaintance,
  asks: readonly OutgoingAsk[],
): Promise<void> {
  const { clock, team, log } = delivering;
  const due = asks.filter(
    ({ ask, unsent }) => unsent.length > 0 || ask.isWithdrawn || isPollDue(known, ask, clock.monotonic()),
  );
  if (due.length === 0) return;
  const place = placeOf(delivering, remote);
  const problem = place.ok ? await servedOrNot(delivering, place.value, known, due) : place.error;
  if (delivering.signal.aborted) return;
  if (problem === null) {
    if (known.failures > 0) log.info({ remote }, "the remote is reached again");
    known.failures = 0;
    known.recorded = null;
    await team.reachRemoteOnce(remote, null);
    return;
  }
  if (known.failures === 0)
    log.warn({ remote, code: problem.code, why: problem.message }, "the remote cannot be reached; it is tried again");
  known.failures += 1;
  known.notBefore = clock.monotonic() + Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(10, known.failures - 1));
  known.card = null;
  // Recorded once, so that of two hubs one that reaches the remote and one that does not do not take turns in saying so.
  const isKnown = problem.code === "not-initialised" ? !isLeftToAll(known, due) : problem.code === known.recorded;
  if (isKnown) return;
  known.recorded = problem.code;
  await team.reachRemoteOnce(remote, { code: problem.code, message: problem.message });
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
  return err(makeProblem("not-initialised", remote, "This hub has no address of the remote.", { hint }));
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
    const problem = await deliver(delivering, { place, card: known.card.value, known }, each);
    if (problem !== null) return problem;
  }
  return null;
}

interface Reached {
  readonly place: RemotePlace;
  readonly card: RemoteCard;
  readonly known: Acquaintance;
}

/** Sends what waits of one ask, then cancels or looks at its task. Null: it went well, or is refused for good. */
async function deliver(
  delivering: Delivering,
  reached: Reached,
  { ask, unsent }: OutgoingAsk,
): Promise<Problem | null> {
  const { team, clock } = delivering;
  const { place, card, known } = reached;
  let now = ask;
  const report = async (sent: number | null, task: RemoteTask) => {
    const told = reportOf(now, sent, task);
    const reply = await team.reportRemote(now, told);
    now = {
      ...now,
      ...told,
      remoteTask: told.remoteTask ?? now.remoteTask,
      remoteContext: told.remoteContext ?? now.remoteContext,
      changed: reply.outcome === "accepted" ? reply.receipt.seq : now.changed,
    };
    return problemsOf(reply)[0] ?? null;
  };
  for (const { seq, text } of unsent) {
    const { remoteTask: task, remoteContext: context } = now;
    // The remote may have taken the message already, from another hub or with a lost answer: the id makes it one.
    const outgoing = { id: `baton-${ask.ask}-${seq}`, text, task, context: task === null ? null : context };
    const sent = await sendToRemote(place, card, outgoing);
    if (!sent.ok && !sent.error.isFinal) return sent.error.problem;
    const problem = await report(seq, sent.ok ? sent.value : refusedTask(now, sent.error));
    if (problem !== null) return problem;
  }
  const { remoteTask } = now;
  if (remoteTask !== null && !isRemoteOver(now.state)) {
    const after = await lookAt(reached, remoteTask, ask.isWithdrawn);
    if (!after.ok && !after.error.isFinal) return after.error.problem;
    const problem = await report(null, after.ok ? after.value : refusedTask(now, after.error));
    if (problem !== null) return problem;
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
function refusedTask(now: RemoteAsk, { problem: { message }, isUnknownTask }: RemoteProblem): RemoteTask {
  const { remoteTask: id, remoteContext: context, work } = now;
  const isLost = id === null || isUnknownTask === true;
  return { id, context, state: isLost ? "refused" : now.state, words: message, work };
}

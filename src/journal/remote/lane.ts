/**
 * The lane of a team: what one process asks of a team queues up and runs in turns, one at a time. What waits together
 * becomes one transaction under the team's lock, in which each operation is decided on the state that its predecessors left;
 * nobody is answered before the transaction is durable. What only looks takes no lock.
 *
 *   queue -> fold to the head -> lock, read what is new -> act, act ... -> write and commit -> settle all
 *
 * Where no answer comes to the commit, the very same rows are sent again until the server says whether it has them.
 * Source: docs/protocol/record.md, sections 3 and 8.
 */
import { nextTurn, systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Head } from "../entry.ts";
import { heldBy } from "../fold.ts";
import type { Changes, HeldPair, Locked, Question } from "./backend.ts";
import { applyRows, encodeFold, foldToHead, isSnapshotDue, noteRecorded } from "./fold-cache.ts";
import { asking, deadlineOf, type KeptFold, mayTryAgain, noteAnswer, noteFailure, type Store } from "./store.ts";
import { type Act, newTurn, noteContention, type Performed, performAll, type Queued } from "./turn.ts";

/** Most acts in one transaction, so that other processes get the lock. */
const actsMax = 256;
export interface Lane<State> {
  add(act: Act<State>): void;
  /** Resolves when nothing is queued or running. */
  idle(): Promise<void>;
}

/** The lane of one team. */
export function newLane<State>(store: Store<State>, team: TeamName): Lane<State> {
  const queue: Queued<State>[] = [];
  let draining: Promise<void> | null = null;
  const drainSoon = () => (store.gathers ? nextTurn() : Promise.resolve()).then(drainAll);
  const drainAll = async () => {
    try {
      while (queue.length > 0) queue.unshift(...(await runBatch(store, team, takeBatch(queue))));
    } catch (error) {
      for (const { act } of queue.splice(0)) act.abandon(error);
    } finally {
      // An operation may have come between the last look at the queue and now.
      draining = queue.length > 0 ? drainSoon() : null;
    }
  };
  return {
    add(act) {
      queue.push({ act, deadline: deadlineOf(store) });
      draining ??= drainSoon();
    },
    async idle() {
      while (draining !== null) await draining;
    },
  };
}

function takeBatch<State>(queue: Queued<State>[]): readonly Queued<State>[] {
  const [first] = queue;
  if (first?.act.isAlone === true) return queue.splice(0, 1);
  // Notes share no transaction with entries: a server may keep them elsewhere.
  const end = queue.findIndex(({ act }) => act.isAlone === true || isNote(act) !== isNote(first?.act));
  return queue.splice(0, Math.min(actsMax, end === -1 ? actsMax : end));
}

function isNote(act: Act<never> | undefined): boolean {
  return act?.isNote === true;
}

/** Runs the acts and answers those that must run again. */
async function runBatch<State>(
  store: Store<State>,
  team: TeamName,
  batch: readonly Queued<State>[],
): Promise<readonly Queued<State>[]> {
  const refuse = (reason: Problem) => {
    for (const { act } of batch) act.refuse(reason);
    return [];
  };
  try {
    const isWriting = batch.some(({ act }) => act.perform !== undefined);
    const known = store.folds.get(team);
    if (known !== undefined) known.unusedSince = null;
    // What is new comes with the lock, where the fold is known to be sound.
    const isReady = isWriting && known?.isChecked === true && store.regressions.size === 0;
    const folded = isReady ? ok(known) : await foldToHead(store, team);
    if (!folded.ok) return refuse(folded.error);
    if (isWriting) return await transact(store, team, folded.value, batch);
    for (const { act } of batch) act.settle(folded.value);
    return [];
  } catch (error) {
    for (const { act } of batch) act.abandon(error);
    return [];
  }
}

async function transact<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  batch: readonly Queued<State>[],
): Promise<readonly Queued<State>[]> {
  if (mayGuess(store, team, kept, batch)) return await guess(store, team, kept, kept.signs ?? new Map(), batch);
  const deadline = Math.min(...batch.map((queued) => queued.deadline));
  const pairs = batch.flatMap(({ act }) => act.pairs ?? []);
  const notes = batch.some(({ act }) => act.isNote === true);
  const from = kept.fold.head.seq;
  const locked = await lockWithin(store, team, { from, pairs, notes }, deadline);
  if (!locked.ok) return refused(batch, locked.error);
  const outcome = await underLock(store, team, kept, locked.value, { batch, pairs });
  if ("damage" in outcome) return refused(batch, outcome.damage);
  if ("again" in outcome) return outcome.again;
  const { changes, settled, rest, signs } = outcome;
  const written = changes === null ? ok("written" as const) : await writeAll(store, team, locked.value, changes);
  if (!written.ok || written.value === "lost") {
    // What was decided is not so, and the fold holds it.
    store.folds.delete(team);
    if (written.ok) return [...settled, ...rest];
    refused(settled, written.error);
    return rest;
  }
  kept.signs = signs;
  await settleAll(store, team, kept, { changes, settled });
  return rest;
}

/**
 * Answers everyone whose operation is recorded, or records nothing, and takes a snapshot that is due. What was written is
 * durable with everything before it; where nothing was, an entry that is acknowledged again must be confirmed first.
 */
async function settleAll<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  { changes, settled }: { readonly changes: Changes | null; readonly settled: readonly Queued<State>[] },
): Promise<void> {
  const { seq } = kept.fold.head;
  if ((changes?.rows.length ?? 0) > 0) noteRecorded(store, team, kept.fold);
  if (changes !== null) store.confirmed.set(team, seq);
  const isRepeated = (act: Act<State>) => act.repeats?.() === true;
  const doubt = settled.some(({ act }) => isRepeated(act)) ? await confirmUpTo(store, team, seq) : null;
  for (const { act } of settled) {
    if (doubt !== null && isRepeated(act)) act.refuse(doubt);
    else act.settle(kept);
  }
  if (isSnapshotDue(kept)) await keepSnapshot(store, team, kept);
}

/* One round trip, while nobody else writes: decided without the lock, and written where nothing has changed since. */

function mayGuess<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  batch: readonly Queued<State>[],
): boolean {
  const { head } = kept.fold;
  if (kept.signs === null || head.seq === 0 || store.regressions.size > 0) return false;
  if (systemClock.monotonic() < (store.contended.get(team) ?? 0)) return false;
  return !batch.some(
    ({ act, hasLost }) =>
      hasLost === true ||
      act.isNote === true ||
      act.isAlone === true ||
      act.isRepair === true ||
      // The entry that holds the id must be read.
      act.pairs?.some(({ id, agent }) => heldBy(kept.fold.held, agent, id) !== null) === true,
  );
}

async function guess<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  signs: ReadonlyMap<string, number>,
  batch: readonly Queued<State>[],
): Promise<readonly Queued<State>[]> {
  const turn = newTurn(store, team, kept, { signs, notes: new Map(), isLocked: false });
  const outcome = await performAll(store, turn, null, batch);
  if ("damage" in outcome) return refused(batch, outcome.damage);
  if ("again" in outcome) return outcome.again;
  const { changes, settled, rest } = outcome;
  const expected = turn.expected();
  const done = await store.backend.writeAt(team, expected, changes);
  if (!done.ok) noteFailure(store, done.error);
  else noteAnswer(store);
  const isUnknown = !done.ok && done.error.kind === "unreachable" && done.error.isUnsent !== true && changes !== null;
  const written: Result<"written" | "lost", Problem> = isUnknown
    ? await settleUnknown(store, team, { changes, before: expected.head, problem: done.error.problem })
    : done.ok
      ? ok(done.value ? "written" : "lost")
      : done.error.kind === "refused" || done.error.kind === "final"
        ? { ok: false, error: done.error.problem }
        : ok("lost");
  if (written.ok && written.value === "written") {
    kept.signs = turn.signsAfter();
    await settleAll(store, team, kept, { changes, settled });
    return rest;
  }
  noteContention(store, team);
  // The fold holds what is not recorded.
  if (changes !== null) store.folds.delete(team);
  if (written.ok) return [...settled.map((queued) => ({ ...queued, hasLost: true })), ...rest];
  refused(settled, written.error);
  return rest;
}

/** Brings the fold to the locked head and runs the operations. The lock stays only where there is something to write. */
async function underLock<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  locked: Locked,
  { batch, pairs }: { readonly batch: readonly Queued<State>[]; readonly pairs: readonly HeldPair[] },
): Promise<Performed<State>> {
  let outcome: Performed<State> = { again: batch };
  try {
    const { seq } = kept.fold.head;
    const caughtUp = await catchUp(store, team, kept, locked);
    if (kept.fold.head.seq > seq) noteContention(store, team);
    if (caughtUp.ok && caughtUp.value) {
      const turn = newTurn(store, team, kept, { ...locked, isLocked: true });
      const damage = turn.learn(pairs, locked.holders);
      outcome = damage === null ? await performAll(store, turn, locked, batch) : { damage };
    } else if (!caughtUp.ok) outcome = { damage: caughtUp.error };
    return outcome;
  } finally {
    // Also where `evolve` throws on an entry of another process.
    if (!("changes" in outcome) || outcome.changes === null) locked.release();
  }
}

function refused<State>(batch: readonly Queued<State>[], reason: Problem): readonly [] {
  for (const { act } of batch) act.refuse(reason);
  return [];
}

/** Brings the fold to the locked head. False: the server has lost what was folded; begin again without the lock. */
async function catchUp<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  locked: Locked,
): Promise<Result<boolean, Problem>> {
  for (let rows = locked.rows; ; ) {
    const done = await applyRows(store, team, kept, rows);
    if (!done.ok) return done;
    if (done.value === "begin again") return ok(false);
    if (kept.fold.head.seq >= locked.head.seq) return ok(true);
    const from = kept.fold.head.seq;
    const more = await locked.ask({ from, pairs: [], notes: false });
    if (!more.ok) {
      noteFailure(store, more.error);
      return ok(false);
    }
    rows = more.value.rows;
  }
}

/** Keeps a snapshot of the fold. It only saves time, so the journal is as good where it cannot be kept. */
async function keepSnapshot<State>(store: Store<State>, team: TeamName, kept: KeptFold<State>): Promise<void> {
  const { seq } = kept.fold.head;
  const text = encodeFold(store, team, kept.fold);
  kept.snapshot = { seq, characters: text.length };
  await store.backend.keepSnapshot(team, { seq, text });
}

/** Takes the lock, and tries again until the deadline. */
async function lockWithin(
  store: Store<unknown>,
  team: TeamName,
  question: Question,
  deadline: number,
): Promise<Result<Locked, Problem>> {
  for (;;) {
    const locked = await store.backend.lock(team, question);
    if (locked.ok) {
      noteAnswer(store);
      return locked;
    }
    const problem = noteFailure(store, locked.error);
    const mayPass = locked.error.kind === "unreachable" || locked.error.kind === "busy";
    if (!mayPass || !(await mayTryAgain(store, deadline))) return err(problem);
  }
}

/**
 * Writes the changes and commits. `lost`: it is known that they are not recorded, and the operations must be decided again.
 * Problems: what the server refuses, and `journal-failed` where it stays unknown.
 */
async function writeAll(
  store: Store<unknown>,
  team: TeamName,
  locked: Locked,
  changes: Changes,
): Promise<Result<"written" | "lost", Problem>> {
  const done = await locked.write(changes);
  if (done.ok) {
    noteAnswer(store);
    return ok("written");
  }
  const problem = noteFailure(store, done.error);
  if (done.error.kind === "busy") return ok("lost");
  if (done.error.kind !== "unreachable") return err(problem);
  return await settleUnknown(store, team, { changes, before: locked.head, problem });
}

/**
 * No answer came to the changes, which were decided on the head `before`: asks under the lock whether the server has them,
 * and sends the very same again where it does not and nothing else has been written. What was sent first may arrive later:
 * where the server refuses the second, it is asked once more.
 */
async function settleUnknown(
  store: Store<unknown>,
  team: TeamName,
  { changes, before, problem }: { readonly changes: Changes; readonly before: Head; readonly problem: Problem },
): Promise<Result<"written" | "lost", Problem>> {
  const [first] = changes.rows;
  const question = { from: first?.seq ?? 0, pairs: [], notes: false };
  const deadline = deadlineOf(store);
  for (;;) {
    const again = await lockWithin(store, team, question, deadline);
    if (!again.ok) return err(unknownOutcome(store, problem));
    const there = again.value.rows[0];
    if (first === undefined || there !== undefined || again.value.head.hash !== before.hash) {
      again.value.release();
      // Of entries of another journal the first may be there and the last not: those are restored again behind it.
      const isWhole = again.value.head.seq >= changes.head.seq;
      if (first === undefined || there?.hash !== first.hash || !isWhole) return ok("lost");
      const doubt = await confirmUpTo(store, team, again.value.head.seq, deadline);
      return doubt === null ? ok("written") : err(doubt);
    }
    const done = await again.value.write(changes);
    if (done.ok) {
      noteAnswer(store);
      return ok("written");
    }
    const refused = noteFailure(store, done.error);
    if (done.error.kind !== "unreachable" && done.error.kind !== "busy") return err(refused);
    if (!(await mayTryAgain(store, deadline))) return err(unknownOutcome(store, problem));
  }
}

/**
 * Waits until the team's entries up to `seq`, which were read and not written here, are as durable as the server's
 * acknowledgement makes them. Answers why nobody knows that they are; null: they are.
 */
async function confirmUpTo(
  store: Store<unknown>,
  team: TeamName,
  seq: number,
  deadline = deadlineOf(store),
): Promise<Problem | null> {
  const { backend, confirmed } = store;
  if (backend.confirm === undefined || seq <= (confirmed.get(team) ?? 0)) return null;
  const done = await asking(store, async () => (await backend.confirm?.()) ?? ok(undefined), deadline);
  if (done.ok) {
    confirmed.set(team, seq);
    return null;
  }
  const { received, message } = done.error;
  return makeProblem(
    "journal-failed",
    backend.place,
    "The server has this entry, and it is not known to be on a replica.",
    {
      received: received ?? message,
      hint: "A failover could lose it: send again with the same id once a replica follows the server.",
    },
  );
}

/** Nobody knows whether it was recorded: the server went away at the commit and has not come back. */
function unknownOutcome({ backend }: Store<unknown>, { received, message }: Problem): Problem {
  return makeProblem("journal-failed", backend.place, "The journal's server went away while this was being recorded.", {
    received: received ?? message,
    hint: "Whether it was recorded is unknown: send again with the same id once the server answers.",
  });
}

/**
 * Writing, and what becomes of it where no answer comes: the very same rows are sent again until the server says whether it
 * has them.
 * Source: docs/protocol/record.md, section 8.
 */

import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Head } from "../entry.ts";
import type { Changes, Locked, Question } from "./backend.ts";
import { asking, deadlineOf, mayTryAgain, noteAnswer, noteFailure, type Store } from "./store.ts";

/** Takes the lock, and tries again until the deadline. */
export async function lockWithin(
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
export async function writeAll(
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
export async function settleUnknown(
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
export async function confirmUpTo(
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

/**
 * Writing, and what becomes of it where no answer comes: the very same rows are sent again until the server says whether it
 * has them.
 * Source: docs/protocol/journal.md, section 8.
 */
import type { TeamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Head } from "../entry.ts";
import type { Changes, Locked, Question } from "./backend.ts";
import { deadlineOf, mayTryAgain, noteAnswer, noteFailure, type Store } from "./store.ts";

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
    const fault = noteFailure(store, locked.error);
    const mayPass = locked.error.kind === "unreachable" || locked.error.kind === "busy";
    if (!mayPass || !(await mayTryAgain(store, deadline))) return err(fault);
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
  const fault = noteFailure(store, done.error);
  if (done.error.kind === "busy") return ok("lost");
  if (done.error.kind !== "unreachable") return err(fault);
  return await settleUnknown(store, team, { changes, before: locked.head, fault });
}

/**
 * No answer came to the changes, which were decided on the head `before`: asks under the lock whether the server has them,
 * and sends the very same again where it does not and nothing else has been written. What was sent first may arrive later:
 * where the server refuses the second, it is asked once more.
 */
export async function settleUnknown(
  store: Store<unknown>,
  team: TeamName,
  { changes, before, fault }: { readonly changes: Changes; readonly before: Head; readonly fault: Problem },
): Promise<Result<"written" | "lost", Problem>> {
  const [first] = changes.rows;
  const question = { from: first?.seq ?? 0, pairs: [], notes: false };
  const deadline = deadlineOf(store);
  for (;;) {
    const again = await lockWithin(store, team, question, deadline);
    if (!again.ok) return err(unknownOutcome(store, fault));
    const there = again.value.rows[0];
    if (first === undefined || there !== undefined || again.value.head.hash !== before.hash) {
      again.value.release();
      // Of entries of another journal the first may be there and the last not: those are restored again behind it.
      const isWhole = again.value.head.seq >= changes.head.seq;
      return ok(first !== undefined && there?.hash === first.hash && isWhole ? "written" : "lost");
    }
    const done = await again.value.write(changes);
    if (done.ok) {
      noteAnswer(store);
      return ok("written");
    }
    const refused = noteFailure(store, done.error);
    if (done.error.kind !== "unreachable" && done.error.kind !== "busy") return err(refused);
    if (!(await mayTryAgain(store, deadline))) return err(unknownOutcome(store, fault));
  }
}

/** Nobody knows whether it was recorded: the server went away at the commit and has not come back. */
function unknownOutcome({ backend }: Store<unknown>, { received, message }: Problem): Problem {
  return problem("journal-failed", backend.place, "The journal's server went away while this was being recorded.", {
    received: received ?? message,
    hint: "Whether it was recorded is unknown: send again with the same id once the server answers.",
  });
}

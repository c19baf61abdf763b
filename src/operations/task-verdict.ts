/** What the repository says of reported work, as a reply and `verify` have it. Rules: docs/protocol/verdicts.md. */
import type { Problem } from "../base/problem.ts";
import type { CheckOutcome } from "../evidence/checks.ts";
import type { Note } from "../message/message.ts";

/** A check as it is told and recorded; its output only by its digest. */
export type CheckRecord = Omit<CheckOutcome, "outputEnd">;

/** How a reported task may stand. `reported`: nothing can be said. `complete`: verified, and its plan is summed up. */
export const verdictStates = ["reported", "verified", "disputed", "stale", "complete"] as const;

/** A task as the repository shows it; the problems say why. */
export interface TaskVerdict {
  readonly task: string;
  readonly plan: string | null;
  readonly state: (typeof verdictStates)[number];
  /** The full id of the commit, of several the last; null: it was not found. */
  readonly commit: string | null;
  /** Full ids of all commits that were found. */
  readonly commits: readonly string[];
  readonly problems: readonly Problem[];
  /** What is worth knowing about the work and disputes nothing. */
  readonly notes: readonly Note[];
  /** The checks of its plan that were run; absent: none were. */
  readonly checks?: readonly CheckRecord[];
}

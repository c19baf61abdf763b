/** What becomes of an operation that changes something: one form for all of them, which every door interprets. */
import type { Problem } from "../../base/problem.ts";
import type { Whereabouts } from "../../evidence/state.ts";
import type { Receipt } from "../../journal/entry.ts";
import type { Note } from "../../messages/message.ts";
import type { DenialReason } from "../../tasks/decide/claims.ts";
import type { CheckRecord } from "../../tasks/state/task-state.ts";
import type { Denial } from "../content.ts";

/**
 * The outcome of an operation. `failed` is the journal's; its outcome is unknown only for `journal-failed`.
 *
 * @example
 * const reply = await team.claim({ task: "1-1-T1" });
 * if (reply.outcome === "accepted") console.log(reply.token);
 * if (reply.outcome === "refused") console.log(reply.problems, reply.denial?.holder);
 */
export type Reply<More = object> = Accepted<More> | Refused | Failed;

/** It is recorded. `More`: what the operation gives besides its receipt, such as a claim's token. */
export type Accepted<More = object> = More & {
  readonly outcome: "accepted";
  readonly receipt: Receipt;
  readonly receivers: readonly string[];
  readonly notes: readonly Note[];
  /** What the repository says of the tasks that it reports as complete; absent: it was not asked here. */
  readonly verdicts?: readonly TaskVerdict[];
  /** Verdicts on disputed reports of other tasks that this report changed; absent: there are none. */
  readonly settled?: readonly TaskVerdict[];
};

export interface Refused {
  readonly outcome: "refused";
  readonly receipt: Receipt | null;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
  /** Of a claim: what prevents it. */
  readonly denial?: ClaimDenial;
}

interface Failed {
  readonly outcome: "failed";
  readonly problem: Problem;
}

/** Why a claim is not granted, and who is in the way. `reason` null: it was refused as any operation may be. */
export interface ClaimDenial extends Denial {
  readonly granted: false;
  readonly reason: DenialReason | null;
}

/** Why the operation was not accepted; empty: it was. */
export function problemsOf(reply: Reply): readonly Problem[] {
  if (reply.outcome === "accepted") return [];
  return reply.outcome === "failed" ? [reply.problem] : reply.problems;
}

/* What the repository says of reported work, as a reply and `verify` have it. Rules: docs/protocol/verdicts.md. */

/** The states of a reported task. `reported`: undecided. `complete`: verified, and its plan is summed up. */
export const verdictStates = ["reported", "verified", "disputed", "gone", "complete"] as const;

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
  /** Where verified work is; absent: it is not verified, or nobody has looked. */
  readonly place?: Omit<Whereabouts, "notes">;
  /** The checks of its plan that were run; absent: none were. */
  readonly checks?: readonly CheckRecord[];
}

/** What can be looked at in the past, each as its own operation shows it. */
export const pastViews = [
  "status",
  "agents",
  "needs",
  "tasks",
  "board",
  "approvals",
  "escalations",
  "contracts",
  "phases",
  "handoffs",
  "recent",
] as const;
export type PastView = (typeof pastViews)[number];

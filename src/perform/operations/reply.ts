/** What becomes of an operation that changes something, as every door answers it. */
import type { Problem } from "../../base/problem.ts";
import type { CheckOutcome } from "../../evidence/decide/contract-checks.ts";
import type { Whereabouts } from "../../evidence/state.ts";
import type { Receipt } from "../../journal/entry.ts";
import type { Note } from "../../messages/message.ts";
import type { DenialReason } from "../../tasks/decide/claim-denials.ts";

/** The outcome of an operation. `failed` is the journal's; its outcome is unknown only for `journal-failed`. */
export type Reply =
  | {
      readonly outcome: "accepted";
      readonly receipt: Receipt;
      readonly receivers: readonly string[];
      readonly notes: readonly Note[];
      /** What the repository says of the tasks that it reports as complete; absent: it was not asked here. */
      readonly verdicts?: readonly TaskVerdict[];
      /** Verdicts on disputed reports of other tasks that this report changed; absent: there are none. */
      readonly settled?: readonly TaskVerdict[];
    }
  | {
      readonly outcome: "refused";
      readonly receipt: Receipt | null;
      readonly problems: readonly Problem[];
      readonly notes: readonly Note[];
    }
  | { readonly outcome: "failed"; readonly problem: Problem };

/** A claim that was granted. */
export interface Grant {
  /** The task's id as first written. */
  readonly task: string;
  /** The fencing token: seq of the grant. */
  readonly token: number;
  /** Until when the claim lasts without another heartbeat of its holder, RFC 3339. */
  readonly expiresAt: string;
  readonly files: readonly string[];
}

/** What becomes of a claim. Denied for a reason, or (reason null) refused or failed as any act may be: see the reply. */
export type ClaimAnswer =
  | {
      readonly granted: true;
      /** The task's id as first written. */
      readonly task: string;
      /** The fencing token: seq of the grant. */
      readonly token: number;
      /** Until when the claim lasts without another heartbeat of its holder, RFC 3339. */
      readonly expiresAt: string;
      readonly files: readonly string[];
      readonly reply: Reply;
    }
  | {
      readonly granted: false;
      readonly reason: DenialReason | null;
      /** Who holds the task, or files of it; null: nobody does. */
      readonly holder: string | null;
      /** Paths of the claim that others hold. */
      readonly paths: readonly string[];
      readonly reply: Reply;
    };

/* What the repository says of reported work, as a reply and `verify` have it. Rules: docs/protocol/verdicts.md. */

/** A check as it is reported and recorded; its output only by its digest. */
export type CheckRecord = Omit<CheckOutcome, "outputEnd">;

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

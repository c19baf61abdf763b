/** What becomes of an operation that changes something, as every door answers it. */
import type { Problem } from "../base/problem.ts";
import type { DenialReason } from "../coordination/tasks/claim-denials.ts";
import type { Receipt } from "../journal/entry.ts";
import type { Note } from "../message/message.ts";
import type { TaskVerdict } from "./task-verdict.ts";

/** What becomes of an act. `failed` is the journal's; its outcome is unknown only for `journal-failed`. */
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

/** What becomes of a claim. Denied for a reason, or (reason null) refused or failed as any act may be: see the reply. */
export type ClaimAnswer =
  | {
      readonly granted: true;
      /** The task's id as first written. */
      readonly task: string;
      /** The fencing token: seq of the grant. */
      readonly token: number;
      /** Until when the claim lives without another sign of life of its holder, RFC 3339. */
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

/**
 * How it is said what became of a request of something held up or of a claim, by whom, and in which entry. Holds
 * agents' text.
 */
import type { ApprovalState } from "../../../coordination/approvals/approvals.ts";
import type { Escalation } from "../../../coordination/escalations/escalation-state.ts";
import type { TaskView } from "../../../coordination/tasks/board.ts";

/** `Denied by lead-1, entry 12: not now`. */
export function approvalWords(approval: Pick<ApprovalState, "standing" | "answer"> | undefined): string {
  if (approval?.standing === "expired") return "Its deadline passed; that counts as denied";
  const answer = approval?.answer ?? null;
  if (answer === null) return "Answered elsewhere, or its deadline passed";
  const { approved, decidedBy, reason, seq } = answer;
  // A reason that only repeats the answer tells nothing more.
  const why = reason === "" || reason === "approved" ? "" : `: ${reason}`;
  return `${approved ? "Approved" : "Denied"} by ${decidedBy}, entry ${seq}${why}`;
}

/** `Decided by lead-1, entry 9: stub it`. */
export function escalationWords(escalation: Pick<Escalation, "standing" | "decision"> | undefined): string {
  const decision = escalation?.decision ?? null;
  if (decision !== null) return `Decided by ${decision.decidedBy}, entry ${decision.seq}: ${decision.decision}`;
  return escalation?.standing === "closed" ? "Over: the agent that was held up continued" : "It is no longer held up";
}

/** `dev-1 no longer holds it: available`; of one that another has now: `qa-1 holds it now, no longer dev-1`. */
export function claimEndWords({ holder, state }: Pick<TaskView, "holder" | "state">, before: string): string {
  return holder === null ? `${before} no longer holds it: ${state}` : `${holder} holds it now, no longer ${before}`;
}

/** What can happen to approval requests, as facts of the journal. */
import type { ApprovalAnswer, ApprovalState } from "./requests.ts";

/** What happened to requests. */
export type ApprovalEvent =
  | { readonly event: "approval-requested"; readonly request: ApprovalState }
  | { readonly event: "approval-answered"; readonly key: string; readonly answer: ApprovalAnswer }
  | { readonly event: "approval-expired"; readonly key: string; readonly atMs: number }
  /** Its requester left the team, so nobody waits for an answer; it counts as expired. */
  | { readonly event: "approval-closed"; readonly key: string; readonly requester: string; readonly atMs: number };

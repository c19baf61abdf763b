/**
 * What leave can be asked for, and who may give it. Imports nothing, so that the page can ask too.
 * Source: docs/protocol/approvals.md.
 */

export type ApprovalType = "scope_change" | "plan_approval" | "gate_override";

/** Whether only the owner may answer: a gate is lifted by a person. */
export function needsOwner(request: { readonly requestType: ApprovalType }): boolean {
  return request.requestType === "gate_override";
}

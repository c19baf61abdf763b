/** What can happen to handoffs, as facts of the journal. */
import type { Role } from "../message/role.ts";
import type { Handoff, HandoffAcceptance } from "./handoff-state.ts";

/** An agent handed work over, with a document that the same entry holds. */
export interface HandoffIssued {
  readonly event: "handoff-issued";
  /** The roles that the receivers have; absent: recorded before roles were kept. */
  readonly receiverRoles?: { readonly [agent: string]: Role };
  readonly handoff: Pick<
    Handoff,
    | "id"
    | "issuer"
    | "issuerRole"
    | "source"
    | "target"
    | "receivers"
    | "workflow"
    | "task"
    | "summary"
    | "timestamp"
    | "digest"
    | "files"
    | "generated"
    | "unfit"
    | "after"
    | "seq"
    | "issuedAtMs"
  >;
}

/** One of those it was addressed to took it over, its files verified. */
export interface HandoffAccepted extends HandoffAcceptance {
  readonly event: "handoff-accepted";
  readonly id: string;
}

/** One of those it was addressed to gave it back. */
export interface HandoffRejected {
  readonly event: "handoff-rejected";
  readonly id: string;
  readonly by: string;
  readonly reasons: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** What was handed over is done. */
export interface HandoffCompleted {
  readonly event: "handoff-completed";
  readonly id: string;
  readonly by: string;
  readonly seq: number;
  readonly atMs: number;
}

export type HandoffEvent = HandoffIssued | HandoffAccepted | HandoffRejected | HandoffCompleted;

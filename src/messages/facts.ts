/**
 * Neutral facts: what a message says, freed from the spelling of its dialect. Each dialect reads wire to fact and
 * writes fact to wire; nothing else knows wire names. Field names here are camelCase and the same for all dialects.
 */
import type { Json } from "../base/json.ts";
import type { FactBodies } from "./fact-bodies.ts";

/** What kind of thing is said. One kind may be spelled by several types in several dialects. */
export const factKinds = [
  "findings",
  "contract",
  "progress",
  "blocker",
  "diagnosis",
  "verdict",
  "approval-request",
  "approval-response",
  "shutdown-request",
  "shutdown-response",
  // Said by the control frames of agent programs.
  "idle-notice",
  "assignment-notice",
  "completion-notice",
  "termination-notice",
  "permission-notice",
  // The first revision of yolo alone.
  "critique",
  "test-plan",
  "design",
  "specification",
  "review-changes",
  "review-result",
  "code-verdict",
  "security-audit",
  "research",
  "escalation",
  "resolution",
  "health",
  "breaker",
  "claim",
  "completion",
  "summary",
  "phase-progress",
  "design-handoff",
  "api-contract",
  "department-result",
  "owner-review",
  "owner-signoff",
  // Handoff documents.
  "handoff",
] as const;

/** A kind of fact. Each custom message type is a separate kind, the same in every dialect. */
export type FactKind = (typeof factKinds)[number] | `own:${string}`;

export type { Json } from "../base/json.ts";

/** What every kind carries in addition to its own fields. Null: the message did not say. */
export interface FactHead {
  /** Phase as written: a whole number in the second revisions, a string such as `"01"` in the first. */
  readonly phase: number | string | null;
  readonly task: string | null;
  readonly authorRole: string | null;
  /** The sender's own time, kept, never used for order. */
  readonly timestamp: string | null;
  readonly confidence: string | null;
}

/**
 * A fact: its kind, the head, the kind's own fields (`body`, neutral names, values as written) and whatever the wire
 * carried beyond its definition (`extra`, by its wire place: `envelope` or `payload`), so that nothing is lost when
 * the fact is written again. Where there is no envelope all of a message's own fields are its payload.
 */
export interface Fact<Kind extends FactKind = FactKind> {
  readonly kind: Kind;
  readonly head: FactHead;
  readonly body: Kind extends keyof FactBodies ? FactBodies[Kind] : { readonly [field: string]: Json };
  readonly extra?: {
    readonly envelope?: { readonly [key: string]: Json };
    readonly payload?: { readonly [key: string]: Json };
  };
}

/** Whether a fact is of that kind. */
export function says<Kind extends FactKind>(fact: Fact, kind: Kind): fact is Fact & Fact<Kind> {
  return fact.kind === kind;
}

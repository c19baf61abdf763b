/**
 * Neutral facts: what a message says, freed from the spelling of its dialect. Each dialect reads wire to fact and
 * writes fact to wire; nothing else knows wire names. Field names here are camelCase and the same for all dialects.
 */
import type { Json } from "../base/json.ts";

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
] as const;
export type FactKind = (typeof factKinds)[number];

export type { Json } from "../base/json.ts";

/** What every kind carries beside its own fields. Null: the message did not say. */
export interface FactHead {
  /** Phase as written: a whole number in the second revisions. */
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
 * the fact is written again.
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

/** The bodies that deciders read. Optional fields are absent where the message did not say. */
export interface FactBodies {
  readonly contract: {
    readonly planId: string;
    readonly phaseId: string;
    readonly objective: string;
    readonly tasks: readonly string[];
    readonly allowedPaths: readonly string[];
    readonly mustHaves: readonly string[];
    readonly forbiddenPaths?: readonly string[];
    readonly dependsOn?: readonly string[];
    readonly verificationChecks?: readonly string[];
    readonly tokenBudget?: number;
  };
  readonly progress: {
    readonly planId: string;
    readonly taskId: string;
    readonly status: "complete" | "partial" | "failed";
    readonly commit: string;
    readonly filesModified?: readonly string[];
    readonly concerns?: readonly string[];
    readonly evidence?: string;
  };
  readonly "approval-request": {
    readonly subject: string;
    readonly requestType: "scope_change" | "plan_approval" | "gate_override";
    readonly evidence: string;
    readonly options?: readonly string[];
    readonly deadline?: string;
  };
  readonly "approval-response": {
    readonly requestId: string;
    readonly approved: boolean;
    readonly reason: string;
    readonly conditions?: readonly string[];
    readonly modifications?: readonly Json[];
  };
  readonly "shutdown-request": { readonly reason: string; readonly teamName?: string };
  readonly "shutdown-response": {
    readonly requestId: string;
    readonly approved: boolean;
    readonly finalStatus: string;
    readonly pendingWork?: string;
  };
}

/**
 * What the person can decide of a need, at every door that shows needs. Pure.
 * Source: docs/protocol/needs.md, sections 1 and 2.
 */
import type { NeedKind } from "./need-ranking.ts";

/** What the person says to a need. */
export type NeedVerb = "approve" | "deny" | "decide" | "lift" | "confirm" | "decline";

/** The decisions on each kind, the one that lets it go on first; none: it is dealt with elsewhere. */
export const needVerbs: { readonly [Kind in NeedKind]: readonly NeedVerb[] } = {
  hold: ["lift"],
  revision: ["confirm", "decline"],
  approval: ["approve", "deny"],
  dispute: [],
  finding: [],
  escalation: ["decide"],
  unresponsive: [],
  loop: [],
  "over-budget": [],
};

/** Decisions that are not sent without a reason. */
export const verbsWithReason: ReadonlySet<NeedVerb> = new Set(["deny", "decide", "lift"]);

/** How long a decision waits before it is sent, in milliseconds; meanwhile it can be taken back. */
export const undoMs = 5_000;

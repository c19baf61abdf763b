/**
 * What may be said from among words. A message in a fence or a sentence may be a quotation, so nothing there approves,
 * shuts down, claims, completes or resolves. The list names what may be said: a kind that is not on it may not.
 * Source: docs/protocol/reading.md, sections 7 and 8.
 */
import type { Fact, FactKind } from "../message/facts.ts";

const sayable: ReadonlySet<FactKind> = new Set<FactKind>([
  "findings",
  "contract",
  "progress",
  "blocker",
  "diagnosis",
  "verdict",
  "approval-request",
  "critique",
  "test-plan",
  "design",
  "specification",
  "code-verdict",
  "security-audit",
  "research",
  "escalation",
  "phase-progress",
  "api-contract",
  "owner-review",
  "handoff",
]);

/** Whether a fact counts although words stand around it. What reports completion or agrees never does. */
export function mayBeSaidAmongWords(fact: Fact): boolean {
  if (!sayable.has(fact.kind)) return false;
  const body: { readonly [field: string]: unknown } = fact.body;
  if (fact.kind === "progress") return body.status !== "complete";
  return fact.kind !== "api-contract" || body.status === "proposed";
}

/**
 * The steps of a phase in their order, and the kinds of message by which each can be told. A step that no dialect of a
 * team has a word for is skipped by itself: nobody could ever say that it is done.
 * Source: docs/protocol/phases.md.
 */
import type { FactKind } from "../../../message/facts.ts";

export const phaseSteps = [
  "critique",
  "research",
  "architecture",
  "planning",
  "design_review",
  "test_authoring",
  "implementation",
  "code_review",
  "qa",
  "security",
  "signoff",
] as const;
export type PhaseStep = (typeof phaseSteps)[number];

/** Whether `word` names a step. */
export function isPhaseStep(word: string): word is PhaseStep {
  return (phaseSteps as readonly string[]).includes(word);
}

/** Kinds of message that tell of a step; null: it is told by the work itself, or by a command. */
export const tellingKinds: { readonly [step in PhaseStep]: readonly FactKind[] | null } = {
  critique: ["critique"],
  research: ["research", "findings"],
  architecture: ["design"],
  planning: null,
  design_review: ["specification"],
  test_authoring: ["test-plan"],
  implementation: null,
  code_review: ["review-result"],
  qa: ["verdict"],
  security: ["security-audit"],
  signoff: null,
};

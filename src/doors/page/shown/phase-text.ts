/** How the steps of a phase are said: a mark and a word for each state, and what a step that is not over waits for. */

import type { Escalation } from "../../../escalations/state.ts";
import type { PhaseStep } from "../../../phases/state/phase-state.ts";
import type { StepState, StepView } from "../../../phases/view/phase-conditions.ts";
import type { PhasePlan } from "../../../phases/view/phase-part-view.ts";
import type { PhaseGlance } from "../../../phases/view/phase-view.ts";

/** The mark of a state. The word is always next to it for people who do not see the mark. */
export const stepMarks: Readonly<Record<StepState, string>> = {
  complete: "✓",
  running: "●",
  pending: "○",
  skipped: "–",
};

export const stepWords: Readonly<Record<StepState, string>> = {
  complete: "done",
  running: "in progress",
  pending: "waits",
  skipped: "skipped",
};

const stepNames: { readonly [step in PhaseStep]: string } = {
  critique: "Critique",
  research: "Research",
  architecture: "Architecture",
  planning: "Planning",
  design_review: "Design review",
  test_authoring: "Test authoring",
  implementation: "Implementation",
  code_review: "Code review",
  qa: "QA",
  security: "Security",
  signoff: "Sign-off",
};

/** Where eleven of them are next to each other. */
const shortNames: { readonly [step in PhaseStep]?: string } = {
  architecture: "Archit.",
  planning: "Plan",
  design_review: "Design",
  test_authoring: "Tests",
  implementation: "Build",
  code_review: "Review",
};

/** A step's name as a narrow column has it; the whole one is next to it for those who ask. */
export function shortStepName(step: PhaseStep): string {
  return shortNames[step] ?? stepNames[step];
}

/** A step's name as people read it. */
export function stepName(step: PhaseStep): string {
  return stepNames[step];
}

/** How much of these parts is over, in whole percent: steps and plans. Less than all as long as one of them goes on. */
export function shareDone(
  parts: readonly Pick<PhaseGlance, "status" | "steps" | "plansComplete" | "plansTotal">[],
): number {
  const steps = parts.flatMap((part) => part.steps);
  const over = steps.filter(({ state }) => state === "complete" || state === "skipped").length;
  const [done, all] = parts.reduce(
    ([complete, total], part) => [complete + part.plansComplete, total + part.plansTotal],
    [over, steps.length],
  );
  const goesOn = parts.some(({ status }) => !["ended", "shipped", "shipped-with-findings"].includes(status));
  return Math.min(all === 0 ? 0 : Math.floor((100 * done) / all), goesOn ? 99 : 100);
}

/** What is missing to ship, without the words that begin each: they are above the list. */
export function missingToShip(missing: readonly string[], phase: string): readonly string[] {
  const beginning = `Phase ${phase} cannot ship: `;
  return missing.map((each) => (each.startsWith(beginning) ? each.slice(beginning.length) : each));
}

/** What must hold before a step is over, or, where it has not begun, before it begins. */
export function waitsFor({ state, entry, exit }: StepView): readonly string[] {
  if (state !== "running" && state !== "pending") return [];
  // "not yet" is before each of them where they are listed.
  return (state === "running" ? exit : entry).flatMap(({ met, says }) => (met ? [] : [says.replace(/: not yet$/, "")]));
}

/** What holds a phase up, with the people who wait in place of the number of their question. */
export function blockerWords(
  blocker: string,
  questions: readonly Pick<Escalation, "id" | "level" | "originators" | "issue">[],
): string {
  const asked = questions.find(({ id, level }) => blocker.startsWith(`${id} waits at ${level}: `));
  if (asked === undefined) return blocker;
  const { originators, level, issue } = asked;
  return `${originators.join(", ")} ${originators.length > 1 ? "wait" : "waits"} for ${level === "user" ? "you" : `the ${level}`}: ${issue}`;
}

/** How far a plan's tests and review are, in a few words each. */
export function planFacts({
  isSpecified,
  allRed,
  reviewCycle,
  review,
  mustFix,
  unverified,
  disputed,
  gone,
}: PhasePlan): readonly string[] {
  const open = mustFix.filter(({ state }) => state === "open" || state === "untouched").length;
  return [
    isSpecified ? "specified" : "not specified",
    allRed === null ? "no tests yet" : allRed ? "tests fail as they should" : "tests pass too early",
    review === null ? "not reviewed" : `review round ${reviewCycle}: ${review.replaceAll("-", " ")}`,
    ...(open === 0 ? [] : [`${open} to fix`]),
    ...(unverified.length === 0 ? [] : [`${unverified.length} not verified`]),
    ...(disputed.length === 0 ? [] : [`${disputed.length} disputed`]),
    ...(gone.length === 0 ? [] : [`${gone.length} gone`]),
  ];
}

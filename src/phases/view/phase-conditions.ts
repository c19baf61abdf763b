/**
 * When a step may begin and when it is done, computed from what the messages brought: each condition in words, met or not.
 * Source: docs/protocol/phases.md, section 2.
 */
import { unreachable } from "../../base/invariant.ts";
import { shortList } from "../../base/text.ts";
import type { PartFacts, PlanFacts, Setting } from "../decide/phase-facts.ts";
import { isOwnWork } from "../decide/phase-judges.ts";
import { type PhaseStep, phaseSteps, tellingKinds } from "../state/phase-state.ts";
import { validVerdict } from "../state/review-state.ts";

/** One condition. `says`: what must hold, and what is missing where it does not. */
export interface Condition {
  readonly condition: string;
  readonly met: boolean;
  readonly says: string;
}

/** The states of a step. */
export const stepStates = ["pending", "running", "complete", "skipped"] as const;
export type StepState = (typeof stepStates)[number];

/** The state of one step. */
export interface StepView {
  readonly step: PhaseStep;
  readonly state: StepState;
  /** Why it is skipped; null: it is not. */
  readonly reason: string | null;
  /** Who skipped it; null: nobody did, or the team has no word for it. */
  readonly skippedBy: string | null;
  readonly entry: readonly Condition[];
  readonly exit: readonly Condition[];
}

/** Every step of a part in its order. */
export function stepsOf(facts: PartFacts, setting: Setting): readonly StepView[] {
  const steps: StepView[] = [];
  for (const step of phaseSteps) steps.push(stepOf(step, facts, setting, steps));
  return steps;
}

function stepOf(step: PhaseStep, facts: PartFacts, setting: Setting, before: readonly StepView[]): StepView {
  const skip = facts.part.skips[step];
  const untold = skip === undefined ? untoldReason(step, setting) : null;
  const entry = entryOf(step, facts, before);
  const exit = exitOf(step, facts, setting);
  const isSkipped = (skip !== undefined || untold !== null) && !isHeld(step, facts);
  const isComplete = exit.every(({ met }) => met);
  const hasBegun = entry.every(({ met: isMet }) => isMet) || hasEvidence(step, facts);
  return {
    step,
    state: isComplete ? "complete" : isSkipped ? "skipped" : hasBegun ? "running" : "pending",
    reason: isSkipped && !isComplete ? (skip?.reason ?? untold) : null,
    skippedBy: isSkipped && !isComplete ? (skip?.by ?? null) : null,
    entry,
    exit,
  };
}

/** Whether anything was brought for a step. */
function hasEvidence(step: PhaseStep, { plans, quality, company, part }: PartFacts): boolean {
  if (step === "design_review") return plans.some(({ review }) => review.specification !== null);
  if (step === "test_authoring") return plans.some(({ review }) => review.tests !== null);
  if (step === "implementation") return plans.some(({ startedAtMs }) => startedAtMs !== null);
  if (step === "code_review") return plans.some(({ review }) => review.review !== null);
  if (step === "qa") return validVerdict(quality) !== null || quality.code !== null;
  if (step === "security") return quality.audit !== null;
  return step === "signoff" && part.department !== null && company.results[part.department] !== undefined;
}

/** Whether something blocks that cannot be skipped. */
export function isHeld(step: PhaseStep, { stops, escalations }: Pick<PartFacts, "stops" | "escalations">): boolean {
  if (step === "security") return stops.length > 0;
  return step === "implementation" && escalations.length > 0;
}

/** Why nobody could ever say that this step is done; null: somebody can. */
function untoldReason(step: PhaseStep, { kinds, tellable }: Setting): string | null {
  const telling = tellingKinds[step];
  if (telling === null) return null;
  const known = telling.filter((kind) => kinds.includes(kind));
  if (known.length === 0) return "the team's dialects have no message for it";
  if (tellable === undefined || known.some((kind) => tellable.includes(kind))) return null;
  return "no agent of the team has a role that can do it";
}

function entryOf(step: PhaseStep, facts: PartFacts, before: readonly StepView[]): readonly Condition[] {
  const conditions: Condition[] = [];
  const open = before.filter(({ state }) => state === "pending" || state === "running").map((each) => each.step);
  const last = before.at(-1);
  if (step === "signoff")
    conditions.push(met("steps-done", open.length === 0, "every step before it is done or skipped", shortList(open)));
  else if (last !== undefined) {
    const isOver = last.state === "complete" || last.state === "skipped";
    conditions.push(met(`${last.step}-done`, isOver, `${last.step} is done or skipped`, ""));
  }
  if (step === "planning" || step === "implementation") conditions.push(...designGate(facts));
  return conditions;
}

/** Frontend and backend begin once the design is handed over, where the phase needs one first. */
export function designGate({
  part,
  company,
  needed,
}: Pick<PartFacts, "company" | "needed"> & {
  readonly part: Pick<PartFacts["part"], "department">;
}): readonly Condition[] {
  const { department } = part;
  if (department !== "frontend" && department !== "backend") return [];
  const order = company.review?.order ?? [];
  const isFirst =
    !order.includes("uiux") || (order.includes(department) && order.indexOf(department) < order.indexOf("uiux"));
  if (!needed.includes("uiux") || isFirst) return [];
  const status = company.handoff?.status ?? null;
  const isOpen = status === "complete" || status === "partial";
  return [
    met("design-handed-over", isOpen, "the design is handed over", status === null ? "no design_handoff" : status),
  ];
}

function exitOf(step: PhaseStep, facts: PartFacts, setting: Setting): readonly Condition[] {
  const { part, plans, escalations } = facts;
  const last = Math.max(0, ...plans.map(({ lastReport }) => lastReport));
  switch (step) {
    case "critique":
      return [met("critique-reported", part.critique !== null, "a critique_result came", "not yet")];
    case "research":
      return [met("research-reported", part.research.length > 0, "scout_findings came", "not yet")];
    case "architecture":
      return [met("design-reported", part.design !== null, "an architecture_design came", "not yet")];
    case "planning":
      return [met("planned", plans.length > 0, "the phase has a plan", "not yet")];
    case "design_review":
      return [
        each(
          "specified",
          plans,
          ({ review }) => review.specification !== null,
          "every plan is specified by its senior",
        ),
      ];
    case "test_authoring":
      return [
        each(
          "all-red",
          plans,
          ({ review }) => review.tests?.allRed === true,
          "every plan has tests and all of them fail",
        ),
      ];
    case "implementation":
      return [
        each("summarised", plans, ({ isSummarised }) => isSummarised, "every plan is done and summarised"),
        met(
          "no-escalation",
          escalations.length === 0,
          "no escalation is open",
          shortList(escalations.map(({ id }) => id)),
        ),
      ];
    case "code_review":
      return [
        each(
          "approved",
          plans,
          (plan) => isApproved(plan, setting),
          "every plan's code is approved by another than who wrote it, after its last report",
        ),
      ];
    case "qa":
      return verified(facts, setting, last);
    case "security":
      return secured(facts, setting, last);
    case "signoff":
      return signedOff(facts, setting);
    default:
      return unreachable(step);
  }
}

/** The verdicts that count are about the work as it is now. */
function verified({ quality, plans }: PartFacts, setting: Setting, last: number): readonly Condition[] {
  const verdict = validVerdict(quality);
  const { code } = quality;
  const { roles } = setting;
  const isOthers = (by: string | undefined) => by === undefined || !isOwnWork(by, plans, setting);
  return [
    met(
      "qa-passed",
      verdict?.result === "PASS" && isOthers(verdict.by),
      "the verification passed",
      verdict === null
        ? "no verdict"
        : `${verdict.tier} ${verdict.result}${verdict.task === undefined ? "" : ` of ${verdict.task}`}`,
    ),
    met(
      "qa-current",
      verdict !== null && verdict.seq > last,
      "it came after the last reported work",
      last === 0 ? "" : `work of entry ${last}`,
    ),
    ...(code === null && !roles.includes("qa-code")
      ? []
      : [
          met(
            "code-passed",
            code?.result === "PASS" && isOthers(code.by),
            "the code's own verification passed",
            code === null ? "no verdict" : code.result,
          ),
          met("code-current", code !== null && code.seq > last, "it came after the last reported work", ""),
        ]),
  ];
}

/** Whether a plan's code is approved, by somebody who did not work on it. */
function isApproved(plan: PlanFacts, setting: Setting): boolean {
  const { review } = plan.review;
  if (review?.status !== "approved" || (review.approvedAt ?? 0) < plan.lastReport) return false;
  const judges = [review.result?.by, review.changes?.by].filter((by) => by !== undefined);
  return judges.every((by) => !isOwnWork(by, [plan], setting));
}

function secured(
  { quality: { audit }, stops, plans }: PartFacts,
  setting: Setting,
  last: number,
): readonly Condition[] {
  const open = stops.map(({ stop, by }) => `${stop} by ${by}`);
  return [
    met(
      "audited",
      audit !== null && !isOwnWork(audit.by, plans, setting),
      "a security_audit came, by another than who did the work",
      audit === null ? "not yet" : `by ${audit.by}`,
    ),
    met("audit-current", audit !== null && audit.seq > last, "it came after the last reported work", ""),
    met("not-stopped", stops.length === 0, "no failed audit is open", shortList(open)),
  ];
}

/** Whether the team has a word by which a department says that its part is done. */
export function reportsResults({ kinds }: Pick<Setting, "kinds">): boolean {
  return kinds.includes("department-result");
}

function signedOff({ part, company }: PartFacts, setting: Setting): readonly Condition[] {
  const { department } = part;
  if (department === null) {
    const isOver = part.ended !== null || company.signoff?.decision === "SHIP";
    return [met("ended", isOver, "the lead ends the phase", "not yet")];
  }
  const result = company.results[department] ?? null;
  const decision = company.signoff?.decision ?? null;
  const passed = met(
    "department-passed",
    result?.result === "PASS",
    "the department reports PASS to the owner",
    result?.result ?? "no result",
  );
  return [
    ...(reportsResults(setting) ? [passed] : []),
    met("shipped", decision === "SHIP", "the owner ships the phase", decision === null ? "no decision" : decision),
  ];
}

function each(
  condition: string,
  plans: readonly PlanFacts[],
  isMet: (plan: PlanFacts) => boolean,
  says: string,
): Condition {
  const missing = plans.filter((plan) => !isMet(plan)).map(({ plan }) => plan);
  if (plans.length === 0) return met(condition, false, says, "there is no plan");
  return met(condition, missing.length === 0, says, `not ${shortList(missing)}`);
}

function met(condition: string, isMet: boolean, says: string, missing: string): Condition {
  return { condition, met: isMet, says: isMet || missing === "" ? says : `${says}: ${missing}` };
}

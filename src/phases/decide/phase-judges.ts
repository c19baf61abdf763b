/**
 * Who may judge the work of a phase: nobody who reported on it, under whatever role, nor an agent that such a one
 * registered, itself or through another. Judging is a review of code, a verdict that passes, an audit that does not fail,
 * and leaving such a step out.
 * Source: docs/protocol/authority.md, section 13.
 */
import type { Problem } from "../../base/problem.ts";
import { type Fact, says } from "../../messages/facts.ts";
import { planKey } from "../../messages/task-ids.ts";
import { ownHand, ownMatter } from "../../perform/conflict-of-interest.ts";
import { type Company, type Part, type PhaseStep, type PlanPlace, placeOf } from "../state/phase-state.ts";
import { type PhaseSources, plansOf, type Setting } from "./phase-facts.ts";

/** Steps by which others judge the work. */
const judgingSteps: readonly PhaseStep[] = ["code_review", "qa", "security"];

type Plans = readonly Pick<PlanPlace, "workers">[];

/** Whether who judged these plans had worked on them, or was registered by who had. */
export function isOwnWork(agent: string, plans: Plans, setting: Pick<Setting, "registrars">): boolean {
  return workerJudged(agent, plans, setting) !== null;
}

/** The worker on these plans whose work the agent may not judge; null: there is none. */
function workerJudged(
  agent: string,
  plans: Plans,
  { registrars }: Partial<Pick<Setting, "registrars">>,
): string | null {
  const judge = { agent, registrars: registrars?.get(agent) ?? [] };
  return ownHand(
    judge,
    plans.flatMap(({ workers }) => workers),
  );
}

/** A message with what its sender cannot choose. */
interface Judged {
  readonly fact: Fact;
  readonly agent: string;
  readonly company: Company;
  readonly setting: Setting;
}

/** Why a message judges its sender's own work; null: it does not. */
export function ownWorkProblem(state: PhaseSources, { fact, agent, company, setting }: Judged): Problem | null {
  const isVerdict = says(fact, "verdict") || says(fact, "code-verdict");
  if (says(fact, "review-changes") || says(fact, "review-result")) {
    const place = state.phases.plans.get(planKey(fact.body.planId));
    return problemIn(agent, place === undefined ? [] : [place], setting, "$.body.planId");
  }
  // What fails only holds the work up, and is taken from everybody.
  const passes = isVerdict ? fact.body.result === "PASS" : says(fact, "security-audit") && fact.body.result !== "FAIL";
  if (!passes) return null;
  const plans = placeOf(state.phases, fact, company).flatMap((part) => plansOf(state, part, setting));
  return problemIn(agent, plans, setting, "$.body.result");
}

/**
 * Why this agent may not leave the step out: others judge its own work by it. Null: it may. What is left out of the phase
 * is left out of each department, so there all plans of the phase count.
 */
export function ownStepProblem(
  state: PhaseSources,
  part: Part,
  { step, agent, setting }: { readonly step: PhaseStep; readonly agent: string; readonly setting: Setting },
): Problem | null {
  if (!judgingSteps.includes(step)) return null;
  const active = part.department === null ? [] : setting.active;
  return problemIn(agent, plansOf(state, part, { active }), setting, step);
}

function problemIn(agent: string, plans: Plans, setting: Setting, path: string): Problem | null {
  const worker = workerJudged(agent, plans, setting);
  const judge = { agent, registrars: setting.registrars?.get(agent) ?? [] };
  return worker === null ? null : ownMatter(judge, worker, path, "the work");
}

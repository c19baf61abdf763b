/**
 * What departments say of a phase and the record does not confirm: a design that is handed over before its department is
 * done, and results that differ from the messages that came. It is noted and shown, and refuses nothing.
 * Rules: docs/protocol/phases.md, section 11.
 */
import { shortList } from "../../base/text.ts";
import { type WorkDepartment, workDepartments } from "../../messages/role.ts";
import type { DepartmentResult, DesignHandoff, Part } from "../state/phase-state.ts";
import { validVerdict } from "../state/review-state.ts";
import { stepsOf } from "../view/phase-conditions.ts";
import { progressOf } from "../view/phase-part-view.ts";
import { factsOf, type PartFacts, type PhaseSources, type Setting } from "./phase-facts.ts";

/** A phase of a team, at a moment. */
export interface PhaseAt {
  readonly phase: Pick<Part, "phase" | "name">;
  readonly setting: Setting;
  readonly atMs: number;
}

/** Everything that is said of the phase and not confirmed, in words. */
export function unconfirmedIn(sources: PhaseSources, at: PhaseAt): readonly string[] {
  const company = sources.departments.phases.get(at.phase.phase);
  if (company === undefined) return [];
  const { handoff } = company;
  const open = handoff === null ? [] : openDesignSteps(sources, at, handoff);
  const early =
    handoff === null || open.length === 0
      ? []
      : [`the design is handed over (entry ${handoff.seq}), and uiux has not finished ${shortList(open)}`];
  return [...early, ...unconfirmedResults(sources, at, workDepartments)];
}

/** What these departments reported as their result and the record does not confirm. */
export function unconfirmedResults(
  sources: PhaseSources,
  { phase, setting, atMs }: PhaseAt,
  departments: readonly WorkDepartment[],
): readonly string[] {
  const results = sources.departments.phases.get(phase.phase)?.results ?? {};
  return departments.flatMap((department) => {
    const result = results[department];
    if (result === undefined) return [];
    const differences = resultDifferences(factsOf(sources, { ...phase, department }, setting), result, atMs);
    return differences.length === 0 ? [] : [`${department} reports ${result.result}: ${differences.join("; ")}`];
  });
}

/** Steps before its signoff that uiux has not finished, where the design opens the others' work; empty: it is not early. */
export function openDesignSteps(
  sources: PhaseSources,
  { phase, setting }: PhaseAt,
  { status }: Pick<DesignHandoff, "status">,
): readonly string[] {
  if (status === "failed") return [];
  const department = setting.active.length === 0 ? null : "uiux";
  return stepsOf(factsOf(sources, { ...phase, department }, setting), setting).flatMap(({ step, state }) =>
    step !== "signoff" && (state === "pending" || state === "running") ? [step] : [],
  );
}

/** Where a department reports something else than what its messages brought, in words. */
export function resultDifferences(
  { plans, quality, stops, escalations }: PartFacts,
  said: Pick<DepartmentResult, "result" | "plansCompleted" | "plansTotal" | "qaResult" | "securityResult">,
  atMs: number,
): readonly string[] {
  const { plansComplete, plansTotal } = progressOf(plans, atMs);
  const verdict = validVerdict(quality)?.result ?? "none";
  const audit = stops.length > 0 ? "FAIL" : (quality.audit?.result ?? "none");
  const security = said.securityResult === "NOT_RUN" ? "none" : said.securityResult;
  const differs = (what: string, told: number | string, is: number | string) =>
    told === is ? [] : [`${what} ${told} is reported, ${is} is known`];
  return [
    ...differs("plans completed", said.plansCompleted, plansComplete),
    ...differs("plans in all", said.plansTotal, plansTotal),
    ...(said.result === "PASS" && said.plansTotal === 0 && plansTotal === 0 ? ["no plan is known"] : []),
    ...(said.result === "PASS" && escalations.length > 0
      ? [`open: ${shortList(escalations.map(({ id }) => id))}`]
      : []),
    ...differs("qa", said.qaResult, verdict),
    // A failed audit that the owner lifted may be reported as either.
    ...(audit === "FAIL" && stops.length === 0 ? [] : differs("security", security, audit)),
  ];
}

/**
 * Phases as people and agents see them: each with its departments, their steps, plans and numbers, what holds them up, and
 * what the departments owe each other. Derived from the state, never stored.
 * Source: docs/protocol/phases.md.
 */
import { type WorkDepartment, workDepartments } from "../../messages/role.ts";
import { missingForSignoff } from "../decide/departments.ts";
import { factsOf, type PartFacts, type PhaseSources, plansOf, type Setting } from "../decide/phase-facts.ts";
import { unconfirmedIn } from "../decide/unconfirmed-results.ts";
import {
  type ApiContract,
  type ApiStatus,
  type ApiStep,
  type DesignHandoff,
  departmentsOf,
  type Exclusion,
  namedPart,
  type OwnerReview,
  type Part,
  type PhaseStep,
  type Signoff,
} from "../state/phase-state.ts";
import { designGate, reportsResults, type StepView, stepsOf } from "./phase-conditions.ts";
import { type PartProgress, type PartStatus, type PhasePartView, partView, progressOf } from "./phase-part-view.ts";

/** One phase. */
export interface PhaseView extends PartProgress {
  readonly phase: string;
  readonly departments: readonly PhasePartView[];
  readonly review: OwnerReview | null;
  /** Departments that start together, in the order of the owner's review. */
  readonly waves: readonly (readonly WorkDepartment[])[];
  readonly handoff: DesignHandoff | null;
  /** The contract of the newest word, and all. */
  readonly api: PhaseApi | null;
  readonly apis: readonly PhaseApi[];
  readonly signoff: Signoff | null;
  /** Departments that the person left out, with the reason. */
  readonly excluded: readonly ExcludedDepartment[];
  /** What a SHIP would be refused for; null: the phase is not the owner's to ship. */
  readonly missing: readonly string[] | null;
  /** What departments say of it and the record does not confirm, in words. */
  readonly unconfirmed: readonly string[];
}

/** A department that the person left out of a phase. */
export interface ExcludedDepartment extends Exclusion {
  readonly department: WorkDepartment;
}

/** The current contract about endpoints. */
export interface PhaseApi {
  readonly status: ApiStatus;
  readonly proposer: WorkDepartment;
  readonly hash: string;
  readonly endpoints: readonly string[];
  readonly counters: number;
  readonly steps: readonly ApiStep[];
}

/** A department's part of a phase in a line. */
export interface PhaseGlance extends PartProgress {
  readonly phase: string;
  readonly department: WorkDepartment | null;
  readonly status: PartStatus;
  /** Something was found wrong, and the phase was shipped or ended before. */
  readonly hasFindings: boolean;
  readonly step: PhaseStep | null;
  /** Every step in its order. */
  readonly steps: readonly Pick<StepView, "step" | "state">[];
  readonly blockers: readonly string[];
}

/** What is not over, a line for each department's part. */
export function glanceAt(views: readonly PhaseView[]): readonly PhaseGlance[] {
  return views.flatMap(({ phase, departments }) =>
    departments
      .filter(({ status, hasFindings }) => hasFindings || (status !== "ended" && status !== "shipped"))
      .map(
        ({
          department,
          status,
          hasFindings,
          step,
          steps,
          blockers,
          plansComplete,
          plansTotal,
          percentComplete,
          unverified,
          eta,
        }) => ({
          phase,
          department,
          status,
          hasFindings,
          step,
          steps: steps.map(({ step: name, state }) => ({ step: name, state })),
          plansComplete,
          plansTotal,
          percentComplete,
          unverified,
          eta,
          blockers,
        }),
      ),
  );
}

/** Every phase, in the order they came. */
export function phaseViews(sources: PhaseSources, setting: Setting, nowMs: number): readonly PhaseView[] {
  return phaseNames(sources).map((phase) => phaseViewOf(sources, setting, phase, nowMs));
}

/** Whether anything was said of a phase, so that there is a view of one. */
export function hasPhases(sources: PhaseSources): boolean {
  return phaseNames(sources).length > 0;
}

/** The phases that something was said of, those with numbers in their order. */
export function phaseNames({ phases, departments, quality }: PhaseSources): readonly Pick<Part, "phase" | "name">[] {
  const keys = new Set<string>([...phases.names.keys(), ...departments.phases.keys()]);
  for (const { part } of quality.stops.values()) if (part !== null) keys.add(part.phase);
  return [...keys].flatMap((phase) => (phase === "" ? [] : namedPart(phases, phase, null))).toSorted(byNumber);
}

function byNumber(one: { readonly phase: string }, other: { readonly phase: string }): number {
  return Number(one.phase) - Number(other.phase) || 0;
}

/** The state of one phase. */
export function phaseViewOf(
  sources: PhaseSources,
  setting: Setting,
  { phase, name }: Pick<Part, "phase" | "name">,
  nowMs: number,
): PhaseView {
  const parts = factsOfParts(sources, setting, { phase, name }).map((facts) => ({
    facts,
    view: partView(facts, setting, nowMs),
  }));
  const plans = parts.flatMap(({ facts }) => facts.plans);
  const company = parts[0]?.facts.company ?? null;
  // What was negotiated before any phase was named is of each.
  const early = departmentsOf(sources.departments, "").apis;
  const apis = [...early, ...(company?.apis ?? [])].map(apiView);
  const isOwners = parts.some(({ view }) => view.department !== null);
  return {
    phase: name,
    ...progressOf(plans, nowMs),
    departments: parts.map(({ view }) => view),
    review: company?.review ?? null,
    waves: wavesOf(parts.map(({ facts }) => facts)),
    handoff: company?.handoff ?? null,
    api: apis.at(-1) ?? null,
    apis,
    signoff: company?.signoff ?? null,
    excluded: excludedIn(company),
    missing: isOwners ? missingToShip(sources, setting, { phase, name }) : null,
    unconfirmed: unconfirmedIn(sources, { phase: { phase, name }, setting, atMs: nowMs }),
  };
}

function factsOfParts(
  sources: PhaseSources,
  setting: Setting,
  { phase, name }: Pick<Part, "phase" | "name">,
): readonly PartFacts[] {
  const departments = partsOf(sources, phase, setting);
  return departments.map((department) => {
    const known = factsOf(sources, { phase, name, department }, setting);
    // Next to those of departments, the part of nobody has the plans of nobody alone.
    const isRest = department === null && departments.length > 1;
    return isRest ? { ...known, plans: known.plans.filter((plan) => plan.department === null) } : known;
  });
}

/** Steps of its departments that are not over, where those have no word to report that they are. */
function openIn(sources: PhaseSources, setting: Setting, phase: Pick<Part, "phase" | "name">): readonly string[] {
  return factsOfParts(sources, setting, phase).flatMap((facts) => {
    const { department } = facts.part;
    if (department !== null && facts.company.excluded[department] !== undefined) return [];
    const of = department === null ? "" : ` of ${department}`;
    return stepsOf(facts, setting).flatMap(({ step, state }) =>
      step !== "signoff" && (state === "pending" || state === "running") ? [`${step}${of}`] : [],
    );
  });
}

function excludedIn(company: PartFacts["company"] | null): readonly ExcludedDepartment[] {
  return workDepartments.flatMap((department) => {
    const exclusion = company?.excluded[department];
    return exclusion === undefined ? [] : [{ ...exclusion, department }];
  });
}

/** The departments that have a part in a phase, and those that have a plan in it; without any, the team as a whole. */
function partsOf(
  { phases, departments }: PhaseSources,
  phase: string,
  { active }: Setting,
): readonly (WorkDepartment | null)[] {
  const review = departments.phases.get(phase)?.review ?? null;
  // The owner's order is kept; what everybody was notified makes nobody's part of those whom it does not need.
  const found = new Set<WorkDepartment>(review?.order.filter((each) => review.needed.includes(each)) ?? []);
  for (const department of review?.needed ?? active) found.add(department);
  // Who has reported is shown, needed or left out.
  for (const department of workDepartments)
    if (departments.phases.get(phase)?.results[department] !== undefined) found.add(department);
  let isLoose = false;
  for (const part of review === null ? phases.parts.values() : [])
    if (part.phase === phase && part.department !== null) found.add(part.department);
  for (const key of phases.plansIn.get(phase)?.keys() ?? []) {
    const department = phases.plans.get(key)?.department ?? null;
    if (department === null) isLoose = true;
    // Where no department is known otherwise, one part has all plans.
    else if (active.length > 1 || found.size > 0) found.add(department);
  }
  if (found.size === 0) return [null];
  // Plans that no department has worked on are shown next to those of departments.
  return isLoose ? [...found, null] : [...found];
}

/** Departments that start together: uiux alone where others wait for its design, the rest in parallel. */
function wavesOf(parts: readonly PartFacts[]): readonly (readonly WorkDepartment[])[] {
  const waits = (facts: PartFacts) => designGate(facts).length > 0;
  const names = (some: readonly PartFacts[]) =>
    some.flatMap(({ part: { department }, needed }) =>
      department !== null && needed.includes(department) ? department : [],
    );
  return [names(parts.filter((facts) => !waits(facts))), names(parts.filter(waits))].filter((wave) => wave.length > 0);
}

function apiView(api: ApiContract): PhaseApi {
  const endpoints = api.endpoints.map(
    ({ method, path, request, response }) => `${method} ${path} ${request} -> ${response}`,
  );
  return { ...api, endpoints };
}

/** What is known of a phase when it is to ship. */
export function readinessOf(sources: PhaseSources, setting: Setting, { phase, name }: Pick<Part, "phase" | "name">) {
  const whole = factsOf(sources, { phase, name, department: null }, setting);
  const everyPlan = plansOf(sources, { phase, department: null }, { active: [] });
  return {
    needed: whole.needed,
    ...(reportsResults(setting) ? {} : { open: openIn(sources, setting, { phase, name }) }),
    stops: whole.stops.flatMap(({ seq, by, part }) => {
      const department = part?.department ?? null;
      // What was left out of the phase holds it no more.
      if (department !== null && whole.company.excluded[department] !== undefined) return [];
      const of = department === null ? "" : ` of ${department}`;
      return [`the security audit${of} of entry ${seq} by ${by} failed, and nobody has lifted it`];
    }),
    disputed: [...new Set([...everyPlan.flatMap(({ disputed }) => disputed), ...whole.artifacts])],
    gone: [...new Set(everyPlan.flatMap(({ gone }) => gone))],
    withdrawn: [...new Set(everyPlan.flatMap(({ withdrawn }) => withdrawn))],
  };
}

/** What a SHIP that approves every needed department after a passed integration would be refused for. */
function missingToShip(
  sources: PhaseSources,
  setting: Setting,
  named: Pick<Part, "phase" | "name">,
): readonly string[] {
  const readiness = readinessOf(sources, setting, named);
  const results = sources.departments.phases.get(named.phase)?.results ?? {};
  const asked = { decision: "SHIP", approved: readiness.needed, integrationQa: "PASS" } as const;
  return missingForSignoff(asked, { phase: named.name, results, ...readiness }).map(({ message }) => message);
}

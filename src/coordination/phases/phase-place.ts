/**
 * Which phase a message is about, and whose part of it: the phase that it names, else that of its plan, else the one its
 * department works in; its sender's department, else those of its receivers, else the whole team's.
 * Source: docs/protocol/authority.md, section 6; docs/protocol/phases.md.
 */
import type { Fact } from "../../message/facts.ts";
import type { WorkDepartment } from "../../message/role.ts";
import { planKey } from "../tasks/work-ids.ts";
import { type Part, phaseKey, phaseNameOf, phaseOfPlan } from "./phase-ids.ts";
import { currentPart, type Phases } from "./phase-state.ts";

/** Whom a message concerns, where several departments are at work. */
export interface Company {
  /** Departments with agents at work; empty where there is only one. */
  readonly active: readonly WorkDepartment[];
  /** The sender's department, else those of the receivers. */
  readonly concerned: readonly WorkDepartment[];
}

/** A team without departments. */
export const oneTeam: Company = { active: [], concerned: [] };

/** The parts of a phase that a message is about; none: nobody has said in which phase the team is. */
export function placeOf(state: Phases, fact: Fact, { concerned }: Company): readonly Part[] {
  const departments: readonly (WorkDepartment | null)[] = concerned.length === 0 ? [null] : concerned;
  return departments.flatMap((department) => partNamed(state, fact, department) ?? []);
}

function partNamed(state: Phases, fact: Fact, department: WorkDepartment | null): Part | null {
  const named = fact.head.phase;
  const key = phaseKey(named);
  if (key !== null) return { phase: key, name: state.names.get(key) ?? String(named), department };
  const { planId }: { readonly [field: string]: unknown } = fact.body;
  if (typeof planId !== "string") return currentPart(state, department);
  const phase = state.plans.get(planKey(planId))?.phase ?? phaseOfPlan(planId, null);
  if (phase === null) return currentPart(state, department);
  return { phase, name: state.names.get(phase) ?? phaseNameOf(planId) ?? phase, department };
}

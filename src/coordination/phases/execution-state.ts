/**
 * A phase's state in the words of the files that other tools keep: `.execution-state.json` for the whole phase, and
 * `.dept-status-{department}.json` for each department, which says what a phase_progress says.
 * Source: docs/protocol/requirements/yolo-1.md; docs/protocol/authority.md, section 9.
 */
import type { JsonObject } from "../../base/json.ts";
import type { WorkDepartment } from "../../message/role.ts";
import type { Escalation } from "../escalations/escalation-state.ts";
import { planKey } from "../tasks/task-ids.ts";
import type { PhasePartView } from "./phase-part-view.ts";
import { phaseKey } from "./phase-state.ts";
import type { PhaseView } from "./phase-view.ts";

/** The name of the file that holds the whole phase. */
export const executionStateName = ".execution-state.json";

/** The name of a department's file. */
export function departmentStatusName(department: WorkDepartment): string {
  return `.dept-status-${department}.json`;
}

/** The whole phase, with every escalation that is about it. */
export function executionState(view: PhaseView, escalations: readonly Escalation[]): JsonObject {
  const { phase, plansComplete, plansTotal, percentComplete, eta, departments, signoff } = view;
  const plans = new Set(departments.flatMap((part) => part.plans.map(({ plan }) => planKey(plan))));
  // A plan may be blocked before the phase knows it.
  const about = escalations.filter(
    (each) => phaseKey(each.phase) === phaseKey(phase) || (each.plan !== null && plans.has(planKey(each.plan))),
  );
  return {
    phase,
    plans_complete: plansComplete,
    plans_total: plansTotal,
    percent_complete: percentComplete,
    eta: eta ?? "",
    decision: signoff?.decision ?? null,
    departments: departments.map(departmentState),
    escalations: about.map(({ id, issue, level, standing, severity, round, decision, plan, task }) => ({
      id,
      issue,
      level,
      status: standing,
      severity,
      round,
      plan,
      task,
      decision: decision === null ? null : decision.decision,
      resolved_by: decision === null ? null : decision.level,
    })),
  };
}

function departmentState({ department, standing, step, steps, plans, blockers, ...part }: PhasePartView): JsonObject {
  return {
    department,
    status: standing,
    step,
    plans_complete: part.plansComplete,
    plans_total: part.plansTotal,
    percent_complete: part.percentComplete,
    eta: part.eta ?? "",
    blockers,
    steps: steps.map((each) => ({ step: each.step, status: each.state, reason: each.reason })),
    plans: plans.map(({ plan, isComplete, tasksDone, tasksTotal, reviewCycle, review }) => ({
      plan_id: plan,
      status: isComplete ? "complete" : "pending",
      tasks_complete: tasksDone,
      tasks_total: tasksTotal,
      review_cycle: reviewCycle,
      review,
    })),
    remediation_rounds: part.remediation,
    qa_result: part.verdict?.result ?? null,
    security_result: part.stops.length > 0 ? "FAIL" : (part.audit?.result ?? null),
  };
}

/** What a department's lead would tell of its part. */
export function departmentStatus(
  { phase }: Pick<PhaseView, "phase">,
  { department, step, plansComplete, plansTotal, percentComplete, blockers, eta }: PhasePartView,
): JsonObject {
  return {
    type: "phase_progress",
    ...(department === null ? {} : { department }),
    phase,
    step: step ?? "signoff",
    plans_complete: plansComplete,
    plans_total: plansTotal,
    percent_complete: percentComplete,
    blockers,
    eta: eta ?? "",
  };
}

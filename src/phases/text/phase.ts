/** `baton phase`: how far each phase is. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, jsonLine } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Escalation } from "../../escalations/state.ts";
import type { WorkDepartment } from "../../messages/role.ts";
import { phaseKey, planKey } from "../../messages/task-ids.ts";
import type { Team } from "../../perform/team.ts";
import type { PhasePartView } from "../view/phase-part-view.ts";
import type { PhaseView } from "../view/phase-view.ts";
import { phaseText } from "./phase-text.ts";

export const command: Command = {
  description:
    "Prints each phase: the steps of every department with what is missing, plans, percent, when it may be done, and what\n" +
    "holds it up. All of it is computed from the messages; where a lead tells something else, that is shown too.",
  positionals: [{ name: "PHASE", argument: "phase", summary: "that phase alone (default: every one)" }],
  options: [
    {
      name: "export",
      kind: "text",
      value: "DIR",
      summary: "write .execution-state.json and .dept-status-DEPARTMENT.json there; - prints the first",
    },
  ],
  examples: [
    { line: "baton phase", meaning: "every phase, with its departments and steps" },
    { line: "baton phase 2 --json", meaning: "phase 2 as a line of JSON" },
    { line: "baton phase --export .", meaning: "the files that other tools read" },
  ],
  next: "baton phase skip leaves a step out, baton phase end ends a phase; the commands above say who may.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given, output } = call;
      const phase = given.word("PHASE");
      const found = await team.phases(phase === undefined ? {} : { phase });
      if (!found.ok) return output.fail(found.error);
      const place = given.text("export");
      if (place !== undefined) return await exportTo(call, team, found.value, place);
      const style = { paint: output.paint.stdout, hasBars: call.config.isShown() };
      for (const view of found.value) output.result(view, () => phaseText(view, style));
      if (found.value.length === 0) output.say("Nothing was said of a phase yet.");
      return exitCodes.done;
    }),
};

/** The phase that is named, or the last one: the files hold one phase. */
async function exportTo(call: Call, team: Team, views: readonly PhaseView[], place: string): Promise<ExitCode> {
  const { output } = call;
  const view = views.at(-1);
  if (view === undefined) return output.fail(makeProblem("not-found", "--export", "Nothing was said of a phase yet."));
  const escalations = await team.escalations({ all: true });
  if (!escalations.ok) return output.fail(escalations.error);
  const state = executionState(view, escalations.value);
  if (place === "-") {
    output.raw(jsonLine(state));
    return exitCodes.done;
  }
  const files = [
    { name: executionStateName, value: state },
    ...view.departments.flatMap((part) =>
      part.department === null
        ? []
        : [{ name: departmentStatusName(part.department), value: departmentStatus(view, part) }],
    ),
  ];
  for (const { name, value } of files) {
    const written = replaceFile(join(place, name), `${JSON.stringify(value, null, 2)}\n`);
    if (!written.ok) return output.fail(written.error);
    output.result({ file: written.value }, () => `Written: ${written.value}`);
  }
  return exitCodes.done;
}

/** Written whole or not at all: other tools read these files while they are replaced. */
function replaceFile(file: string, text: string): Result<string, Problem> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
    return ok(file);
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem);
    return err(
      makeProblem("not-found", file, `The file cannot be written: ${message}`, {
        hint: "--export names a directory that exists.",
      }),
    );
  }
}

/*
 * A phase's state in the words of the files that other tools keep: `.execution-state.json` for the whole phase, and
 * `.dept-status-{department}.json` for each department, which says what a phase_progress says.
 * Source: tests/requirements/yolo-1.tsv; docs/protocol/authority.md, section 9.
 */

/** The name of the file that holds the whole phase. */
const executionStateName = ".execution-state.json";

/** The name of a department's file. */
function departmentStatusName(department: WorkDepartment): string {
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
    escalations: about.map(({ id, issue, level, status, severity, round, decision, plan, task }) => ({
      id,
      issue,
      level,
      status,
      severity,
      round,
      plan,
      task,
      decision: decision === null ? null : decision.decision,
      resolved_by: decision === null ? null : decision.level,
    })),
  };
}

function departmentState({ department, status, step, steps, plans, blockers, ...part }: PhasePartView): JsonObject {
  return {
    department,
    status,
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

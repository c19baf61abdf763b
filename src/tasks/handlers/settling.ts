/**
 * Reports that a person settles: the owner, and leads within their department. The reporter learns of it.
 * Rules: docs/protocol/verdicts.md, section 6.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Principal } from "../../messages/principal.ts";
import { changedMeanwhile, changesOfTask } from "../../needs/view/changed-meanwhile.ts";
import type { TeamContext } from "../../perform/context.ts";
import { decideWork } from "../../perform/deciders.ts";
import type { ReopenTask, SettleTask } from "../../perform/operations/generated/calls.ts";
import type { Operation } from "../../perform/perform.ts";
import { prose, quoted, textProblem } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { membersOf } from "../../team/state/roster.ts";
import { findTask } from "../state/task-state.ts";
import { foreignDepartmentProblem, leadsTasks } from "./reassignment.ts";

/** Says that a report counts, or does not. Refuses `sender-not-authorised`, and as the decider `settleTask` does. */
export const settleTask: Operation<SettleTask, TeamContext> = {
  name: "settle-task",
  decide(state, { task: taskId, plan: planId = null, as, reason, ifSeq }, { by, seq }) {
    const denied = deniedTo(state, by, taskId, { planId, reason, ifSeq });
    if (denied !== null) return err([denied]);
    const order = { taskId, planId, as, reason: reason ?? null, by: by.agent, seq };
    const decided = decideWork(state.coordination, { command: "settle-task", ...order });
    const what = {
      verified: "counts as done",
      disputed: "does not count, and the task is free",
      superseded: "stays done; its work is meant to be gone",
    };
    return decided.ok
      ? { ...decided, value: { ...decided.value, ...told(state, by, taskId, { planId, reason, what: what[as] }) } }
      : decided;
  },
};

/** Has the work done again. Refuses `sender-not-authorised`, and as the decider `reopenTask` does. */
export const reopenTask: Operation<ReopenTask, TeamContext> = {
  name: "reopen-task",
  decide(state, { task: taskId, plan: planId = null, reason, ifSeq }, { by, seq }) {
    const denied = deniedTo(state, by, taskId, { planId, reason, ifSeq });
    if (denied !== null) return err([denied]);
    const order = { taskId, planId, reason: reason ?? null, by: by.agent, seq };
    const decided = decideWork(state.coordination, { command: "reopen-task", ...order });
    const what = "is to be done again: the task is free";
    return decided.ok
      ? { ...decided, value: { ...decided.value, ...told(state, by, taskId, { planId, reason, what }) } }
      : decided;
  },
};

interface About {
  readonly planId: string | null;
  readonly reason: string | undefined;
}

function deniedTo(
  state: TeamState,
  by: Principal,
  task: string,
  { planId, reason, ifSeq }: About & { readonly ifSeq: number | undefined },
): Problem | null {
  if (!leadsTasks(by))
    return makeProblem("sender-not-authorised", by.agent, `${by.agent} may not settle reports.`, {
      expected: "the owner or a lead",
      received: by.role ?? "an unknown agent",
      hint: "Ask the lead. Who reported the task takes the report back with status failed.",
    });
  const known = findTask(state.coordination.work, task, planId);
  const reporter = known?.report?.reporter;
  const isMember = reporter !== undefined && state.team.roster.has(reporter);
  return (
    changedMeanwhile(changesOfTask(known), ifSeq, task) ??
    (reason === undefined ? null : textProblem(state, reason)) ??
    (isMember ? foreignDepartmentProblem(state, by, [reporter]) : null)
  );
}

/** The message to the reporter, and to the leads where another than a lead decided. */
function told(
  state: TeamState,
  by: Principal,
  taskId: string,
  { planId, reason, what }: About & { readonly what: string },
) {
  const task = findTask(state.coordination.work, taskId, planId);
  const reporter = task?.report?.reporter;
  const leads = membersOf(state.team.roster, "lead").map(({ agent }) => agent);
  const members = [...(reporter === undefined ? [] : [reporter]), ...leads];
  const receivers = [...new Set(members)].filter(
    (agent) => agent !== by.agent && state.team.roster.get(agent)?.status === "active",
  );
  if (task === null || receivers.length === 0) return {};
  const said = `${by.agent} decided about ${visible(task.task)}: the report of ${reporter ?? "somebody"} ${what}`;
  return { delivered: { message: prose([reason === undefined ? `${said}.` : quoted(said, reason)]), receivers } };
}

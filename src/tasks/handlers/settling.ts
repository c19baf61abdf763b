/**
 * Reports and artifacts that a person settles: the owner, and leads within their department. Who reported learns of it.
 * Rules: docs/protocol/verdicts.md, section 6.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import * as artifacts from "../../evidence/decide/artifact-disputes.ts";
import type { Principal } from "../../messages/principal.ts";
import { changedMeanwhile, changesOfTask } from "../../needs/view/changed-meanwhile.ts";
import type { TeamContext } from "../../perform/context.ts";
import { decideWork } from "../../perform/deciders.ts";
import type { ReopenTask, SettleArtifacts, SettleTask } from "../../perform/operations/generated/calls.ts";
import type { Operation } from "../../perform/perform.ts";
import { prose, quoted, textProblem } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { qualityOf } from "../../phases/state/review-state.ts";
import { membersOf } from "../../team/state/roster.ts";
import * as settling from "../decide/settling.ts";
import { findTask, type Task } from "../state/task-state.ts";
import { foreignDepartmentProblem, leadsTasks } from "./reassignment.ts";

/** Says that a report counts, or does not. Refuses `sender-not-authorised`, and as the decider `settleTask` does. */
export const settleTask: Operation<SettleTask, TeamContext> = {
  name: "settle-task",
  decide(state, { task: taskId, plan: planId = null, as, reason, ifSeq }, { by, seq }) {
    const about = aboutTask(state, taskId, { planId, reason, ifSeq });
    const denied = deniedTo(state, by, about);
    if (denied !== null) return err([denied]);
    const order = { taskId, planId, as, reason: reason ?? null, by: by.agent, seq };
    const decided = decideWork(state.coordination, settling.settleTask, order);
    const what = {
      verified: "counts as done",
      disputed: "does not count, and the task is free",
      superseded: "stays done; its work is meant to be gone",
    };
    return decided.ok ? { ...decided, value: { ...decided.value, ...told(state, by, about, what[as]) } } : decided;
  },
};

/** Has the work done again. Refuses `sender-not-authorised`, and as the decider `reopenTask` does. */
export const reopenTask: Operation<ReopenTask, TeamContext> = {
  name: "reopen-task",
  decide(state, { task: taskId, plan: planId = null, reason: said, ifSeq }, { by, seq }) {
    const reason = said ?? failureOf(state, findTask(state.coordination.work, taskId, planId)) ?? undefined;
    const about = aboutTask(state, taskId, { planId, reason, ifSeq });
    const denied = deniedTo(state, by, about);
    if (denied !== null) return err([denied]);
    const order = { taskId, planId, reason: reason ?? null, by: by.agent, seq };
    const decided = decideWork(state.coordination, settling.reopenTask, order);
    const what = "is to be done again: the task is free";
    return decided.ok ? { ...decided, value: { ...decided.value, ...told(state, by, about, what) } } : decided;
  },
};

/** Says that disputed artifacts count. Refuses `sender-not-authorised`, and as the decider `settleArtifacts` does. */
export const settleArtifacts: Operation<SettleArtifacts, TeamContext> = {
  name: "settle-artifacts",
  decide(state, { message, reason }, { by, seq }) {
    const record = state.coordination.work.artifacts.records.get(message);
    const what = record === undefined ? null : `the ${visible(record.type)} (entry ${message}) with its artifacts`;
    const about = { what, reporter: record?.sender, reason, changed: null };
    const denied = deniedTo(state, by, about);
    if (denied !== null) return err([denied]);
    const decided = decideWork(state.coordination, artifacts.settleArtifacts, { message, by: by.agent, seq });
    return decided.ok ? { ...decided, value: { ...decided.value, ...told(state, by, about, "counts") } } : decided;
  },
};

/** What the open verdict on a task, or on all of its phase, says failed; null: there is none. */
function failureOf({ coordination: { phases, quality } }: TeamState, task: Task | null): string | null {
  const plan = task?.plan ?? null;
  const place = plan === null ? undefined : phases.plans.get(plan);
  if (place === undefined || place.phase === null) return null;
  const { phase } = place;
  const judged = [place.department, null].map((department) => qualityOf(quality, { phase, department }));
  const failing = judged.flatMap((each) => each.failing);
  const verdict = failing.find(({ task: of }) => of === undefined || of === task?.key);
  if (verdict === undefined) return null;
  return `${verdict.by} says ${verdict.result}${verdict.failures.length === 0 ? "" : `: ${verdict.failures.join(", ")}`}`;
}

interface About {
  /** What is decided about, after the name of who reported it; null: there is nothing of the kind. */
  readonly what: string | null;
  readonly reporter: string | undefined;
  readonly reason: string | undefined;
  /** Why it is another matter than the caller saw; null: it is not. */
  readonly changed: Problem | null;
}

function aboutTask(
  { coordination }: TeamState,
  taskId: string,
  {
    planId,
    ...more
  }: { readonly [Field in "reason" | "ifSeq"]: SettleTask[Field] | undefined } & { readonly planId: string | null },
): About {
  const task = findTask(coordination.work, taskId, planId);
  const what = task === null ? null : `the report of ${visible(task.task)}`;
  const changed = changedMeanwhile(changesOfTask(task), more.ifSeq, taskId);
  return { what, reporter: task?.report?.reporter, reason: more.reason, changed };
}

function deniedTo(state: TeamState, by: Principal, { reporter, reason, changed }: About): Problem | null {
  if (!leadsTasks(by))
    return makeProblem("sender-not-authorised", by.agent, `${by.agent} may not settle reports.`, {
      expected: "the owner or a lead",
      received: by.role ?? "an unknown agent",
      hint: "Ask the lead. Who reported the task takes the report back with status failed.",
    });
  const isMember = reporter !== undefined && state.team.roster.has(reporter);
  return (
    changed ??
    (reason === undefined ? null : textProblem(state, reason, "reason")) ??
    (isMember ? foreignDepartmentProblem(state, by, [reporter]) : null)
  );
}

/** The message to the reporter, and to the leads where another than a lead decided. */
function told(state: TeamState, by: Principal, { what, reporter, reason }: About, decided: string) {
  const leads = membersOf(state.team.roster, "lead").map(({ agent }) => agent);
  const members = [...(reporter === undefined ? [] : [reporter]), ...leads];
  const receivers = [...new Set(members)].filter(
    (agent) => agent !== by.agent && state.team.roster.get(agent)?.status === "active",
  );
  if (what === null || receivers.length === 0) return {};
  const said = `${by.agent} decided: ${what} by ${reporter ?? "somebody"} ${decided}`;
  return { delivered: { message: prose([reason === undefined ? `${said}.` : quoted(said, reason)]), receivers } };
}

/**
 * Reassigning a task: who may do it, what the old holder has left uncommitted, and what both agents get to read. The
 * repository is read before the write lock is taken, and only for a caller that may reassign.
 * Rules: docs/protocol/tasks.md, section 10.
 */

import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { counted, shortList, visible } from "../../base/text.ts";
import { uncommittedWork } from "../../evidence/decide/uncommitted.ts";
import { line } from "../../evidence/services/verdict-notification.ts";
import { agentSessionOf } from "../../health/view/breaker-scope.ts";
import { areSeveralActive, departmentOf } from "../../messages/authority/departments.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import { changedMeanwhile, changesOfTask } from "../../needs/view/changed-meanwhile.ts";
import { type Actor, principalOf, type TeamContext } from "../../perform/context.ts";
import { decideReassignment } from "../../perform/deciders.ts";
import type { Named, ReassignTask } from "../../perform/operations/generated/calls.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { sharedOut } from "../../shutdown/services/shutdown-inspection.ts";
import { landsFirstIn } from "../../team/state/definition.ts";
import { unknownAgent } from "../../team/state/roster.ts";
import { findTask } from "../state/task-state.ts";

/**
 * Hands a task to an agent, a held or a free one; the owner and leads may. Refuses `sender-not-authorised`, `unknown-agent`,
 * `retired-agent`, and as `decideReassignment` does.
 */
export async function reassign(
  context: TeamContext,
  actor: Actor,
  asked: ReassignTask,
  { id }: Named = {},
): Promise<Reply> {
  const left = await leftUncommitted(context, actor, asked);
  return await perform({ context, actor }, reassigning, { ...asked, left }, id);
}

const reassigning: Operation<ReassignTask & { readonly left: Left | null }, TeamContext> = {
  name: "reassign-task",
  recorded: ({ task, plan, to, reason, ifSeq }) => ({ task, plan, to, reason, ifSeq }),
  decide(state, { task: taskId, plan: planId = null, to, reason, ifSeq, left }, { by, seq, atMs, rules }) {
    const known = findTask(state.coordination.work, taskId, planId);
    const claim = known?.claim ?? null;
    const denied =
      mayReassign(state, by, [...(claim === null ? [] : [claim.holder]), to]) ?? receiverProblem(state, to);
    if (denied !== null) return err([denied]);
    const { session, scope: breaker } = agentSessionOf(state, to);
    const { leaseMs } = rules;
    const landsFirst = landsFirstIn(state.team.definition);
    const moved = { taskId, planId, to, session, breaker, seq, atMs, leaseMs, landsFirst };
    const decided = decideReassignment(state.coordination, moved);
    if (!decided.ok || decided.value.events.length === 0) return decided;
    const changed = changedMeanwhile(changesOfTask(known), ifSeq, taskId);
    if (changed !== null) return err([changed]);
    const from = claim?.holder ?? null;
    const files = claim?.files ?? known?.files ?? [];
    const found = left !== null && left.token === claim?.token ? left.note : null;
    const notes = [...decided.value.notes, ...(found === null ? [] : [found])];
    const task = known?.task ?? taskId;
    const told = { task, by: by.agent, from, to, reason, files, notes, token: seq, leaseMs };
    return ok({ ...decided.value, notes, ...(from === null ? {} : { told: { from } }), ...reassignmentNotice(told) });
  },
};

/** Why the caller may not move a task between these agents; null: it may. */
function mayReassign(state: TeamState, by: Principal, agents: readonly string[]): Problem | null {
  if (leadsTasks(by)) return foreignDepartmentProblem(state, by, agents);
  return makeProblem("sender-not-authorised", by.agent, `${by.agent} may not reassign tasks.`, {
    expected: "the owner or a lead",
    received: by.role ?? "an unknown agent",
    hint: "Ask the lead. A holder gives its own task away with a handoff, or releases it.",
  });
}

/** Why this agent can hold no task; null: it can. */
function receiverProblem({ team: { roster } }: TeamState, agent: string): Problem | null {
  const member = roster.get(agent);
  if (member?.status === "active") return null;
  if (member !== undefined) {
    const hint = "`baton agent list` shows which agents are there.";
    return makeProblem("retired-agent", argument("to"), `${agent} is retired.`, { hint });
  }
  return unknownAgent(agent, roster.keys(), { path: argument("to") });
}

/** What was found in the repository, about the claim with this token. Null: nothing that anybody must know. */
interface Left {
  readonly token: number;
  readonly note: Note;
}

/** What the holder of the task has not committed of it: in its own work tree, or among the claim's files. */
async function leftUncommitted(context: TeamContext, actor: Actor, asked: ReassignTask): Promise<Left | null> {
  const { task: taskId, plan = null, to } = asked;
  const { repository } = context;
  const folded = await context.journal.state(context.team);
  if (repository === undefined || !folded.ok) return null;
  const { state } = folded.value;
  const task = findTask(state.coordination.work, taskId, plan);
  const claim = task?.claim ?? null;
  if (task === null || claim === null || claim.holder === to) return null;
  if (mayReassign(state, principalOf(actor, state), [claim.holder, to]) !== null) return null;
  const { holder, token } = claim;
  const trees = await uncommittedWork(repository.directory, repository);
  if (!trees.ok) {
    const message = `Whether ${holder} left uncommitted work is not known: ${trees.error.message}`;
    const isNone = trees.error.code === "repository-missing";
    return isNone ? null : { token, note: { code: "uncommitted-unknown", path: "$.body.taskId", message } };
  }
  // Every agent of the team, because a linked work tree under an agent's name holds the work of that agent.
  const others = [...state.team.roster.keys()].filter((agent) => agent !== holder);
  const globs = [...new Set([...task.files, ...claim.files])];
  const hands = [{ agent: holder, globs }, ...others.map((agent) => ({ agent, globs: [] }))];
  const own = sharedOut(trees.value, hands).agents[holder];
  if (own === undefined) return null;
  const { count, files } = own;
  const message = `${holder} left ${counted(count, "uncommitted file")}: ${shortList(files)}. Agree on what becomes of ${count === 1 ? "it" : "them"} before anybody edits there.`;
  return { token, note: { code: "uncommitted-work", path: "$.body.taskId", message } };
}

/** Whether the caller leads at all, so that it may move tasks of others. */
export function leadsTasks({ agent, role }: Principal): boolean {
  return agent === ownerName || role === "lead";
}

/** Why a caller that leads may not move a task of these agents; null: it may. */
export function foreignDepartmentProblem(
  { team: { roster } }: TeamState,
  { agent: by, department }: Principal,
  agents: readonly string[],
): Problem | null {
  if (by === ownerName || department === undefined || !areSeveralActive(roster)) return null;
  const stranger = agents.find((agent) => {
    const member = roster.get(agent);
    return member !== undefined && departmentOf(member) !== department;
  });
  if (stranger === undefined) return null;
  return makeProblem("sender-not-authorised", by, `${by} leads ${department}, and ${stranger} is not in it.`, {
    expected: `agents of ${department}`,
    received: stranger,
    hint: "Ask the owner, or a lead without a department.",
  });
}

/** A task that was given to an agent: who gave it, with which token it is held now, and what was left uncommitted. */
interface Reassigned {
  readonly task: string;
  readonly by: string;
  /** Null: nobody held it. */
  readonly from: string | null;
  readonly to: string;
  readonly reason: string | undefined;
  readonly files: readonly string[];
  readonly notes: readonly Note[];
  readonly token: number;
  readonly leaseMs: number;
}

/** Both agents read the same; an agent that gave or took the task itself needs no message. */
export function reassignmentNotice({ task, by, from, to, reason, files, notes, token, leaseMs }: Reassigned) {
  const message = prose([
    from === null
      ? `${by} gave ${visible(task)} to ${to}.`
      : `${by} reassigned ${visible(task)} from ${from} to ${to}.`,
    ...(reason === undefined || reason.trim() === "" ? [] : [line("Reason", reason)]),
    line("Files", files.length === 0 ? "none yet" : shortList(files)),
    ...notes.map((each) => line("Note", each.message)),
    `What to do, ${to}: you hold the task now, with token ${token}. The claim expires ${leaseMs / 1000} seconds after your last heartbeat. If you do not want the task, release it.`,
    ...(from === null
      ? []
      : [
          `What to do, ${from}: your claim has ended and your token no longer counts. Stop work on this task and leave its files to ${to}.`,
        ]),
  ]);
  return { delivered: { message, receivers: [from, to].filter((agent) => agent !== null && agent !== by) } };
}

/** For the agent that loses a task because another one began its plan; the other one has the answer to its claim. */
export function takeoverNotice(task: string, from: string, to: string) {
  const message = prose([
    `${to} began the plan of ${visible(task)} and holds this task now: ${from} held it with the plan, and nothing of it was seen for a lease.`,
    `What to do, ${from}: your claim has ended and your token no longer counts. Write to ${to} before you go on with this task.`,
  ]);
  return { delivered: { message, receivers: [from] } };
}

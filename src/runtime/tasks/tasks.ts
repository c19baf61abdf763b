/**
 * Acts about tasks, for agents and people without messages for them: adding one, claiming it, giving it back.
 * Source: docs/protocol/tasks.md.
 */

import { argument } from "../../base/argument.ts";
import { steadyNow, timestampOf } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type DenialReason, denialReasonOf } from "../../coordination/claims/claim-denials.ts";
import { type Obstacle, obstacleTo } from "../../coordination/claims/claims.ts";
import { decideClaim, decideCompletion, decideTask, decideWork } from "../../coordination/deciders.ts";
import { planKeyOfTask, workIdProblem } from "../../coordination/tasks/task-ids.ts";
import { findTask } from "../../coordination/tasks/task-state.ts";
import type { Note } from "../../message/message.ts";
import { ownerName, type Principal } from "../../message/principal.ts";
import type {
  AddTask,
  ClaimTask,
  CompleteTask,
  Named,
  ReleaseTask,
  RenewClaim,
} from "../../operations/generated/calls.ts";
import type { ClaimAnswer, Reply } from "../../operations/reply.ts";
import { claimsRuleOf, leaseMsOf, scopeRuleOf } from "../../team/definition.ts";
import { type Member, unknownAgent } from "../../team/roster.ts";
import { act, type Command } from "../command.ts";
import { type Actor, awaitsVerdict, type TeamContext } from "../context.ts";
import { endedEdits } from "../evidence/edits.ts";
import { withdrawalNotice } from "../evidence/verdict-notification.ts";
import { agentSessionOf } from "../health/breaker-scope.ts";
import { entryOf } from "../record/recorded-act.ts";
import type { TeamState } from "../state.ts";
import { commitProblem } from "./commit-ids.ts";
import { foreignDepartmentProblem, leadsTasks, takeoverNotice } from "./reassignment.ts";

/** Adds a task, or describes one again. The owner, leads and architects may; refuses as `addTask` does. */
export function addTask(context: TeamContext, actor: Actor, task: AddTask, options: Named = {}): Promise<Reply> {
  const { task: taskId, plan: planId = null, ...described } = task;
  const command: Command = {
    name: "add-task",
    asked: asked({ ...task }),
    decide(state, moment, principal) {
      const denied = mayPlan(principal);
      if (denied !== null) return err([denied]);
      const faults = idFaults(task);
      if (faults.length > 0) return err(faults);
      const decided = decideTask(state.coordination, { taskId, planId, ...described, seq: moment.seq });
      const odd = blankNote(taskId);
      return decided.ok && odd !== null ? ok({ ...decided.value, notes: [...decided.value.notes, odd] }) : decided;
    },
  };
  return act(context, actor, command, options.id);
}

/** An id may have blanks, but one that would name a task of a plan without them names none: most likely a typo. */
function blankNote(id: string): Note | null {
  const without = id.replaceAll(" ", "");
  if (without === id || planKeyOfTask(without) === null || planKeyOfTask(id) !== null) return null;
  const message = `"${id}" names no plan, because of its blank: without it, ${without} is a task of plan ${planKeyOfTask(without)}.`;
  return { code: "id-without-plan", path: "$.body.taskId", message };
}

/** Why a new task cannot be called so; a task is never put on the list under an id that none can have. */
function idFaults({ task, plan, dependsOn = [] }: AddTask): readonly Problem[] {
  return [
    workIdProblem(task, argument("task")) ?? [],
    plan === undefined ? [] : (workIdProblem(plan, argument("plan")) ?? []),
    ...dependsOn.map((each) => workIdProblem(each, argument("dependsOn")) ?? []),
  ].flat();
}

/** Claims a task for the acting agent. Every denial is recorded; the answer says who and what blocks it. */
export async function claim(
  context: TeamContext,
  actor: Actor,
  wanted: ClaimTask,
  options: Named = {},
): Promise<ClaimAnswer> {
  const { task: taskId, plan: planId = null, files = null } = wanted;
  const holder = actor.agent;
  let obstacle: Obstacle = { holder: null, paths: [] };
  const command: Command = {
    name: "claim-task",
    asked: asked({ ...wanted }),
    clearable: endedEdits(context, { by: holder, globs: files }),
    decide(state, { seq }) {
      const member = memberOf(state, holder);
      if (!member.ok) return member;
      const { session } = member.value;
      const atMs = steadyNow(context.clock);
      const { definition } = state.team;
      const leaseMs = leaseMsOf(definition);
      // Where claims are made by edits, who names no file on purpose begins the task's plan, whose files are a forecast.
      const isOfPlan = files?.length === 0 && claimsRuleOf(definition) === "edits";
      const { coordination } = state;
      obstacle = obstacleTo({ taskId, planId, files, holder }, coordination.work);
      const breaker = agentSessionOf(state, holder).scope;
      const decided = decideClaim(coordination, {
        taskId,
        planId,
        files,
        holder,
        session,
        ...(isOfPlan ? { ofPlan: true as const } : {}),
        breaker,
        seq,
        atMs,
        leaseMs,
      });
      if (!decided.ok) return decided;
      const standing = findTask(coordination.work, taskId, planId);
      const grant = decided.value.events.find((event) => event.event === "task-claimed");
      const grown = decided.value.events.flatMap((event) => (event.event === "claim-grown" ? event.files : []));
      const granted = {
        task: standing?.task ?? taskId,
        token: grant?.token ?? standing?.claim?.token ?? seq,
        expiresAt: timestampOf(context.clock.now() + leaseMs),
        files: grant?.files ?? [...(standing?.claim?.files ?? []), ...grown],
      };
      const lost = decided.value.events.find((event) => event.event === "claim-released");
      const notice = lost === undefined ? {} : takeoverNotice(granted.task, lost.holder, holder);
      return ok({ ...decided.value, told: { granted }, ...notice });
    },
  };
  const reply = await act(context, actor, command, options.id);
  return claimAnswer(context, reply, () => obstacle);
}

/** Shows that the acting agent still works on a task; what it holds lives on. */
export async function renew(
  context: TeamContext,
  actor: Actor,
  { task, token }: RenewClaim,
  options: Named = {},
): Promise<ClaimAnswer> {
  const command: Command = {
    name: "renew-task",
    asked: asked({ task, token }),
    decide(state) {
      const { coordination } = state;
      const decided = decideWork(coordination, {
        command: "renew-task",
        taskId: task,
        planId: null,
        token: token ?? null,
        by: actor.agent,
      });
      const held = findTask(coordination.work, task, null);
      if (!decided.ok || held?.claim === null || held === null) return decided;
      const expiresAt = timestampOf(context.clock.now() + leaseMsOf(state.team.definition));
      const granted = { task: held.task, token: held.claim.token, expiresAt, files: held.claim.files };
      return ok({ ...decided.value, told: { granted } });
    },
  };
  return claimAnswer(context, await act(context, actor, command, options.id), () => ({ holder: null, paths: [] }));
}

/** Reports the state of a task; `complete`, the default, ends the claim. */
export function complete(context: TeamContext, actor: Actor, work: CompleteTask, options: Named = {}): Promise<Reply> {
  const { task: taskId, plan: planId = null, status = "complete", token = null } = work;
  const { files = null, deviations = [], evidence = null, finishedBefore = false } = work;
  const commits = [...new Set([work.commit ?? []].flat())].filter((commit) => commit !== "");
  const reported = { commit: commits.at(-1) ?? "", ...(commits.length < 2 ? {} : { commits }) };
  const command: Command = {
    name: "complete-task",
    asked: asked({ ...work }),
    decide(state, { seq }, principal) {
      const member = memberOf(state, actor.agent);
      if (!member.ok) return member;
      const { work: known } = state.coordination;
      const isNeeded = status === "complete" && findTask(known, taskId, planId)?.withoutFiles !== true;
      const fault =
        commitProblem(commits, isNeeded) ??
        (finishedBefore ? mayPlan(principal, "report work as finished before its task was recorded") : null);
      if (fault !== null) return err([fault]);
      const { agent: by } = actor;
      const before = finishedBefore ? { finishedBefore: true as const } : {};
      const said = { taskId, planId, by, token, status, ...reported, ...before, files, deviations, evidence };
      const isAdvisory = scopeRuleOf(state.team.definition) === "advisory";
      const order = {
        ...said,
        completes: true,
        awaitsVerdict: awaitsVerdict(context, state),
        isAdvisory,
        way: "command",
        seq,
      } as const;
      const decided = decideCompletion(state.coordination, order);
      return decided.ok ? ok({ ...decided.value, ...withdrawalNotice(state, decided.value.events) }) : decided;
    },
  };
  return act(context, actor, command, options.id);
}

/** Gives a task back; the owner and a lead of the holder may take it from its holder. */
export function release(
  context: TeamContext,
  actor: Actor,
  { task, token }: ReleaseTask,
  options: Named = {},
): Promise<Reply> {
  const command: Command = {
    name: "release-task",
    asked: asked({ task, token }),
    decide(state, _, principal) {
      const { agent: by } = principal;
      const mayTake = leadsTasks(principal) && token === undefined;
      const holder = findTask(state.coordination.work, task, null)?.claim?.holder ?? by;
      const foreign = mayTake && holder !== by ? foreignDepartmentProblem(state, principal, [holder]) : null;
      if (foreign !== null) return err([foreign]);
      const order = { command: "release-task", taskId: task, planId: null, token: token ?? null, by, mayTake } as const;
      return decideWork(state.coordination, order);
    },
  };
  return act(context, actor, command, options.id);
}

/** What a reply to a claim or a renewal means. A repeated act is answered with what its entry told the first time. */
async function claimAnswer(context: TeamContext, reply: Reply, obstacle: () => Obstacle): Promise<ClaimAnswer> {
  if (reply.outcome !== "accepted") {
    const first = reply.outcome === "refused" ? reply.problems[0] : undefined;
    const reason: DenialReason | null = first === undefined ? null : denialReasonOf(first.code);
    return { granted: false, reason, ...(reason === null ? { holder: null, paths: [] } : obstacle()), reply };
  }
  const entry = await entryOf(context, reply.receipt.seq);
  if (!entry.ok) {
    return {
      granted: false,
      reason: null,
      holder: null,
      paths: [],
      reply: { outcome: "failed", problem: entry.error },
    };
  }
  // The operation itself wrote it, a few lines above.
  const { granted } = entry.value.command as unknown as { readonly granted: Granted };
  return { granted: true, ...granted, reply };
}

type Granted = Pick<Extract<ClaimAnswer, { readonly granted: true }>, "task" | "token" | "expiresAt" | "files">;

/** The acting agent as one of the team: only agents hold tasks. */
function memberOf(state: TeamState, agent: string): Result<Member, readonly Problem[]> {
  const member = state.team.roster.get(agent);
  if (member !== undefined) return ok(member);
  if (agent === ownerName) {
    return err([
      problem("sender-not-authorised", agent, "The owner holds no tasks; agents of the team do.", {
        expected: "an agent of the team",
        received: agent,
        hint: `Name the agent by \`${argument("actor")}\`.`,
      }),
    ]);
  }
  return err([unknownAgent(agent, state.team.roster.keys())]);
}

function mayPlan({ agent, role }: Principal, what = "add tasks"): Problem | null {
  if (agent === ownerName || role === "lead" || role === "architect") return null;
  return problem("sender-not-authorised", agent, `${agent} may not ${what}.`, {
    expected: "the owner, a lead or an architect",
    received: role ?? "an unknown agent",
    hint: "Ask the lead. The owner runs the command without --as.",
  });
}

/** The arguments of an operation, as plain JSON, without omitted ones. */
function asked(given: { readonly [argument: string]: unknown }): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject;
}

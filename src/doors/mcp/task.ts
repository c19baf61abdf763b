/**
 * `task`: what can be claimed, the agent's own claims, and what waits for its decision; so that agents without messages
 * for it can work side by side.
 */
import * as z from "zod";
import { timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { waitsFor } from "../../escalations/decide/escalations.ts";
import { levelAbove } from "../../messages/authority/chain-of-command.ts";
import type { Escalation } from "../../perform/deciders.ts";
import type { OperationDefinition } from "../../perform/operations/define.ts";
import type { Team } from "../../perform/team.ts";
import { remarksOn } from "../../tasks/view/task-remarks.ts";
import type { TaskState, TaskView } from "../../tasks/view/task-view.ts";
import { actionsOf, argumentsOfActions, takeAction } from "./operation-actions.ts";
import { records, refusal, type Tool, type ToolAnswer } from "./tool.ts";

const text = z.string();

const actions = actionsOf("task");

const input = z.strictObject({
  action: z.enum(["available", ...actions.keys()]),
  ...argumentsOfActions(actions),
  id: text.optional(),
});

/** The arguments of its actions have the types of their operations' inputs. */
type Given = z.infer<typeof input> & { readonly [argument: string]: unknown };

export const task: Tool<Given> = {
  name: "task",
  title: "Tasks and claims",
  description:
    "claim takes a task, without one the next free. available lists what is free, yours, and escalations to resolve or raise. " +
    "complete reports the commit; partial and failed keep the claim. ask wants a task of the team. stop answers a shutdown. " +
    "Leads add, plan, settle, reopen.",
  input,
  annotations: records,
  run: async (given, { team }) => {
    const action = actions.get(given.action);
    if (action === undefined) return await boardAnswer(team);
    if (given.task === undefined && isAboutTask(action)) return refusal([taskMissing(given.action)]);
    return await takeAction(action, given, team);
  },
};

function isAboutTask({ mcp, input }: OperationDefinition): boolean {
  return Object.entries(mcp?.arguments ?? {}).some(
    ([name, { as = name, fallback } = {}]) =>
      as === "task" && fallback === undefined && !(input.shape[name] instanceof z.ZodOptional),
  );
}

async function boardAnswer(team: Team): Promise<ToolAnswer> {
  const found = await team.board();
  if (!found.ok) return refusal([found.error]);
  const escalated = await escalatedTo(team);
  if (!escalated.ok) return refusal([escalated.error]);
  const { tasks, available, outsideContract, edits, advisedDevelopers, cycle } = found.value;
  const free = new Set(available);
  const yours = tasks.filter(({ holder }) => holder === team.actor.agent);
  const mine = tasks.filter(({ reporter, state }) => reporter === team.actor.agent && reportedStates.has(state));
  const data = {
    outcome: "board",
    available: tasks.filter(({ task: name }) => free.has(name)).map(briefly),
    yours: yours.map((view) => ({ ...briefly(view), token: view.token, expiresAt: view.expiresAt })),
    reported: mine.map(({ task: name, state, commit, problems, unseen }) => {
      return { task: name, state, commit, ...why([...problems, ...(unseen?.problems ?? [])]) };
    }),
    ...(escalated.value.length === 0 ? {} : { escalations: escalated.value }),
    ...(outsideContract.length === 0 ? {} : { outsideContract }),
    ...(edits.length === 0 ? {} : { edits: edits.map(({ file, holder, task }) => ({ file, holder, task })) }),
    advisedDevelopers,
    ...(cycle === null ? {} : { cycle }),
  };
  return { data };
}

/** What one chooses a task by. What was done before and found wanting says so. */
function briefly(view: TaskView) {
  const { task: name, number, plan, title, files, filesKind, state, problems } = view;
  return {
    task: name,
    ...(number === undefined || String(number) === name ? {} : { number }),
    ...(plan === null ? {} : { plan }),
    ...(title === null ? {} : { title }),
    files,
    ...(filesKind === "none" ? { filesKind } : {}),
    ...(reportedStates.has(state) ? { state, ...why(problems) } : {}),
    ...Object.fromEntries(remarksOn(view).map(({ field }) => [field, view[field]])),
  };
}

/** The state of a report whose plan has not ended. */
const reportedStates: ReadonlySet<TaskState> = new Set(["reported", "verified", "disputed", "reverted", "gone"]);

function why(problems: readonly Problem[]) {
  return problems.length === 0 ? {} : { problems };
}

function taskMissing(action: string): Problem {
  return makeProblem("missing-field", "arguments.task", `"${action}" is about one task, and none is named.`, {
    hint: 'action "available" lists the tasks.',
  });
}

/** The open escalations that wait for the calling agent, oldest first. */
async function escalatedTo(team: Team): Promise<Result<readonly Readonly<Record<string, unknown>>[], Problem>> {
  const open = await team.escalations();
  if (!open.ok || open.value.length === 0) return open.ok ? ok([]) : open;
  // The roster is asked for only where somebody's word is waited for.
  const status = await team.status();
  if (!status.ok) return status;
  const { agent } = team.actor;
  const member = status.value.agents.find((each) => each.agent === agent && each.status === "active");
  const caller = { agent, role: null, ...member };
  return ok(open.value.filter((each) => waitsFor(each, caller)).map(told));
}

function told(escalation: Escalation): Readonly<Record<string, unknown>> {
  const { id, severity, originators, plan, task, issue, needs, evidence, options, recommendation, dueAtMs } =
    escalation;
  return {
    escalation: id,
    severity,
    heldUp: originators,
    ...(plan === null ? {} : { plan }),
    ...(task === null ? {} : { task }),
    issue,
    ...(needs === null ? {} : { needs }),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(options.length === 0 ? {} : { options }),
    ...(recommendation === null ? {} : { recommendation }),
    // Then it is taken to the next level without this agent.
    ...(dueAtMs === null ? {} : { until: timestampOf(dueAtMs) }),
    next: nextCall(escalation),
  };
}

function nextCall({ id, chain, level, options, mustDecide }: Escalation): string {
  const how = options.length === 0 ? "decision" : "decision, or option with a number";
  const above = mustDecide ? null : levelAbove(chain, level);
  const raise = above === null ? "" : `; action "raise" hands it to ${above}`;
  return `task with action "resolve", task ${JSON.stringify(id)} and ${how}${raise}`;
}

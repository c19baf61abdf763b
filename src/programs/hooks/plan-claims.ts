/**
 * Plans that an agent of Claude Code begins without a message that says so: its lead starts it with a plan file, or by a
 * name that ends in the plan's number, or the program's own task names the plan. Then it holds the plan's open tasks. What
 * the session knows of the program's tasks and of agents that were started is kept as long as its server runs.
 * Source: docs/protocol/tasks.md, section 16.
 */
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { planKey, planKeyOfTask } from "../../messages/task-ids.ts";
import { problemsOf } from "../../perform/operations/reply.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { TeamStatus } from "../../team/operations/status.ts";
import { claimsRuleOf, workOf } from "../../team/state/definition.ts";
import { type HookAnswer, nothing } from "./hook-answer.ts";
import { type Asked, type AskedByAgent, isByAgent, type PlanMemory, problemLines } from "./hook-question.ts";

/** What a session knows when it begins. */
export function noPlans(): PlanMemory {
  return { subjects: new Map(), meant: new Map() };
}

/** Most tasks and agents that a session knows. */
const knownMax = 1_000;

function keep(known: Map<string, string>, key: string, value: string): void {
  if (known.size < knownMax || known.has(key)) known.set(key, value);
}

/** Notes the plan that an agent is started with; its start claims it. */
export async function beforeSpawn(asked: Asked): Promise<HookAnswer> {
  const { plans, input } = asked;
  const { name, prompt } = input.toolInput;
  if (plans === undefined || typeof name !== "string" || typeof prompt !== "string") return nothing;
  const tasks = await openTasks(asked);
  const plan = tasks.ok ? planFileIn(prompt, tasks.value) : null;
  if (plan !== null) keep(plans.meant, name, plan);
  return nothing;
}

/** The program's task was created: what it is about is known by its id from now on. */
export function afterTaskCreated({ plans, input }: Pick<Asked, "plans" | "input">): void {
  const created = input.toolResponse.task;
  const { id, subject } = typeof created === "object" && created !== null ? (created as JsonObject) : {};
  if (plans !== undefined && typeof id === "string" && typeof subject === "string") keep(plans.subjects, id, subject);
}

/** The program's task begins, or gets an owner: who has it holds the plan that it names, or reads why not. */
export async function beforeTaskUpdate(asked: Asked): Promise<HookAnswer> {
  const { plans, input, agent } = asked;
  const { taskId, task_id: named, status, owner, assignee, subject } = input.toolInput;
  if (!isByAgent(asked)) return nothing;
  if (status === "claimed" && typeof named === "string" && (assignee === undefined || assignee === agent))
    return await claimOne(asked, named);
  const known = typeof taskId === "string" ? plans?.subjects.get(taskId) : undefined;
  const about = typeof subject === "string" ? subject : known;
  if (plans === undefined || about === undefined) return nothing;
  const tasks = await openTasks(asked);
  const plan = tasks.ok ? planIn(about, tasks.value) : null;
  if (!tasks.ok || plan === null) return nothing;
  if (typeof owner === "string" && owner !== agent) {
    keep(plans.meant, owner, plan);
    return nothing;
  }
  if (status !== "in_progress" && owner !== agent) return nothing;
  const team = await teamClaimedByEdits(asked);
  if (team.ok && team.value === null) return nothing;
  const claimed = team.ok ? await claimPlan(asked, plan, tasks.value) : err([team.error]);
  if (!claimed.ok) return { says: "deny", words: `Not begun:\n${problemLines(claimed.error)}` };
  return claimed.value.length === 0 ? nothing : { says: "context", words: holdsWords(asked, claimed.value) };
}

/** A claim by a status that the program itself does not have. */
async function claimOne({ team }: AskedByAgent, task: string): Promise<HookAnswer> {
  const reply = await team.claim({ task });
  if (reply.outcome === "accepted") return nothing;
  return { says: "deny", words: `Not claimed:\n${problemLines(problemsOf(reply))}` };
}

/** What an agent holds that begins, or that goes on after its lead gave it a plan; null: nothing new. */
export async function claimMeant(asked: AskedByAgent, begins: boolean): Promise<string | null> {
  const { plans, agent } = asked;
  const meant = plans?.meant.get(agent);
  if (plans === undefined || (meant === undefined && !begins)) return null;
  plans.meant.delete(agent);
  const number = planNumberOf(agent);
  if (meant === undefined && number === null) return null;
  const team = await teamClaimedByEdits(asked);
  if (team.ok && team.value === null) return null;
  const tasks = team.ok ? await openTasks(asked) : team;
  const plan = meant ?? (tasks.ok ? planNumbered(number, tasks.value) : null);
  if (plan === null) return null;
  const claimed = tasks.ok ? await claimPlan(asked, plan, tasks.value) : err([tasks.error]);
  if (!claimed.ok) return `You hold nothing of plan ${visible(plan)}:\n${problemLines(claimed.error)}`;
  return claimed.value.length === 0 ? null : holdsWords(asked, claimed.value);
}

function holdsWords({ agent }: AskedByAgent, tasks: readonly string[]): string {
  return `Baton: ${agent} holds ${tasks.map(visible).join(", ")} from now on. Report each with its commit.`;
}

/** `dev-02` begins the plan with the number 2; null: the name has no number. */
function planNumberOf(agent: string): string | null {
  const number = /(?:^|-)dev-?(\d{1,9})$/.exec(agent)?.[1];
  return number === undefined ? null : String(Number(number));
}

/** The open plan with this number in the phase at work, which is the first with an open plan. */
function planNumbered(number: string | null, tasks: readonly TaskView[]): string | null {
  const parts = plansOf(tasks).map((plan) => /^(\d+)-(\d+)$/.exec(plan));
  const phase = Math.min(...parts.flatMap((found) => (found === null ? [] : [Number(found[1])])));
  const found = parts.filter((each) => each?.[2] === number && Number(each[1]) === phase);
  return found.length === 1 ? (found[0]?.[0] ?? null) : null;
}

/**
 * The plans of contracts that a team's only developer holds, from the time that it is shown what the lead sent; null: it is
 * not the only one, or there is nothing new.
 */
export async function claimAsOnlyDeveloper(asked: AskedByAgent): Promise<string | null> {
  const status = await teamClaimedByEdits(asked);
  if (!status.ok || status.value === null) return null;
  const developers = status.value.agents.filter((each) => each.role === "dev" && each.status === "active");
  if (developers.length !== 1 || developers[0]?.agent !== asked.agent) return null;
  const tasks = await openTasks(asked);
  const available = tasks.ok ? plansOf(tasks.value.filter(({ state }) => state === "available")) : [];
  const contracts = available.length === 0 ? null : await asked.team.contracts();
  if (!tasks.ok || !contracts?.ok) return null;
  const ordered = new Set(contracts.value.map(({ plan }) => planKey(plan)));
  const came: string[] = [];
  for (const plan of available.filter((each) => ordered.has(each))) {
    const claimed = await claimPlan(asked, plan, tasks.value);
    if (claimed.ok) came.push(...claimed.value);
  }
  return came.length === 0 ? null : holdsWords(asked, came);
}

/** The program's task is done: what the agent has not reported of the plan that the task names is free, and not done. */
export async function freeUnreported(asked: Asked, subject: string): Promise<void> {
  const { team, agent } = asked;
  const tasks = await openTasks(asked);
  const plan = tasks.ok ? planIn(subject, tasks.value) : null;
  if (!tasks.ok || plan === null || !isByAgent(asked)) return;
  for (const { task, plan: ofPlan, holder } of tasks.value) {
    const isOwn = holder === agent && keyOf({ task, plan: ofPlan }) === plan;
    if (isOwn) await team.release({ task, ...(ofPlan === null ? {} : { plan: ofPlan }) });
  }
}

/** The team as it is; null: the agent writes nothing, or messages make the claims of this team. */
async function teamClaimedByEdits({ team, agent }: AskedByAgent): Promise<Result<TeamStatus | null, Problem>> {
  const status = await team.status();
  if (!status.ok) return status;
  const { agents, definition } = status.value;
  const role = agents.find((each) => each.agent === agent)?.role;
  const isWriter = role !== undefined && workOf(role) === "writes";
  return ok(isWriter && claimsRuleOf(definition) === "edits" ? status.value : null);
}

/**
 * Claims the open tasks of a plan, without the files that they name: those are a forecast, and the first edit of a file
 * takes it. Answers the tasks that came. Refuses what another agent holds a part of, with nothing claimed.
 */
async function claimPlan(
  { team, agent }: AskedByAgent,
  plan: string,
  tasks: readonly TaskView[],
): Promise<Result<readonly string[], readonly Problem[]>> {
  const own = tasks.filter((task) => keyOf(task) === plan);
  const other = own.find(({ holder }) => holder !== null && holder !== agent);
  const came: string[] = [];
  // What another agent holds is asked for first: the denial says who holds the plan, and is recorded, as every denial is. It
  // is granted where that agent has left the plan alone.
  const wanted = own.filter(({ state, holder }) => state === "available" || (holder !== null && holder !== agent));
  for (const { task, plan: ofPlan } of wanted.toSorted((a, b) => Number(b === other) - Number(a === other))) {
    const reply = await team.claim({ task, ...(ofPlan === null ? {} : { plan: ofPlan }), files: [] });
    if (reply.outcome !== "accepted") return err(problemsOf(reply));
    came.push(task);
  }
  return ok(came);
}

/** The tasks of plans that are not reported. */
async function openTasks({ team }: Pick<Asked, "team">): Promise<Result<readonly TaskView[], Problem>> {
  const tasks = await team.tasks();
  if (!tasks.ok) return tasks;
  return ok(tasks.value.filter(({ state }) => state === "available" || state === "blocked" || state === "claimed"));
}

function keyOf({ task, plan }: Pick<TaskView, "task" | "plan">): string | null {
  return plan === null ? planKeyOfTask(task) : planKey(plan);
}

function plansOf(tasks: readonly TaskView[]): readonly string[] {
  return [...new Set(tasks.flatMap((task) => keyOf(task) ?? []))];
}

/** Most characters that are looked through. */
const charactersMax = 100_000;

/** The one plan that the words name; null: none, or several. */
function planIn(words: string, tasks: readonly TaskView[]): string | null {
  const named = words.slice(0, charactersMax).split(/[\s,;:()[\]"'`]+/);
  return onlyOne(named.map(planKey), tasks);
}

/**
 * The one plan whose file the words name: with phase and number in its name, before or after the word, or with the number in
 * its name and the phase's before its folder's.
 */
function planFileIn(words: string, tasks: readonly TaskView[]): string | null {
  const files = words
    .slice(0, charactersMax)
    .split(/[\s,;()[\]"'`]+/)
    .filter((word) => /PLAN/i.test(word));
  return onlyOne(files.flatMap(planOfFile), tasks);
}

function planOfFile(path: string): readonly string[] {
  const parts = path.split("/");
  const file = (parts.at(-1) ?? "").replace(/\.(?:md|jsonl)$/i, "").replace(/\.plan$/i, "-plan");
  const [first, second] = (file.match(/\d{1,9}/g) ?? []).map(Number);
  if (first === undefined || !/(?:^|-)plan(?:-|$)/i.test(file)) return [];
  if (second !== undefined) return [`${first}-${second}`];
  const phase = /^(\d{1,9})-/.exec(parts.at(-2) ?? "")?.[1];
  return phase === undefined ? [] : [`${Number(phase)}-${first}`];
}

function onlyOne(keys: readonly string[], tasks: readonly TaskView[]): string | null {
  const known = new Set(plansOf(tasks));
  const [first, ...others] = new Set(keys.filter((key) => known.has(key)));
  return first === undefined || others.length > 0 ? null : first;
}

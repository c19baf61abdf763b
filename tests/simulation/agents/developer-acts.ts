/** What developers do: claim, report, renew, complete, give back, ask for leave, say what holds them up. */

import type { KnownTask } from "../models/work-model.ts";
import { reportedFiles, somePatterns } from "../world/vocabulary.ts";
import type { Asked } from "./act.ts";
import { type Acting, type Choice, say } from "./agent.ts";

/** Choices of those who work on tasks. */
export const developerChoices: readonly Choice[] = [
  [26, claimTask],
  [10, renewTask],
  [14, reportProgress],
  [14, completeTask],
  [4, reportAgain],
  [3, releaseTask],
  [6, askForLeave],
  [7, reportBlocker],
  [4, raiseIssue],
];

/** A commit's id, as a report names it. */
export function someCommit({ chance }: Acting): string {
  return chance
    .below(2 ** 28)
    .toString(16)
    .padStart(7, "0");
}

/** Tasks that the agent holds, as it can see on the board. */
export function ownTasks({ agent, models }: Acting): readonly KnownTask[] {
  return models.work.heldBy(agent.name);
}

/** A task of the list. */
export function anyTask({ chance, models }: Acting): KnownTask | null {
  const tasks = [...models.work.tasks.values()];
  return tasks.length === 0 ? null : chance.pick(tasks);
}

/** Claims what seems free; in its own dialect, or by command. */
function claimTask(acting: Acting): Asked | null {
  const { models, chance } = acting;
  if (ownTasks(acting).length > 1) return null;
  const open = [...models.work.tasks.values()].filter((task) => task.doneBy === null);
  const free = open.filter((task) => task.claim === null && !models.work.isBlocked(task));
  const task = free.length > 0 && chance.happens(0.85) ? chance.pick(free) : anyTask(acting);
  if (task === null) return null;
  const files = filesFor(acting, task);
  const plan = task.plan ?? "1-1";
  const said = files === null ? null : say(acting, "claim", { task: task.task, plan, files });
  if (said !== null && chance.happens(0.6)) return said;
  return { do: "claim", task: { task: task.task, ...(files === null ? {} : { files }) } };
}

/** Files inside of the plan's contract, most of the time; null: the claim names none. */
function filesFor({ chance, models }: Acting, { plan }: KnownTask): readonly string[] | null {
  const scope = plan === null ? undefined : models.contracts.scopeOf(plan);
  if (chance.happens(0.25)) return null;
  if (scope === undefined || chance.happens(0.1)) return somePatterns(chance, 2);
  return [...new Set([chance.pick(scope.allowed), chance.pick(scope.allowed)])];
}

function renewTask(acting: Acting): Asked | null {
  const { chance } = acting;
  const [task] = ownTasks(acting);
  if (task === undefined || task.claim === null) return null;
  return { do: "renew", task: task.task, ...(chance.happens(0.5) ? { token: task.claim.token } : {}) };
}

function reportProgress(acting: Acting): Asked | null {
  const { chance } = acting;
  const own = ownTasks(acting);
  if (own.length === 0) return null;
  const task = chance.pick(own);
  const files = chance.happens(0.5) ? [chance.pick(reportedFiles)] : null;
  const status = chance.happens(0.9) ? "partial" : "failed";
  return say(acting, "progress", { task: task.task, plan: task.plan ?? "1-1", status, commit: "", files, token: null });
}

/** In the agent's own words, or by command; with its token or without. */
function completeTask(acting: Acting): Asked | null {
  const { chance } = acting;
  const own = ownTasks(acting);
  if (own.length === 0) return null;
  return completionOf(acting, chance.pick(own), chance.happens(0.5));
}

/** Reports once more what it reported as done, with a newer commit. */
function reportAgain(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const own = [...models.work.tasks.values()].filter(({ doneBy }) => doneBy === agent.name);
  return own.length === 0 ? null : completionOf(acting, chance.pick(own), false);
}

/** A completion of that task, by a message that completes in the agent's dialect or by command. */
export function completionOf(acting: Acting, task: KnownTask, withToken: boolean): Asked {
  const { agent, chance } = acting;
  const token = withToken ? (agent.tokens.findLast((known) => known.task === task.task)?.token ?? null) : null;
  const commit = someCommit(acting);
  const named = chance.happens(0.5) ? [chance.pick(reportedFiles)] : reportedFiles.slice(0, chance.between(1, 2));
  const files = chance.happens(0.5) ? named : null;
  const work = { task: task.task, plan: task.plan ?? "1-1", status: "complete", commit, files, token };
  const said = chance.happens(0.6) ? (say(acting, "completion", work) ?? say(acting, "progress", work)) : null;
  if (said !== null) return said;
  const { task: name } = work;
  return {
    do: "complete",
    work: { task: name, commit, ...(token === null ? {} : { token }), ...(files === null ? {} : { files }) },
  };
}

function releaseTask(acting: Acting): Asked | null {
  const [task] = ownTasks(acting);
  return task === undefined ? null : { do: "release", task: task.task };
}

/** Asks for leave, with a deadline or without one; leave to widen names the task it is for. */
export function askForLeave(acting: Acting): Asked | null {
  const { chance, nowMs, models } = acting;
  const plans = [...models.contracts.plans.keys()];
  const task = ownTasks(acting)[0]?.task ?? (plans.length > 0 ? `${chance.pick(plans)}-T1` : "1-1-T1");
  const deadline = chance.happens(0.7) ? new Date(nowMs + chance.between(1, 240) * 1_000).toISOString() : null;
  const type = chance.pick(["scope_change", "scope_change", "plan_approval", "gate_override"]);
  const paths = type === "scope_change" && chance.happens(0.6) ? somePatterns(chance, 2) : [];
  return say(acting, "approval", { type, task, subject: `May I, ${chance.below(1_000)}?`, deadline, paths });
}

/** Says what holds it up; sometimes only to inform. */
function reportBlocker(acting: Acting): Asked | null {
  const { chance } = acting;
  const own = ownTasks(acting);
  const again = decidedTask(acting);
  const task = again !== null && chance.happens(0.5) ? again : own.length > 0 ? chance.pick(own) : anyTask(acting);
  if (task === null) return null;
  const word = `It does not work, ${chance.below(4)}`;
  const severity = chance.happens(0.15) ? { severity: "informational" } : {};
  return say(acting, "blocker", { task: task.task, plan: task.plan ?? "1-1", word, ...severity });
}

/** A task that held the agent up, and whose decision may not have helped; null: there is none. */
function decidedTask({ agent, models }: Acting): KnownTask | null {
  const decided = [...models.escalations.all.values()].filter(
    ({ status, originators }) => status !== "open" && originators.includes(agent.name),
  );
  return decided.flatMap(({ task }) => (task === null ? [] : (models.work.find(task, null) ?? [])))[0] ?? null;
}

/** Hands an issue to the level above. */
function raiseIssue(acting: Acting): Asked | null {
  const { chance } = acting;
  const task = ownTasks(acting)[0]?.task ?? null;
  const word = `Nobody knows, ${chance.below(4)}`;
  const to = chance.pick(["senior", "senior", "lead"]);
  return say(acting, "escalation", { from: "dev", to, word, original: null, task });
}

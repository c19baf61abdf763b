/**
 * What a shutdown round ends besides messages: the shell and the edits of an agent that has stopped, and the end of the
 * program's own team while answers are missing. No hook can tell what a shell command would do, so none is accepted.
 * Rules: docs/guides/claude-code.md, What the hooks do.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { AgentStatus } from "../../team/operations/agents.ts";
import { type HookAnswer, nothing } from "./hook-answer.ts";
import { type Asked, type AskedByAgent, judgedAs, problemLines } from "./hook-question.ts";

/** The shutdown round in which the acting agent stopped last, and how; null: in none. */
export async function lastStop({
  team,
  agent,
}: AskedByAgent): Promise<Result<{ readonly round: string; readonly outcome: string } | null, Problem>> {
  const rounds = await team.shutdowns();
  if (!rounds.ok) return rounds;
  const parts = rounds.value.flatMap(({ round, agents }) =>
    agents.flatMap(({ agent: each, outcome, seq }) =>
      each === agent && outcome !== null && outcome !== "not_addressed" && seq !== null ? [{ round, outcome }] : [],
    ),
  );
  return ok(parts.at(-1) ?? null);
}

/** The answer to an agent that has stopped and was not registered again: refused, so `what` of its tool. */
export async function beforeStopped(asked: Asked, what: string): Promise<HookAnswer> {
  const agent = judgedAs(asked);
  if (agent === null) return nothing;
  const judged = { ...asked, agent };
  const own = await ownStatus(judged);
  if (!own.ok) return unjudged(own.error);
  if (own.value?.status !== "retired") return nothing;
  const stop = await lastStop(judged);
  if (!stop.ok) return unjudged(stop.error);
  if (stop.value === null) return nothing;
  const again = asked.line(["agent", "register", agent, "--role", own.value.role]);
  const how = `${agent} has stopped in shutdown ${visible(stop.value.round)} (${stop.value.outcome})`;
  const words = `${how} and may do nothing more, so ${what}. If it is to go on, a lead or the owner registers it again: ${again}`;
  return await refused(asked, words);
}

/** Most agents that are named. */
const namedMax = 5;

/** The answer about ending the program's team: refused while an open round waits for answers. */
export async function beforeTeamEnds(asked: Asked): Promise<HookAnswer> {
  const rounds = await asked.team.shutdowns({ latest: true });
  if (!rounds.ok) return unjudged(rounds.error);
  const missing = rounds.value.flatMap(({ round, outcome, agents }) => {
    const waits = outcome === "open" ? agents.flatMap((part) => (part.outcome === null ? [part.agent] : [])) : [];
    const more = waits.length > namedMax ? ` and ${waits.length - namedMax} more` : "";
    return waits.length === 0 ? [] : [`- ${visible(round)}: ${waits.slice(0, namedMax).join(", ")}${more}`];
  });
  if (missing.length === 0) return nothing;
  const wait = asked.line(["shutdown", "status", "--wait"]);
  return await refused(
    asked,
    `The team may not end yet: shutdown answers are missing.\n${missing.join("\n")}\nWait until each has answered, or its time is over: ${wait}`,
  );
}

async function refused({ team }: Asked, words: string): Promise<HookAnswer> {
  const status = await team.status();
  const isObserved = status.ok && status.value.definition?.policy === "observe";
  return isObserved
    ? { says: "context", words: `Baton only observes here; it would not allow this:\n${words}` }
    : { says: "deny", words: `Baton: ${words}` };
}

function unjudged(problem: Problem): HookAnswer {
  return { says: "deny", words: `Baton could not judge this:\n${problemLines([problem])}` };
}

/*
 * What keeps an agent from stopping besides mail: tasks that it holds and has not reported on.
 * Source: docs/protocol/tasks.md; docs/protocol/asking.md, sections 14 to 16.
 */

/** The acting agent as the team knows it; null: it is gone. */
export async function ownStatus({ team, agent }: AskedByAgent): Promise<Result<AgentStatus | null, Problem>> {
  const status = await team.status();
  return status.ok ? ok(status.value.agents.find((each) => each.agent === agent) ?? null) : status;
}

/** The tasks that the acting agent holds, the oldest first. */
export async function heldTasks({ team, agent }: AskedByAgent): Promise<Result<readonly TaskView[], Problem>> {
  const tasks = await team.tasks({ state: "claimed" });
  return tasks.ok ? ok(tasks.value.filter(({ holder }) => holder === agent)) : tasks;
}

/** Most tasks that are named. */
const tasksNamedMax = 5;

/** That tasks are held without a report, and how to end that. */
export function claimsWait({ agent }: AskedByAgent, held: readonly TaskView[]): string {
  const named = held.slice(0, tasksNamedMax).map(({ task }) => visible(task));
  const more = held.length > named.length ? ` and ${held.length - named.length} more` : "";
  const task = held.length === 1 ? (held[0]?.task ?? "TASK") : "TASK";
  const call = (action: string) => `task with action ${action} and task ${visible(task)}`;
  return `Baton: ${agent} holds ${named.join(", ")}${more} and has not reported. By the tool of the MCP server baton: ${call("complete")}, with the commit; not done: status partial, or action release.`;
}

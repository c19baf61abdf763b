/**
 * What keeps an agent from stopping: mail that it has not acknowledged, and tasks that it holds and has not reported on.
 * Source: docs/protocol/tasks.md; docs/protocol/shutdown.md.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { counted, visible } from "../../base/text.ts";
import type { TaskView } from "../../coordination/tasks/board.ts";
import type { AgentStatus } from "../../runtime/team/team-status.ts";
import type { AskedByAgent } from "./asked.ts";

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

/** That mail waits, and how to read and acknowledge it. */
export function mailWaits({ agent, line }: AskedByAgent, unread: number): string {
  return `${counted(unread, "message")} for ${agent} ${unread === 1 ? "is" : "are"} not acknowledged. Read: ${line(["inbox", "--as", agent])}. Then: ${line(["ack", "SEQ", "--as", agent])}`;
}

/** Most tasks that are named. */
const namedMax = 5;

/** That tasks are held without a report, and how to end that. */
export function claimsWait({ agent, line }: AskedByAgent, held: readonly TaskView[]): string {
  const named = held.slice(0, namedMax).map(({ task }) => visible(task));
  const more = held.length > named.length ? ` and ${held.length - named.length} more` : "";
  const task = held.length === 1 ? (held[0]?.task ?? "TASK") : "TASK";
  const report = line(["task", "complete", task, "--commit", "COMMIT", "--as", agent]);
  const unfinished = line(["task", "complete", task, "--status", "partial", "--as", agent]);
  const release = line(["task", "release", task, "--as", agent]);
  return `${agent} holds ${named.join(", ")}${more} and has not reported. Done: ${report}. Not done: ${unfinished}, or give it back: ${release}`;
}

/**
 * Which idle agent is woken for which free task: one agent a task, each once, so that a task does not wake a whole team.
 * Pure. Source: docs/protocol/tasks.md, section 3.
 */
import { isLost } from "../../health/decide/health.ts";
import type { CoordinationState } from "../../perform/coordination-state.ts";
import { isTurnOf } from "../../phases/decide/departments.ts";
import type { DeliveryState } from "../../team/operations/agents.ts";
import type { Member } from "../../team/state/roster.ts";
import { noText, type Task } from "../state/task-state.ts";
import { nextTask } from "./task-rules.ts";

/** A member of the team and what is known of its model. */
export interface Listener extends Pick<Member, "agent" | "role" | "status" | "department"> {
  readonly delivery: Pick<DeliveryState, "idle" | "wakes" | "called">;
}

/** A free task for an idle agent. */
export interface TaskCall {
  readonly agent: string;
  readonly task: Task;
  /** The task in the state in which it is free; another once somebody had it. */
  readonly call: string;
  /** Whether something wakes the agent for it; `declined`: that was done, and the agent stopped again without it. */
  readonly way: "woken" | "declined" | "unwoken";
}

/**
 * The free tasks that wait for idle agents. Agents that can be woken come first, in the order of `listeners`; an agent that
 * was woken and works counts as one that takes its task.
 *
 * @example callsIn(state.coordination, agents, true).find(({ agent, way }) => agent === "dev-1" && way === "woken")
 */
export function callsIn(
  state: CoordinationState,
  listeners: readonly Listener[],
  landsFirst: boolean,
): readonly TaskCall[] {
  const there = listeners.filter((each) => mayBegin(state, each));
  const idle = there.filter(({ delivery }) => delivery.idle && delivery.wakes !== null);
  if (idle.length === 0 || state.shutdowns.asked.size > 0) return [];
  const taken = new Set(there.flatMap(({ delivery }) => (delivery.idle ? [] : (delivery.called ?? []))));
  const calls: TaskCall[] = [];
  const give = (each: Listener, way: TaskCall["way"]): boolean => {
    const since = way === "woken" ? declinedAt(state, each) : -1;
    const isTurn = isTurnOf(state, each.department);
    const isLeft = (task: Task) =>
      isTurn(task) &&
      !taken.has(callFor(task)) &&
      (each.role === "dev" || (task.text ?? noText).agent === each.agent) &&
      freeAt(task) > since;
    const task = nextTask(state, each.agent, null, landsFirst, isLeft);
    if (task === null) return false;
    if (way === "woken") taken.add(callFor(task));
    calls.push({ agent: each.agent, task, call: callFor(task), way });
    return true;
  };
  const left = idle.filter((each) => each.delivery.wakes !== true || !give(each, "woken"));
  for (const each of left) give(each, each.delivery.wakes === true ? "declined" : "unwoken");
  return calls;
}

/** Whether the agent is there, and holds nothing that it would go on with. */
function mayBegin({ health, work }: CoordinationState, { agent, status }: Listener): boolean {
  if (status !== "active" || work.held.has(agent) || isLost(health, agent)) return false;
  return (health.programs.get(agent)?.ended ?? null) === null;
}

function callFor(task: Task): string {
  return `${task.key}@${freeAt(task)}`;
}

/** The entry from which on the task is as free as it is. */
function freeAt({ seq, grants, report }: Task): number {
  return Math.max(seq, report?.seq ?? 0, ...grants.map(([, token]) => token));
}

/** When the agent was woken in vain: what was free then wakes it no more. -1: it was not. */
function declinedAt({ work }: CoordinationState, { delivery: { called } }: Listener): number {
  const task = called === null ? undefined : work.tasks.get(called.slice(0, called.lastIndexOf("@")));
  return task !== undefined && callFor(task) === called ? freeAt(task) : -1;
}

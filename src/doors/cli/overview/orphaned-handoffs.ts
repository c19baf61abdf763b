/**
 * Handoffs that wait for agents that have left the team: nobody can answer them, so somebody has to hand the work to another
 * agent. Source: docs/protocol/claims.md, section 3.
 */
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Handoff } from "../../../coordination/handoffs/handoff-state.ts";
import { taskKey } from "../../../coordination/tasks/task-ids.ts";
import type { TaskView } from "../../../coordination/tasks/task-view.ts";
import { ownerName } from "../../../message/principal.ts";
import type { AgentStatus } from "../../../operations/agents.ts";
import type { Team } from "../../../runtime/team/team.ts";

/** A handoff that nobody can answer, and who can issue it again or bring its receiver back. */
export interface OrphanedHandoff {
  readonly handoff: Handoff;
  readonly waitsFor: readonly string[];
}

interface Place {
  readonly agents: readonly Pick<AgentStatus, "agent" | "role" | "department" | "status">[];
  readonly tasks: readonly Pick<TaskView, "task" | "state">[];
}

/** Those that nobody has issued again and whose task is not done, oldest first. */
export async function orphanedHandoffs(
  team: Pick<Team, "handoffs">,
  place: Place,
): Promise<Result<readonly OrphanedHandoff[], Problem>> {
  const there = new Set(place.agents.flatMap(({ agent, status }) => (status === "active" ? [agent] : [])));
  const isLeft = ({ standing, receivers }: Handoff) =>
    standing === "issued" && receivers.every((agent) => agent !== ownerName && !there.has(agent));
  const open = await team.handoffs();
  if (!open.ok) return open;
  const left = open.value.filter(isLeft);
  if (left.length === 0) return ok([]);
  // Whether the work was handed over again is known by those too that are answered.
  const all = await team.handoffs({ all: true });
  if (!all.ok) return all;
  const done = new Set(place.tasks.flatMap(({ task, state }) => (doneStates.has(state) ? [taskKey(task)] : [])));
  const waiting = left.filter(
    (handoff) =>
      !(handoff.task !== null && done.has(taskKey(handoff.task))) &&
      !all.value.some((later) => later.seq > handoff.seq && isSameWork(later, handoff)),
  );
  return ok(waiting.map((handoff) => ({ handoff, waitsFor: decidersOf(handoff, place.agents) })));
}

/** The issuer, if it is there, and the leads of its receivers; the owner where nobody leads. */
function decidersOf({ issuer, receivers }: Handoff, agents: Place["agents"]): readonly string[] {
  const there = agents.filter(({ status }) => status === "active");
  const departments = agents.flatMap(({ agent, department }) => (receivers.includes(agent) ? [department] : []));
  const leads = there.filter(
    ({ role, department }) => role === "lead" && (department === null || departments.includes(department)),
  );
  const deciders = leads.length === 0 ? [ownerName] : leads.map(({ agent }) => agent);
  return [...new Set([...(there.some(({ agent }) => agent === issuer) ? [issuer] : []), ...deciders])];
}

const doneStates: ReadonlySet<TaskView["state"]> = new Set(["verified", "complete"]);

/** Of the same task; without a task, with the same instruction. */
function isSameWork(one: Handoff, other: Handoff): boolean {
  if (one.workflow !== other.workflow || (one.task === null) !== (other.task === null)) return false;
  if (one.task === null || other.task === null) return one.summary === other.summary;
  return taskKey(one.task) === taskKey(other.task);
}

/**
 * The breaker of an agent: which one counts its disappearing and lets it in. Departments have one each; a team in which
 * fewer than two are at work has one. Source: docs/protocol/asking.md, section 19.
 */
import { departmentOf, isWorking, workingDepartments } from "../../messages/authority/departments.ts";
import type { TeamState } from "../../perform/state.ts";
import type { TeamDefinition, TeamMode } from "../../team/state/definition.ts";
import type { Member, Roster } from "../../team/state/roster.ts";
import type { AgentSession } from "../decide/disappearance.ts";
import type { BreakerScope } from "../state.ts";

/** An agent's session, 0 for a name that nobody has, and its breaker. */
export function agentSessionOf({ team: { roster, definition } }: TeamState, agent: string): AgentSession {
  const member = roster.get(agent);
  if (member === undefined) return { session: 0, scope: null };
  return { session: member.session, scope: breakerScopeOf(member, roster, definition) };
}

/** The mode of an agent: its own, else the team's. */
export function modeOf({ mode }: Pick<Member, "mode">, definition: TeamDefinition | null): TeamMode {
  return mode ?? definition?.teamMode ?? "teammate";
}

/** The breaker of an agent, which need not be in the roster yet; null: agents in task mode have none. */
export function breakerScopeOf(
  member: Pick<Member, "role" | "department" | "mode">,
  roster: Roster,
  definition: TeamDefinition | null,
): BreakerScope | null {
  if (modeOf(member, definition) === "task") return null;
  const departments = workingDepartments(roster);
  const { department } = member;
  const isFurther = department !== undefined && isWorking(department) && !departments.has(department);
  return departments.size + (isFurther ? 1 : 0) < 2 ? "team" : (departmentOf(member) ?? "team");
}

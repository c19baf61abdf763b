/**
 * Who may take a task from its holder: reassigning and releasing ask the same. The owner may; a lead may, and while several
 * departments are at work, a lead of one takes and gives tasks among its members only.
 * Rules: docs/protocol/tasks.md, section 10.
 */
import { areSeveralActive, departmentOf } from "../../authority/departments.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { ownerName, type Principal } from "../../message/principal.ts";
import type { TeamState } from "../state.ts";

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
  return problem("sender-not-authorised", by, `${by} leads ${department}, and ${stranger} is not in it.`, {
    expected: `agents of ${department}`,
    received: stranger,
    hint: "Ask the owner, or a lead without a department.",
  });
}

/**
 * The values that Baton knows for the fields of a draft, by their neutral names: from its sender, its task, the team and
 * the clock. Rule: docs/protocol/messages.md, section 9.
 */
import { timestampOf } from "../../base/clock.ts";
import type { Json } from "../../base/json.ts";
import { chainLevelOf, levels } from "../../messages/authority/chain-of-command.ts";
import type { KnownField } from "../../messages/intake/flat-to-envelope.ts";
import type { Principal } from "../../messages/principal.ts";
import { isWorkDepartment } from "../../messages/role.ts";
import { phaseOfPlanId, planKey, planKeyOfTask, taskKey } from "../../messages/task-ids.ts";
import type { Context } from "../../perform/context.ts";
import type { TeamState } from "../../perform/state.ts";
import { currentPart } from "../../phases/state/phase-state.ts";
import { roundMeant } from "../../shutdown/decide/shutdown-rounds.ts";
import type { Member } from "../../team/state/roster.ts";

/** What is known in a team of a draft that `principal` sends under `id`. */
export function knownFieldsOf(context: Context, state: TeamState, { agent, role }: Principal, id: string): KnownField {
  const member = state.team.roster.get(agent);
  const now = () => timestampOf(context.clock.now());
  return (neutral, { kind, task, plan }) => {
    const ofPlan = plan ?? planOfTask(state, task);
    switch (neutral) {
      case "taskId":
        return task;
      case "planId":
        return ofPlan;
      case "phaseId":
      case "head.phase":
        return ofPlan === null ? null : phaseOf(state, ofPlan);
      case "claimedAt":
        return now();
      case "teamName":
        return state.team.definition?.name ?? null;
      case "department":
        return member?.department ?? null;
      case "from":
        return member === undefined ? null : chainLevelOf(member.role);
      case "to":
        return member === undefined ? null : levelAbove(member);
      case "resolvedBy":
        return role;
      case "requestId":
        return kind === "shutdown-response" ? roundOf(state, agent) : null;
      case "metadata":
        return { id, source_agent: agent, timestamp: now() } satisfies Json;
      default:
        return null;
    }
  };
}

/** The plan of a task, as the record has it, else as the task's id names it. */
function planOfTask({ coordination }: TeamState, task: string | null): string | null {
  if (task === null) return null;
  return coordination.work.tasks.get(taskKey(task))?.plan ?? planKeyOfTask(task);
}

/** The phase of a plan, as the record has it, else as the plan's id names it. */
function phaseOf({ coordination }: TeamState, plan: string): string | null {
  return coordination.phases.plans.get(planKey(plan))?.phase ?? phaseOfPlanId(plan, null);
}

/** The level above somebody's own: an escalation names it, also where nobody is there. */
function levelAbove({ role }: Member): string | null {
  const own = chainLevelOf(role);
  return own === null ? null : (levels[levels.indexOf(own) + 1] ?? null);
}

/** The request of the shutdown round that an answer of this agent means. An approval is never guessed. */
function roundOf({ coordination }: TeamState, answerer: string): string | null {
  return roundMeant(coordination.shutdowns, { answerer, requestId: undefined })?.requestId ?? null;
}

/** The phase in which an agent's department works, as a number; null: none is known, or it has none. */
export function phaseAtWork({ coordination, team }: TeamState, agent: string): number | null {
  const own = team.roster.get(agent)?.department ?? "";
  const department = isWorkDepartment(own) ? own : null;
  const phase = currentPart(coordination.phases, department)?.phase ?? "";
  return /^\d{1,9}$/.test(phase) ? Number(phase) : null;
}

/**
 * What an id names that is no entry's: a task, a plan, an escalation, a request, a round, a handoff or an agent, and
 * the command that shows it. So a caller that looks for it among the entries learns where it is.
 */
import { visible } from "../base/text.ts";
import { escalationOf } from "../coordination/escalations/escalation-state.ts";
import { approvalOf, roundOf } from "../coordination/queries.ts";
import { planKey } from "../coordination/tasks/task-ids.ts";
import { findTask } from "../coordination/tasks/task-state.ts";
import type { TeamState } from "./state.ts";

/** What it is, in words, and how to see it. */
interface NamedThing {
  readonly what: string;
  readonly hint: string;
}

/** What `id` names in the team; null: nothing that is known. Of several things that have the id the first of this list. */
export function thingNamed({ coordination, team }: TeamState, id: string): NamedThing | null {
  // A command line in a hint must be safe to paste.
  const word = /^[A-Za-z0-9._:/@-]+$/.test(id) && !id.startsWith("-") ? id : "ID";
  const task = findTask(coordination.work, id, null);
  if (task !== null)
    return {
      what: `the task ${visible(task.task)}`,
      hint: `\`baton task list\` shows its state, \`baton log --task ${word}\` what was said and done about it.`,
    };
  const escalation = escalationOf(coordination.escalations, id);
  if (escalation !== null)
    return {
      what: `the escalation ${visible(escalation.id)}, which is ${escalation.standing}`,
      hint: "`baton escalation list --all` shows it with its steps and decision.",
    };
  if (approvalOf(coordination, id) !== null)
    return { what: "a request for an approval", hint: "`baton approval list --all` shows it with its answer." };
  if (roundOf(coordination, id) !== null)
    return { what: "a shutdown round", hint: `\`baton shutdown status ${word}\` shows it.` };
  if (coordination.handoffs.all.has(id)) return { what: "a handoff", hint: `\`baton handoff show ${word}\` shows it.` };
  if (coordination.contracts.plans.has(planKey(id)))
    return {
      what: "a plan",
      hint: `\`baton contract show ${word}\` shows its contract, \`baton summary ${word}\` what became of it.`,
    };
  if (team.roster.has(id))
    return {
      what: "an agent",
      hint: `\`baton agent list\` shows it, \`baton log --from ${word}\` what it sent and did.`,
    };
  return null;
}

/**
 * What each agent may change, by what it holds now, or by what it held or reported ever: the facts by which the gate for
 * git judges, wherever the files are. Source: docs/protocol/tasks.md; docs/protocol/contracts.md.
 */
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { scopeOfPlan } from "../../coordination/tasks/work-rules.ts";
import type { Task } from "../../coordination/tasks/work-state.ts";
import type { AgentStanding, WorkInHand } from "../../evidence/gate.ts";
import { ownerName } from "../../message/principal.ts";
import type { Context } from "../context.ts";
import type { TeamState } from "../state.ts";

export interface StandingsAsked {
  /** `now`: what is held; `ever`: also what was reported, and nobody stands in the way any more. */
  readonly when: "now" | "ever";
  /** Only this agent's; absent: the owner's and every agent's. */
  readonly agent?: string;
}

/** The standings that are asked for. Refuses `unknown-agent`. */
export async function standings(
  context: Context,
  { when, agent }: StandingsAsked,
): Promise<Result<readonly AgentStanding[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const known = [ownerName, ...state.team.roster.keys()];
  if (agent !== undefined && !known.includes(agent)) return err(unknownCommitter(agent, known));
  return ok((agent === undefined ? known : [agent]).map((each) => standingOf(state, each, when)));
}

function standingOf(state: TeamState, agent: string, when: StandingsAsked["when"]): AgentStanding {
  const { roster, definition } = state.team;
  const member = roster.get(agent);
  const { work, contracts } = state.coordination;
  const hand: WorkInHand[] = [];
  const others: { holder: string; task: string; files: readonly string[] }[] = [];
  for (const task of work.tasks.values()) {
    const own = ownPart(task, agent, when);
    if (own !== null) hand.push({ task: task.task, scope: scopeOfPlan(contracts, task.plan), claimed: own.files });
    else if (when === "now" && task.claim !== null && task.claim.holder !== agent)
      others.push({ holder: task.claim.holder, task: task.task, files: task.claim.files });
  }
  const isHandedOut = definition?.teamMode === "task";
  if (isHandedOut && member?.role === "dev")
    for (const { terms, plan } of contracts.plans.values())
      hand.push({ task: `of plan ${terms.planId}`, scope: scopeOfPlan(contracts, plan), claimed: null });
  const mustClaim = member?.role === "dev" && !(isHandedOut && hand.length === 0);
  return { agent, mustClaim, tasks: hand, others };
}

/** The part of a task that is the agent's; `files` null: it covers what the task's contract does. */
function ownPart(
  { claim, report }: Task,
  agent: string,
  when: StandingsAsked["when"],
): { files: readonly string[] | null } | null {
  if (claim?.holder === agent) return { files: claim.grows || claim.files.length === 0 ? null : claim.files };
  if (when === "ever" && report?.reporter === agent) return { files: report.claimed };
  return null;
}

/** The refusal of a name that is nobody's here. */
export function unknownCommitter(agent: string, known: readonly string[]): Problem {
  return problem("unknown-agent", agent, `There is no agent "${agent}" in the team.`, {
    expected: known.slice(0, 12).join(" | "),
    received: agent,
    hint: "Name the one who commits: BATON_AGENT, git config baton.agent NAME, or --as; a person is owner.",
  });
}

/**
 * Who may have Baton record what the repository shows. A verdict is Baton's own and binds everybody; others only look.
 * Source: docs/protocol/verdicts.md.
 */

import { argument } from "../../base/argument.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { ownerName } from "../../message/principal.ts";
import type { Role } from "../../message/role.ts";
import { type Actor, batonActor, principalOf } from "../context.ts";
import type { TeamState } from "../state.ts";
import { replacedProblem } from "../team/superseded-session.ts";

const judges: ReadonlySet<Role> = new Set(["lead", "architect", "qa", "qa-lead", "qa-code"]);

/** Whether Baton records the verdicts that the actor asks for: itself, for the owner, and for active lead and QA roles. */
export function mayJudge(actor: Actor, state: TeamState): boolean {
  if (actor === batonActor) return true;
  const { agent, role } = principalOf(actor, state);
  if (agent === ownerName) return true;
  const isActive = state.team.roster.get(agent)?.status === "active" && replacedProblem(state, actor) === null;
  return isActive && role !== null && judges.has(role);
}

/** Names in an entry who asked Baton to look; nothing where Baton looked by itself. */
export function askedBy(actor: Actor): { readonly askedBy?: string } {
  return actor === batonActor ? {} : { askedBy: actor.agent };
}

export function mayNotRun(agent: string): Problem {
  return problem("sender-not-authorised", agent, `${agent} may not have shell commands run here.`, {
    expected: "the owner, a lead, an architect or a qa",
    received: agent,
    hint: `Ask without \`${argument("runChecks")}\`, or ask one who answers for the work.`,
  });
}

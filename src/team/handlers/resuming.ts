/**
 * The next day: who stopped when everybody was asked to is back, in a new session, with its name and role.
 * Source: docs/protocol/asking.md, section 15.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { batonActor, type TeamContext } from "../../perform/context.ts";
import { roundOf, stopOf } from "../../perform/coordination-state.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { At } from "../../perform/rules.ts";
import type { TeamState } from "../../perform/state.ts";
import type { TeamEvent } from "../state/revision.ts";
import { decideTeam } from "../state/revision-decider.ts";
import type { Member } from "../state/roster.ts";
import { joiningBy } from "../view/session-endings.ts";

/** Brings them back, or of them the one that is named; answers how many. */
export async function resumeAgents(
  context: TeamContext,
  _: unknown,
  agent: string | null = null,
): Promise<Result<number, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const agents = [...folded.value.state.team.roster.values()]
    .filter((member) => (agent === null || member.agent === agent) && mayResume(folded.value.state, member))
    .map((member) => member.agent);
  if (agents.length === 0 || context.journal.condition().condition !== "ready") return ok(0);
  const done = await perform({ context, actor: batonActor }, resuming, { agents });
  return ok(done.outcome === "accepted" ? agents.length : 0);
}

/** Whether it stopped in a round of everybody that is over: one that was asked alone, or retired since, stays so. */
export function mayResume({ coordination }: TeamState, { agent, status, session, retiredBy }: Member): boolean {
  const stop = status === "retired" && retiredBy !== undefined ? stopOf(coordination, agent) : null;
  if (stop === null || stop.session !== session) return false;
  const round = roundOf(coordination, stop.requestId);
  return round?.everybody === true && round.status !== "open";
}

/**
 * Programs of such agents that these events bring back: a window that stayed open overnight speaks for its agent in the new
 * session too, until another takes its place. The person sees it at work, and has no reason to start it anew.
 */
export function openWindows(
  state: TeamState,
  events: readonly TeamEvent[],
  { seq, atMs }: Pick<At, "seq" | "atMs">,
): readonly CoordinationEvent[] {
  return events.flatMap((event) => {
    if (event.event !== "agent-registered") return [];
    const { agent, session } = event;
    const [member, known] = [state.team.roster.get(agent), state.coordination.health.programs.get(agent)];
    if (member === undefined || !mayResume(state, member)) return [];
    if (known === undefined || known.ended !== null || known.session !== member.session) return [];
    return [{ event: "program-begun" as const, agent, session, program: known.program, seq, atMs }];
  });
}

const resuming: Operation<{ readonly agents: readonly string[] }, TeamContext> = {
  name: "resume-agents",
  decide(state, { agents }, { seq, atMs }) {
    const team: TeamEvent[] = [];
    for (const agent of agents) {
      const member = state.team.roster.get(agent);
      if (member === undefined || !mayResume(state, member)) continue;
      const { role, department, dialect, mode } = member;
      const place = department === undefined ? {} : { department };
      const way = mode === undefined ? {} : { mode };
      const back = decideTeam({ command: "register-agent", agent, role, dialect, ...place, ...way }, state.team);
      if (!back.ok) return err(back.error);
      team.push(...back.value);
    }
    return ok({
      team,
      events: [...joiningBy(state, team, seq), ...openWindows(state, team, { seq, atMs })],
      notes: [],
    });
  },
};

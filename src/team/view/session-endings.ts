/**
 * What a shutdown round means for the roster: who is asked, what follows for an agent that stopped or was forced, and
 * why it may send nothing more. An agent that stopped is retired; registering it again starts a new session.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { guestProblem } from "../../messages/authority/roster-rights.ts";
import { batonName, type Principal } from "../../messages/principal.ts";
import type { Actor } from "../../perform/context.ts";
import { stopOf } from "../../perform/coordination-state.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import type { TeamState } from "../../perform/state.ts";
import { passingOf } from "../../shutdown/decide/shutdown-rounds.ts";
import { type AskedAgent, joinRounds } from "../../shutdown/decide/shutdowns.ts";
import type { TeamEvent } from "../state/revision.ts";
import { applyRevision, type Member, registeringCommand } from "../state/roster.ts";

/**
 * The agents that a request to these receivers asks. Where nobody was named, every other active agent is in the round
 * too, as one that is not addressed.
 */
export function askedAgents(
  state: TeamState,
  receivers: readonly string[],
  options: { readonly requester: string; readonly isNamed: boolean },
): readonly AskedAgent[] {
  const { roster } = state.team;
  const asked = receivers.flatMap((agent) => roster.get(agent) ?? []);
  const left = options.isNamed
    ? []
    : [...roster.values()].filter(
        ({ agent, status }) => status === "active" && agent !== options.requester && !receivers.includes(agent),
      );
  return [
    ...asked.map(({ agent, session }) => ({ agent, session, addressed: true })),
    ...left.map(({ agent, session }) => ({ agent, session, addressed: false })),
  ];
}

/** What follows in open shutdown rounds for the agents that join the team by these events. */
export function joiningBy(state: TeamState, events: readonly TeamEvent[], seq: number): readonly CoordinationEvent[] {
  const joined = events.flatMap((event) => {
    if (event.event === "agent-registered") return [{ agent: event.agent, session: event.session }];
    if (event.event !== "team-revised") return [];
    const { roster, retired } = state.team;
    return [...applyRevision(roster, event, retired).values()].filter(
      ({ agent, status }) => status === "active" && roster.get(agent)?.status !== "active",
    );
  });
  return joined.length === 0 ? [] : joinRounds(state.coordination.shutdowns, joined, seq);
}

/** What these events mean for the roster and its tokens: who stopped is retired, who was forced loses its tokens too. */
export function teamEventsOf(state: TeamState, events: readonly CoordinationEvent[]): readonly TeamEvent[] {
  const retired = new Map<string, TeamEvent>();
  const revoked: TeamEvent[] = [];
  for (const event of events) {
    if (event.event === "shutdown-answered" && event.outcome !== null) {
      retire(
        state,
        retired,
        { agent: event.answerer, by: event.answerer },
        `${event.outcome} in shutdown ${event.requestId}`,
      );
    }
    if (event.event !== "shutdown-forced") continue;
    for (const agent of event.agents) {
      if (retire(state, retired, { agent, by: batonName }, `forced in shutdown ${event.requestId}`))
        revoked.push(...revocations(state, agent));
    }
  }
  return [...retired.values(), ...revoked];
}

/** Whether it was not retired before. `by`: who stops is not taken out by the person, so a lead may bring it back. */
function retire(
  state: TeamState,
  retired: Map<string, TeamEvent>,
  { agent, by }: { readonly agent: string; readonly by: string },
  reason: string,
): boolean {
  if (retired.has(agent) || state.team.roster.get(agent)?.status !== "active") return false;
  retired.set(agent, { event: "agent-retired", agent, reason, by });
  return true;
}

function revocations({ credentials }: TeamState, agent: string): readonly TeamEvent[] {
  return [...credentials.tokens.values()]
    .filter((token) => token.agent === agent && token.status === "valid")
    .map(({ tokenId }) => ({ event: "token-revoked", tokenId }));
}

/** Why an agent that stopped in a shutdown round may send nothing more; null: it did not, or is there again. */
export function stoppedProblem(state: TeamState, agent: string): Problem | null {
  const member = state.team.roster.get(agent);
  const stop = stopOf(state.coordination, agent);
  if (member?.status !== "retired" || stop === null || stop.session !== member.session) return null;
  const { requestId, outcome, seq } = stop;
  const how =
    outcome === "forced"
      ? `was stopped by shutdown "${requestId}" without its consent`
      : `answered shutdown "${requestId}" (${outcome})`;
  return makeProblem("agent-stopped", agent, `${agent} ${how} at entry ${seq}, and may send nothing more.`, {
    hint: `If it is to go on, register it again, which starts a new session: \`${registeringCommand(member)}\``,
  });
}

/** Whether the agent has stopped in a round and not begun again, and nobody retired it since. */
export function hasStopped(state: TeamState, { agent, status, retiredBy }: Member): boolean {
  if (status === "active") return passingOf(state.coordination.shutdowns, agent) !== null;
  return retiredBy !== undefined && stoppedProblem(state, agent) !== null;
}

/** Why this sender may send no message: it stopped, was superseded, or is a guest. Null: it may. */
export function silencedProblem(state: TeamState, actor: Actor, principal: Principal): Problem | null {
  return stoppedProblem(state, principal.agent) ?? replacedProblem(state, actor) ?? guestProblem(principal, null);
}

/** Why an agent that left the team may do nothing more; one that stopped in a shutdown round learns that. Null: it may. */
export function retiredProblem(state: TeamState, agent: string): Problem | null {
  if (state.team.roster.get(agent)?.status !== "retired") return null;
  const stopped = stoppedProblem(state, agent);
  if (stopped !== null) return stopped;
  return makeProblem("retired-agent", agent, `${agent} is retired and may do nothing more.`, {
    hint: "The owner or an active lead can register it again.",
  });
}

/** Whether a retired agent may still acknowledge up to `seq`: it answered a shutdown request, and had this mail before. */
export function isReadBeforeStop(state: TeamState, agent: string, seq: number): boolean {
  const stop = stopOf(state.coordination, agent);
  const isOwn = stop !== null && stop.outcome !== "forced" && stop.session === state.team.roster.get(agent)?.session;
  return isOwn && seq <= stop.seq;
}

/* Why a program may act for its agent no longer: another began to, or the agent began a new session. */

/** Null: it may, or the actor is no program that stays. */
export function replacedProblem(
  state: TeamState,
  { agent, program }: Pick<Actor, "agent" | "program">,
): Problem | null {
  if (program === undefined) return null;
  const known = state.coordination.health.programs.get(agent);
  if (known === undefined) return null;
  const session = state.team.roster.get(agent)?.session;
  if (known.program === program && known.session === session) return null;
  // A program that has ended takes the place of those before it only.
  if (known.program !== program && known.ended !== null && !known.earlier.includes(program)) return null;
  const why =
    known.program === program
      ? `${agent} was registered again in a new session, ${session}`
      : `Another program speaks for ${agent} since entry ${known.seq}`;
  return makeProblem("session-replaced", agent, `${why}. This one may do nothing more.`, {
    expected: known.program === program ? `session ${session}` : `the program that began at ${known.seq}`,
    received: known.program === program ? `session ${known.session}` : "one that began before",
    hint: "Stop here. If you are to go on instead, have this session ended and a new one started: the later one speaks for the agent.",
  });
}

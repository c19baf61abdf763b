/**
 * Who leaves the team holds nothing any more, and no shutdown round waits for it: the entry by which it leaves, a command
 * or the team's file, frees its claims and ends its part; and whoever waits for a round that ends so is told.
 * Source: semantics.md section 3 (Tasks and claims; Shutdown).
 */
import { visible } from "../base/text.ts";
import { type CoordinationEvent, decideDeparture } from "../coordination/deciders.ts";
import { roundOf } from "../coordination/queries.ts";
import type { Message } from "../message/message.ts";
import { batonName } from "../message/principal.ts";
import type { TeamEvent } from "../team/events.ts";
import { applyRevision } from "../team/revision.ts";
import { prose } from "./prose.ts";
import type { TeamState } from "./state.ts";

/** What follows for everyone who leaves by these events. */
export function leavingBy(
  state: TeamState,
  events: readonly TeamEvent[],
  moment: { readonly seq: number; readonly atMs: number },
): readonly CoordinationEvent[] {
  const agents = events.flatMap((event) => leaversBy(state, event));
  return agents.length === 0 ? [] : decideDeparture(state.coordination, { ...moment, agents });
}

/**
 * What is told of rounds that these events end, and to whom: those who asked, but not `by`; null: nobody waits to hear
 * it.
 */
export function toldOfLeaving(
  state: TeamState,
  events: readonly CoordinationEvent[],
  by: string,
): { readonly message: Message; readonly receivers: readonly string[] } | null {
  const ended = events.flatMap((event) => (event.event === "shutdown-ended" ? [event.requestId] : []));
  const rounds = ended
    .flatMap((id) => roundOf(state.coordination, id) ?? [])
    .filter(({ requester }) => requester !== by);
  if (rounds.length === 0) return null;
  const last = (id: string) =>
    events.flatMap((event) => (event.event === "shutdown-forced" && event.requestId === id ? event.agents : []));
  const lines = rounds.map(
    ({ requestId }) =>
      `Shutdown "${visible(requestId)}" ended: ${last(requestId).join(", ")} left the team, by ${by === batonName ? "the team file" : by}.`,
  );
  return { message: prose(lines), receivers: [...new Set(rounds.map(({ requester }) => requester))] };
}

function leaversBy({ team }: TeamState, event: TeamEvent): readonly string[] {
  if (event.event === "agent-retired") return [event.agent];
  if (event.event !== "team-revised") return [];
  const next = applyRevision(team.roster, event.definition, team.retired);
  return [...team.roster.values()]
    .filter(({ agent, status }) => status === "active" && next.get(agent)?.status === "retired")
    .map(({ agent }) => agent);
}

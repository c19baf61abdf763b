/**
 * Who leaves the team by its file holds nothing any more: the entry that records the file frees its claims.
 * Source: semantics.md section 3 (Tasks and claims).
 */
import type { CoordinationEvent } from "../coordination/deciders.ts";
import { decideLeaving } from "../coordination/due.ts";
import type { TeamEvent } from "../team/events.ts";
import { applyRevision } from "../team/revision.ts";
import type { TeamState } from "./state.ts";

/** What frees the claims of everyone who leaves by these events. */
export function claimsOfLeavers(state: TeamState, events: readonly TeamEvent[]): readonly CoordinationEvent[] {
  return decideLeaving(
    state.coordination,
    events.flatMap((event) => leaversBy(state, event)),
  );
}

function leaversBy({ team }: TeamState, event: TeamEvent): readonly string[] {
  if (event.event !== "team-revised") return [];
  const next = applyRevision(team.roster, event.definition, team.retired);
  return [...team.roster.values()]
    .filter(({ agent, status }) => status === "active" && next.get(agent)?.status === "retired")
    .map(({ agent }) => agent);
}

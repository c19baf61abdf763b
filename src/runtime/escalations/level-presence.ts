/**
 * Whether somebody is left at the levels where escalations wait, kept beside them as entries are folded: who left the team,
 * stopped or has disappeared answers nobody, and nobody decides what it is held up by itself. Looked at only for what an
 * entry may have changed.
 * Source: docs/protocol/escalations.md.
 */
import type { CoordinationEvent } from "../../coordination/deciders.ts";
import { keepDeserted } from "../../coordination/due.ts";
import { isLost } from "../../coordination/health/health.ts";
import { ownHand } from "../../coordination/own-matter.ts";
import { ownerName } from "../../message/principal.ts";
import { registrarsIn } from "../../team/roster.ts";
import type { RecordedContent } from "../record/content.ts";
import type { TeamState } from "../state.ts";
import { agentsAt } from "./escalation-chain.ts";

/** Keeps which open escalations wait where nobody is left after an entry with these effects, in place. */
export function keepPresence(state: TeamState, { team, events = [] }: Pick<RecordedContent, "team" | "events">): void {
  const { escalations, health } = state.coordination;
  const moved = team !== undefined || events.some(isComingOrGoing) ? undefined : events.flatMap(movedBy);
  if (escalations.open.size === 0 || moved?.length === 0) return;
  const isThere = (agent: string) => agent === ownerName || !isLost(health, agent);
  const { roster } = state.team;
  keepDeserted(
    escalations,
    (level, originators) =>
      agentsAt(state, level, originators[0] ?? "").some(
        (agent) => isThere(agent) && ownHand({ agent, ...registrarsIn(roster, agent) }, originators) === null,
      ),
    moved,
  );
}

function isComingOrGoing({ event }: CoordinationEvent): boolean {
  return event === "agent-disappeared" || event === "agent-returned";
}

/** The escalation that waits somewhere else, or for one more, by this event. */
function movedBy(event: CoordinationEvent): readonly string[] {
  if (event.event === "escalation-opened") return [event.escalation.id];
  return event.event === "escalation-raised" || event.event === "escalation-told" ? [event.id] : [];
}

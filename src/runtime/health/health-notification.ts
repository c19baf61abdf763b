/**
 * What Baton says when agents disappear: to those who lead them, and where nobody does, to the owner.
 * Source: docs/protocol/health.md.
 */
import { timestampOf } from "../../base/clock.ts";
import { shortList, visible } from "../../base/text.ts";
import type { CoordinationEvent } from "../../coordination/deciders.ts";
import type { Message } from "../../message/message.ts";
import { ownerName } from "../../message/principal.ts";
import { prose } from "../delivery/system-message.ts";
import { agentsAt } from "../escalations/escalation-chain.ts";
import type { TeamState } from "../state.ts";

type Disappeared = Extract<CoordinationEvent, { readonly event: "agent-disappeared" }>;

/**
 * The notice of these events, and who gets it; null: nobody disappeared. `aheadMs`: how far people's clock is ahead of the
 * one by which silence counts.
 */
export function disappearedNotice(
  state: TeamState,
  events: readonly CoordinationEvent[],
  aheadMs: number,
): { readonly message: Message; readonly receivers: readonly string[] } | null {
  const lost = events.filter((event) => event.event === "agent-disappeared");
  if (lost.length === 0) return null;
  const gone = new Set(lost.map(({ agent }) => agent));
  const leads = lost.flatMap(({ agent }) => leadsOf(state, agent).filter((lead) => !gone.has(lead)));
  const opened = events.flatMap((event) => (event.event === "breaker-opened" ? [event] : []));
  const lines = [
    ...lost.map((each) => lineOf(each, aheadMs)),
    ...opened.map(
      ({ scope, dueAtMs }) =>
        `The circuit breaker of ${scope === "team" ? "the team" : scope} is open until ${timestampOf(dueAtMs + aheadMs)}: no new teammate is let in (spawn: task). Those at work go on.`,
    ),
  ];
  return { message: prose(lines), receivers: leads.length === 0 ? [ownerName] : [...new Set(leads)] };
}

function lineOf({ agent, cause, lastSignMs, tasks }: Disappeared, aheadMs: number): string {
  const last =
    lastSignMs === null ? "It sent no heartbeat." : `Its last heartbeat was at ${timestampOf(lastSignMs + aheadMs)}.`;
  const why = cause === "lease" ? "its lease is over" : "its program is silent";
  const freed =
    tasks.length === 0
      ? "It held no task."
      : `Free again: ${shortList(tasks.map(visible))}. A claim grants it again, and what ${agent} held is then refused.`;
  return `${agent} has disappeared: ${why}. ${last} ${freed}`;
}

/** The agent's lead. */
function leadsOf(state: TeamState, agent: string): readonly string[] {
  return agentsAt(state, "lead", agent);
}

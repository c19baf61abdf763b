/** Whom the passing of a deadline concerns, and what Baton tells them: one message an entry, because an entry has one. */
import { steadyNow } from "../../base/clock.ts";
import { shortList, spanOf, visible } from "../../base/text.ts";
import { leftWhy, limitWhy, type Raised, raisedNotice, silenceWhy, unseenWhy } from "../../escalations/services.ts";
import { type Escalation, escalationOf } from "../../escalations/state.ts";
import { agentsAt } from "../../escalations/view.ts";
import { line } from "../../evidence/services/verdict-notification.ts";
import type { Message } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Context } from "../../perform/context.ts";
import type { CoordinationEvent } from "../../perform/coordination-state.ts";
import { roundOf } from "../../perform/coordination-state.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import type { ShippedFinding } from "../../phases/view/shipped-findings.ts";
import { forcedNotice, repeatedRequest } from "../../shutdown/services/shutdown-notification.ts";
import { levelSilentMsOf } from "../../team/state/definition.ts";

/** What is reported, and to whom. */
export interface DeadlineNotice {
  readonly message: Message;
  readonly receivers: readonly string[];
}

/** That something is found wrong with a shipped phase, for the person. */
function findingNotice({ phases, what, seq }: ShippedFinding): Message {
  const names = phases.map(visible).join(", ");
  return prose([
    `Phase ${names} was shipped, and something is found since (entry ${seq}).`,
    line("Found", what),
    "The decision to ship stays. What to do: look at the phase, which shows what is found; have it repaired, or lift a failed audit with a reason.",
  ]);
}

/** The notification for these events of an expired deadline; null: none, because nobody waited for them. */
export function noticeOf(
  context: Context,
  state: TeamState,
  events: readonly CoordinationEvent[],
): DeadlineNotice | null {
  const disappeared = disappearedNotice(state, events, steadyNow(context.clock));
  if (disappeared !== null) return disappeared;
  for (const event of events) {
    const told = noticeOfEvent(context, state, event, events);
    if (told !== null) return told;
  }
  return null;
}

function noticeOfEvent(
  context: Context,
  state: TeamState,
  event: CoordinationEvent,
  events: readonly CoordinationEvent[],
): DeadlineNotice | null {
  const { coordination } = state;
  if (event.event === "shutdown-repeated") {
    const round = roundOf(coordination, event.requestId);
    const message = round === null ? null : repeatedRequest(context, state, round, event.asked);
    return message === null ? null : { message, receivers: event.agents };
  }
  if (event.event === "shutdown-forced") {
    const others = events.flatMap((each) =>
      each.event === "shutdown-ended" && each.requestId !== event.requestId ? [each.requestId] : [],
    );
    const rounds = [event.requestId, ...others].flatMap((id) => roundOf(coordination, id) ?? []);
    const message = forcedNotice(event.requestId, event.agents, others);
    return { message, receivers: [...new Set(rounds.map(({ requester }) => requester))] };
  }
  if (event.event === "limit-told") {
    const escalation = escalationOf(coordination.escalations, event.escalation);
    if (escalation === null) return null;
    const { level, originators } = escalation;
    const receivers = agentsAt(state, level, originators[0] ?? "");
    const isUnseen = coordination.limits.reached.get(event.key)?.kind === "unheard";
    const why = isUnseen ? unseenWhy : limitWhy;
    return raisedTo(context, state, escalation, { level, why, receivers });
  }
  if (event.event === "shipped-finding-told") {
    const finding = coordination.findings.untold.get(String(event.seq));
    return finding === undefined ? null : { message: findingNotice(finding), receivers: [ownerName] };
  }
  if (event.event !== "escalation-raised") return null;
  const escalation = escalationOf(coordination.escalations, event.id);
  if (escalation === null) return null;
  const { level, how } = event.step;
  const silentMs = levelSilentMsOf(state.team.definition);
  const why = how === "left" ? leftWhy(escalation) : silenceWhy(escalation, silentMs);
  const receivers = agentsAt(state, level, escalation.originators[0] ?? "");
  return raisedTo(context, state, escalation, { level, why, receivers });
}

function raisedTo(context: Context, state: TeamState, escalation: Escalation, raised: Raised): DeadlineNotice | null {
  const { receivers } = raised;
  return receivers.length === 0 ? null : { message: raisedNotice(context, state, escalation, raised), receivers };
}

/*
 * What Baton says when agents disappear: to those who lead them, and where nobody does, to the owner.
 * Source: docs/protocol/asking.md, sections 17 to 19.
 */

type Disappeared = Extract<CoordinationEvent, { readonly event: "agent-disappeared" }>;

/**
 * The notice of these events, and who gets it; null: nobody disappeared. `nowMs`: by the clock by which silence counts. A
 * notice says how long, not when: its readers have clocks of their own.
 */
function disappearedNotice(
  state: TeamState,
  events: readonly CoordinationEvent[],
  nowMs: number,
): { readonly message: Message; readonly receivers: readonly string[] } | null {
  const lost = events.filter((event) => event.event === "agent-disappeared");
  if (lost.length === 0) return null;
  const gone = new Set(lost.map(({ agent }) => agent));
  const leads = lost.flatMap(({ agent }) => leadsOf(state, agent).filter((lead) => !gone.has(lead)));
  const opened = events.flatMap((event) => (event.event === "breaker-opened" ? [event] : []));
  const lines = [
    ...lost.map((each) => lineOf(each, nowMs)),
    ...opened.map(
      ({ scope, dueAtMs }) =>
        `The circuit breaker of ${scope === "team" ? "the team" : scope} is open for ${spanOf(Math.max(0, dueAtMs - nowMs))}: no new teammate is let in (spawn: task). Those at work go on.`,
    ),
  ];
  return { message: prose(lines), receivers: leads.length === 0 ? [ownerName] : [...new Set(leads)] };
}

function lineOf({ agent, cause, lastSignMs, tasks }: Disappeared, nowMs: number): string {
  const last =
    lastSignMs === null
      ? "It sent no heartbeat."
      : `Its last heartbeat was ${spanOf(Math.max(0, nowMs - lastSignMs))} before.`;
  const why = cause === "lease" ? "its lease is over" : "its program is silent";
  // The lists of a page and a terminal cut the line, so what its reader acts on comes first.
  const lost = tasks.length === 0 ? "" : ` and lost ${shortList(tasks.map(visible))}`;
  const freed =
    tasks.length === 0 ? "It held no task." : `A claim grants it again, and what ${agent} held is then refused.`;
  return `${agent} has disappeared${lost}: ${why}. ${freed} ${last}`;
}

/** The agent's lead. */
function leadsOf(state: TeamState, agent: string): readonly string[] {
  return agentsAt(state, "lead", agent);
}

/**
 * Who leaves the team holds nothing any more, and no shutdown round waits for it: the entry by which it leaves, a
 * command or the team's file, frees its claims and ends its part; and callers that wait for a round that ends this way
 * are notified. Source: docs/protocol/tasks.md; docs/protocol/asking.md, sections 14 to 16.
 */
import { shortList, visible } from "../../base/text.ts";
import { heldUp } from "../../escalations/state.ts";
import { agentsAt } from "../../escalations/view.ts";
import { holdersOf, isOpen } from "../../handoffs/view.ts";
import type { Message, Note } from "../../messages/message.ts";
import { batonName, ownerName } from "../../messages/principal.ts";
import { type CoordinationEvent, roundOf } from "../../perform/coordination-state.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { refutedAmong, refutedReporter } from "../../tasks/state/report-status.ts";
import type { Work } from "../../tasks/state/task-state.ts";
import type { TeamEvent } from "../../team/state/revision.ts";
import { applyRevision } from "../../team/state/roster.ts";
import { decideDeparture } from "../decide/ending-rules.ts";

/** What follows for everyone who leaves by these events. */
export function leavingBy(
  state: TeamState,
  events: readonly TeamEvent[],
  moment: { readonly seq: number; readonly atMs: number },
): readonly CoordinationEvent[] {
  const agents = events.flatMap((event) => leaversBy(state, event));
  return agents.length === 0 ? [] : decideDeparture(state.coordination, { ...moment, agents });
}

/** The events by which agents leave, and who made them. */
interface Departure {
  readonly team: readonly TeamEvent[];
  readonly events: readonly CoordinationEvent[];
  readonly by: string;
}

/**
 * The notification when agents leave by these events: to the requester of a round that ends by it, and to their leads
 * what they leave open, but not to `by`. Null: there is nothing to report, or no receiver.
 */
export function departureNotification(
  state: TeamState,
  { team, events, by }: Departure,
): { readonly message: Message; readonly receivers: readonly string[] } | null {
  const ended = events.flatMap((event) => (event.event === "shutdown-ended" ? [event.requestId] : []));
  const rounds = ended
    .flatMap((id) => roundOf(state.coordination, id) ?? [])
    .filter(({ requester }) => requester !== by);
  const last = (id: string) =>
    events.flatMap((event) => (event.event === "shutdown-forced" && event.requestId === id ? event.agents : []));
  const lines = rounds.map(
    ({ requestId }) =>
      `Shutdown "${visible(requestId)}" ended: ${last(requestId).join(", ")} left the team, by ${by === batonName ? "the team file" : by}.`,
  );
  const { open, receivers: seen } = leftOpen(state, team, events);
  const receivers = [...new Set([...rounds.map(({ requester }) => requester), ...seen])].filter((each) => each !== by);
  const message = prose([...lines, ...open.map((each) => each.message)]);
  return receivers.length === 0 ? null : { message, receivers };
}

/**
 * What the agents leave open, as notes of the operation's answer, where `by` itself is the lead or owner that reads it:
 * nobody gets a message of what it did itself.
 */
export function departureNotes(state: TeamState, { team, events, by }: Departure): readonly Note[] {
  const { open, receivers } = leftOpen(state, team, events);
  return receivers.includes(by) ? open : [];
}

/** What everyone who leaves by these events leaves open, and who reads it: their leads, else the owner. */
function leftOpen(
  state: TeamState,
  team: readonly TeamEvent[],
  events: readonly CoordinationEvent[],
): { readonly open: readonly Note[]; readonly receivers: readonly string[] } {
  const left = team.flatMap((event) => leaversBy(state, event));
  const open = left.flatMap((agent) =>
    leftOpenBy(state, agent, events).map((message): Note => ({ code: "left-open", path: agent, message })),
  );
  if (open.length === 0) return { open, receivers: [] };
  const leads = left.flatMap((agent) => agentsAt(state, "lead", agent)).filter((agent) => !left.includes(agent));
  return { open, receivers: leads.length === 0 ? [ownerName] : leads };
}

/** What an agent leaves open, a line each. */
function leftOpenBy(
  { coordination: { escalations, handoffs, work } }: TeamState,
  agent: string,
  events: readonly CoordinationEvent[],
): readonly string[] {
  const closed = events.flatMap((event) =>
    event.event === "approval-closed" && event.requester === agent ? [event.key.slice(agent.length + 1)] : [],
  );
  const waiting = heldUp(escalations, agent).filter(({ status }) => status === "open");
  const handed = [...handoffs.all.values()].filter((handoff) => isOpen(handoff) && holdersOf(handoff).includes(agent));
  return [
    ...closed.map((id) => `${agent} left the team. Its request "${visible(id)}" is closed and grants nothing.`),
    ...waiting.map(
      ({ id, level, task }) =>
        `${agent} left the team. Its escalation ${visible(id)} still waits at ${level}${task === null ? "" : ` about ${visible(task)}`}: decide it, or let the agent that takes the task continue.`,
    ),
    ...handed.map(
      ({ id, issuer, status }) =>
        `${agent} left the team. The handoff ${visible(id)} of ${issuer} ${status === "accepted" ? "was accepted and is not done" : "waits for it"}: ${issuer} issues it again to somebody else.`,
    ),
    ...freedWork(work, agent, events),
  ];
}

/** The tasks that it held, and those that it reported and that the repository contradicts: others can take them. */
function freedWork(work: Work, agent: string, events: readonly CoordinationEvent[]): readonly string[] {
  const held = events.flatMap((event) =>
    event.event === "claim-released" && event.holder === agent ? [event.task] : [],
  );
  const reported = [...work.tasks.values()].filter((task) => refutedReporter(task) === agent);
  const { disputed } = refutedAmong(reported);
  const free = [...new Set([...held, ...disputed])];
  if (free.length === 0) return [];
  const dispute = disputed.length === 0 ? "" : ` Disputed: ${shortList(disputed)}.`;
  return [`${agent} left the team. Back on the board, for others to claim: ${shortList(free)}.${dispute}`];
}

/** Who leads an agent that leaves; the owner where nobody does. */
export function leadsOf(state: TeamState, agent: string): readonly string[] {
  const leads = agentsAt(state, "lead", agent).filter((each) => each !== agent);
  return leads.length === 0 ? [ownerName] : leads;
}

function leaversBy({ team }: TeamState, event: TeamEvent): readonly string[] {
  if (event.event === "agent-retired") return [event.agent];
  if (event.event !== "team-revised") return [];
  const next = applyRevision(team.roster, event, team.retired);
  return [...team.roster.values()]
    .filter(({ agent, status }) => status === "active" && next.get(agent)?.status === "retired")
    .map(({ agent }) => agent);
}

/**
 * The chain in a team: the levels above an agent at which somebody is, and who is there. Where several departments are
 * at work, what is lower than the architect stays inside the one it comes from. Source: docs/protocol/asking.md,
 * sections 5 to 10; docs/protocol/authority.md, section 6.
 */

import { isLost } from "../health/decide/health.ts";
import {
  chainLevelOf,
  chainOf,
  type Level,
  levelAbove,
  levelOf,
  personal,
} from "../messages/authority/chain-of-command.ts";
import { areSeveralActive, departmentOf } from "../messages/authority/departments.ts";
import { type Fact, says } from "../messages/facts.ts";
import { ownerName, type Principal } from "../messages/principal.ts";
import { ownHand } from "../perform/conflict-of-interest.ts";
import type { RecordedContent } from "../perform/content.ts";
import type { CoordinationEvent } from "../perform/coordination-state.ts";
import { keepDeserted } from "../perform/expired-deadlines.ts";
import type { TeamState } from "../perform/state.ts";
import { findTask } from "../tasks/state/task-state.ts";
import { type Member, registrarsIn } from "../team/state/roster.ts";
import { type Escalation, escalationOf } from "./state.ts";

/** The chain that goes up from this agent. */
export function chainAbove(state: TeamState, agent: string): readonly Level[] {
  const { roster } = state.team;
  const present = [...roster.values()]
    .filter((member) => isColleague(state, member, agent))
    .flatMap(({ role }) => chainLevelOf(role) ?? []);
  const dialect = roster.get(agent)?.dialect ?? "";
  return chainOf({
    named: state.team.definition?.chain,
    present,
    hasSeniors: !dialect.startsWith("vbw/") && present.includes("senior"),
    hasDepartments: areSeveralActive(roster),
  });
}

/** The active agents at a level, for somebody who is held up; the person who owns the team at the highest. */
export function agentsAt(state: TeamState, level: Level, originator: string): readonly string[] {
  const agents = [...state.team.roster.values()]
    .filter((member) => chainLevelOf(member.role) === level && isColleague(state, member, originator))
    .map(({ agent }) => agent);
  return personal.includes(level) ? [...agents, ownerName] : agents;
}

/** Who is at the next level above an agent where somebody is; null: it is in no chain, or at its head. */
export function agentsAbove(
  state: TeamState,
  { agent, role }: Pick<Principal, "agent" | "role">,
): readonly string[] | null {
  const level = role === null ? null : levelOf(role);
  const next = level === null ? null : levelAbove(chainAbove(state, agent), level);
  return next === null ? null : agentsAt(state, next, agent);
}

/**
 * Who is notified of a decision: those held up, the agent that holds their task now, and everyone below the decider
 * whom the escalation had reached.
 */
export function receiversOfDecision(state: TeamState, escalation: Escalation, decidedAt: Level): readonly string[] {
  const { originators, steps, chain, task, plan } = escalation;
  const held = task === null ? null : findTask(state.coordination.work, task, plan);
  const holder = held?.claim?.holder;
  const [first = ""] = originators;
  const passed = steps.map(({ level }) => level).filter((level) => chain.indexOf(level) < chain.indexOf(decidedAt));
  // Every architect may decide; the decision is news to those of the department that was held up, if it has any.
  const reached = passed.flatMap((level) => {
    const all = agentsAt(state, level, first);
    const own = all.filter((agent) => isNextTo(state, agent, first));
    return level === "architect" && own.length > 0 ? own : all;
  });
  const agents = [...originators, ...(holder === undefined ? [] : [holder]), ...reached];
  return [...new Set(agents)].filter((agent) => state.team.roster.get(agent)?.status === "active");
}

/**
 * Whom a resolution is for that names no receivers: those that would get the same decision by command; nobody where it
 * decides nothing that is known. Null: the message is no resolution, or nobody is left.
 */
export function decidedFor(
  state: TeamState,
  fact: Fact | null,
  { agent, role }: Pick<Principal, "agent" | "role">,
): readonly string[] | null {
  if (fact === null || !says(fact, "resolution")) return null;
  const escalation = escalationOf(state.coordination.escalations, fact.body.originalEscalation);
  const level = agent === ownerName ? "user" : role === null ? null : chainLevelOf(role);
  if (escalation === null) return [];
  if (level === null) return null;
  const told = receiversOfDecision(state, escalation, level).filter((each) => each !== agent);
  return told.length === 0 ? null : told;
}

function isColleague(state: TeamState, member: Member, originator: string): boolean {
  if (member.status !== "active" || member.agent === originator) return false;
  const level = chainLevelOf(member.role);
  return level === "architect" || level === "owner" || isNextTo(state, member.agent, originator);
}

/** Whether two agents are of one department; who is in none, or shared by all, is next to every one. */
function isNextTo({ team: { roster } }: TeamState, agent: string, originator: string): boolean {
  if (!areSeveralActive(roster)) return true;
  const [source = null, target = null] = [originator, agent].map((each) => {
    const member = roster.get(each);
    return member === undefined ? null : departmentOf(member);
  });
  return source === null || target === null || source === "shared" || source === target;
}

/*
 * Whether agents are left at the levels where escalations wait, kept next to them as entries are folded: an agent that
 * left the team, stopped or has disappeared answers nobody, and no agent decides its own blocker. Recomputed only for
 * what an entry may have changed. Source: docs/protocol/asking.md, sections 5 to 10.
 */

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

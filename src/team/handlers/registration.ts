/**
 * Registering and retiring agents by command. The roster's truth is the journal: these write entries, never the file.
 * `messages/authority/roster-rights.ts` says who may do it with whom.
 * Source: docs/protocol/record.md, section 1; docs/protocol/authority.md, sections 11 to 16.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { waitingHandoffs } from "../../handoffs/view.ts";
import { isLost } from "../../health/decide/health.ts";
import { breakerScopeOf } from "../../health/view/breaker-scope.ts";
import { joinsByRule, returnProblem, rosterProblem } from "../../messages/authority/roster-rights.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import type { TeamContext } from "../../perform/context.ts";
import { type CoordinationEvent, decideAdmission } from "../../perform/deciders.ts";
import { decideReplaced } from "../../perform/expired-deadlines.ts";
import type { RegisterAgent, RetireAgent } from "../../perform/operations/generated/calls.ts";
import type { Operation, Outcome, Refusal } from "../../perform/perform.ts";
import type { At } from "../../perform/rules.ts";
import type { TeamState } from "../../perform/state.ts";
import { departureNotes, departureNotification, leavingBy } from "../../shutdown/services/agent-departure.ts";
import { breakerLimitsOf } from "../state/definition.ts";
import type { TeamCommand, TeamEvent } from "../state/revision.ts";
import { decideTeam } from "../state/revision-decider.ts";
import { joiningBy } from "../view/session-endings.ts";
import { openWindows } from "./resuming.ts";

/**
 * Adds an agent, or brings a retired one back in a new session. The same agent again changes nothing, unless it has
 * disappeared or a new session is asked for: that fences the old one off. Refuses `breaker-open`, not in task mode.
 */
export const registerAgent: Operation<RegisterAgent, TeamContext> = {
  name: "register-agent",
  judgesRetired: true,
  recorded: argumentsOf,
  compared: (asked) => ({ command: "register-agent", ...asked }),
  decide: (state, asked, at) => decideRoster(state, { command: "register-agent", ...asked }, at),
};

/** Takes an agent out: it may send nothing more. Retiring a retired agent changes nothing. */
export const retireAgent: Operation<RetireAgent, TeamContext> = {
  name: "retire-agent",
  judgesRetired: true,
  recorded: argumentsOf,
  compared: (asked) => ({ command: "retire-agent", ...asked }),
  decide: (state, asked, at) => decideRoster(state, { command: "retire-agent", ...asked }, at),
};

type RosterCommand = Extract<TeamCommand, { readonly command: "register-agent" | "retire-agent" }>;

function decideRoster(state: TeamState, asked: RosterCommand, { by, seq, atMs }: At): Result<Outcome, Refusal> {
  const allowed = mayChangeRoster(by, asked, state);
  if (!allowed.ok) return err([allowed.error]);
  const decided = decideTeam(askedBy(by, asNewSession(allowed.value, state)), state.team);
  if (!decided.ok) return decided;
  const admitted = admission(state, decided.value, { byPerson: by.agent === ownerName, atMs });
  if (!admitted.ok) return admitted;
  // A removed agent cannot answer any more: a round must not wait for it in vain.
  const departed = leavingBy(state, decided.value, { seq, atMs });
  const departure = { team: decided.value, events: departed, by: by.agent };
  const unchanged = { code: "already-so", path: asked.agent, message: "It was so already; nothing changed." };
  return ok({
    team: decided.value,
    events: [
      ...departed,
      ...admitted.value,
      ...joiningBy(state, decided.value, seq),
      ...openWindows(state, decided.value, { seq, atMs }),
    ],
    notes: decided.value.length === 0 ? [unchanged] : departureNotes(state, departure),
    delivered: departureNotification(state, departure) ?? waitingHandoffs(state, decided.value),
  });
}

/** Registering a disappeared agent brings it back, in a new session. */
function asNewSession(asked: RosterCommand, { coordination }: TeamState): RosterCommand {
  if (asked.command !== "register-agent" || !isLost(coordination.health, asked.agent)) return asked;
  return { ...asked, newSession: true };
}

/** What the breaker says about an agent that joins by these events, and what the earlier session frees. */
function admission(
  state: TeamState,
  events: readonly TeamEvent[],
  { byPerson, atMs }: { readonly byPerson: boolean; readonly atMs: number },
): Result<readonly CoordinationEvent[], readonly Problem[]> {
  const { roster, definition } = state.team;
  const [registered] = events.flatMap((event) => (event.event === "agent-registered" ? [event] : []));
  if (registered === undefined) return ok([]);
  const { agent } = registered;
  const freed = decideReplaced(state.coordination, agent);
  const scope = breakerScopeOf(registered, roster, definition);
  if (scope === null) return ok(freed);
  const limits = breakerLimitsOf(definition);
  const admitted = decideAdmission(state.coordination, { agent, scope, byPerson, limits, atMs });
  return admitted.ok ? ok([...freed, ...admitted.value.events]) : admitted;
}

/** The arguments as they are recorded; all are inputs and flags. */
function argumentsOf(asked: RegisterAgent | RetireAgent): { readonly [argument: string]: string | boolean } {
  const told: { [argument: string]: string | boolean } = {};
  for (const [name, value] of Object.entries(asked)) {
    if (typeof value === "string" || typeof value === "boolean") told[name] = value;
  }
  return told;
}

/** Who registers or retires an agent is kept with its name, unless it is the person. */
function askedBy({ agent: by }: Principal, asked: RosterCommand): RosterCommand {
  return by === ownerName ? asked : { ...asked, by };
}

/** The request, if it is allowed: to agents above the place in question, or by a rule for names. */
function mayChangeRoster(principal: Principal, asked: RosterCommand, state: TeamState): Result<RosterCommand, Problem> {
  const { roster, definition } = state.team;
  if (roster.get(principal.agent)?.status === "retired") {
    const message = `${principal.agent} is retired and may do nothing more.`;
    const hint = "The owner or an active lead can register it again.";
    return err(makeProblem("retired-agent", principal.agent, message, { hint }));
  }
  const earlier = roster.get(asked.agent);
  const places = [...(asked.command === "register-agent" ? [asked] : []), ...(earlier === undefined ? [] : [earlier])];
  const problem = rosterProblem(principal, asked.agent, places);
  if (problem === null) {
    const stays = asked.command === "register-agent" ? returnProblem(principal, earlier) : null;
    return stays === null ? ok(asked) : err(stays);
  }
  if (asked.command !== "register-agent") return err(problem);
  const rule = joinsByRule({ principal, asked, definition, roster });
  if (rule === null) return err(problem);
  if ("code" in rule) return err(rule);
  return ok(rule.dialect === undefined ? asked : { ...asked, dialect: rule.dialect });
}

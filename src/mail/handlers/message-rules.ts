/**
 * What a message is and what follows from it: its reading, what the record knows of it, and the events that its fact brings
 * about. `receive.ts` loads this file for whatever is more than plain words. Source: docs/protocol/record.md,
 * section 1.
 */

import { steadyNow } from "../../base/clock.ts";
import type { Mutable } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { escalationOf } from "../../escalations/state.ts";
import { agentsAbove, agentsAt, chainAbove, decidedFor, receiversOfDecision } from "../../escalations/view.ts";
import { agentSessionOf } from "../../health/view/breaker-scope.ts";
import type { Moment } from "../../journal/journal.ts";
import type { Permit } from "../../messages/authority/authorise.ts";
import { asUser, isForUser } from "../../messages/authority/identity.ts";
import type { Request as AuthorisationRequest } from "../../messages/authority/receivers.ts";
import type { Dialect } from "../../messages/dialects/dialect.ts";
import { dialectOf, dialects } from "../../messages/dialects/registry.ts";
import type { Fact, FactKind } from "../../messages/facts.ts";
import { wireIdIn } from "../../messages/intake/id-check.ts";
import type { AcceptedReading } from "../../messages/intake/reading.ts";
import type { Principal } from "../../messages/principal.ts";
import { awaitsVerdict, type Context, type TeamContext } from "../../perform/context.ts";
import { askerOf, type CoordinationEvent, repeatedResolution } from "../../perform/coordination-state.ts";
import type { Decided } from "../../perform/decider.ts";
import { decideFact, type FactCommand } from "../../perform/deciders.ts";
import type { TeamState } from "../../perform/state.ts";
import { progressCompletes, readersOfAnswer } from "../../perform/system-message.ts";
import { teamDialectOf } from "../../perform/team-dialects.ts";
import { limitKinds } from "../../phases/decide/limit-rules.ts";
import { companyOf, settingOf } from "../../phases/services/phase-setting.ts";
import {
  claimsRuleOf,
  landsFirstIn,
  leaseMsOf,
  levelSilentMsOf,
  scopeRuleOf,
  type TeamDefinition,
  workOf,
} from "../../team/state/definition.ts";
import { registrarsIn } from "../../team/state/roster.ts";
import { askedAgents } from "../../team/view/session-endings.ts";
import type { Request } from "./request.ts";
import { type ReadBy, type ReadRequest, readRequest } from "./request-reading.ts";

/** The rules of messages in a team. */
export interface MessageRules {
  readonly wireIdIn: typeof wireIdIn;
  /** See `readRequest`. */
  read(request: Request, state: TeamState, by: ReadBy): ReadRequest;
  /** The team's dialects, by their ids. */
  dialectOf(definition: TeamDefinition | null): Context["dialectOf"];
  known(state: TeamState, fact: Fact, principal: Principal): Known;
  /** What follows from the message, or why it is refused; each at the place where the sender wrote it. */
  decide(state: TeamState, effective: Effective): Result<DecidedMessage, readonly Problem[]>;
}

/** What follows from a message, and who reads it because of that. */
interface DecidedMessage extends Decided<CoordinationEvent> {
  readonly readers: readonly string[];
}

/** The rules with the dialects of `context`; where it has none, with those of this build. */
export function messageRules(known: TeamContext | Context): MessageRules {
  const context: Context = "dialects" in known ? known : { ...known, dialectOf, dialects };
  return {
    wireIdIn,
    read: (request, state, by) => readRequest(context, request, state, by),
    dialectOf: (definition) => teamDialectOf(definition, context.dialectOf),
    known: knownOf,
    decide(state, effective) {
      const { reading } = effective;
      const decided = decideFact(state.coordination, factCommand(context, state, effective));
      const dialect = dialectIn(context, state, reading);
      if (!decided.ok) return err(decided.error.map((each) => onTheWire(each, reading, dialect)));
      const { events, notes } = decided.value;
      const readers = [
        ...readersOfAnswer(state, events, effective.principal.agent),
        ...heldUpBy(state, events, effective.principal.agent),
      ];
      return ok({ events, notes: notes.map((each) => onTheWire(each, reading, dialect)), readers });
    },
  };
}

/** A decision reaches everybody who waits for it, whomever its sender names. */
function heldUpBy(state: TeamState, events: readonly CoordinationEvent[], sender: string): readonly string[] {
  return events.flatMap((event) => {
    if (event.event !== "escalation-resolved") return [];
    const known = escalationOf(state.coordination.escalations, event.id);
    return known === null
      ? []
      : receiversOfDecision(state, known, event.decision.level).filter((each) => each !== sender);
  });
}

function dialectIn(context: Context, { team }: TeamState, { dialect }: AcceptedReading): Dialect | null {
  return teamDialectOf(team.definition, context.dialectOf)(dialect);
}

/** What the record knows of a message: whose request it answers, whom its decision is for, what it passes on. */
type Known = Pick<AuthorisationRequest, "asker" | "decidedFor" | "above" | "repeated">;

function knownOf(state: TeamState, fact: Fact, principal: Principal): Known {
  const speaksForUser = isForUser({ principal, definition: state.team.definition, reading: { fact } });
  return {
    asker: askerOf(state.coordination, fact, principal.agent),
    decidedFor: decidedFor(state, fact, speaksForUser ? asUser(principal) : principal),
    above: () => agentsAbove(state, principal),
    repeated: repeatedResolution(state.coordination, fact)?.resolvedBy ?? null,
  };
}

/** A message that may have an effect, and whom it may reach. */
interface Effective {
  readonly request: Request;
  readonly principal: Principal;
  readonly reading: AcceptedReading;
  readonly permit: Permit;
  readonly moment: Moment;
}

/** What is decided about a fact. Written out: it is made for every message, and putting objects together costs most. */
function factCommand(context: Context, state: TeamState, effective: Effective): FactCommand {
  const { request, principal, reading, permit, moment } = effective;
  const { fact } = reading;
  const { agent, role } = principal;
  const { roster, definition } = state.team;
  const { receivers, answererRoles } = permit;
  const { session, scope } = agentSessionOf(state, agent);
  const command: Mutable<FactCommand> = {
    fact,
    type: reading.type,
    wireId: reading.wireId ?? request.id,
    principal,
    session,
    leaseMs: leaseMsOf(definition),
    breaker: scope,
    awaitsVerdict: awaitsVerdict(context, state),
    isAdvisory: scopeRuleOf(definition) === "advisory",
    landsFirst: landsFirstIn(definition),
    claimsByProgress: claimsRuleOf(definition) === "edits" && role !== null && workOf(role) === "writes",
    speaksForUser: isForUser({ principal, definition, reading }),
    completes: progressCompletes(dialectIn(context, state, reading), definition),
    receivers,
    answererRoles,
    levelSilentMs: levelSilentMsOf(definition),
    roleOf: (other) => roster.get(other)?.role ?? null,
    isReachedAt: (level, originator) => agentsAt(state, level, originator).some((each) => receivers.includes(each)),
    company: companyOf(state, principal, receivers),
    setting: settingOf(context, state),
    seq: moment.seq,
    atMs: steadyNow(context.clock),
  };
  const { registrars } = registrarsIn(roster, agent);
  if (registrars !== undefined) command.registrars = registrars;
  if (goesUp.includes(fact.kind)) command.chain = chainAbove(state, agent);
  if (fact.kind === "shutdown-request") {
    command.asked = askedAgents(state, receivers, { requester: request.actor.agent, isNamed: request.to !== null });
    command.asksEverybody = request.to === null;
  }
  return command;
}

/** Facts that go up the chain. */
const goesUp: readonly FactKind[] = ["blocker", "escalation", ...limitKinds];

/**
 * Deciders speak of neutral fields (`$.body.requestId`); the sender knows its wire (`$.payload.request_id`). The first
 * step of such a path is written as the sender's dialect spells it.
 */
function onTheWire<Told extends { readonly path: string }>(
  told: Told,
  reading: AcceptedReading,
  dialect: Dialect | null,
): Told {
  const neutral = /^\$\.body\.([A-Za-z]+)/.exec(told.path)?.[1];
  if (neutral === undefined) return told;
  const definition = dialect?.definitions.get(reading.type);
  const wire = definition?.fields.find((field) => field.neutral === neutral)?.name ?? neutral;
  return { ...told, path: told.path.replace(`$.body.${neutral}`, `${dialect?.place ?? "$.payload"}.${wire}`) };
}

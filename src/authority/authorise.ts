/**
 * Authorisation, in a fixed order: is the sender who the message says it is, may its role send this, may each receiver
 * get it. Whether the state of the work allows it is asked afterwards, by the deciders.
 * Source: docs/protocol/authority.md.
 */
import { argument } from "../base/argument.ts";
import type { AgentName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import type { Fact } from "../message/facts.ts";
import type { DialectId, Note } from "../message/message.ts";
import { ownerName, type Principal } from "../message/principal.ts";
import { type Address, isRole, type Role } from "../message/role.ts";
import type { Policy, TeamDefinition } from "../team/definition.ts";
import type { Roster } from "../team/roster.ts";
import { areSeveralActive, departmentOf, mayTalk } from "./departments.ts";
import { asUser, identityProblem, isForUser } from "./identity.ts";
import { definitionFor, maySend, namedReceivers, receiverRoles, typicalReceivers } from "./receivers.ts";
import { addressee, askedToStop, isOnRoute, type Route, routeProblem, senderRouteProblem } from "./routing-rules.ts";

/** What is asked: may this principal send this to these. */
export interface Request {
  /** The proven identity, with the role that the roster gives it. */
  readonly principal: Principal;
  readonly roster: Roster;
  readonly definition: TeamDefinition | null;
  readonly policy: Policy;
  dialectOf(id: DialectId): Dialect | null;
  /** The message as read. Without a fact it is prose, or (under `observe`) a message with errors. */
  readonly reading: {
    readonly dialect: DialectId | null;
    readonly type: string | null;
    readonly message: { readonly [key: string]: unknown } | null;
    readonly fact: Fact | null;
  };
  /** Named receivers; null: those the dialect names. */
  readonly to: readonly Address[] | null;
  /** The agent whose request this answers, where it is an answer. */
  readonly asker: string | null;
  /** Agents that a decision is for, where its sender names nobody; null or absent: those the dialect names. */
  readonly decidedFor?: readonly string[] | null;
  /** Who decided what this passes on, where it repeats a recorded resolution word for word; else null. */
  readonly repeated: string | null;
}

/** Leave to send. */
export interface Permit {
  readonly receivers: readonly string[];
  /** False: shown, never with an effect (`observe` accepted an error). */
  readonly effect: boolean;
  readonly notes: readonly Note[];
  /** Roles that may answer an approval request, judged in the sender's dialect. */
  readonly answererRoles: readonly Role[];
}

/**
 * The permit, or why not: `unknown-agent`, `retired-agent`, `identity-mismatch`, `sender-not-authorised`,
 * `unknown-receiver`, `no-receiver`, `receiver-not-authorised`, in this order. Under `observe` a role that may not send
 * or receive is a note and the permit has no effect; the principal and unknown receivers are never accepted.
 */
export function authorise(request: Request): Result<Permit, readonly Problem[]> {
  const { principal, reading, roster, to } = request;
  const sent = sentDefinition(request);
  const { message } = reading;
  const speaksForUser = sent?.kind === "resolution" && isForUser(request);
  const stranger = identityProblem({ principal, roster, message, sent, speaksForUser, repeated: request.repeated });
  if (stranger !== null) return err([stranger]);
  if (sent === null) {
    if (to === null) return err([proseWithoutReceiver()]);
    const receivers = namedReceivers(to, roster, principal.agent);
    if (!receivers.ok) return receivers;
    const notes = departmentNotes(request, receivers.value);
    return ok({ receivers: receivers.value, effect: false, notes, answererRoles: [] });
  }
  const asked = speaksForUser ? { ...request, principal: asUser(principal) } : request;
  const route = routeOf(asked, sent);
  const faults = senderProblems(sent, asked, route);
  if (faults.length > 0 && request.policy === "enforce") return err(faults);
  const meant = receiversOf(request, route);
  const instead = meant.ok ? null : ownerInstead(request, sent, meant.error);
  const receivers = instead === null ? meant : ok(instead);
  if (!receivers.ok) return receivers;
  const { agents, unfit, notes } = receivers.value;
  if (unfit.length > 0 && request.policy === "enforce") return err(unfit);
  const passed = [...faults, ...unfit];
  return ok({
    receivers: agents,
    effect: passed.length === 0 && reading.fact !== null,
    notes: [...passed.map(({ code, path, message }) => ({ code, path, message })), ...notes],
    answererRoles: request.dialectOf(sent.dialect)?.definitionOf("approval-response")?.senders ?? [],
  });
}

/**
 * Prose between departments that do not talk to each other is delivered, because nothing follows from it; sender and
 * receiver get a note. Rule: docs/protocol/reading.md, section 5.
 */
function departmentNotes({ principal, roster, dialectOf }: Request, receivers: readonly string[]): readonly Note[] {
  const sender = roster.get(principal.agent);
  if (sender === undefined || dialectOf(sender.dialect)?.isolatesDepartments !== true) return [];
  if (!areSeveralActive(roster)) return [];
  return receivers.flatMap((agent): Note[] => {
    const receiver = roster.get(agent);
    if (receiver === undefined || mayTalk(sender, receiver)) return [];
    const [source, target] = [departmentOf(sender), departmentOf(receiver)];
    const message = `${sender.agent} of ${source} wrote to ${agent} of ${target}; these departments speak through their leads.`;
    return [{ code: "across-departments", path: agent, message }];
  });
}

/**
 * The definition by which a message is judged. A control frame of an agent program belongs to no dialect: it is judged
 * as the equivalent message of its sender's dialect, and is prose where that has none. Stopping is the exception: a lead
 * can stop its team in every dialect, so it is judged as in another dialect of the team, else as in the general one.
 */
function sentDefinition(request: Request): Definition | null {
  const { dialect, type, fact } = request.reading;
  if (dialect === null || type === null) return null;
  const known = request.dialectOf(dialect);
  if (known !== null) return known.definitions.get(type) ?? null;
  const own = request.roster.get(request.principal.agent)?.dialect;
  if (own === undefined || fact === null) return null;
  const isStopping = fact.kind === "shutdown-request" || fact.kind === "shutdown-response";
  const others: readonly DialectId[] = isStopping ? [...(request.definition?.dialects ?? []), stoppingDialect] : [];
  return [own, ...others].map((id) => request.dialectOf(id)?.definitionOf(fact.kind)).find(isDefined) ?? null;
}

/** By the roles of this dialect an agent is stopped whose own dialect, and whose team's, has no message for it. */
const stoppingDialect = "vbw/2" satisfies DialectId;

function isDefined<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function routeOf({ principal, roster, definition, dialectOf, reading }: Request, sent: Definition): Route {
  const isolates = dialectOf(sent.dialect)?.isolatesDepartments === true;
  return { sent, sender: principal, fact: reading.fact, roster, definition, isolates };
}

function senderProblems(
  sent: Definition,
  { principal, asker }: Pick<Request, "principal" | "asker">,
  route: Route,
): readonly Problem[] {
  // An agent that was asked to stop may answer, whatever its role is.
  const isAskedToStop = sent.kind === "shutdown-response" && asker !== null;
  if (principal.role !== null && (maySend(sent, principal.role) || isAskedToStop)) {
    const fault = senderRouteProblem(route);
    return fault === null ? [] : [fault];
  }
  if (sent.wire !== "sent") return [writtenByBaton(sent, principal)];
  return [
    problem(
      "sender-not-authorised",
      "$.type",
      `${principal.role ?? "An unknown role"} may not send ${sent.type} in ${sent.dialect}.`,
      {
        expected: sent.senders.join(" | "),
        received: principal.role ?? "none",
        hint: `Ask an agent that is ${sent.senders.join(" or ")} to send it.`,
      },
    ),
  ];
}

/** No role may send it, so there is nobody to ask. */
function writtenByBaton({ type, dialect }: Definition, { role }: Principal): Problem {
  const message = `${type} in ${dialect} is written by Baton itself, from the record; no agent may send it.`;
  return problem("sender-not-authorised", "$.type", message, {
    expected: "Baton",
    received: role ?? "none",
    hint: "Do not send it. `baton journal export` and the hub give it out as Baton has it.",
  });
}

interface Receivers {
  readonly agents: readonly string[];
  /** Why some of them may not get it. */
  readonly unfit: readonly Problem[];
  readonly notes: readonly Note[];
}

/**
 * Named receivers are judged and stay, fit or not; so does the one who asked. Of those that the dialect names, the ones
 * whose own dialect does not let them receive it are left out: the sender did not choose them.
 */
function receiversOf(request: Request, route: Route): Result<Receivers, readonly Problem[]> {
  const { sent } = route;
  const { principal, roster } = request;
  // Whom the message names itself: an agent as if the sender had named it, a role in place of all typical ones.
  const named = request.to === null ? addressee(sent, route.fact) : null;
  const role = named !== null && !roster.has(named) && isRole(named) ? named : null;
  const to = request.to ?? (named === null || role !== null ? null : [addressOf(named)]);
  // An answer always goes to the one who asked, who may have been retired meanwhile, and never to others in its stead.
  const asker = request.asker === principal.agent ? null : request.asker;
  if (to !== null || asker !== null) {
    const found = to === null ? ok([]) : namedReceivers(to, roster, principal.agent);
    if (!found.ok) return found;
    const chosen = [...new Set(asker === null ? found.value : [asker, ...found.value])];
    const unfit = chosen.flatMap((agent) => receiverProblem(request, route, agent) ?? []);
    return ok({ agents: chosen, unfit, notes: [] });
  }
  // A decision goes the same way as a message and as a command.
  if (request.decidedFor?.length) return ok({ agents: request.decidedFor, unfit: [], notes: [] });
  if (sent.kind === "shutdown-request") {
    const asked = askedToStop(sent, principal, roster, ({ dialect }) => request.dialectOf(dialect));
    if (asked.length > 0) return ok({ agents: asked, unfit: [], notes: [] });
  }
  // Whom an escalation reaches, the message says too.
  if (role !== null || sent.routing.direction === "up") return findTypical(request, route, role);
  return typicalOf(request, route);
}

/** The typical receivers of one roster: asked with nearly every message, and the same until the team changes. */
interface KnownReceivers {
  readonly definition: Request["definition"];
  readonly dialectOf: Request["dialectOf"];
  /** By sender, then by what is sent. */
  readonly bySender: Map<string, Map<Definition, Result<Receivers, readonly Problem[]>>>;
}

/**
 * Rosters and definitions are replaced, never changed. The sender's role and department are in the roster, and what a
 * message says about its sender is not used here: see `goesTo`.
 */
const knownReceivers = new WeakMap<Roster, KnownReceivers>();

function typicalOf(request: Request, route: Route): Result<Receivers, readonly Problem[]> {
  const { roster, definition, dialectOf, principal } = request;
  const { sent } = route;
  let known = knownReceivers.get(roster);
  if (known?.definition !== definition || known.dialectOf !== dialectOf) {
    known = { definition, dialectOf, bySender: new Map() };
    knownReceivers.set(roster, known);
  }
  const ofSender = known.bySender.get(principal.agent);
  const receivers = ofSender?.get(sent) ?? findTypical(request, route, null);
  if (ofSender === undefined) known.bySender.set(principal.agent, new Map([[sent, receivers]]));
  else ofSender.set(sent, receivers);
  return receivers;
}

/** Those whom the dialect names, or those of the one `role` that the message names. */
function findTypical(request: Request, route: Route, role: Role | null): Result<Receivers, readonly Problem[]> {
  const { sent } = route;
  const roles = role === null ? receiverRoles(sent, request.definition?.routing ?? []) : [role];
  const typical = typicalReceivers(roles, request.roster, request.principal.agent);
  if (!typical.ok) return typical;
  // Those whom a message of its kind never reaches by its way are not left out: they were not meant.
  const meant = typical.value.filter((agent) => isOnRoute(route, agent));
  if (meant.length === 0) return err([routeProblem(sent, typical.value[0] ?? "", route, false)]);
  const leftOut = meant.flatMap((agent) => receiverProblem(request, route, agent) ?? []);
  if (leftOut.length === meant.length) return err(leftOut);
  const without = new Set(leftOut.map(({ path }) => path));
  const notes = leftOut.map(({ path, message }) => ({ code: "receiver-left-out", path, message }));
  return ok({ agents: meant.filter((agent) => !without.has(agent)), unfit: [], notes });
}

/**
 * A blocker and the progress of a phase always find a receiver: if no intended receiver is there, the message goes to
 * the person who owns the team, who may read everything. Receivers that the sender named are not replaced; null: the
 * message is refused.
 */
function ownerInstead({ to, principal }: Request, sent: Definition, faults: readonly Problem[]): Receivers | null {
  const isHeard = sent.kind === "blocker" || sent.kind === "phase-progress";
  const isForAnybody = to === null && principal.agent !== ownerName && isHeard;
  if (!isForAnybody || !faults.every(({ code }) => code === "no-receiver" || code === "receiver-not-authorised"))
    return null;
  const missing = sent.receivers.join(" or ");
  const above = sent.kind === "blocker" ? ", and the level above is notified" : "";
  const message = `Nobody is there as ${missing} to receive this; the person who owns the team does${above}.`;
  return { agents: [ownerName], unfit: [], notes: [{ code: "receivers-away", path: "$", message }] };
}

/** Why this agent may not receive it, judged in its own dialect; null: it may. */
function receiverProblem(request: Request, route: Route, agent: string): Problem | null {
  const { sent } = route;
  const member = request.roster.get(agent);
  // The owner is outside the matrix and may read everything.
  if (member === undefined) return null;
  const judged = definitionFor(sent, request.dialectOf(member.dialect));
  const allowed = receiverRoles(judged, request.definition?.routing ?? []);
  if (allowed.includes(member.role))
    return isOnRoute(route, agent) ? null : routeProblem(sent, agent, route, request.to !== null);
  return problem(
    "receiver-not-authorised",
    agent,
    `${agent} is ${member.role}, which does not receive ${judged.type} in ${judged.dialect}.`,
    {
      expected: allowed.join(" | "),
      received: member.role,
      hint:
        request.to === null
          ? `Widen \`routing\` in .baton/team.yaml, or register an agent that is ${allowed.join(" or ")}.`
          : `Leave \`${argument("to")}\` out to reach those the dialect names, or widen \`routing\` in .baton/team.yaml.`,
    },
  );
}

/** The address that a message's own field is. A name that cannot be an agent's is nobody's: the refusal says so. */
function addressOf(named: string): Address {
  return { agent: named as AgentName };
}

function proseWithoutReceiver(): Problem {
  return problem("no-receiver", "$", "Prose has no typical receivers, and none is named.", {
    hint: `Name by \`${argument("to")}\` who should read it: an agent, or role:ROLE.`,
  });
}

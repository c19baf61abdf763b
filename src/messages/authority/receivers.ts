/**
 * Receivers: from the addresses a sender names, or from what the dialect names, to agents of the roster; and the role
 * matrix, which role may send a type and which may receive it. The facts are the definitions' own; a team may widen
 * receivers, never senders. An unknown receiver is refused, so no inbox exists that nobody reads.
 * Source: docs/protocol/authority.md; docs/protocol/record.md, section 5; tests/requirements.
 */
import { argument } from "../../base/argument.ts";
import { type AgentName, agentName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest } from "../../base/text.ts";
import type { Policy, RoutingWidening, TeamDefinition } from "../../team/state/definition.ts";
import { membersOf, type Roster, registeringCommand } from "../../team/state/roster.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import { type Fact, says } from "../facts.ts";
import type { DialectId } from "../message.ts";
import { ownerName, type Principal } from "../principal.ts";
import { programLeadName } from "../program-hooks.ts";
import { type Address, isRole, type Role, writeAddress } from "../role.ts";
import { addressee, askedToStop, isOnRoute, type Route, routeProblem } from "./routing-rules.ts";

/**
 * The agents that `addresses` mean, each once, in order, without the sender; `team-lead` is every lead, unless an agent is
 * called so. Refuses `unknown-receiver` for each address that means nobody, `retired-agent` for one that is out, and
 * `no-receiver` when only the sender is left. `owner` may be addressed.
 */
export function namedReceivers(
  addresses: readonly Address[],
  roster: Roster,
  sender: string,
): Result<readonly string[], readonly Problem[]> {
  const problems: Problem[] = [];
  const found = new Set<string>();
  for (const address of addresses) {
    const agents = resolve(address, roster);
    if (agents.ok) for (const agent of agents.value) found.add(agent);
    else problems.push(agents.error);
  }
  if (problems.length > 0) return err(problems);
  found.delete(sender);
  if (found.size > 0) return ok([...found]);
  const named = addresses.map(writeAddress).join(", ");
  return err([
    makeProblem("no-receiver", named, "Nobody but the sender is named; a message never goes to oneself.", {
      hint: `Name another agent by \`${argument("to")}\`.`,
    }),
  ]);
}

/**
 * Active agents of these roles, in roster order, without the sender; the person who owns the team where the owner is
 * meant and no agent acts for it. Refuses `no-receiver` when there is none.
 */
export function typicalReceivers(
  roles: readonly Role[],
  roster: Roster,
  sender: string,
): Result<readonly string[], readonly Problem[]> {
  const agents = roles.flatMap((role) => membersOf(roster, role)).map((member) => member.agent);
  const others = [...new Set(agents)].filter((agent) => agent !== sender);
  if (others.length > 0) return ok(others);
  if (roles.includes("owner") && sender !== ownerName) return ok([ownerName]);
  return err([nobodyFor(roles)]);
}

function nobodyFor(roles: readonly Role[]): Problem {
  return makeProblem(
    "no-receiver",
    "$",
    `No other agent of the team has a role that receives this: ${roles.join(", ")}.`,
    {
      expected: roles.join(" | "),
      hint: `Register such an agent, or name a receiver by \`${argument("to")}\`.`,
    },
  );
}

function resolve(address: Address, roster: Roster): Result<readonly string[], Problem> {
  const written = writeAddress(address);
  if ("remote" in address) {
    const alone = "A message to a remote has no other receiver.";
    return err(makeProblem("unknown-receiver", written, alone, { hint: "Send it to the others separately." }));
  }
  if ("role" in address) {
    const members = membersOf(roster, address.role);
    if (members.length > 0) return ok(members.map((member) => member.agent));
    return err(
      makeProblem(
        "unknown-receiver",
        written,
        `No agent of the team has the role ${address.role}.`,
        knownAgents(written, roster),
      ),
    );
  }
  if (written === ownerName) return ok([ownerName]);
  const member = roster.get(written);
  if (member?.status === "active") return ok([written]);
  const leads = member === undefined && written === programLeadName ? membersOf(roster, "lead") : [];
  if (leads.length > 0) return ok(leads.map(({ agent }) => agent));
  if (member !== undefined) {
    return err(
      makeProblem(
        "retired-agent",
        written,
        `${written} is retired and reads no more messages.`,
        // The author meant it: no other name counts as a typo.
        {
          ...knownAgents(written, roster),
          hint: `Write to another agent, or bring it back: \`${registeringCommand(member)}\`.`,
        },
      ),
    );
  }
  return err(
    makeProblem(
      "unknown-receiver",
      written,
      `There is no agent "${written}" in the team.`,
      knownAgents(written, roster),
    ),
  );
}

function knownAgents(written: string, roster: Roster) {
  const active = [...roster.values()].filter((member) => member.status === "active").map((member) => member.agent);
  // Who writes a role alone means those who have it.
  const isHeld = isRole(written) && membersOf(roster, written).length > 0;
  const meant = isHeld ? writeAddress({ role: written }) : nearest(written, active);
  return {
    expected: active.length === 0 ? "an agent of the team; it has none yet" : listOf(active),
    received: written,
    hint: meant === null ? "`baton agent list` shows who is there." : `did you mean "${meant}"?`,
  };
}

/** Most agents that a refusal lists. */
const listedMax = 30;

function listOf(agents: readonly string[]): string {
  const listed = agents.slice(0, listedMax).join(" | ");
  return agents.length > listedMax ? `${listed} and ${agents.length - listedMax} more` : listed;
}

/** Whether `role` may send messages of the definition. */
export function maySend(definition: Definition, role: Role): boolean {
  return definition.wire === "sent" && definition.senders.includes(role);
}

/** Roles that may receive the definition's messages: its own, then those the team's routing adds. */
export function receiverRoles(definition: Definition, routing: readonly RoutingWidening[]): readonly Role[] {
  const added = routing
    .filter((each) => each.dialect === definition.dialect && each.type === definition.type)
    .flatMap((each) => each.receivers);
  return added.length === 0 ? definition.receivers : [...new Set([...definition.receivers, ...added])];
}

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
  /**
   * Agents that a decision is for, where its sender names nobody; none: what it decides is not known; null or absent:
   * those the dialect names.
   */
  readonly decidedFor?: readonly string[] | null;
  /** Who is at the next level above the sender where somebody is; absent or null: nobody. */
  above?(): readonly string[] | null;
  /** Who decided what this passes on, where it repeats a recorded resolution word for word; else null. */
  readonly repeated: string | null;
}

export interface Receivers {
  readonly agents: readonly string[];
  /** Why some of them may not get it. */
  readonly unfit: readonly Problem[];
}

/**
 * Named receivers are judged and stay, fit or not; so does the one who asked. Without them it goes to those that the
 * message's dialect names.
 */
export function receiversOf(request: Request, route: Route): Result<Receivers, readonly Problem[]> {
  const { sent } = route;
  const { principal, roster } = request;
  // Whom the message names itself: an agent as if the sender had named it, a role in place of all typical ones.
  const named = request.to === null ? addressee(sent, route.fact) : null;
  const role = named !== null && !roster.has(named) && isRole(named) ? named : null;
  const to = request.to ?? (named === null || role !== null ? null : [addressOf(named)]);
  // An answer always goes to the one who asked, who may have been retired meanwhile, and never to others in its stead.
  const asker = request.asker === principal.agent ? null : request.asker;
  if (to !== null || asker !== null) {
    const others = asker === null ? to : withoutProgramLead(to, roster);
    const found = others === null ? ok([]) : namedReceivers(others, roster, principal.agent);
    if (!found.ok) return found;
    const chosen = [...new Set(asker === null ? found.value : [asker, ...found.value])];
    const unfit = chosen.flatMap((agent) => receiverProblem(request, route, agent) ?? []);
    return ok({ agents: chosen, unfit });
  }
  // A decision goes the same way as a message and as a command.
  if (request.decidedFor?.length) return ok({ agents: request.decidedFor, unfit: [] });
  if (request.decidedFor && request.repeated === null) return err([decidesNothing(route.fact)]);
  if (sent.kind === "shutdown-request") {
    const asked = askedToStop(sent, principal, roster, ({ dialect }) => request.dialectOf(dialect));
    if (asked.length > 0) return ok({ agents: asked, unfit: [] });
  }
  if (route.above !== null) {
    const meant = route.above.filter((agent) => isOnRoute(route, agent));
    return ok({ agents: meant.length === 0 ? route.above : meant, unfit: [] });
  }
  // Whom an escalation reaches, the message says too.
  if (role !== null || sent.routing.direction === "up") return findTypical(request, route, role);
  return typicalOf(request, route);
}

/** Nobody waits for a decision on what nobody knows, unless its sender says who does. */
function decidesNothing(fact: Fact | null): Problem {
  const received = fact !== null && says(fact, "resolution") ? fact.body.originalEscalation : "";
  return makeProblem("unknown-request", "$.original_escalation", "No escalation has this id, so nobody waits for it.", {
    received,
    hint: `\`baton needs --escalations\` lists the ids; or name by \`${argument("to")}\` who waits for it.`,
  });
}

/** Whom an answer names besides the one who asked, whom the program's name for a lead means here; null: nobody. */
function withoutProgramLead(to: readonly Address[] | null, roster: Roster): readonly Address[] | null {
  if (to === null || roster.has(programLeadName)) return to;
  const others = to.filter((address) => writeAddress(address) !== programLeadName);
  return others.length === 0 && to.length > 0 ? null : others;
}

/** The typical receivers of one roster: asked with nearly every message, and the same until the team changes. */
interface KnownReceivers {
  readonly definition: Request["definition"];
  /** By sender, then by what is sent. */
  readonly bySender: Map<string, Map<Definition, Result<Receivers, readonly Problem[]>>>;
}

/**
 * Rosters and definitions are replaced, never changed. The sender's role and department are in the roster, and what a
 * message says about its sender is not used here: see `goesTo`.
 */
const knownReceivers = new WeakMap<Roster, KnownReceivers>();

function typicalOf(request: Request, route: Route): Result<Receivers, readonly Problem[]> {
  const { roster, definition, principal } = request;
  const { sent } = route;
  let known = knownReceivers.get(roster);
  if (known?.definition !== definition) {
    known = { definition, bySender: new Map() };
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
  // Those whom a message of its kind never reaches by its way were not meant.
  const meant = typical.value.filter((agent) => isOnRoute(route, agent));
  if (meant.length === 0 && sent.routing.across !== undefined) return err([nobodyFor(roles)]);
  if (meant.length === 0) return err([routeProblem(sent, typical.value[0] ?? "", route, false)]);
  return ok({ agents: meant, unfit: [] });
}

/** Why this agent may not receive it, neither by the message's dialect nor by its own; null: it may. */
export function receiverProblem(request: Request, route: Route, agent: string): Problem | null {
  const { sent } = route;
  const member = request.roster.get(agent);
  // The owner is outside the matrix and may read everything, and asks everybody to stop.
  if (member === undefined || (sent.kind === "shutdown-request" && request.principal.agent === ownerName)) return null;
  const own = request.dialectOf(member.dialect)?.definitionOf(sent.kind) ?? sent;
  const allowed = [...new Set([sent, own].flatMap((each) => receiverRoles(each, request.definition?.routing ?? [])))];
  if (allowed.includes(member.role))
    return isOnRoute(route, agent) ? null : routeProblem(sent, agent, route, request.to !== null);
  if (standsIn(request, route, agent)) return null;
  return makeProblem(
    "receiver-not-authorised",
    agent,
    `${agent} is ${member.role}, which does not receive ${sent.type} in ${sent.dialect}.`,
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

/** Whether it may be the name of somebody who is not there yet, and no slip for one who is. */
export function isNobodysName(name: string, roster: Roster): boolean {
  return agentName(name) !== null && !roster.has(name) && nearest(name, [...roster.keys()]) === null;
}

const deciding: readonly Role[] = ["senior", "lead", "architect", "owner"];

/** Whether only those who decide receive it, in their own department: where none of them is there, it goes further up. */
export function goesUp({ receivers, routing }: Definition): boolean {
  return routing.across === undefined && receivers.every((role) => deciding.includes(role));
}

/** Whether the agent is at the next level above the sender, and nobody at the one that the dialect names. */
function standsIn({ above, definition, roster, principal }: Request, route: Route, agent: string): boolean {
  if (!goesUp(route.sent) || above?.()?.includes(agent) !== true) return false;
  const typical = typicalReceivers(receiverRoles(route.sent, definition?.routing ?? []), roster, principal.agent);
  return !typical.ok || !typical.value.some((each) => isOnRoute(route, each));
}

/** The address that a message's own field is. A name that cannot be an agent's is nobody's: the refusal says so. */
export function addressOf(named: string): Address {
  return { agent: named as AgentName };
}

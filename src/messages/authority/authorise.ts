/**
 * Authorisation, in a fixed order: is the sender who the message says it is, may its role send this, may each receiver
 * get it. Whether the state of the work allows it is asked afterwards, by the deciders.
 * Source: docs/protocol/authority.md.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { membersOf, type Roster } from "../../team/state/roster.ts";
import type { Definition } from "../dialects/dialect.ts";
import type { DialectId, Note } from "../message.ts";
import { ownerName, type Principal } from "../principal.ts";
import type { Role } from "../role.ts";
import { areSeveralActive, departmentOf, mayTalk } from "./departments.ts";
import { askingHint, asUser, identityProblem, isForUser, ownersWay } from "./identity.ts";
import { goesUp, isNobodysName, maySend, namedReceivers, type Request, receiversOf } from "./receivers.ts";
import { addressee, type Route, senderRouteProblem } from "./routing-rules.ts";

/** Who sends what. */
type Sending = Pick<Request, "principal" | "roster" | "definition" | "dialectOf" | "reading">;

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
  const problems = senderProblems(sent, asked, route);
  if (problems.length > 0 && request.policy === "enforce") return err(problems);
  const meant = receiversOf(request, route);
  const instead = meant.ok ? null : standIns(request, sent, meant.error);
  const receivers = instead === null ? meant : ok({ agents: instead, unfit: [] });
  if (!receivers.ok) return receivers;
  const { agents, unfit } = receivers.value;
  if (unfit.length > 0 && request.policy === "enforce") return err(unfit);
  const passed = [...problems, ...unfit];
  return ok({
    receivers: agents,
    effect: passed.length === 0 && reading.fact !== null,
    notes: [
      ...passed.map(({ code, path, message }) => ({ code, path, message })),
      ...(instead === null
        ? []
        : [
            awayNote(sent, principal, {
              agents: instead,
              named: sent.kind === "handoff" ? addressee(sent, reading.fact) : null,
            }),
          ]),
    ],
    answererRoles: request.dialectOf(sent.dialect)?.definitionOf("approval-response")?.senders ?? [],
  });
}

/**
 * Prose between departments that do not talk to each other is delivered, because nothing follows from it; sender and
 * receiver get a note. Rule: docs/protocol/messages.md, section 14.
 */
function departmentNotes({ principal, roster }: Request, receivers: readonly string[]): readonly Note[] {
  const sender = roster.get(principal.agent);
  if (sender === undefined || !isolatesDepartments(sender.dialect)) return [];
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
function sentDefinition(request: Sending): Definition | null {
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
export const stoppingDialect = "vbw/2" satisfies DialectId;

function isDefined<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function routeOf({ principal, roster, definition, reading, above }: Request, sent: Definition): Route {
  const isolates = isolatesDepartments(sent.dialect);
  const next = sent.kind === "escalation" ? (above?.() ?? null) : null;
  return { sent, sender: principal, fact: reading.fact, roster, definition, isolates, above: next };
}

function senderProblems(
  sent: Definition,
  { principal, asker }: Pick<Request, "principal" | "asker">,
  route: Route,
): readonly Problem[] {
  // An agent that was asked to stop may answer, whatever its role is.
  const isAskedToStop = sent.kind === "shutdown-response" && asker !== null;
  if (principal.role !== null && (maySend(sent, principal.role) || isAskedToStop)) {
    const problem = senderRouteProblem(route);
    return problem === null ? [] : [problem];
  }
  return [roleProblem(sent, principal, route.roster)];
}

/**
 * Why the sender's role may not send a message that has errors, so that it learns at once that no repair helps. Null: it
 * may, or only the repaired message tells, as one that names another sender, an answer to a request to stop, or a decision
 * that is passed on.
 */
export function senderProblemOf(request: Sending): Problem | null {
  const { principal, roster, definition, reading } = request;
  const { agent, role } = principal;
  const inUse = [roster.get(agent)?.dialect, ...(definition?.dialects ?? [])];
  const sent = inUse.some((dialect) => dialect === reading.dialect) ? sentDefinition(request) : null;
  if (sent === null || role === null || maySend(sent, role)) return null;
  const said = reading.message?.author_role;
  if (said !== undefined && said !== role && agent !== ownerName) return null;
  const mayPassOn = sent.kind === "resolution" && definition?.speakers?.includes(agent) === true;
  return sent.kind === "shutdown-response" || mayPassOn ? null : roleProblem(sent, principal, roster);
}

function roleProblem(sent: Definition, principal: Principal, roster: Roster): Problem {
  if (sent.wire !== "sent") return writtenByBaton(sent, principal);
  return makeProblem(
    "sender-not-authorised",
    "$.type",
    `${principal.role ?? "An unknown role"} may not send ${sent.type} in ${sent.dialect}.`,
    {
      expected: sent.senders.join(" | "),
      received: principal.role ?? "none",
      hint:
        ownersWay(principal, sent) ??
        (principal.agent === ownerName && sent.senders.some((role) => membersOf(roster, role).length > 0)
          ? `Send it by \`${argument("actor")}\` as an agent that is ${sent.senders.join(" or ")}.`
          : askingHint(sent.senders, roster)),
    },
  );
}

/** No role may send it, so there is nobody to ask. */
function writtenByBaton({ type, dialect }: Definition, { role }: Principal): Problem {
  const message = `${type} in ${dialect} is written by Baton itself, from the record; no agent may send it.`;
  return makeProblem("sender-not-authorised", "$.type", message, {
    expected: "Baton",
    received: role ?? "none",
    hint: "Do not send it. `baton journal export` and the hub give it out as Baton has it.",
  });
}

/**
 * A message always finds a receiver: where nobody has a role that receives it, it goes to the person who owns the team, who
 * may read everything; what goes up goes to the next level above first. Receivers that the sender named are not replaced;
 * null: the message is refused.
 */
function standIns(
  { to, principal, above, reading, roster }: Request,
  sent: Definition,
  problems: readonly Problem[],
): readonly string[] | null {
  if (to !== null || principal.agent === ownerName) return null;
  const named = addressee(sent, reading.fact);
  if (named === principal.agent) return null;
  const isAbsent = named !== null && isNobodysName(named, roster);
  const isNobody = problems.every(({ code }) => code === "no-receiver" || (code === "unknown-receiver" && isAbsent));
  // Nobody between lead and person answers a request for leave.
  const isOwners = sent.kind === "phase-progress" || sent.kind === "approval-request";
  const next = isOwners ? [ownerName] : goesUp(sent) ? (above?.() ?? null) : null;
  if (next === null) return isNobody ? [ownerName] : null;
  return problems.every(({ code }) => code === "no-receiver" || code === "receiver-not-authorised") ? next : null;
}

function awayNote(
  { receivers, routing }: Definition,
  { department }: Principal,
  { agents, named }: { readonly agents: readonly string[]; readonly named: string | null },
): Note {
  const places = routing.across?.receivers.filter((each) => each !== department);
  const of = places === undefined ? "" : ` of ${places.join(" or ")}`;
  const names = agents.map((agent) => (agent === ownerName ? "the person who owns the team" : agent)).join(", ");
  const role = receivers.length === 0 ? "else is there" : `is there as ${receivers.join(" or ")}${of}`;
  const as = named === null ? role : `is called ${visible(named)}`;
  const message = `Nobody ${as} to receive this; it goes to ${names}.`;
  return { code: "receivers-away", path: "$", message };
}

function proseWithoutReceiver(): Problem {
  return makeProblem("no-receiver", "$", "Prose has no typical receivers, and none is named.", {
    hint: `Name by \`${argument("to")}\` who should read it: an agent, or role:ROLE.`,
  });
}

/** What the tables say as `isolatesDepartments`. Prose obeys this too, and loads no dialect; a test compares. */
const isolating: readonly DialectId[] = ["yolo/1"];

/** Whether agents of several active departments are kept apart in this dialect. */
export function isolatesDepartments(dialect: DialectId): boolean {
  return isolating.includes(dialect);
}

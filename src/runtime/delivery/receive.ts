/**
 * The one way in. Every door hands an input and a proven actor to `receive`; what comes back is a receipt, or a refusal
 * that is itself recorded. Reading and limits happen before the lock; who may, to whom, and what follows is decided
 * inside the journal's commit, against the state at the head. Source: docs/protocol/journal.md, sections 1 and 2;
 * docs/protocol/authority.md.
 */

import { authorise, type Permit } from "../../authority/authorise.ts";
import { asUser, isForUser } from "../../authority/identity.ts";
import type { Request as AuthorisationRequest } from "../../authority/receivers.ts";
import { steadyNow } from "../../base/clock.ts";
import type { Mutable } from "../../base/invariant.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { inOrder, type Problem, problem } from "../../base/problem.ts";
import { askerOf, repeatedResolution } from "../../coordination/coordination-state.ts";
import { decideFact, type FactCommand } from "../../coordination/deciders.ts";
import { limitKinds } from "../../coordination/phases/limit-rules.ts";
import { atDraft } from "../../intake/drafts.ts";
import { type AcceptedReading, type Reading, taskNamedIn } from "../../intake/reading.ts";
import type { Entry, EntryDraft } from "../../journal/entry.ts";
import type { Attempt, Moment } from "../../journal/journal.ts";
import type { Fact, FactKind } from "../../message/facts.ts";
import type { Note } from "../../message/message.ts";
import type { Principal } from "../../message/principal.ts";
import { writeAddress } from "../../message/role.ts";
import type { Reply } from "../../operations/reply.ts";
import { claimsRuleOf, leaseMsOf, levelSilentMsOf, scopeRuleOf, workOf } from "../../team/definition.ts";
import { registrarsIn } from "../../team/roster.ts";
import { type Actor, awaitsVerdict, type Context, principalOf } from "../context.ts";
import { agentsAt, chainAbove, decidedFor, isOnlyAt } from "../escalations/escalation-chain.ts";
import { agentSessionOf } from "../health/breaker-scope.ts";
import { companyOf, settingOf } from "../phases/phase-setting.ts";
import { asJson, type RecordedContent, refusalDraft } from "../record/content.ts";
import { idConflict, replyTo, sentToOthers } from "../record/recorded-act.ts";
import { type RecordedMessage, recordMessage } from "../record/recorded-message.ts";
import { commitOrCount } from "../record/repeated-refusals.ts";
import type { TeamState } from "../state.ts";
import { askedAgents, silencedProblem, teamEventsOf } from "../team/session-endings.ts";
import type { SendOptions } from "../team/team.ts";
import { teamDialectOf } from "../team/team-dialects.ts";
import { commitInTime } from "../timers.ts";
import { type Request, readRequest, requestOf, saysTheSame } from "./request.ts";
import { progressCompletes } from "./system-message.ts";

/** Records a message, or its refusal. See `Reply` for what comes back. */
export async function receive(
  context: Context,
  actor: Actor,
  input: string | Uint8Array,
  options: SendOptions = {},
): Promise<Reply> {
  const asked = requestOf(actor, input, options);
  const request = asked instanceof Promise ? await asked : asked;
  const committed = await commitOrCount(context, actor, attemptOf(context, request), (attempt) =>
    commitInTime(context, attempt, actor),
  );
  return replyTo(context, committed);
}

/** The attempt to record the request. */
function attemptOf(context: Context, request: Request): Attempt<TeamState> {
  return {
    once: request.once,
    decide: (state, moment) => decideMessage(context, request, state, moment),
  };
}

/** The decision about one message, pure: an entry that records it with all its effects, or its refusal. */
function decideMessage(context: Context, asked: Request, state: TeamState, moment: Moment): EntryDraft {
  const principal = principalOf(asked.actor, state);
  const { earlier, orEarlier } = moment;
  if (earlier !== null && asked.asProse === null) return refuse(asked, principal, null, [conflictOf(asked, earlier)]);
  const { request, reading } = readRequest(context, asked, state, { principal, isTaken: earlier !== null });
  if (orEarlier !== null && request.id === asked.asProse?.id)
    return refuse(request, principal, reading, [conflictOf(request, orEarlier)]);
  const stopped = silencedProblem(state, asked.actor, principal);
  // Whatever it sends, it is refused for the same: so one that goes on sending does not fill the journal.
  if (stopped !== null) return refuse(request, principal, reading, [stopped], stopped.code);
  const observed = state.team.definition?.policy === "observe";
  const oversized = sizeProblem(request.bytes, state.team.definition?.limits.messageBytes);
  const faults = [
    ...(oversized === null ? [] : [oversized]),
    ...(request.idProblem === null ? [] : [request.idProblem]),
    ...(reading.outcome === "invalid" ? reading.problems : []),
  ];
  // Limits and the principal hold under `observe` too. A draft with an error is no message that anybody could read.
  const mayPass =
    observed && !request.draft && oversized === null && request.idProblem === null && request.decoded.as !== "fault";
  if (faults.length > 0 && !mayPass) return refuse(request, principal, reading, faults);

  const words: Words = { dialectOf: teamDialectOf(state.team.definition, context.dialectOf) };
  const permit = authorise({
    principal,
    roster: state.team.roster,
    definition: state.team.definition,
    policy: observed ? "observe" : "enforce",
    dialectOf: words.dialectOf,
    reading,
    to: request.to,
    ...knownOf(state, reading.fact, principal),
  });
  if (!permit.ok) return refuse(request, principal, reading, [...proseProblems(reading), ...permit.error]);

  const notes: Note[] = [...reading.notes, ...faults.map(asNote), ...permit.value.notes];
  const effect = permit.value.effect && reading.outcome === "accepted";
  if (!effect || reading.fact === null)
    return accept(words, request, principal, reading, permit.value.receivers, { notes, effect });

  const { fact } = reading;
  const decided = decideFact(
    state.coordination,
    factCommand(context, state, { request, principal, reading, fact, permit: permit.value, words, moment }),
  );
  if (!decided.ok) {
    const reasons = decided.error.map((each) => onTheWire(each, reading, words));
    if (!observed) return refuse(request, principal, reading, reasons);
    return accept(words, request, principal, reading, permit.value.receivers, {
      notes: [...notes, ...reasons.map(asNote)],
      effect: false,
    });
  }
  return accept(words, request, principal, reading, permit.value.receivers, {
    notes: [...notes, ...decided.value.notes.map((each) => onTheWire(each, reading, words))],
    effect: true,
    events: decided.value.events,
    team: teamEventsOf(state, decided.value.events),
  });
}

/** JSON that became prose was most likely meant as a message: why it is none says more than that nobody is named. */
function proseProblems({ outcome, problems }: Reading): readonly Problem[] {
  return outcome === "prose" ? problems : [];
}

/** What the record knows of a message: whose request it answers, whom its decision is for, what it passes on. */
function knownOf(
  state: TeamState,
  fact: Fact | null,
  principal: Principal,
): Pick<AuthorisationRequest, "asker" | "decidedFor" | "repeated"> {
  if (fact === null) return { asker: null, repeated: null };
  const speaksForUser = isForUser({ principal, definition: state.team.definition, reading: { fact } });
  return {
    asker: askerOf(state.coordination, fact, principal.agent),
    decidedFor: decidedFor(state, fact, speaksForUser ? asUser(principal) : principal),
    repeated: repeatedResolution(state.coordination, fact)?.resolvedBy ?? null,
  };
}

/** A message that may have an effect, and whom it may reach. */
interface Effective {
  readonly request: Request;
  readonly principal: Principal;
  readonly reading: AcceptedReading;
  readonly fact: Fact;
  readonly permit: Permit;
  readonly words: Words;
  readonly moment: Moment;
}

/** What is decided about a fact. Written out: it is made for every message, and putting objects together costs most. */
function factCommand(context: Context, state: TeamState, effective: Effective): FactCommand {
  const { request, principal, reading, fact, permit, words, moment } = effective;
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
    beginsPlans: claimsRuleOf(definition) === "edits" && role !== null && workOf(role) === "writes",
    speaksForUser: isForUser({ principal, definition, reading }),
    completes: progressCompletes(words.dialectOf(reading.dialect), definition),
    receivers,
    answererRoles,
    levelSilentMs: levelSilentMsOf(definition),
    roleOf: (other) => roster.get(other)?.role ?? null,
    isHeardAt: (level, originator) => agentsAt(state, level, originator).some((each) => receivers.includes(each)),
    isOnlyAt: (level, originator) => isOnlyAt(state, level, { originator, agent }),
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

/** What is wrong where the request's id is recorded for something else. */
function conflictOf(request: Request, earlier: Entry): Problem {
  const { id, to, path } = request;
  return saysTheSame(request, earlier) ? sentToOthers(id, earlier, to, path) : idConflict(id, earlier, path);
}

/** Facts that go up the chain. */
const goesUp: readonly FactKind[] = ["blocker", "escalation", ...limitKinds];

/** The dialects by which the team speaks. */
type Words = Pick<Context, "dialectOf">;

function accept(
  words: Words,
  request: Request,
  principal: Principal,
  reading: Reading,
  receivers: readonly string[],
  more: Pick<RecordedContent, "notes" | "effect" | "events" | "team">,
): EntryDraft {
  const { effect, notes = [], events = [], team = [] } = more;
  // By assignment, for every message; the order is that of the entry's text.
  const content: Mutable<RecordedContent> = { message: recorded(words, request, reading) };
  if (effect === false && reading.outcome !== "prose") content.effect = false;
  if (notes.length > 0) content.notes = request.draft ? notes.map(atDraft) : notes;
  if (events.length > 0) content.events = events;
  if (team.length > 0) content.team = team;
  const { id, digest } = request;
  return { kind: "message", principal, id, digest, receivers, content: asJson(content), text: reading.text };
}

/** The message as its entry has it: by names where its text alone says it, else with the whole of what was read. */
function recorded({ dialectOf }: Words, { id, decoded }: Request, reading: Reading): RecordedMessage {
  if (reading.outcome !== "accepted") return recordMessage(reading, id, null);
  // Inside prose, in YAML, or with a corrected spelling, the input does not parse to the message.
  const isWhole = decoded.as === "json" && decoded.form === "json" && decoded.value === reading.message;
  const { dialect, type, rung, wireId, text, fact, message: wire } = reading;
  if (!isWhole) return recordMessage({ dialect, type, rung, wireId, text, fact, wire }, id, null);
  const read = dialectOf(dialect);
  const definition = read?.definitions.get(type);
  return recordMessage(reading, id, read && definition ? { wire, form: read.form, definition } : null);
}

/** A refusal. `asked`: what it has in common with repeats of it, of which most are only counted. */
function refuse(
  request: Request,
  principal: Principal,
  reading: Reading | null,
  problems: readonly Problem[],
  asked: Json = withoutNews(request),
): EntryDraft {
  const { decoded } = request;
  return refusalDraft({
    principal,
    id: request.id,
    digest: request.digest,
    bytes: request.bytes,
    text: decoded.text,
    dialect: reading?.dialect ?? null,
    type: reading?.type ?? null,
    task: reading === null ? null : taskNamedIn(reading),
    problems: inOrder(request.draft ? problems.map(atDraft) : problems),
    asked,
  });
}

/** A message without what is new at each try: its id, by each of its names, and its time. */
function withoutNews({ decoded, to, digest }: Request): Json {
  if (decoded.as !== "json" || !isJsonObject(decoded.value)) return digest;
  const { id: _id, requestId: _requestId, timestamp: _timestamp, ...rest } = decoded.value;
  return [rest, to === null ? null : to.map(writeAddress)];
}

/**
 * Deciders speak of neutral fields (`$.body.requestId`); the sender knows its wire (`$.payload.request_id`). The first
 * step of such a path is written as the sender's dialect spells it.
 */
function onTheWire<Told extends { readonly path: string }>(told: Told, reading: Reading, words: Words): Told {
  const neutral = /^\$\.body\.([A-Za-z]+)/.exec(told.path)?.[1];
  if (neutral === undefined || reading.outcome !== "accepted") return told;
  const dialect = words.dialectOf(reading.dialect);
  const definition = dialect?.definitions.get(reading.type);
  const wire = definition?.fields.find((field) => field.neutral === neutral)?.name ?? neutral;
  return { ...told, path: told.path.replace(`$.body.${neutral}`, `${dialect?.place ?? "$.payload"}.${wire}`) };
}

/** The team's own limit, which may only lie below the protocol's. */
function sizeProblem(bytes: number, bytesMax: number | undefined): Problem | null {
  if (bytesMax === undefined || bytes <= bytesMax) return null;
  return problem("too-large", "$", `The message has ${bytes} bytes; this team takes at most ${bytesMax}.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "Commit the long part as a file and name its path in the message.",
  });
}

function asNote(fault: Problem): Note {
  return { code: fault.code, path: fault.path, message: fault.message };
}

/**
 * Sending a message, by any door. The text is decoded before the lock; under it, on the state at the head, the message is
 * read in the team's dialects, its sender is judged, and what follows is decided. A refusal is recorded too.
 * Source: docs/protocol/record.md, sections 1 and 2; docs/protocol/authority.md.
 */
import type { Mutable } from "../../base/invariant.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { inOrder, makeProblem, type Problem } from "../../base/problem.ts";
import { ok } from "../../base/result.ts";
import type { Entry, EntryDraft } from "../../journal/entry.ts";
import type { Moment } from "../../journal/journal.ts";
import { authorise, senderProblemOf } from "../../messages/authority/authorise.ts";
import type { Dialect } from "../../messages/dialects/dialect.ts";
import { type Decoded, decode } from "../../messages/intake/decode.ts";
import { atDraft, type ProseReading, proseReading, type Reading, taskNamedIn } from "../../messages/intake/reading.ts";
import type { DialectId, Note } from "../../messages/message.ts";
import type { Principal } from "../../messages/principal.ts";
import { writeAddress } from "../../messages/role.ts";
import { asJson, type RecordedContent, refusalDraft } from "../../perform/content.ts";
import { principalOf, type TeamContext } from "../../perform/context.ts";
import type { Decided } from "../../perform/decider.ts";
import type { Sending } from "../../perform/perform.ts";
import { type RecordedMessage, recordMessage } from "../../perform/recorded-message.ts";
import { idConflict, sentToOthers } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import type { SendOptions } from "../../perform/team.ts";
import { silencedProblem, teamEventsOf } from "../../team/view/session-endings.ts";
import type { MessageRules, messageRules } from "./message-rules.ts";
import { type Request, requestFor, saysTheSame } from "./request.ts";

/** A message as its sender gives it. */
export interface Sent extends Omit<SendOptions, "id"> {
  readonly text: string | Uint8Array;
}

/** Records a message, or its refusal. */
export const sendMessage: Sending<Sent, TeamContext> = {
  async attempt({ text, ...options }, { context, actor }, id) {
    const found = decode(text);
    const decoded = found instanceof Promise ? await found : found;
    const words = options.draft === true ? null : plainWordsIn(decoded);
    // An input that arrives while the rules load waits for them too, so that inputs keep their order.
    const rules = words === null || loading !== null ? await loadRules(context) : rulesOfWords(words);
    const named = id === undefined ? options : { ...options, id };
    const request = requestFor(actor, text, named, { decoded, inside: rules.wireIdIn(decoded) });
    return { once: request.once, decide: (state, moment) => decideMessage(rules, request, state, moment) };
  },
};

let loading: Promise<typeof messageRules> | null = null;

async function loadRules(context: TeamContext): Promise<MessageRules> {
  loading ??= import("./message-rules.ts").then((file) => file.messageRules);
  const rulesIn = await loading;
  return rulesIn(context);
}

/** The rules for words, which no dialect has anything to say about, so nothing is loaded for them. */
function rulesOfWords(reading: ProseReading): MessageRules {
  return {
    wireIdIn: () => null,
    read: (request) => ({ request, reading }),
    dialectOf: () => () => null,
    known: () => nothingKnown,
    decide: () => ok({ events: [], notes: [], readers: [] }),
  };
}

/** The decision about one message, pure: an entry that records it with all its effects, or its refusal. */
function decideMessage(rules: MessageRules, asked: Request, state: TeamState, moment: Moment): EntryDraft {
  const principal = principalOf(asked.actor, state);
  const { earlier, orEarlier } = moment;
  if (earlier !== null && asked.asProse === null) return refuse(asked, principal, null, [conflictOf(asked, earlier)]);
  const { request, reading } = rules.read(asked, state, { principal, isTaken: earlier !== null });
  if (orEarlier !== null && request.id === asked.asProse?.id)
    return refuse(request, principal, reading, [conflictOf(request, orEarlier)]);
  const stopped = silencedProblem(state, asked.actor, principal);
  // Whatever it sends, it is refused for the same: so one that goes on sending does not fill the journal.
  if (stopped !== null) return refuse(request, principal, reading, [stopped], stopped.code);
  const observed = state.team.definition?.policy === "observe";
  const oversized = sizeProblem(request.bytes, state.team.definition?.limits.messageBytes);
  const problems = [
    ...(oversized === null ? [] : [oversized]),
    ...(request.idProblem === null ? [] : [request.idProblem]),
    ...(reading.outcome === "invalid" ? reading.problems : []),
  ];
  // Limits and the principal hold under `observe` too. A draft with an error is no message that anybody could read.
  const mayPass =
    observed && !request.draft && oversized === null && request.idProblem === null && request.decoded.as !== "fault";
  const { roster, definition } = state.team;
  const dialectOf = rules.dialectOf(definition);
  if (problems.length > 0 && !mayPass) {
    const sender = senderProblemOf({ principal, roster, definition, dialectOf, reading });
    return refuse(request, principal, reading, sender === null ? problems : [sender, ...problems]);
  }
  const permit = authorise({
    principal,
    roster,
    definition,
    policy: observed ? "observe" : "enforce",
    dialectOf,
    reading,
    to: request.to,
    ...(reading.fact === null ? nothingKnown : rules.known(state, reading.fact, principal)),
  });
  if (!permit.ok) return refuse(request, principal, reading, [...proseProblems(reading), ...permit.error]);

  const notes: Note[] = [...reading.notes, ...problems.map(asNote), ...permit.value.notes];
  const { receivers } = permit.value;
  const effect = permit.value.effect && reading.outcome === "accepted";
  if (!effect) return accept(dialectOf, request, principal, reading, receivers, { notes, effect });

  const decided = rules.decide(state, { request, principal, reading, permit: permit.value, moment });
  if (!decided.ok) {
    if (!observed) return refuse(request, principal, reading, decided.error);
    return accept(dialectOf, request, principal, reading, receivers, {
      notes: [...notes, ...decided.error.map(asNote)],
      effect: false,
    });
  }
  const { readers } = decided.value;
  const all = readers.length === 0 ? receivers : [...new Set([...receivers, ...readers])];
  return accept(dialectOf, request, principal, reading, repeatsAnswer(reading, decided.value) ? [] : all, {
    notes: [...notes, ...decided.value.notes],
    effect: true,
    events: decided.value.events,
    team: teamEventsOf(state, decided.value.events),
  });
}

/** Whether it gives an approval the answer that the sender gave before, which the agent that asked has already. */
function repeatsAnswer({ fact }: Reading, { notes }: Pick<Decided<unknown>, "notes">): boolean {
  return fact?.kind === "approval-response" && notes.some(({ code }) => code === "answer-unchanged");
}

/** JSON that became prose was most likely meant as a message: why it is none says more than that nobody is named. */
function proseProblems({ outcome, problems }: Reading): readonly Problem[] {
  return outcome === "prose" ? problems : [];
}

/** What is wrong where the request's id is recorded for something else. */
function conflictOf(request: Request, earlier: Entry): Problem {
  const { id, to, path } = request;
  return saysTheSame(request, earlier) ? sentToOthers(id, earlier, to, path) : idConflict(id, earlier, path);
}

type DialectOf = (id: DialectId) => Dialect | null;

/** For input that is not a message. */
const nothingKnown = { asker: null, repeated: null } as const;

function accept(
  dialectOf: DialectOf,
  request: Request,
  principal: Principal,
  reading: Reading,
  receivers: readonly string[],
  more: Pick<RecordedContent, "notes" | "effect" | "events" | "team">,
): EntryDraft {
  const { effect, notes = [], events = [], team = [] } = more;
  // By assignment, for every message; the order is that of the entry's text.
  const content: Mutable<RecordedContent> = { message: recorded(dialectOf, request, reading) };
  if (effect === false && reading.outcome !== "prose") content.effect = false;
  if (notes.length > 0) content.notes = request.draft ? notes.map(atDraft) : notes;
  if (events.length > 0) content.events = events;
  if (team.length > 0) content.team = team;
  const { id, digest } = request;
  return { kind: "message", principal, id, digest, receivers, content: asJson(content), text: reading.text };
}

/** The message as its entry has it: by names where its text alone says it, else with the whole of what was read. */
function recorded(dialectOf: DialectOf, { id, decoded }: Request, reading: Reading): RecordedMessage {
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

/** The team's own limit, which may only lie below the protocol's. */
function sizeProblem(bytes: number, bytesMax: number | undefined): Problem | null {
  if (bytesMax === undefined || bytes <= bytesMax) return null;
  return makeProblem("too-large", "$", `The message has ${bytes} bytes; this team takes at most ${bytesMax}.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "Commit the long part as a file and name its path in the message.",
  });
}

function asNote(problem: Problem): Note {
  return { code: problem.code, path: problem.path, message: problem.message };
}

/**
 * The reading of an input that is words and nothing else, whatever the team speaks: no object among them looks like a
 * message, and they have no heading and name no type. Null: dialects have to be asked, or there is an error.
 */
export function plainWordsIn(decoded: Decoded): ProseReading | null {
  if (decoded.as !== "prose" || decoded.several > 0 || decoded.broken !== null) return null;
  if (decoded.mailbox !== undefined || /^ {0,3}#|type/im.test(decoded.text)) return null;
  return proseReading(decoded.text);
}

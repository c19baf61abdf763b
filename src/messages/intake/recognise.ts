/**
 * Recognising: which dialect a JSON value belongs to. Dialects are asked in order and answer accepted, not mine, or
 * invalid; first exactly, then, unless `strict`, with the spellings that agents are known to drift into. A value that
 * carries the mark of an envelope is typed or invalid and never falls to a lower rung.
 * Source: docs/protocol/messages.md, sections 14 and 15.
 */
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  messageJsonLimits,
  parseBounded,
} from "../../base/json.ts";
import { inOrder, jsonPath, makeProblem, type Problem } from "../../base/problem.ts";
import { type Dialect, documentKey } from "../dialects/dialect.ts";
import { carriesEnvelopeMark } from "../dialects/flat-form.ts";
import type { Note } from "../message.ts";
import { frameProblem } from "./native.ts";
import { type AcceptedReading, invalidText, proseReading, type Reading, type RecogniseOptions } from "./reading.ts";
import { withMarkNames, withTypeWord } from "./repair.ts";
import {
  type Accepted,
  accepted,
  afterRepair,
  envelopeTypeProblem,
  foreignProblems,
  type Invalid,
  notAnObject,
  type Refusal,
  readLifted,
  readTolerantly,
  tolerantly,
  typeProblem,
} from "./tolerant-reading.ts";

/** The two ways of reading, made once. */
const strictly = [{ strict: false }, { strict: true }] as const;

const ambiguousDialect = "ambiguous-dialect" satisfies Note["code"];
const noRefusals: readonly Refusal[] = [];

/** The reading of a JSON value whose text is `text`; `connection` stands for that of the options. Never throws. */
export function recognise(
  value: Json,
  text: string,
  options: RecogniseOptions,
  connection: RecogniseOptions["connection"] = options.connection,
): Reading {
  if (!isJsonObject(value)) return insideOf(value, text, options) ?? unknown(text, options, notAnObject(), null);
  const reading = recogniseNamed(value, text, options, connection);
  // A name that has drifted is an unknown one, which is noted or refused: most messages are done here.
  if (reading.outcome === "accepted" && reading.notes.length === 0) return reading;
  const isClean = reading.outcome === "accepted" && !reading.notes.some(({ code }) => code !== ambiguousDialect);
  const mayDrift = options.strict !== true && !isClean;
  const named = mayDrift ? withMarkNames(value) : null;
  if (named === null) return reading;
  return withNotes(recogniseNamed(named.value, text, options, connection), named.notes, value);
}

/**
 * The reading of what was corrected in `value`, with the notes about that; a refusal is about the message as received.
 */
function withNotes(reading: Reading, before: readonly Note[], value: JsonObject): Reading {
  const notes = [...before, ...reading.notes];
  return reading.outcome === "invalid" ? { ...reading, message: value, notes } : { ...reading, notes };
}

/** As `recognise`, of an object in which the names that tell what it is are taken as they are written. */
function recogniseNamed(
  value: JsonObject,
  text: string,
  options: RecogniseOptions,
  connection: RecogniseOptions["connection"],
): Reading {
  const marked = carriesEnvelopeMark(value);
  const dialects = judgingDialects(value, marked, options);
  const flatConnection = marked || options.strict === true ? undefined : connection;
  // A flat message that fits two is read in its sender's dialect, also where that has an envelope.
  const own = options.senderKnown === true && flatConnection !== undefined ? dialects[0] : undefined;
  const lifted = own?.form === "typed" ? readLifted(value, text, own, flatConnection) : null;
  if (lifted !== null) return lifted;
  const exact = readExactly(value, text, marked, dialects, options);
  if ("outcome" in exact) return exact;
  return readInexactly({ value, text, marked, dialects, refusals: exact }, options, connection, flatConnection);
}

/** A value that no dialect accepts as it is. */
interface Refused {
  readonly value: JsonObject;
  readonly text: string;
  readonly marked: boolean;
  readonly dialects: readonly Dialect[];
  readonly refusals: readonly Refusal[];
}

/** The reading of a value that no dialect accepts as it is: with repairs, else the refusal that tells most. */
function readInexactly(
  { value, text, marked, dialects, refusals }: Refused,
  options: RecogniseOptions,
  connection: RecogniseOptions["connection"],
  flatConnection: RecogniseOptions["connection"],
): Reading {
  const strict = options.strict === true;
  const tolerant = strict ? null : readTolerantly(value, text, refusals, flatConnection);
  if (tolerant !== null) return tolerant;
  const remaining = strict ? refusals : refusals.map((refusal) => afterRepair(refusal, value, flatConnection));
  const told = reportedRefusal(value, marked, remaining, options.senderKnown === true);
  if (told !== null) return refused(value, text, told.dialect, told.answer);
  const spelled = strict ? null : withTypeWord(value, [...dialects, ...(options.foreign ?? [])]);
  if (spelled !== null)
    return withNotes(recogniseNamed(spelled.value, text, options, connection), spelled.notes, value);
  const foreign = foreignProblems(value, dialects, options.foreign ?? []);
  // An agent of a first revision takes what it does not know for words.
  const isFirst = !strict && dialects.every(({ form }) => form === "structured");
  const [unknownHere] = foreign !== null && foreign.dialect.form !== "document" ? foreign.problems : [];
  if (isFirst && unknownHere !== undefined) return unknown(text, options, unknownHere, value);
  if (foreign !== null) return refused(value, text, foreign.dialect, { ...foreign, notes: [] });
  const problem = marked ? envelopeTypeProblem(value, dialects) : (frameProblem(value) ?? typeProblem(value, dialects));
  if (!marked || isFirst) return insideOf(value, text, options) ?? unknown(text, options, problem, value);
  const type = typeof value.type === "string" ? value.type : null;
  return refused(value, text, null, { type, problems: [problem], notes: [] });
}

/**
 * The dialects that judge a value. A sender's own dialect decides alone where it knows the type, so that content which it
 * refuses is not accepted as another's. A dialect without an envelope does not know a message that has one.
 * Rule: docs/protocol/messages.md, section 10.
 */
function judgingDialects(
  { type }: JsonObject,
  marked: boolean,
  { dialects, senderKnown }: RecogniseOptions,
): readonly Dialect[] {
  const own = dialects[0];
  if (senderKnown !== true || own === undefined || dialects.length === 1 || typeof type !== "string") return dialects;
  const reads = own.form === "typed" || (own.form === "structured" && !marked);
  return reads && own.definitions.has(type) ? [own] : dialects;
}

/**
 * The reading by the first dialect that accepts the value and knows all of its fields, else by the first that accepts it;
 * why each refuses it, where none does. Small, as what it calls: this is the way of every message, and what it costs is
 * measured.
 */
function readExactly(
  value: JsonObject,
  text: string,
  marked: boolean,
  dialects: readonly Dialect[],
  options: RecogniseOptions,
): AcceptedReading | readonly Refusal[] {
  const how = strictly[options.strict === true ? 1 : 0];
  let refusals = noRefusals;
  let noted: Noted | null = null;
  for (let index = 0; index < dialects.length; index++) {
    const dialect = dialects[index];
    // A typed dialect accepts nothing without its mark, and is only asked why where nobody accepts.
    if (dialect === undefined || marked !== (dialect.form === "typed")) continue;
    if (dialect.form === "document" && isOfKnownType(value, options)) continue;
    const answer = dialect.read(value, how);
    if (answer.answer === "accepted") {
      if (answer.notes.length > 0) noted ??= { dialect, answer, index };
      else if (options.senderKnown === true) return accepted(value, text, dialect, answer);
      else return acceptedBy({ dialect, answer, index }, value, text, marked, dialects);
    } else if (answer.answer === "invalid") refusals = [...refusals, { dialect, answer }];
  }
  if (noted !== null) return readNoted(noted, value, text, marked, dialects, options);
  return marked ? refusals : [...refusals, ...refusalsOfTyped(value, dialects, how)];
}

/** An acceptance, by the dialect at `index`. */
interface Noted {
  readonly dialect: Dialect;
  readonly answer: Accepted;
  readonly index: number;
}

/** The reading with notes: an unknown field may be a known one under another name. */
function readNoted(
  noted: Noted,
  value: JsonObject,
  text: string,
  marked: boolean,
  dialects: readonly Dialect[],
  { strict, senderKnown }: RecogniseOptions,
): AcceptedReading {
  const drifted = strict === true ? null : tolerantly(value, text, noted.dialect);
  if (drifted !== null) return drifted;
  return senderKnown === true
    ? accepted(value, text, noted.dialect, noted.answer)
    : acceptedBy(noted, value, text, marked, dialects);
}

/** Why the dialects with an envelope refuse what has none. */
function refusalsOfTyped(
  value: JsonObject,
  dialects: readonly Dialect[],
  how: (typeof strictly)[number],
): readonly Refusal[] {
  return dialects.flatMap((dialect) => {
    const answer = dialect.form === "typed" ? dialect.read(value, how) : null;
    return answer?.answer === "invalid" ? [{ dialect, answer }] : [];
  });
}

/** The reading where the sender's dialect is not known, with a note where another would accept the value too. */
function acceptedBy(
  { dialect, answer, index }: Noted,
  value: JsonObject,
  text: string,
  marked: boolean,
  dialects: readonly Dialect[],
): AcceptedReading {
  const also = firstAccepting(value, marked, dialects, index + 1);
  return accepted(value, text, dialect, also === null ? answer : withAmbiguity(answer, dialect, also));
}

/** Whether a dialect with types knows that of the value: then a document's key in it is a further field. */
function isOfKnownType({ type }: JsonObject, { dialects, foreign = [] }: RecogniseOptions): boolean {
  if (typeof type !== "string") return false;
  return [...dialects, ...foreign].some(({ form, definitions }) => form !== "document" && definitions.has(type));
}

/**
 * The refusal that is reported: of a dialect that knows the type (or was asked about an untyped envelope or a
 * document), of the rung the value is on, with the fewest errors; the first among equals, and the sender's own before
 * all.
 */
function reportedRefusal(
  value: JsonObject,
  marked: boolean,
  refusals: readonly Refusal[],
  senderKnown: boolean,
): Refusal | null {
  const typed = typeof value.type === "string";
  const own = refusals.filter(({ dialect, answer }) => {
    if (typed) return dialect.definitions.has(answer.type ?? "");
    return marked || dialect.form === "document";
  });
  const flat = own.filter(({ dialect }) => dialect.form !== "typed");
  const fitting = !marked && flat.length > 0 ? flat : own;
  const [first, ...others] = fitting;
  if (first === undefined || senderKnown) return first ?? null;
  const fewest = (best: Refusal, next: Refusal) =>
    next.answer.problems.length < best.answer.problems.length ? next : best;
  return others.reduce(fewest, first);
}

/** The first dialect from `start` on that would accept the value too. One is enough to tell: each costs a check. */
function firstAccepting(
  value: JsonObject,
  marked: boolean,
  dialects: readonly Dialect[],
  start: number,
): Dialect | null {
  for (let index = start; index < dialects.length; index++) {
    const dialect = dialects[index];
    if (dialect !== undefined && marked === (dialect.form === "typed") && dialect.accepts(value)) return dialect;
  }
  return null;
}

function withAmbiguity(answer: Accepted, chosen: Dialect, also: Dialect): Accepted {
  const message = `Read as ${chosen.id}; ${also.id} would accept it too.`;
  const note: Note = { code: ambiguousDialect, path: "$", message };
  return { ...answer, notes: answer.notes.length === 0 ? [note] : [...answer.notes, note] };
}

export function refused(
  message: JsonObject,
  text: string,
  dialect: Dialect | null,
  answer: Pick<Invalid, "type" | "problems" | "notes">,
): Reading {
  const wireId = typeof message.id === "string" ? message.id : null;
  const { type, problems, notes } = answer;
  // What no dialect claims is refused for the mark of an envelope.
  const [id, rung] = dialect === null ? [null, "typed" as const] : [dialect.id, dialect.form];
  const head = { outcome: "invalid", rung, text, dialect: id, type, wireId, message, fact: null } as const;
  return { ...head, problems: inOrder(problems), notes };
}

/** The refusal of JSON that contains a misplaced message; null: it contains none. */
function insideOf(value: Json, text: string, { dialects, foreign = [] }: RecogniseOptions): Reading | null {
  const problem = insideProblem(value, [...dialects, ...foreign]);
  return problem === null ? null : { ...invalidText(text, problem), message: isJsonObject(value) ? value : null };
}

/** JSON that is no message of ours: delivered as prose and noted, or under `strict` refused. */
export function unknown(text: string, options: RecogniseOptions, problem: Problem, value: JsonObject | null): Reading {
  if (options.strict === true) {
    const type = typeof value?.type === "string" ? value.type : null;
    return { ...invalidText(text, problem), type, message: value };
  }
  const note: Note = {
    code: "read-as-prose",
    path: "$",
    message: `${problem.message} It is delivered as prose, without effect.`,
  };
  return proseReading(text, [problem], [note]);
}

/** Keys of an object, or entries of a list, that are looked into. */
const lookedIntoMax = 16;
/** Objects around one another that are looked into. */
const lookedDepthMax = 2;

/** Most strings around one another that are taken off to look inside. */
const stringLayersMax = 4;

/** The problem of JSON that contains a message of `dialects`; null: it contains none. */
export function insideProblem(value: Json, dialects: readonly Dialect[]): Problem | null {
  if (isJsonList(value)) return listProblem(value, dialects);
  if (typeof value === "string") return textProblem(value, dialects);
  if (!isJsonObject(value)) return null;
  const { type } = value;
  if (typeof type === "string") return wrapperTypes.has(type.toLowerCase()) ? wrapperProblem(value, dialects) : null;
  const around = wrapperProblem(value, dialects);
  return around ?? typeKeyProblem(value, dialects) ?? sectionsProblem(value, dialects);
}

/** Names that programs use for their own message, whose content may be one of ours. */
const wrapperTypes: ReadonlySet<string> = new Set([
  "message",
  "msg",
  "send_message",
  "sendmessage",
  "text",
  "tool_use",
]);

function listProblem(list: readonly Json[], dialects: readonly Dialect[]): Problem | null {
  const index = list.slice(0, lookedIntoMax).findIndex((one) => messageIn(one, dialects) !== null);
  if (index < 0) return null;
  return makeProblem("not-an-object", "$", "The text is a list, but a message is one object.", {
    expected: "one object",
    received: `a list of ${list.length}`,
    hint: list.length === 1 ? "Send what is in the list alone." : "Send each of them as a separate message.",
  });
}

function textProblem(text: string, dialects: readonly Dialect[]): Problem | null {
  if (messageIn(text, dialects) === null) return null;
  return makeProblem("not-an-object", "$", "The message is put into a JSON string more than once.", {
    expected: "the object itself",
    received: "a string in a string",
    hint: "Send the object as it is, without turning it into a string first.",
  });
}

function wrapperProblem(
  value: JsonObject,
  dialects: readonly Dialect[],
  steps: readonly string[] = [],
): Problem | null {
  for (const key of keysOf(value)) {
    const held = value[key] ?? null;
    const inner = messageIn(held, dialects);
    if (inner === null) {
      const deeper = isJsonObject(held) && steps.length < lookedDepthMax;
      const found = deeper ? wrapperProblem(held, dialects, [...steps, key]) : null;
      if (found !== null) return found;
      continue;
    }
    const where = jsonPath([...steps, key]);
    return makeProblem("missing-field", "$.type", `The message does not say its type; the one at ${where} does.`, {
      expected: "the message alone",
      received: `an object around ${inner}`,
      hint: `Send what is at ${where} alone; name receivers and ids next to the message, not around it.`,
    });
  }
  return null;
}

/** `{"dev_progress": {...}}`, which says its type as a key. */
function typeKeyProblem(value: JsonObject, dialects: readonly Dialect[]): Problem | null {
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0 || !isJsonObject(value[key]) || !isKnown(key, dialects)) return null;
  return makeProblem("missing-field", "$.type", "The message does not say its type; its one key is a type.", {
    expected: "the type next to the fields",
    received: JSON.stringify(key),
    hint: `Write {"type": "${key}", ...} with the fields next to it.`,
  });
}

const sectionNames = ["metadata", "context", "instructions", "dependencies"];

/** The sections of a handoff document without the key above them. */
function sectionsProblem(value: JsonObject, dialects: readonly Dialect[]): Problem | null {
  const isDocument = sectionNames.every((name) => isJsonObject(value[name]));
  if (!isDocument || dialects.every(({ form }) => form !== "document")) return null;
  return makeProblem(
    "missing-field",
    `$.${documentKey}`,
    `These are the sections of a ${documentKey}, without its key.`,
    {
      expected: `everything under the one key ${documentKey}`,
      received: "the sections alone",
      hint: `Put them into an object under "${documentKey}".`,
    },
  );
}

/** What a value is, where it is a message, or a string of one: `a message of type dev_progress`. Null: it is none. */
function messageIn(value: Json, dialects: readonly Dialect[]): string | null {
  const held = typeof value === "string" ? objectIn(value) : value;
  if (!isJsonObject(held)) return null;
  if (typeof held.type === "string" && isKnown(held.type, dialects)) return `a message of type ${held.type}`;
  if (carriesEnvelopeMark(held)) return "a message in an envelope";
  return isJsonObject(held[documentKey]) ? `a ${documentKey} document` : null;
}

/** The object that an input holds as JSON, or as a JSON string of it; null: it holds none. */
function objectIn(text: string): Json {
  let value: Json = text;
  for (let layer = 0; layer < stringLayersMax && typeof value === "string"; layer++) {
    const first = value.trimStart().charAt(0);
    const parsed: ReturnType<typeof parseBounded> | null =
      first === "{" || first === '"' ? parseBounded(value, messageJsonLimits) : null;
    value = parsed?.ok === true ? parsed.value : null;
  }
  return value;
}

function keysOf(value: JsonObject): readonly string[] {
  const keys: string[] = [];
  for (const key in value) {
    keys.push(key);
    if (keys.length === lookedIntoMax) break;
  }
  return keys;
}

function isKnown(type: string, dialects: readonly Dialect[]): boolean {
  return dialects.some(({ form, definitions }) => form !== "document" && definitions.has(type));
}

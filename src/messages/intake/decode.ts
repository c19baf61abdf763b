/**
 * From bytes to candidates: limits first, then what the text could be. The whole text as JSON; one JSON object among
 * words, in a fence or not; a YAML handoff document; words. Nothing here knows a dialect.
 * Source: docs/protocol/messages.md, sections 13 and 17.
 */
import {
  decodeUtf8,
  isJsonObject,
  type Json,
  type JsonObject,
  messageJsonLimits,
  parseBounded,
} from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem, type ProblemCode, place } from "../../base/problem.ts";
import type { YamlParser } from "../../base/text-formats/yaml.ts";
import { findDocument } from "./document.ts";
import { stretchesOf } from "./markdown.ts";
import { type MailboxHead, mailboxEntry } from "./teammate-message.ts";

/**
 * An input after decoding and limits, with the one candidate to recognise, or an error that no reading can repair.
 * `mailbox` is set where the input came inside a mailbox entry; `text` is then the entry's.
 */
export type Decoded = { readonly mailbox?: MailboxHead } & Part;

type Part =
  /** The whole text is a JSON value, or a handoff document in YAML (`form`). */
  | { readonly as: "json"; readonly text: string; readonly value: Json; readonly form: "json" | "yaml" | "string" }
  /** Words around one JSON object or document that may be meant as the message, unless they call it an example. */
  | { readonly as: "quoted"; readonly text: string; readonly value: JsonObject; readonly isExample?: boolean }
  /** Words. `several`: how many objects among them look like messages; `broken`: the first that cannot be read. */
  | { readonly as: "prose"; readonly text: string; readonly several: number; readonly broken: BrokenObject | null }
  | { readonly as: "fault"; readonly text: string; readonly problem: Problem };

/** Whether an error is only that JSON does not parse: the text breaks no limit and could be delivered as words. */
export function isBrokenJson(decoded: Decoded): boolean {
  return decoded.as === "fault" && decoded.problem.code === "not-json" && wordsProblem(decoded.text) === null;
}

/** As `Decoded`, or a handoff document in YAML that waits for the library: `source` is its part of the text. */
export type Candidate =
  | Decoded
  | {
      readonly as: "document";
      readonly text: string;
      readonly source: string;
      readonly whole: boolean;
      readonly mailbox?: MailboxHead;
    };

/**
 * Decodes and finds the candidate: synchronously, except for a handoff document whose YAML reader must be loaded. Never
 * throws.
 */
export function decode(input: string | Uint8Array): Decoded | Promise<Decoded> {
  const candidate = findCandidate(input);
  return candidate.as === "document" ? settleLate(candidate) : candidate;
}

/** As `decode`, at once, with the YAML reader at hand. */
export function decodeWith(parse: YamlParser, input: string | Uint8Array): Decoded {
  const candidate = findCandidate(input);
  return candidate.as === "document" ? settle(candidate, parse) : candidate;
}

/** The candidate of an input, or its error. Total: never throws. */
export function findCandidate(input: string | Uint8Array): Candidate {
  const tooLarge = sizeProblem(input);
  if (tooLarge !== null) return { as: "fault", text: "", problem: tooLarge };
  const decoded = typeof input === "string" ? { ok: true as const, value: input } : decodeUtf8(input);
  if (!decoded.ok) return { as: "fault", text: "", problem: decoded.error };
  const candidate = candidateOf(decoded.value);
  const entry = candidate.as === "json" ? mailboxEntry(candidate.value) : null;
  if (entry === null) return candidate;
  const { from, text } = entry;
  return { ...candidateOf(text), mailbox: { from } };
}

function candidateOf(text: string): Candidate {
  return wholeJson(text) ?? amongWords(text);
}

const openBrace = 0x7b;

/** As far as a brace is looked for behind the bracket of a list. */
const bracesMax = 64;

/** The text as one JSON value, or broken JSON; null: it is neither, so it is words or a document. */
function wholeJson(text: string): Decoded | null {
  const start = text.charCodeAt(0) === openBrace ? 0 : text.length - text.trimStart().length;
  const first = text.charAt(start);
  const bracketed = first === "{" || first === "[";
  if (!bracketed && !/[-0-9"tfn]/.test(first)) return null;
  const parsed = parseBounded(text, messageJsonLimits);
  if (parsed.ok) return unwrapped(text, parsed.value);
  if (!bracketed || !isMeantAsJson(text, start, parsed.error.code)) return null;
  return { as: "fault", text, problem: severalMessages(text, start) ?? parsed.error };
}

/** A message that travels as a string of JSON is the message. */
function unwrapped(text: string, value: Json): Decoded {
  if (typeof value === "string" && value.trimStart().startsWith("{")) {
    const inner = parseBounded(value, messageJsonLimits);
    if (inner.ok && isJsonObject(inner.value)) return { as: "json", text, value: inner.value, form: "string" };
  }
  return { as: "json", text, value, form: "json" };
}

/**
 * Where broken JSON ends and words begin: the bracket opens an object, or a list of them, and what follows a whole
 * value is no word. `{note} done`, `["a" is short]` and `{"a":1} is the setting` are words; a whole list that only passes
 * a bound, as of depth, is none.
 */
function isMeantAsJson(text: string, start: number, problem: ProblemCode): boolean {
  const opens = text.charAt(start) === "{" ? opensLikeObject(text, start) : opensLikeListOfObjects(text, start);
  const place = matched(text, start, text.length);
  // Nobody begins words with a brace that the last of them closes, or none.
  const isBraced = /^(?:\[\s*)?\{/.test(text.slice(start, start + bracesMax));
  if (isBraced && (!place.closed || text.slice(place.end).trim() === "")) return true;
  if (!opens && problem === "not-json") return false;
  if (!place.closed) return opens;
  const rest = text.slice(place.end).trimStart();
  if (!opens) return rest === "";
  if (rest === "" || /^[{}[\],:"'/`]/.test(rest)) return true;
  return !parseBounded(text.slice(start, place.end), messageJsonLimits).ok;
}

/** The problem of messages written one after another, or null. */
function severalMessages(text: string, start: number): Problem | null {
  const first = matched(text, start, text.length);
  if (!first.closed || !text.slice(first.end).trimStart().startsWith("{")) return null;
  if (!parseBounded(text.slice(start, first.end), messageJsonLimits).ok) return null;
  return makeProblem("not-json", "$", "The text holds several JSON objects, one after another; a message is one.", {
    expected: "one JSON object",
    hint: "Send each as a separate message; `baton validate` takes one a line from a .jsonl file.",
  });
}

/** The candidate among words: a document, one object that looks like a message, or none. */
function amongWords(text: string): Candidate {
  const unfit = wordsProblem(text);
  if (unfit !== null) return { as: "fault", text, problem: unfit };
  const document = findDocument(text);
  if (document?.whole === true) return { as: "document", text, ...document };
  const quoted = text.includes("{") ? findQuoted(text, document) : { objects: [], broken: null };
  const [only, ...others] = quoted.objects;
  const several = quoted.objects.length + (document === null ? 0 : 1);
  if (document !== null && several === 1 && quoted.broken === null) return { as: "document", text, ...document };
  if (only !== undefined && others.length === 0 && several === 1 && quoted.broken === null) {
    return { as: "quoted", text, ...only };
  }
  return { as: "prose", text, several, broken: quoted.broken };
}

/** Few inputs are documents, so the others load no YAML reader. */
async function settleLate(candidate: Candidate & { as: "document" }): Promise<Decoded> {
  const { loadYamlParser } = await import("../../base/text-formats/yaml.ts");
  return settle(candidate, await loadYamlParser());
}

function settle(candidate: Candidate & { as: "document" }, parse: YamlParser): Decoded {
  const { text, source, whole, mailbox } = candidate;
  const around = mailbox === undefined ? {} : { mailbox };
  const parsed = parse(source, "handoff");
  if (!parsed.ok) return { ...around, as: "fault", text, problem: parsed.error };
  const { value } = parsed.value;
  if (!isJsonObject(value)) return { ...around, as: "prose", text, several: 0, broken: null };
  return whole ? { ...around, as: "json", text, value, form: "yaml" } : { ...around, as: "quoted", text, value };
}

/** Words have fewer bounds than JSON: they must be there, and be text that any store and any reader can hold. */
function wordsProblem(text: string): Problem | null {
  if (text.trim() === "") {
    return makeProblem("empty-message", "$", "The message is empty.", { hint: "Write a message, or pass its file." });
  }
  if (text.includes("\0")) {
    return makeProblem("nul-character", "$", "The text holds a NUL character.", { hint: "Remove it." });
  }
  if (text.isWellFormed()) return null;
  return makeProblem("lone-surrogate", "$", "The text holds half of a surrogate pair.", {
    hint: "Send the whole character or leave it out.",
  });
}

function sizeProblem(input: string | Uint8Array): Problem | null {
  // A UTF-16 unit takes at most three bytes of UTF-8, so most inputs need no count.
  if (typeof input === "string" && input.length * 3 <= messageBytesMax) return null;
  const bytes = typeof input === "string" ? new TextEncoder().encode(input).byteLength : input.byteLength;
  if (bytes <= messageBytesMax) return null;
  return makeProblem("too-large", "$", `The message has ${bytes} bytes; at most ${messageBytesMax} are taken.`, {
    expected: `at most ${messageBytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "Commit the long part as a file and name its path in the message.",
  });
}

/*
 * JSON objects among words: those that look like messages, and those that cannot be read. An object that does not look
 * like a message (a setting, a sample) is part of the words.
 * Source: docs/protocol/messages.md, sections 13 and 14.
 */

/** Something among words that opens like a JSON object and is none. */
interface BrokenObject {
  readonly text: string;
  readonly problem: Problem;
}

/** An object among words that may be meant as the message. */
export interface QuotedObject {
  readonly value: JsonObject;
  /** Whether the words right before it call it an example. */
  readonly isExample: boolean;
}

/** What was found among the words. At most two objects are distinguished: one may be the message, more are not. */
export interface Quoted {
  readonly objects: readonly QuotedObject[];
  /** The first that opens like an object, names a type or carries an envelope's mark, and is no JSON. */
  readonly broken: BrokenObject | null;
}

/** Looks through words and fences, but not within `except`. Time is linear in the text. */
function findQuoted(text: string, except: Stretch | null = null): Quoted {
  const objects: QuotedObject[] = [];
  let broken: BrokenObject | null = null;
  for (const { start, end } of stretchesOf(text).flatMap((stretch) => without(stretch, except))) {
    for (const found of objectsIn(text, start, end)) {
      const slice = text.slice(found.start, found.end);
      if (!mayBeMessage(slice)) continue;
      const parsed = parseBounded(slice, messageJsonLimits);
      if (parsed.ok && isJsonObject(parsed.value) && looksLikeMessage(parsed.value)) {
        objects.push({ value: parsed.value, isExample: isExample(text, found.start) });
      }
      if (!parsed.ok && broken === null) {
        const where = `The JSON object at ${place(text, found.start)} of the text`;
        const message = `${where} cannot be read: ${parsed.error.message}`;
        broken = { text: slice, problem: { ...parsed.error, message } };
      }
    }
  }
  return { objects, broken };
}

/** More words before an object are not looked at. */
const wordsBeforeMax = 80;
/** Words that introduce an example, with what may follow them. */
const introductions = [
  "example",
  "examples",
  "e.g",
  "for instance",
  "such as",
  "something like",
  "look like",
  "looks like",
];
const kinds = ["template", "templates", "sample", "samples", "schema", "format"];
const afterwards = [" is", " are", " would be"];

/** Whether the words right before `at`, a fence's mark between them or not, introduce an example. */
function isExample(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - wordsBeforeMax), at).trimEnd();
  const fence = Math.max(before.lastIndexOf("```"), before.lastIndexOf("~~~"));
  const isMark = fence >= 0 && !/[^\w`~]/.test(before.slice(fence));
  const words = withoutMarks(isMark ? before.slice(0, fence) : before).toLowerCase();
  const tail = afterwards.find((each) => words.endsWith(each)) ?? "";
  const said = words.slice(0, words.length - tail.length);
  return [...introductions, ...kinds].some((each) => {
    return said.endsWith(each) && !/[a-z]/.test(said.charAt(said.length - each.length - 1));
  });
}

/** The words without blanks and punctuation behind them. */
function withoutMarks(words: string): string {
  let end = words.length;
  while (end > 0 && " \t\r\n`~:,.;-*_\"'(".includes(words.charAt(end - 1))) end--;
  return words.slice(0, end);
}

/** A range of an input: `end` is exclusive. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The parts of a stretch before and behind another. */
function without({ start, end }: Stretch, except: Stretch | null): readonly Stretch[] {
  if (except === null || except.start >= end || except.end <= start) return [{ start, end }];
  return [
    { start, end: Math.max(start, except.start) },
    { start: Math.min(end, except.end), end },
  ];
}

/** Whether an object is meant as a message: it says its type, carries a mark of an envelope, or is a document. */
export function looksLikeMessage(value: JsonObject): boolean {
  if (typeof value.type === "string" || Object.hasOwn(value, "schema_version")) return true;
  return isJsonObject(value.handoff) || (Object.hasOwn(value, "author_role") && Object.hasOwn(value, "payload"));
}

/** The same for an input that may be broken: one of the words is in it. */
function mayBeMessage(slice: string): boolean {
  return (
    slice.includes("type") ||
    slice.includes("schema_version") ||
    slice.includes("author_role") ||
    slice.includes("handoff")
  );
}

/** Where something that opens like a JSON object is. `closed`: its brackets close within the bounds. */
export interface ObjectPlace {
  readonly start: number;
  /** Behind the closing bracket; of an open one the end of the bounds. */
  readonly end: number;
  readonly closed: boolean;
}

/** Every outermost place between `start` and `end` where something opens like a JSON object, in order. */
export function* objectsIn(text: string, start: number, end: number): Generator<ObjectPlace, void> {
  let at = start;
  for (;;) {
    at = text.indexOf("{", at);
    if (at < 0 || at >= end) return;
    if (!opensLikeObject(text, at)) {
      at++;
      continue;
    }
    const place = matched(text, at, end);
    yield place;
    at = place.end;
  }
}

const AFTER_BRACE =
  /\s*(?:["'\u201c-\u201f\u2018\u2019\u00ab\u00bb\uff02\uff07,:}]|\\(?:"|n\s*(?:"|\\))|[A-Za-z_$][\w$-]*\s*:|\/[/*]|$)/y;

/**
 * Whether the brace at `at` opens something that was meant as JSON: a key in any quotes, escaped too, a bare key with
 * its colon, a stray comma or colon, a comment, an end. `{note}` and `{{name}}` do not.
 */
export function opensLikeObject(text: string, at: number): boolean {
  AFTER_BRACE.lastIndex = at + 1;
  return AFTER_BRACE.test(text);
}

const AFTER_BRACKET = /[\s[]*\{/y;

/** Whether the bracket at `at` opens a list, however deep, whose first entry opens like an object. */
export function opensLikeListOfObjects(text: string, at: number): boolean {
  AFTER_BRACKET.lastIndex = at + 1;
  return AFTER_BRACKET.test(text) && opensLikeObject(text, AFTER_BRACKET.lastIndex - 1);
}

/** The bracket at `start` with everything up to the one that closes it. */
export function matched(text: string, start: number, end: number): ObjectPlace {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(text, at, end);
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return { start, end: at + 1, closed: true };
    }
  }
  return { start, end, closed: false };
}

/** The place of the quote that closes the string opened at `start`; a string also ends with its line. */
function stringEnd(text: string, start: number, end: number): number {
  for (let at = start + 1; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === NEWLINE) return at;
    if (unit === BACKSLASH) at++;
  }
  return end;
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

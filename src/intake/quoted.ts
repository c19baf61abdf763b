/**
 * JSON objects among words: those that look like messages, and those that cannot be read. An object that does not look
 * like a message (a setting, a sample) is part of the words.
 * Source: docs/protocol/reading.md, sections 7 and 8.
 */
import { isJsonObject, type JsonObject, messageJsonLimits, parseBounded } from "../base/json.ts";
import { place } from "../base/json-path.ts";
import type { Problem } from "../base/problem.ts";
import { stretchesOf } from "./fences.ts";
import { objectsIn } from "./objects.ts";

/** Something among words that opens like a JSON object and is none. */
export interface BrokenObject {
  readonly text: string;
  readonly problem: Problem;
}

/** An object among words that may be meant as the message. */
export interface QuotedObject {
  readonly value: JsonObject;
  /** Whether the words right before it call it an example. */
  readonly isExample: boolean;
}

/** What was found among the words. At most two objects are told apart: one may be the message, more are not. */
export interface Quoted {
  readonly objects: readonly QuotedObject[];
  /** The first that opens like an object, names a type or carries an envelope's mark, and is no JSON. */
  readonly broken: BrokenObject | null;
}

/** Looks through words and fences, but not within `except`. Time is linear in the text. */
export function findQuoted(text: string, except: Stretch | null = null): Quoted {
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

/** A stretch of a text: `end` is exclusive. */
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

/** The same of a text that may be broken: one of the words stands in it. */
function mayBeMessage(slice: string): boolean {
  return (
    slice.includes("type") ||
    slice.includes("schema_version") ||
    slice.includes("author_role") ||
    slice.includes("handoff")
  );
}

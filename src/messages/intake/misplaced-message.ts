/**
 * A misplaced message: under a key of another object, in a list, under its type instead of next to it, or a document
 * without its key. It does not count as a message, nor as prose: the misplaced message is reported, with its place.
 * Source: docs/protocol/messages.md, section 14.
 */
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  messageJsonLimits,
  parseBounded,
} from "../../base/json.ts";
import { jsonPath, makeProblem, type Problem } from "../../base/problem.ts";
import { type Dialect, documentKey } from "../dialects/dialect.ts";
import { carriesEnvelopeMark } from "../dialects/flat-form.ts";

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

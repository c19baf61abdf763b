/**
 * Reading a message of a second revision: one pass of the generated validator, the timestamps, the cross-field rules
 * and the unknown fields, then the neutral fact. What can be known beforehand is computed once per definition.
 * Source: semantics.md sections 1.4 to 1.6.
 */
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { problemsMax } from "../base/limits.ts";
import { inOrder, type Problem, problem } from "../base/problem.ts";
import type { Fact, Json } from "../message/facts.ts";
import type { Note } from "../message/message.ts";
import { missingField, problemsOf, shortened } from "../schema/fault.ts";
import { isTimestamp } from "../schema/timestamp.ts";
import type { Validator } from "../schema/validator.ts";
import type { Answer } from "./dialect.ts";
import { envelopeFields, extensionFields, type TypedDefinition, type TypedField } from "./typed-definition.ts";
import { rules } from "./typed-rules.ts";
import { type KnownFields, noteOf, problemOf, type UnknownField, unknownFields } from "./unknown-fields.ts";

/** A definition with what reading needs of it at hand. */
export interface Readable extends KnownFields {
  readonly definition: TypedDefinition;
  readonly validate: Validator;
  readonly timestamps: readonly TypedField[];
}

const noProblems: readonly Problem[] = [];
const noNotes: readonly Note[] = [];

/** Prepares a definition for reading. */
export function readable(definition: TypedDefinition, validate: Validator): Readable {
  return {
    definition,
    validate,
    payloadKeys: new Set(definition.fields.map((field) => field.name)),
    timestamps: definition.fields.filter((field) => field.isTimestamp === true),
    nested: definition.fields.flatMap((field) =>
      field.keys === undefined ? [] : [{ name: field.name, keys: new Set(field.keys) }],
    ),
  };
}

/**
 * Reads `value` by the definitions in `table`. `not-mine`: an object whose type is a text that no definition has;
 * everything else that does not fit is `invalid` with every problem. `strict` makes unknown fields problems.
 */
export function readTyped(table: ReadonlyMap<string, Readable>, value: Json, strict: boolean): Answer {
  if (!isJsonObject(value)) return { answer: "invalid", type: null, problems: [notAnObject(value)], notes: noNotes };
  const type = value.type;
  if (typeof type !== "string")
    return { answer: "invalid", type: null, problems: untyped(value, table), notes: noNotes };
  const entry = table.get(type);
  if (entry === undefined) return { answer: "not-mine" };
  const faults = entry.validate(value)
    ? noProblems
    : problemsOf(entry.validate.errors ?? [], value, entry.definition.example);
  const further = furtherFaults(entry, value);
  const strangers = unknownFields(entry, value);
  const isRefused = strict && strangers.length > 0;
  const notes = strict || strangers.length === 0 ? noNotes : strangers.slice(0, problemsMax).map(noteOf);
  if (faults.length === 0 && further.length === 0 && !isRefused) {
    // The validator has held the id to be a text.
    return { answer: "accepted", type, wireId: value.id as string, fact: factOf(entry, value, strangers), notes };
  }
  const unknown = isRefused ? strangers.map((stranger) => problemOf(stranger, entry)) : noProblems;
  return { answer: "invalid", type, problems: listed([...faults, ...further, ...unknown]), notes };
}

/** In their fixed order, no more than a reading may list; the last one then says how many were left out. */
function listed(problems: readonly Problem[]): readonly Problem[] {
  const ordered = inOrder(problems);
  const last = ordered[problemsMax - 1];
  if (ordered.length <= problemsMax || last === undefined) return ordered;
  const leftOut = `(${ordered.length - problemsMax} more faults are not listed.)`;
  return [...ordered.slice(0, problemsMax - 1), { ...last, message: `${last.message} ${leftOut}` }];
}

/** Whether the reader would accept `value` as a message of `entry`'s type; unknown fields do not count. */
export function isAccepted(entry: Readable, value: JsonObject): boolean {
  return entry.validate(value) && furtherFaults(entry, value).length === 0;
}

/** Faults that no validator sees: timestamps outside the calendar, and rules between fields. */
function furtherFaults(entry: Readable, value: JsonObject): readonly Problem[] {
  const found: Problem[] = [];
  if (isWrongTime(value.timestamp)) found.push(wrongTime("$.timestamp", value.timestamp));
  const payload = value.payload;
  if (!isJsonObject(payload)) return found;
  for (const field of entry.timestamps) {
    const time = payload[field.name];
    if (isWrongTime(time)) found.push(wrongTime(`$.payload.${field.name}`, time));
  }
  for (const rule of entry.definition.rules) {
    const fault = rules[rule].check(payload);
    if (fault !== null) found.push(fault);
  }
  return found;
}

function isWrongTime(time: Json | undefined): boolean {
  return typeof time === "string" && !isTimestamp(time);
}

function wrongTime(path: string, time: Json | undefined): Problem {
  return problem("wrong-format", path, `${path} must be an RFC 3339 date-time or a full date of the calendar.`, {
    expected: "an RFC 3339 date-time or full date",
    received: shortened(time),
    hint: "for example 2026-03-04T10:00:00Z or 2026-03-04",
  });
}

function factOf(entry: Readable, value: JsonObject, strangers: readonly UnknownField[]): Fact {
  const { definition } = entry;
  const payload = value.payload as JsonObject; // The validator has held it to be one.
  const body: { [field: string]: Json } = {};
  for (const field of definition.fields) {
    const given = payload[field.name];
    if (given !== undefined) body[field.neutral] = given;
  }
  const fact = {
    kind: definition.kind,
    head: {
      phase: value.phase as number,
      task: value.task as string,
      authorRole: value.author_role as string,
      timestamp: value.timestamp as string,
      confidence: value.confidence as string,
    },
    body,
  };
  const extra = extraOf(value, payload, strangers);
  // The validator has checked the body against the definition whose neutral names the kind's body has.
  return (extra === null ? fact : { ...fact, extra }) as Fact;
}

/** What the wire carried beyond its definition: unknown fields, and the extension fields that Baton writes. */
function extraOf(value: JsonObject, payload: JsonObject, strangers: readonly UnknownField[]): Fact["extra"] | null {
  const beside = extensionFields.filter((key) => value[key] !== undefined);
  if (strangers.length === 0 && beside.length === 0) return null;
  const envelope: { [key: string]: Json } = {};
  const inPayload: { [key: string]: Json } = {};
  for (const key of beside) envelope[key] = value[key] ?? null;
  for (const [place = "", key, ...deeper] of strangers) {
    if (key === undefined) envelope[place] = value[place] ?? null;
    // Deeper ones stay where they are: inside the value of a field that the body carries as written.
    else if (deeper.length === 0) inPayload[key] = payload[key] ?? null;
  }
  return {
    ...(Object.keys(envelope).length === 0 ? {} : { envelope }),
    ...(Object.keys(inPayload).length === 0 ? {} : { payload: inPayload }),
  };
}

function notAnObject(value: Json): Problem {
  return problem("not-an-object", "$", "A message is a JSON object.", {
    expected: "an object",
    received: shortened(value),
  });
}

/** Problems of an object without a usable type: that, and every other field of the envelope that is not there. */
function untyped(value: JsonObject, table: ReadonlyMap<string, Readable>): readonly Problem[] {
  const first = table.values().next().value;
  const example = first?.definition.example ?? {};
  const types = [...table.keys()];
  const missing = envelopeFields.filter((field) => field !== "type" && !Object.hasOwn(value, field));
  const typeProblem = Object.hasOwn(value, "type")
    ? problem("wrong-type", "$.type", "$.type must be a text.", {
        expected: types.join(" | "),
        received: shortened(value.type),
        hint: "write one of the types",
      })
    : problem("missing-field", "$.type", "The field type is missing.", {
        expected: types.join(" | "),
        received: "nothing",
        hint: `say what kind of message it is, for example "type": "${types[0] ?? ""}"`,
      });
  return inOrder([typeProblem, ...missing.map((field) => missingField(`$.${field}`, [field], value, example))]);
}

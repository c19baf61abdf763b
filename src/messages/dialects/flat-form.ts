/**
 * The form of a message of a first revision: how it differs from a typed one, where its fields are, and by which names
 * it may say what a typed one's envelope says.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import type { Fact, FactHead, Json } from "../facts.ts";
import type { Note } from "../message.ts";
import { type Answer, extensionFields, type GivenHead } from "./dialect.ts";
import type { UnknownField } from "./fields/unknown-fields.ts";
import {
  addAssumed,
  addKept,
  type Extra,
  extraOf,
  type Fields,
  heedingKept,
  type Placing,
  readBody,
  takeKept,
  withExtra,
  written,
} from "./neutral-body.ts";
import { type Findings, invalid, isFit, judge, type Readable, whenAsked } from "./readable.ts";

/**
 * The mark of a typed envelope: `schema_version`, or `author_role` together with a payload; also where the whole of it was
 * put into the payload. A value that has it is typed or invalid, and never read as something lower.
 */
export function carriesEnvelopeMark(value: JsonObject): boolean {
  // No value of JSON is undefined, and reading a field costs less than asking for it.
  if (value.schema_version !== undefined) return true;
  const { payload } = value;
  if (payload === undefined) return false;
  return value.author_role !== undefined || (isJsonObject(payload) && payload.schema_version !== undefined);
}

/** A message whose fields were in `payload`, as a flat one. */
interface Flattened {
  readonly message: JsonObject;
  /** A problem of the flat message, with the path of the field as it was sent. */
  placed<Told extends Problem | Note>(told: Told): Told;
}

/** A message whose fields are in `payload` as a flat one; null: it is flat already. */
function flattened(entry: Readable, message: JsonObject): Flattened | null {
  const { payload } = message;
  return isJsonObject(payload) && !entry.names.has("payload") ? unfolded(message, payload) : null;
}

/** `message` with the fields of its `payload` in addition to the others. */
function unfolded(message: JsonObject, payload: JsonObject): Flattened | null {
  const { payload: _, ...around } = message;
  // A name that is in both places is ambiguous: the one outside stays an unknown field called `payload`.
  if (Object.keys(payload).some((key) => Object.hasOwn(around, key))) return null;
  const placed = <Told extends Problem | Note>(told: Told): Told => {
    const [, field = ""] = /^\$\.([A-Za-z0-9_]+)/.exec(told.path) ?? [];
    if (told.path === "$" || Object.hasOwn(around, field)) return told;
    const path = `$.payload${told.path.slice(1)}`;
    const { hint } = told as Partial<Problem>; // Notes have none.
    const words = { path, message: told.message.replaceAll(told.path, path) };
    return { ...told, ...words, ...(hint === undefined ? {} : { hint: hint.replaceAll(told.path, path) }) };
  };
  return { message: { ...around, ...payload }, placed };
}

/** Fields of the head by their wire names. */
export const headFields = {
  phase: "phase",
  task: "task",
  author_role: "authorRole",
  timestamp: "timestamp",
  confidence: "confidence",
} as const satisfies { readonly [name: string]: keyof FactHead };

export type HeadName = keyof typeof headFields;

/** The names of the head's fields on the wire of a first revision. */
const headNames = Object.keys(headFields) as readonly HeadName[];

/** The head's value under a wire name. */
function headValue(head: FactHead, name: HeadName): string | number | null {
  return head[headFields[name]];
}

/** The head of a message that says nothing of it. */
const noHead: FactHead = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };

/** What a flat message says of its head; a value of another type is none of the head's. */
function headOf(value: JsonObject): FactHead {
  const { phase, task, author_role: authorRole, timestamp, confidence } = value;
  return {
    phase: typeof phase === "number" ? phase : textOf(phase),
    task: textOf(task),
    authorRole: textOf(authorRole),
    timestamp: textOf(timestamp),
    confidence: textOf(confidence),
  };
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** Whether a value under the head's name is taken as the head's. */
function isHeadValue(name: HeadName, value: Json | undefined): value is string | number {
  return typeof value === "string" || (name === "phase" && typeof value === "number");
}

/*
 * Writing a fact as a message of a first revision: `type`, the definition's fields in order, then what else the fact
 * says, its head included, so that nothing is lost between two revisions. Source: docs/protocol/messages.md,
 * section 19.
 */

/** The wire value of `fact` by `entry`'s definition, or null where it cannot be said. It carries no id. */
export function writeFlat(entry: Readable, fact: Fact, given: GivenHead): Json | null {
  const around: Fields = { ...fact.extra?.envelope };
  const head: Fields = {};
  for (const name of headNames) {
    // What the second revision could not say of the head as it was written comes back as it was written.
    const value = around[name] ?? headValue(fact.head, name);
    delete around[name];
    if (value !== null) head[name] = value;
  }
  const { fields, assumed, kept } = written(entry, fact, given, placingOf(head));
  const wire: Fields = { type: entry.definition.type, ...fields };
  const keptAround: Fields = {};
  for (const [name, value] of Object.entries(head)) if (wire[name] !== value) keptAround[name] = value;
  for (const [key, value] of Object.entries(around)) {
    if (extensionFields.includes(key)) wire[key] = value;
    else keptAround[key] = value;
  }
  addAssumed(wire, assumed);
  addKept(wire, keptAround, kept);
  return isFit(entry, wire) ? wire : null;
}

/** Names that would make a flat message something else. */
const reserved: ReadonlySet<string> = new Set(["type", "schema_version", ...extensionFields]);

/** Everything is in one object here: an extra field must not look like one of the head's or of the message's form. */
function placingOf(head: Fields): Placing {
  return {
    head,
    isFree(name, value, fields) {
      if (Object.hasOwn(fields, name) || reserved.has(name)) return false;
      if (name === "payload") return isHarmless(value, head, fields);
      const own = headNames.find((each) => each === name);
      return own === undefined || !isHeadValue(own, value);
    },
  };
}

/** A field called `payload` is read as one only where it cannot be the message's own. */
function isHarmless(value: Json, head: Fields, fields: Fields): boolean {
  if (Object.hasOwn(head, "author_role")) return false;
  return !isJsonObject(value) || Object.keys(value).some((key) => key === "type" || Object.hasOwn(fields, key));
}

/*
 * Reading a message of a first revision: fields next to `type`, or within `payload` next to it. It has no envelope; if
 * a field still says phase, task, role, time or confidence, the fact's head has it. Source: docs/protocol/messages.md,
 * section 14.
 */
type Table = ReadonlyMap<string, Readable>;

/**
 * Reads `value` by the definitions in `table`. `not-mine`: no object, one without a type of these, or one with the
 * mark of a typed envelope. `strict` makes unknown fields problems.
 */
export function readFlat(table: Table, value: Json, strict: boolean): Answer {
  const entry = entryFor(table, value);
  if (entry === null) return { answer: "not-mine" };
  const { type } = entry.definition;
  const flat = flattened(entry, value as JsonObject); // Only objects have an entry.
  const message = flat?.message ?? (value as JsonObject);
  const judged = judge(entry, message, strict);
  if (!judged.isFit) return invalid(type, flat === null ? judged : findingsOf(flat, judged));
  const { id } = message;
  const { strangers, notes } = judged;
  const fact =
    strangers === null || message.kept === undefined
      ? factOf(entry, message, strangers, false)
      : keptFactOf(entry, message, strangers);
  return {
    answer: "accepted",
    type,
    wireId: typeof id === "string" && id !== "" ? id : null,
    fact,
    notes: flat === null ? notes : notes.map(flat.placed),
  };
}

/** Problems of a flattened message, with the paths of the fields as they were sent. */
function findingsOf(flat: Flattened, told: Findings): Findings {
  return whenAsked(() => ({ problems: told.problems.map(flat.placed), notes: told.notes.map(flat.placed) }));
}

/** The fact of a message with a field `kept`. */
function keptFactOf(entry: Readable, message: JsonObject, strangers: readonly UnknownField[]): Fact {
  return heedingKept(
    message,
    (takesKept) => factOf(entry, message, strangers, takesKept),
    (said) => writeFlat(entry, said, { authorRole: "", timestamp: "" }),
  );
}

/** Whether `readFlat` without `strict` would accept the value. */
export function acceptsFlat(table: Table, value: Json): boolean {
  const entry = entryFor(table, value);
  if (entry === null) return false;
  const message = value as JsonObject; // Only objects have an entry.
  return isFit(entry, flattened(entry, message)?.message ?? message);
}

function entryFor(table: Table, value: Json): Readable | null {
  if (!isJsonObject(value) || typeof value.type !== "string" || carriesEnvelopeMark(value)) return null;
  return table.get(value.type) ?? null;
}

function factOf(
  entry: Readable,
  value: JsonObject,
  strangers: readonly UnknownField[] | null,
  takesKept: boolean,
): Fact {
  const extra = extraOf(entry, value, value, strangers);
  if (extra !== null) return factBeside(entry, value, extra, takesKept);
  // Without strangers only a field of the definition's own can say what the head has.
  const head = strangers === null && !entry.hasOwnHead ? noHead : headOf(value);
  return { kind: entry.definition.kind, head, body: readBody(entry, value, null, null) };
}

/** The fact of a message that says more than its definition knows. */
function factBeside(entry: Readable, value: JsonObject, extra: Extra, takesKept: boolean): Fact {
  const kept = takesKept ? takeKept(extra) : null;
  // A field of the definition may be called as the head's is; then what the head says is kept.
  const own = Object.entries(kept?.envelope ?? {}).filter(([name]) => isOwnHead(entry, name));
  const head = headOf({ ...value, ...Object.fromEntries(own) });
  for (const name of headNames) if (isHeadValue(name, value[name])) delete extra.payload[name];
  const body = readBody(entry, value, extra, kept?.payload ?? null);
  for (const [name, one] of Object.entries(kept?.envelope ?? {})) {
    if (!isOwnHead(entry, name)) extra.envelope[name] = one;
  }
  return withExtra({ kind: entry.definition.kind, head, body }, extra);
}

function isOwnHead(entry: Readable, name: string): boolean {
  return entry.names.has(name) && headNames.some((each) => each === name);
}

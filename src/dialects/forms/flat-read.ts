/**
 * Reading a message of a first revision: fields beside `type`, or within `payload` beside it. It has no envelope;
 * where a field says phase, task, role, time or confidence all the same, the fact's head has it.
 * Source: docs/protocol/reading.md, section 8.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Fact, Json } from "../../message/facts.ts";
import type { Answer } from "../dialect.ts";
import type { UnknownField } from "../fields/unknown-fields.ts";
import { type Extra, extraOf, heedingKept, readBody, takeKept, withExtra } from "../neutral-body.ts";
import { invalid, isFit, judge, type Readable, type Told, whenAsked } from "../readable.ts";
import { carriesEnvelopeMark, type Flattened, flattened, headNames, headOf, isHeadValue, noHead } from "./flat-form.ts";
import { writeFlat } from "./flat-write.ts";

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
  if (!judged.isFit) return invalid(type, flat === null ? judged : toldOf(flat, judged));
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

/** What is told of a flattened message, with the paths of the fields as they were sent. */
function toldOf(flat: Flattened, told: Told): Told {
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

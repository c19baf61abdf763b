/**
 * Reading a message of a first revision: fields beside `type`, or within `payload` beside it. It has no envelope;
 * where a field says phase, task, role, time or confidence all the same, the fact's head has it.
 * Source: semantics.md section 1.2 and 1.3.
 */
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { Fact, Json } from "../message/facts.ts";
import type { Answer } from "./dialect.ts";
import { carriesEnvelopeMark, flattened, headNames, headOf, isHeadValue, noHead } from "./flat-form.ts";
import { writeFlat } from "./flat-write.ts";
import { extraOf, heedingKept, readBody, takeKept, withExtra } from "./neutral-body.ts";
import { invalid, isFit, judge, type Readable, whenAsked } from "./readable.ts";
import type { UnknownField } from "./unknown-fields.ts";

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
  if (!judged.isFit) {
    if (flat === null) return invalid(type, judged);
    const placed = () => ({ problems: judged.problems.map(flat.placed), notes: judged.notes.map(flat.placed) });
    return invalid(type, whenAsked(placed));
  }
  const { id } = message;
  const { strangers, notes } = judged;
  const fact =
    strangers === null || message.kept === undefined
      ? factOf(entry, message, strangers, false)
      : heedingKept(
          message,
          (takesKept) => factOf(entry, message, strangers, takesKept),
          (said) => writeFlat(entry, said, { authorRole: "", timestamp: "" }),
        );
  return {
    answer: "accepted",
    type,
    wireId: typeof id === "string" && id !== "" ? id : null,
    fact,
    notes: flat === null ? notes : notes.map(flat.placed),
  };
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
  const { kind } = entry.definition;
  const extra = extraOf(entry, value, value, strangers);
  if (extra === null) {
    // Without strangers only a field of the definition's own can say what the head has.
    const head = strangers === null && !entry.hasOwnHead ? noHead : headOf(value);
    return { kind, head, body: readBody(entry, value, null, null) };
  }
  const kept = takesKept ? takeKept(extra) : null;
  // A field of the definition may be called as the head's is; then what the head says is kept.
  const own = Object.entries(kept?.envelope ?? {}).filter(([name]) => isOwnHead(entry, name));
  const head = headOf({ ...value, ...Object.fromEntries(own) });
  for (const name of headNames) if (isHeadValue(name, value[name])) delete extra.payload[name];
  const body = readBody(entry, value, extra, kept?.payload ?? null);
  for (const [name, one] of Object.entries(kept?.envelope ?? {})) {
    if (!isOwnHead(entry, name)) extra.envelope[name] = one;
  }
  return withExtra({ kind, head, body }, extra);
}

function isOwnHead(entry: Readable, name: string): boolean {
  return entry.names.has(name) && headNames.some((each) => each === name);
}

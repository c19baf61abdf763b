/**
 * Writing a fact as a message of a second revision: canonical key order, every field of the fact, whatever the wire
 * carried beyond its definition. What the target demands and the fact lacks comes from the connection, or from the
 * fact itself, and is named in the extra field `assumed`. Source: docs/protocol/messages.md, section 19.
 */

import { isJsonList, isJsonObject, type JsonObject } from "../../base/json.ts";
import { inOrder, makeProblem, type Problem } from "../../base/problem.ts";
import { shortened } from "../../base/schema/hint.ts";
import { isTimestamp } from "../../base/schema/timestamp.ts";
import { missingField } from "../../base/schema/validator-problems.ts";
import type { Fact, Json } from "../facts.ts";
import { type Answer, envelopeFields, type GivenHead, schemaVersion } from "./dialect.ts";
import type { UnknownField } from "./fields/unknown-fields.ts";
import {
  addAssumed,
  addKept,
  anywhereFree,
  extraOf,
  type Fields,
  heedingKept,
  readBody,
  takeKept,
  withExtra,
  written,
} from "./neutral-body.ts";
import { invalid, isFit, judge, type Readable, whenAsked } from "./readable.ts";

/** What of the envelope differs between dialects. */
interface Envelope {
  readonly authorRoles: readonly string[];
}

/**
 * The wire value of `fact` by `entry`'s definition, or null where it cannot be said: a required field of the payload
 * is lacking or has a value the target does not allow. What is written is always accepted by the same dialect's reader.
 */
export function writeTyped(entry: Readable, fact: Fact, id: string, given: GivenHead, envelope: Envelope): Json | null {
  const assumed: string[] = [];
  const keptAround: Fields = {};
  /** The fact's own word where the envelope can say it; else a placeholder, and the fact's word is kept. */
  const say = (field: string, own: Json, usable: Json | null, standIn: () => Json): Json => {
    if (usable !== null && own === usable) return usable;
    if (own !== null) keptAround[field] = own;
    if (usable !== null) return usable;
    assumed.push(field);
    return standIn();
  };
  const body: { readonly [field: string]: Json } = fact.body;
  const { head } = fact;
  const { phase, task, authorRole, timestamp, confidence } = head;
  const around: Fields = {
    id,
    type: entry.definition.type,
    phase: say("phase", phase, phaseOf(phase), () => firstNumberIn(body.planId)),
    task: say("task", task, task, () => (typeof body.taskId === "string" ? body.taskId : "")),
    author_role: say("author_role", authorRole, authorRole === null ? null : roleFor(authorRole, envelope), () =>
      roleFor(given.authorRole, envelope),
    ),
    timestamp: say(
      "timestamp",
      timestamp,
      timestamp !== null && isTimestamp(timestamp) ? timestamp : null,
      () => given.timestamp,
    ),
    schema_version: schemaVersion,
    confidence: say("confidence", confidence, isConfidence(confidence) ? confidence : null, () => "low"),
  };
  const payload = written(entry, fact, given, anywhereFree);
  const wire: Fields = { ...around, payload: payload.fields };
  for (const [key, value] of Object.entries(fact.extra?.envelope ?? {})) {
    if (Object.hasOwn(wire, key)) keptAround[key] = value;
    else wire[key] = value;
  }
  addAssumed(wire, [...assumed, ...payload.assumed]);
  addKept(wire, keptAround, payload.kept);
  return isFit(entry, wire) ? wire : null;
}

/** Roles of the first revisions that the second ones call otherwise. */
const laterRoles: ReadonlyMap<string, string> = new Map([
  ["qa-lead", "qa"],
  ["qa-code", "qa"],
]);

/** The sender's role as the envelope can name it; one that it cannot name is left, and nothing is written. */
function roleFor(role: string, { authorRoles }: Envelope): string {
  const later = laterRoles.get(role);
  return !authorRoles.includes(role) && later !== undefined ? later : role;
}

function isConfidence(word: string | null): boolean {
  return word === "high" || word === "medium" || word === "low";
}

/** A phase as a whole number: `3`, `"03"`. */
function phaseOf(phase: number | string | null): number | null {
  if (typeof phase !== "string") return phase !== null && Number.isInteger(phase) && phase >= 0 ? phase : null;
  return /^[0-9]{1,9}$/.test(phase) ? Number(phase) : null;
}

/** The first number in a plan's id, which names its phase: 3 in `03-01` and in `phase-3-plan-1`; 0 where there is none. */
function firstNumberIn(planId: Json | undefined): number {
  const digits = typeof planId === "string" ? /[0-9]{1,9}/.exec(planId)?.[0] : undefined;
  return digits === undefined ? 0 : Number(digits);
}

/* Reading a message of a second revision: the envelope and the payload, then the neutral fact. */

/** For a message that says everything itself. */
const nobody: GivenHead = { authorRole: "", timestamp: "" };

type Table = ReadonlyMap<string, Readable>;

/**
 * Reads `value` by the definitions in `table`. `not-mine`: an object whose type is a string that no definition has;
 * everything else that does not fit is `invalid` with every problem. `strict` makes unknown fields problems.
 */
export function readTyped(table: Table, value: Json, strict: boolean, envelope: Envelope): Answer {
  if (!isJsonObject(value)) return { answer: "invalid", type: null, problems: [notAnObject(value)], notes: [] };
  const type = value.type;
  if (typeof type !== "string") return withoutType(value, table);
  const entry = table.get(type);
  if (entry === undefined) return { answer: "not-mine" };
  const judged = judge(entry, value, strict);
  if (!judged.isFit) return invalid(type, judged);
  const { strangers } = judged;
  const fact =
    strangers === null || value.kept === undefined
      ? factOf(entry, value, strangers, false)
      : keptFactOf(entry, value, strangers, envelope);
  // The validator has checked that the id is a string.
  return { answer: "accepted", type, wireId: value.id as string, fact, notes: judged.notes };
}

function withoutType(value: JsonObject, table: Table): Answer {
  return invalid(
    null,
    whenAsked(() => ({ problems: untyped(value, table), notes: [] })),
  );
}

/** The fact of a message with a field `kept`. */
function keptFactOf(entry: Readable, value: JsonObject, strangers: readonly UnknownField[], envelope: Envelope): Fact {
  const wireId = value.id as string; // The validator has checked that it is a string.
  return heedingKept(
    value,
    (takesKept) => factOf(entry, value, strangers, takesKept),
    (said) => writeTyped(entry, said, wireId, nobody, envelope),
  );
}

function factOf(
  entry: Readable,
  value: JsonObject,
  strangers: readonly UnknownField[] | null,
  takesKept: boolean,
): Fact {
  const payload = value.payload as JsonObject; // The validator has held it to be one.
  const extra = extraOf(entry, value, payload, strangers);
  const kept = extra === null || !takesKept ? null : takeKept(extra);
  const { kind } = entry.definition;
  const body = readBody(entry, payload, extra, kept?.payload ?? null);
  if (extra !== null && kept !== null) Object.assign(extra.envelope, kept.envelope);
  const fact = {
    kind,
    head: {
      // What was filled in for want of a phase names none.
      phase:
        value.phase === 0 && isJsonList(value.assumed) && value.assumed.includes("phase")
          ? null
          : (value.phase as number),
      task: value.task as string,
      authorRole: value.author_role as string,
      timestamp: value.timestamp as string,
      confidence: value.confidence as string,
    },
    body,
  };
  return withExtra(fact, extra);
}

function notAnObject(value: Json): Problem {
  return makeProblem("not-an-object", "$", "A message is a JSON object.", {
    expected: "an object",
    received: shortened(value),
  });
}

/** Problems of an object without a usable type: that, and every other field of the envelope that is not there. */
function untyped(value: JsonObject, table: Table): readonly Problem[] {
  const first = table.values().next().value;
  const example = first?.definition.example ?? {};
  const types = [...table.keys()];
  const missing = envelopeFields.filter((field) => field !== "type" && !Object.hasOwn(value, field));
  const typeProblem = Object.hasOwn(value, "type")
    ? makeProblem("wrong-type", "$.type", "$.type must be a string.", {
        expected: types.join(" | "),
        received: shortened(value.type),
        hint: "write one of the types",
      })
    : makeProblem("missing-field", "$.type", "The field type is missing.", {
        expected: types.join(" | "),
        received: "nothing",
        hint: `say what kind of message it is, for example "type": "${types[0] ?? ""}"`,
      });
  return inOrder([typeProblem, ...missing.map((field) => missingField(`$.${field}`, [field], value, example))]);
}

/**
 * Writing a fact as a message of a second revision: canonical key order, every field of the fact, whatever the wire
 * carried beyond its definition. What the target demands and the fact lacks comes from the connection, or from the
 * fact itself, and is named in the extra field `assumed`. Source: semantics.md section 3, Translation.
 */
import type { Fact, Json } from "../message/facts.ts";
import type { GivenHead } from "./dialect.ts";
import { schemaVersion } from "./typed-definition.ts";
import { isAccepted, type Readable } from "./typed-read.ts";

type Fields = { [key: string]: Json };

/**
 * The wire value of `fact` by `entry`'s definition, or null where it cannot be said: a required field of the payload
 * is lacking or has a value the target does not allow. What is written is always accepted by the same dialect's reader.
 */
export function writeTyped(entry: Readable, fact: Fact, id: string, given: GivenHead): Json | null {
  const assumed: string[] = [];
  const assume = <Value>(field: string, value: Value): Value => {
    assumed.push(field);
    return value;
  };
  const body: { readonly [field: string]: Json } = fact.body;
  const { head } = fact;
  const wire: Fields = {
    id,
    type: entry.definition.type,
    phase: phaseOf(head.phase) ?? assume("phase", phaseOfPlan(body.planId)),
    task: taskOf(entry, head.task) ?? assume("task", typeof body.taskId === "string" ? body.taskId : "0-0"),
    author_role: head.authorRole ?? assume("author_role", given.authorRole),
    timestamp: head.timestamp ?? assume("timestamp", given.timestamp),
    schema_version: schemaVersion,
    confidence: head.confidence ?? assume("confidence", "low"),
    payload: payloadOf(entry, body, fact.extra?.payload),
  };
  for (const [key, value] of Object.entries(fact.extra?.envelope ?? {})) {
    if (!Object.hasOwn(wire, key)) wire[key] = value;
  }
  if (assumed.length > 0) wire.assumed = assumed;
  return isAccepted(entry, wire) ? wire : null;
}

/** The definition's fields in its order, then further fields of the fact in wire spelling, then kept unknown ones. */
function payloadOf(
  entry: Readable,
  body: { readonly [field: string]: Json },
  extra: { readonly [key: string]: Json } = {},
): Fields {
  const payload: Fields = {};
  const written = new Set<string>();
  for (const field of entry.definition.fields) {
    const value = body[field.neutral];
    written.add(field.neutral);
    if (value !== undefined) payload[field.name] = value;
  }
  for (const [neutral, value] of Object.entries(body)) {
    if (!written.has(neutral)) payload[wireName(neutral)] = value;
  }
  for (const [key, value] of Object.entries(extra)) {
    if (!Object.hasOwn(payload, key)) payload[key] = value;
  }
  return payload;
}

/** The snake case of a neutral name: what a field is called on the wire where the definition does not know it. */
function wireName(neutral: string): string {
  return neutral.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A phase as a whole number: `3`, `"03"`. */
function phaseOf(phase: number | string | null): number | null {
  if (typeof phase !== "string") return phase;
  return /^[0-9]{1,9}$/.test(phase) ? Number(phase) : null;
}

/** The first number in a plan's id, which names its phase: 3 in `03-01` and in `phase-3-plan-1`; 0 where there is none. */
function phaseOfPlan(planId: Json | undefined): number {
  const digits = typeof planId === "string" ? /[0-9]{1,9}/.exec(planId)?.[0] : undefined;
  return digits === undefined ? 0 : Number(digits);
}

function taskOf(entry: Readable, task: string | null): string | null {
  if (task === "" && !entry.definition.taskMayBeEmpty) return null;
  return task ?? (entry.definition.taskMayBeEmpty ? "" : null);
}

/**
 * Writing a fact as a message of a second revision: canonical key order, every field of the fact, whatever the wire
 * carried beyond its definition. What the target demands and the fact lacks comes from the connection, or from the
 * fact itself, and is named in the extra field `assumed`. Source: docs/protocol/translation.md.
 */
import type { Fact, Json } from "../../message/facts.ts";
import { isTimestamp } from "../../schema/timestamp.ts";
import { schemaVersion } from "../definition.ts";
import type { GivenHead } from "../dialect.ts";
import { addAssumed, addKept, anywhereFree, type Fields, written } from "../neutral-body.ts";
import { isFit, type Readable } from "../readable.ts";

/** What of the envelope differs between dialects. */
export interface Envelope {
  readonly authorRoles: readonly string[];
}

/**
 * The wire value of `fact` by `entry`'s definition, or null where it cannot be said: a required field of the payload
 * is lacking or has a value the target does not allow. What is written is always accepted by the same dialect's reader.
 */
export function writeTyped(entry: Readable, fact: Fact, id: string, given: GivenHead, envelope: Envelope): Json | null {
  const assumed: string[] = [];
  const keptAround: Fields = {};
  /** The fact's own word where the envelope can say it; else the stand-in, and what the fact said is kept. */
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
    phase: say("phase", phase, phaseOf(phase), () => phaseOfPlan(body.planId)),
    task: say("task", task, taskOf(entry, task), () => taskFor(entry, body.taskId)),
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
function phaseOfPlan(planId: Json | undefined): number {
  const digits = typeof planId === "string" ? /[0-9]{1,9}/.exec(planId)?.[0] : undefined;
  return digits === undefined ? 0 : Number(digits);
}

function taskOf(entry: Readable, task: string | null): string | null {
  return task === "" && !entry.definition.taskMayBeEmpty ? null : task;
}

function taskFor(entry: Readable, taskId: Json | undefined): string {
  if (typeof taskId === "string" && taskId !== "") return taskId;
  return entry.definition.taskMayBeEmpty ? "" : "0-0";
}

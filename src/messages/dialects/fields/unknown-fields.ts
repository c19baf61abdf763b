/**
 * Fields that a definition does not have, wherever they are in a message: found, and said as a note (they are kept) or,
 * in strict reading, as a problem. Source: docs/protocol/messages.md, sections 7 and 8.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../base/json.ts";
import { jsonPath, makeProblem, type PathStep, type Problem, valueAt } from "../../../base/problem.ts";
import { isObject, nearest, shortened } from "../../../base/schema/hint.ts";
import type { ValueForm } from "../../../base/schema/value-form.ts";
import type { Note } from "../../message.ts";

/** The keys known in an object, and what is known inside of the values of some. */
export interface Known {
  readonly keys: ReadonlySet<string>;
  /** The object is an entry of a list. */
  readonly isEntry?: true;
  readonly inside: readonly (readonly [key: string, known: Known])[];
}

/** The steps to an unknown field: `["payload", "failures", 0, "line"]`. */
export type UnknownField = readonly PathStep[];

/** What is known in objects of `form`, or in the entries of a list of them; null where the form names no keys. */
export function knownIn(form: ValueForm): Known | null {
  const entry = form.entry === undefined ? null : knownIn(form.entry);
  if (entry !== null) return { ...entry, isEntry: true };
  return form.fields === undefined ? null : knownFields(form.fields);
}

/** What is known in an object of these fields. */
export function knownFields(fields: { readonly [name: string]: ValueForm }): Known {
  const inside = Object.entries(fields).map(([name, form]) => [name, knownIn(form)] as const);
  return {
    keys: new Set(Object.keys(fields)),
    inside: inside.flatMap(([name, known]) => (known === null ? [] : [[name, known] as const])),
  };
}

/** Every unknown field of `value`, as it is. */
export function unknownFields(known: Known, value: JsonObject): readonly UnknownField[] {
  // Most messages have none, and finding that out needs no steps.
  if (!hasUnknown(value, known)) return none;
  const found: UnknownField[] = [];
  addUnknown(found, value, known, noSteps);
  return found;
}

const noSteps: readonly PathStep[] = [];
const none: readonly UnknownField[] = [];

/** Whether `unknownFields` would find any. */
export function hasUnknown(owner: JsonObject, known: Known): boolean {
  const { keys, inside } = known;
  for (const key in owner) if (!keys.has(key)) return true;
  for (let index = 0; index < inside.length; index++) {
    const part = inside[index];
    const held = part === undefined ? null : owner[part[0]];
    if (part === undefined || typeof held !== "object" || held === null) continue;
    if (isJsonList(held) ? someUnknown(held, part[1]) : hasUnknown(held, part[1])) return true;
  }
  return false;
}

function someUnknown(list: readonly Json[], known: Known): boolean {
  return list.some((one) => isJsonObject(one) && hasUnknown(one, known));
}

/** Those of an object come before those inside of its values. */
function addUnknown(found: UnknownField[], owner: JsonObject, known: Known, steps: readonly PathStep[]): void {
  for (const key in owner) if (!known.keys.has(key)) found.push([...steps, key]);
  for (const [key, inside] of known.inside) {
    const held = owner[key];
    if (typeof held === "object" && held !== null) addInside(found, held, inside, [...steps, key]);
  }
}

function addInside(found: UnknownField[], held: Json, known: Known, steps: readonly PathStep[]): void {
  if (isJsonObject(held)) addUnknown(found, held, known, steps);
  if (!isJsonList(held)) return;
  for (const [index, one] of held.entries()) {
    if (isJsonObject(one)) addUnknown(found, one, known, [...steps, index]);
  }
}

/** The note of a field that is kept. */
export function noteOf(field: UnknownField): Note {
  const path = jsonPath(field);
  return {
    code: "unknown-field",
    path,
    message: `${path} is not part of the definition; it is kept and passed on.`,
  };
}

/** The problem of a field of `value` that is refused. */
export function problemOf(field: UnknownField, known: Known, value: JsonObject): Problem {
  const path = jsonPath(field);
  const key = String(field.at(-1) ?? "");
  return makeProblem("unknown-field", path, `${path} is not part of the definition.`, {
    expected: knownAt(field.slice(0, -1), known).join(", "),
    received: shortened(key),
    hint: hintFor(field, known, value),
  });
}

/** A field that is there already is not meant by another name; one that belongs elsewhere is not to be lost. */
function hintFor(field: UnknownField, known: Known, value: JsonObject): string {
  const key = String(field.at(-1) ?? "");
  const around = field.slice(0, -1);
  const free = freeAt(around, known, value);
  const meant = nearest(key, free);
  if (meant !== null) return `did you mean "${meant}"?`;
  const places = objectsIn(known).filter((steps) => freeAt(steps, known, value).includes(key));
  // Where none of them is there, only one that is alone is meant.
  const place =
    places.find((steps) => isObject(valueAt(value, steps))) ?? (places.length === 1 ? places[0] : undefined);
  if (place !== undefined) return `it belongs at ${jsonPath([...place, key])}: move it there`;
  const held = valueAt(value, field);
  const inside = isObject(held) ? free.filter((name) => Object.hasOwn(held, name)) : [];
  return inside.length === 0 ? "leave it out" : `put ${inside.join(", ")} next to it, not into it`;
}

/** The steps to each object that is known, but for the entries of lists; the whole first. */
function objectsIn(known: Known): readonly UnknownField[] {
  const objects = known.inside.filter(([, inside]) => inside.isEntry !== true);
  return [noSteps, ...objects.flatMap(([key, inside]) => objectsIn(inside).map((steps) => [key, ...steps]))];
}

/** The names known in the object at `steps` that its sender did not write; none where something else is there. */
function freeAt(steps: UnknownField, known: Known, value: JsonObject): readonly string[] {
  const owner = valueAt(value, steps) ?? {};
  const { assumed = null } = value;
  const isWritten = (name: string) => Object.hasOwn(owner, name) && !(isJsonList(assumed) && assumed.includes(name));
  return isObject(owner) ? knownAt(steps, known).filter((name) => !isWritten(name)) : [];
}

/** The names known at a place. */
function knownAt(steps: UnknownField, known: Known): readonly string[] {
  let here: Known | undefined = known;
  for (const step of steps) {
    // An index is no step: what is known of a list is what is known of its entries.
    if (typeof step === "string") here = here?.inside.find(([key]) => key === step)?.[1];
  }
  return [...(here?.keys ?? [])];
}

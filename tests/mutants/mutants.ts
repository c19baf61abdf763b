/**
 * Structural mutants of accepted messages: each differs at one place, or at two, in a way that its published schema
 * does not allow. The places come from the schema, so fields that the example leaves out are tried too.
 */
import { readFileSync } from "node:fs";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { dialects } from "../../src/messages/dialects/registry.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { acceptedExamples } from "../corpus/messages.ts";
import type { Chance } from "../crash/seed.ts";
import { disguised, type FaultKind, faultsOf, type Schema } from "./faults.ts";

/** A message that must be refused under `strict`; without it too, unless `mayBeRead`. */
export interface Mutant {
  readonly dialect: DialectId;
  readonly type: string;
  readonly kind: FaultKind;
  /** Where, as a JSON path. */
  readonly place: string;
  readonly message: JsonObject;
  readonly mayBeRead: boolean;
}

/** One change: what becomes of the value at `steps`. Without `value` it goes; with `key` it gets another name. */
interface Change {
  readonly kind: FaultKind;
  readonly steps: readonly string[];
  readonly value?: Json;
  readonly key?: string;
  readonly mayBeRead: boolean;
}

/** Names that are no field's, some of which mean something in JavaScript. */
const strangers = ["further", "constructor", "toString", "Further Field"];

/** Every mutant with one change of every accepted example, then `pairs` chosen ones with two. */
export function* mutants(chance: Chance, pairs: number): Generator<Mutant> {
  const examples = dialects.flatMap(({ id }) => acceptedExamples(id).map((example) => changedExample(id, example)));
  for (const { base, changes } of examples) for (const change of changes) yield mutant(base, [change]);
  for (let made = 0; made < pairs; ) {
    const { base, changes } = chosen(examples, chance);
    const [one, other] = [chosen(changes, chance), chosen(changes, chance)];
    if (isWithin(one.steps, other.steps) || isWithin(other.steps, one.steps)) continue;
    yield mutant(base, [one, other]);
    made++;
  }
}

function chosen<Item>(items: readonly Item[], chance: Chance): Item {
  const item = items[chance.below(items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

interface Base {
  readonly dialect: DialectId;
  readonly type: string;
  readonly message: JsonObject;
}

function changedExample(dialect: DialectId, example: { readonly name: string; readonly message: JsonObject }) {
  const type = /^[a-z_]+/.exec(example.name)?.[0] ?? "";
  const file = new URL(`../../schemas/${dialect}/${type}.json`, import.meta.url);
  const schema = JSON.parse(readFileSync(file, "utf8")) as Schema;
  const base: Base = { dialect, type, message: example.message };
  return { base, changes: [...changesOf(schema, example.message, [])] };
}

/** Every change within `value`, which is at `steps` and fits `schema`. */
function* changesOf(schema: Schema, value: Json, steps: readonly string[]): Generator<Change> {
  if (isJsonList(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, entry] of value.entries()) {
      const at = [...steps, String(index)];
      yield* valueChanges(items, entry, at);
      yield* changesOf(items, entry, at);
    }
    const at = [...steps, String(value.length)];
    yield* valueChanges(items, undefined, at);
  } else if (isJsonObject(value)) yield* fieldChanges(schema, value, steps);
}

function* fieldChanges(schema: Schema, value: JsonObject, steps: readonly string[]): Generator<Change> {
  const { properties, additionalProperties, required = [] } = schema;
  if (typeof additionalProperties === "object") {
    for (const [key, held] of Object.entries(value)) yield* valueChanges(additionalProperties, held, [...steps, key]);
  }
  // An object of no fields is free: the message's author decides what is in it.
  if (properties === undefined || Object.keys(properties).length === 0) return;
  for (const [name, inner] of Object.entries(properties)) {
    const at = [...steps, name];
    const held = value[name];
    yield* valueChanges(inner, held, at);
    if (held === undefined) continue;
    yield* changesOf(inner, held, at);
    const isRequired = required.includes(name);
    if (isRequired) yield { kind: "required field deleted", steps: at, mayBeRead: false };
    const key = disguised(name);
    // A field under another name is a stranger; where it was required, it is also missing.
    if (key !== null) yield { kind: "look-alike letter", steps: at, key, mayBeRead: !isRequired };
  }
  for (const name of strangers) {
    const further: Json = name === "further" ? { words: [1] } : name;
    yield { kind: "extra field", steps: [...steps, name], value: further, mayBeRead: true };
  }
}

function* valueChanges(schema: Schema, present: Json | undefined, steps: readonly string[]): Generator<Change> {
  for (const { kind, value, mayBeRead } of faultsOf(schema, present)) {
    yield { kind, steps, value, mayBeRead };
  }
}

function mutant({ dialect, type, message }: Base, changes: readonly Change[]): Mutant {
  const [first] = changes;
  const changed = changes.reduce<Json>((before, change) => applied(before, change, change.steps), message);
  return {
    dialect,
    type,
    kind: changes.length > 1 ? "two of these" : (first?.kind ?? "two of these"),
    place: changes.map(({ steps }) => `$.${steps.join(".")}`).join(" and "),
    message: changed as JsonObject, // A change is always inside of it.
    mayBeRead: changes.every(({ mayBeRead }) => mayBeRead),
  };
}

function applied(owner: Json, change: Change, steps: readonly string[]): Json {
  const [step = "", ...deeper] = steps;
  if (isJsonList(owner)) {
    const index = Number(step);
    const made = deeper.length === 0 ? change.value : applied(owner[index] ?? null, change, deeper);
    return index < owner.length ? owner.with(index, made ?? null) : [...owner, made ?? null];
  }
  const fields = Object.entries(owner as JsonObject); // Only lists and objects have places inside.
  if (deeper.length > 0) {
    return Object.fromEntries(fields.map(([key, held]) => [key, key === step ? applied(held, change, deeper) : held]));
  }
  if (change.key !== undefined) {
    return Object.fromEntries(fields.map(([key, held]) => [key === step ? (change.key ?? key) : key, held]));
  }
  const made = change.value;
  if (made === undefined) return Object.fromEntries(fields.filter(([key]) => key !== step));
  const isThere = fields.some(([key]) => key === step);
  return Object.fromEntries(
    isThere ? fields.map(([key, held]) => [key, key === step ? made : held]) : [...fields, [step, made]],
  );
}

function isWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return outer.every((step, index) => inner[index] === step);
}

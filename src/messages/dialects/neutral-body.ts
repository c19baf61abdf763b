/**
 * Between a definition's fields and a neutral fact: the body with its neutral names, and what the wire carried beyond
 * the definition. Two dialects' names for one thing share a neutral name; nothing is lost, and a field that would get a
 * name that means something else in the new dialect travels in the extra field `kept`. Source:
 * docs/protocol/messages.md, section 19.
 */
import { isJsonList, isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Fact, Json } from "../facts.ts";
import { extensionFields, type GivenHead } from "./dialect.ts";
import { asRead, derived, isTakenFor } from "./fields/derived-fields.ts";
import type { UnknownField } from "./fields/unknown-fields.ts";
import type { Readable } from "./readable.ts";

/** An object under construction. */
export type Fields = { [key: string]: Json };

type Body = { readonly [field: string]: Json };

/** What a wire carries beyond its definition. */
export interface Extra {
  readonly envelope: Fields;
  readonly payload: Fields;
}

/**
 * The body: the definition's fields in `fields` under their neutral names (the head's are left to the head), and what
 * deciders read besides. What `extra` or `kept` says of that is taken out of them; the rest of `kept` goes to `extra`,
 * where it comes after what the message itself says.
 */
export function readBody(entry: Readable, fields: JsonObject, extra: Extra | null, kept: JsonObject | null): Body {
  const { kind } = entry.definition;
  const body = entry.bodyOf(fields);
  if (extra === null) return asRead(kind, body, null, wireName);
  // A message can carry another dialect's field under a name that it uses itself only by keeping it.
  const keptNames = Object.keys(kept ?? {});
  const spoken: Fields = { ...extra.payload };
  for (const name of keptNames) if (entry.names.has(name)) spoken[name] = kept?.[name] ?? null;
  const full = asRead(kind, body, spoken, wireName);
  for (const name of Object.keys(extra.payload)) if (!Object.hasOwn(spoken, name)) delete extra.payload[name];
  for (const name of keptNames) {
    if (!entry.names.has(name) || Object.hasOwn(spoken, name)) extra.payload[name] = kept?.[name] ?? null;
  }
  return full;
}

/**
 * What `value` carries beyond its definition: unknown fields by their place, the extension fields that Baton writes,
 * and what `kept` holds under names that the definition has for something else. `fields` holds the definition's own.
 */
export function extraOf(
  entry: Readable,
  value: JsonObject,
  fields: JsonObject,
  strangers: readonly UnknownField[] | null,
): Extra | null {
  return strangers === null ? null : carriedBeside(entry, value, fields, strangers);
}

function carriedBeside(
  entry: Readable,
  value: JsonObject,
  fields: JsonObject,
  strangers: readonly UnknownField[],
): Extra | null {
  const isOwn = (key: string) => entry.inside === null && entry.names.has(key);
  const beside = extensionFields.filter((key) => value[key] !== undefined && !isOwn(key));
  if (strangers.length === 0 && beside.length === 0) return null;
  const envelope: Fields = {};
  const payload: Fields = {};
  for (const key of beside) envelope[key] = value[key] ?? null;
  for (const [first = "", second, ...deeper] of strangers) {
    // Deeper ones stay where they are: inside the value of a field that the body carries as written.
    if (entry.inside === null) {
      if (second === undefined) payload[first] = value[first] ?? null;
    } else if (second === undefined) envelope[first] = value[first] ?? null;
    else if (deeper.length === 0) payload[second] = fields[second] ?? null;
  }
  return { envelope, payload };
}

/** The fact's `extra`: absent where nothing is left to carry. */
export function withExtra(fact: Omit<Fact, "extra">, extra: Extra | null): Fact {
  if (extra === null) return fact;
  const hasEnvelope = !isEmpty(extra.envelope);
  const hasPayload = !isEmpty(extra.payload);
  if (!hasEnvelope && !hasPayload) return fact;
  return {
    ...fact,
    extra: {
      ...(hasEnvelope ? { envelope: extra.envelope } : {}),
      ...(hasPayload ? { payload: extra.payload } : {}),
    },
  };
}

/**
 * The fact of a message that has a `kept`: `read` takes it apart, or leaves it as it is. It is taken apart only where
 * `write` then says the same message again; anybody else's `kept` is an extra field like others.
 */
export function heedingKept(
  value: JsonObject,
  read: (takeKept: boolean) => Fact,
  write: (fact: Fact) => Json | null,
): Fact {
  if (!isJsonObject(value.kept)) return read(false);
  const taken = read(true);
  return sameJson(write(taken), value) ? taken : read(false);
}

/** Takes the two parts of a `kept` out of `extra`; null where it is something else. */
export function takeKept(extra: Extra): { readonly envelope: JsonObject; readonly payload: JsonObject } | null {
  const { kept } = extra.envelope;
  if (!isJsonObject(kept)) return null;
  const { envelope = noFields, payload = noFields } = kept;
  if (!isJsonObject(envelope) || !isJsonObject(payload)) return null;
  delete extra.envelope.kept;
  return { envelope, payload };
}

/** Adds the field `kept` to a wire; one that is there already, and not Baton's, is kept too. */
export function addKept(wire: Fields, envelope: Fields, payload: Fields): void {
  if (isEmpty(envelope) && isEmpty(payload)) return;
  const around = Object.hasOwn(wire, "kept") ? { ...envelope, kept: wire.kept ?? null } : envelope;
  wire.kept = {
    ...(isEmpty(around) ? {} : { envelope: around }),
    ...(isEmpty(payload) ? {} : { payload }),
  };
}

/** Names the fields that say what the source did not, after those that were assumed before. */
export function addAssumed(wire: Fields, names: readonly string[]): void {
  if (names.length === 0) return;
  const before = isJsonList(wire.assumed) ? wire.assumed : [];
  wire.assumed = [...before, ...names.filter((name) => !before.includes(name))];
}

/** Whether two values are the same JSON, whatever the order of keys. */
function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (isJsonList(one)) {
    return (
      isJsonList(other) && one.length === other.length && one.every((inner, index) => sameJson(inner, other[index]))
    );
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  );
}

const noFields: JsonObject = {};

/** What is written of a fact's own fields, in one object. */
export interface Written {
  readonly fields: Fields;
  /** Names of fields that say what the source did not. */
  readonly assumed: readonly string[];
  /** Extra fields whose name stands for something else here. */
  readonly kept: Fields;
}

/** How a form of wire puts a fact's fields down. */
export interface Placing {
  /** What the head says, by wire name: for the head's own fields and for the others. */
  readonly head: Fields;
  /** Whether a further field may be among `fields` under its name. */
  isFree(name: string, value: Json, fields: Fields): boolean;
}

/** Extra fields may be wherever no other field is. */
export const anywhereFree: Placing = { head: {}, isFree: (name, _value, fields) => !Object.hasOwn(fields, name) };

/**
 * The definition's fields in its order, then what the head says besides, then the further fields of the body in wire
 * spelling, then the extra ones. A field that the definition requires and nobody says is assumed where the definition
 * says what to assume.
 */
export function written(entry: Readable, fact: Fact, given: GivenHead, placing: Placing): Written {
  const { head } = placing;
  const body: Body = fact.body;
  const extra: Body = fact.extra?.payload ?? noFields;
  const full = derived(fact.kind, { ...extraSaid(entry, extra), ...body });
  const fields: Fields = {};
  const said: Fields = {};
  const assumed: string[] = [];
  const used = new Set<string>();
  for (const { name, neutral, required, assumed: standIn } of entry.definition.fields) {
    const travelling = wireName(neutral);
    const own = neutral.startsWith("head.") ? head[neutral.slice("head.".length)] : body[neutral];
    let value = own;
    if (value === undefined && (extra[travelling] ?? null) !== null) {
      value = extra[travelling];
      used.add(travelling);
    }
    value ??= full[neutral] ?? own;
    if (value !== undefined) {
      fields[name] = value;
      said[neutral] = value;
    } else if (required && standIn !== undefined) {
      fields[name] = givenFor(neutral, given) ?? standIn;
      assumed.push(name);
    }
  }
  for (const [name, value] of Object.entries(head)) if (!entry.names.has(name)) fields[name] = value;
  const kept: Fields = {};
  const place = (name: string, value: Json): void => {
    if (placing.isFree(name, value, fields)) fields[name] = value;
    else kept[name] = value;
  };
  for (const [neutral, value] of furtherFields(entry, fact, said)) place(wireName(neutral), value);
  for (const [name, value] of Object.entries(extra)) {
    if (used.has(name)) continue;
    // Under the spelling that a field of the body travels by, it would be taken for that field.
    if (travels(entry, fact, name, value)) kept[name] = value;
    else place(name, value);
  }
  return { fields, assumed, kept };
}

function travels(entry: Readable, { kind, body }: Fact, name: string, value: Json): boolean {
  for (const [neutral, own] of Object.entries<Json>(body)) {
    if (entry.neutrals.has(neutral) || wireName(neutral) !== name) continue;
    return isTakenFor(kind, neutral, value, own);
  }
  return false;
}

/** Fields of the body that the definition has not; one that follows from those that are written is not repeated. */
function furtherFields(entry: Readable, fact: Fact, said: Body): readonly (readonly [string, Json])[] {
  const further = Object.entries<Json>(fact.body).filter(([neutral]) => !entry.neutrals.has(neutral));
  if (further.length === 0) return further;
  const following = derived(fact.kind, said);
  return further.filter(([neutral, value]) => JSON.stringify(following[neutral]) !== JSON.stringify(value));
}

/** Extra fields that another dialect's spelling makes a field of this definition. */
function extraSaid(entry: Readable, extra: Body): Fields {
  const said: Fields = {};
  for (const { neutral } of entry.definition.fields) {
    const value = extra[wireName(neutral)];
    if (value !== undefined) said[neutral] = value;
  }
  return said;
}

function givenFor(neutral: string, given: GivenHead): string | undefined {
  if (neutral === "requestId") return given.requestId;
  return neutral === "teamName" ? given.teamName : undefined;
}

/** The snake case of a neutral name: what a field is called on the wire where the definition does not know it. */
export function wireName(neutral: string): string {
  return neutral.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Whether an object has no keys. */
export function isEmpty(fields: JsonObject): boolean {
  for (const _ in fields) return false;
  return true;
}

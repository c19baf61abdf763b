/** A dialect from its generated facts and validators, put to work by the reader and the writer of its form. */
import { invariant, unreachable } from "../base/invariant.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import type { Fact, FactKind } from "../message/facts.ts";
import type { DialectTable, TableDefinition, Validators } from "./definition.ts";
import type { Answer, Definition, Dialect, GivenHead, OwnDefinition } from "./dialect.ts";
import { acceptsDocument, readDocument, writeDocument } from "./forms/document.ts";
import { acceptsFlat, readFlat, writeFlat } from "./forms/flat-form.ts";
import { readTyped, writeTyped } from "./forms/typed-write.ts";
import { isFit, placeOf, type Readable, readable } from "./readable.ts";

/** How messages of one form are read and written. */
interface Wire {
  read(value: Json, strict: boolean): Answer;
  accepts(value: Json): boolean;
  write(entry: Readable, fact: Fact, id: string, given: GivenHead): Json | null;
}

/**
 * The dialect of a generated table. Definitions are made when they are first asked for; every one needs its validator:
 * the generator writes both.
 */
export function dialectFrom(table: DialectTable, validators: Validators): Dialect {
  const types = Object.keys(table.kinds);
  const definitions = lazyMap(types, (type) => definitionOf(table, type));
  const entries = lazyMap(types, (type) => {
    const validate = validators[type];
    invariant(validate !== undefined, `${table.id} has a validator of ${type}`);
    const definition = definitions.get(type);
    invariant(definition !== undefined, `${table.id} defines ${type}`);
    return readable(definition, validate, table);
  });
  const typeOf = new Map<FactKind, string>(Object.entries(table.kinds).map(([type, kind]) => [kind, type]));
  const wire = wireOf(table, entries);
  const definedFor = (kind: FactKind): Definition | null => definitions.get(typeOf.get(kind) ?? "") ?? null;
  return {
    id: table.id,
    family: table.family,
    form: table.form,
    place: placeOf(table.form),
    isolatesDepartments: table.isolatesDepartments,
    envelope: table.envelope,
    definitions,
    definitionOf: definedFor,
    read: (value, options) => wire.read(value, options?.strict === true),
    accepts: (value) => wire.accepts(value),
    write(fact, { id, given }) {
      const entry = entries.get(typeOf.get(fact.kind) ?? "");
      return entry === undefined ? null : wire.write(entry, fact, id, given);
    },
    extendedBy: (own) => dialectFrom(extended(table, own), { ...validators, ...validatorsOf(own) }),
  };
}

/** The table with further types, which its envelope may then name. */
function extended(table: DialectTable, own: readonly OwnDefinition[]): DialectTable {
  if (table.form !== "typed") return table;
  const kinds = { ...table.kinds };
  const definitions = { ...table.definitions };
  for (const { definition } of own) {
    kinds[definition.type] = definition.kind;
    definitions[definition.type] = () => definition;
  }
  const envelope = table.envelope.map((field) =>
    field.name === "type" ? { ...field, value: { ...field.value, words: Object.keys(kinds) } } : field,
  );
  return { ...table, kinds, definitions, envelope };
}

function validatorsOf(own: readonly OwnDefinition[]): Validators {
  return Object.fromEntries(own.map(({ definition, validate }) => [definition.type, validate]));
}

function definitionOf(table: DialectTable, type: string): TableDefinition {
  const definition = table.definitions[type]?.();
  invariant(definition !== undefined, `${table.id} defines ${type}`);
  return definition;
}

function wireOf(table: DialectTable, entries: ReadonlyMap<string, Readable>): Wire {
  switch (table.form) {
    case "typed":
      return {
        read: (value, strict) => readTyped(entries, value, strict, table),
        accepts(value) {
          if (!isJsonObject(value) || typeof value.type !== "string") return false;
          const entry = entries.get(value.type);
          return entry !== undefined && isFit(entry, value);
        },
        write: (entry, fact, id, given) => writeTyped(entry, fact, id, given, table),
      };
    case "structured":
      return {
        read: (value, strict) => readFlat(entries, value, strict),
        accepts: (value) => acceptsFlat(entries, value),
        write: (entry, fact, _id, given) => writeFlat(entry, fact, given),
      };
    case "document":
      return {
        read: (value, strict) => readDocument(entries, value, strict),
        accepts: (value) => acceptsDocument(entries, value),
        write: (entry, fact, _id, given) => writeDocument(entry, fact, given),
      };
    default:
      return unreachable(table.form);
  }
}

/** The map of `keys`, in their order; `make` is called at most once a key. */
export function lazyMap<Value>(keys: readonly string[], make: (key: string) => Value): ReadonlyMap<string, Value> {
  const known = new Set(keys);
  const made = new Map<string, Value>();
  const taken = (key: string): Value => {
    const there = made.get(key);
    if (there !== undefined) return there;
    const value = make(key);
    made.set(key, value);
    return value;
  };
  function* entries(): MapIterator<[string, Value]> {
    for (const key of known) yield [key, taken(key)];
  }
  function* values(): MapIterator<Value> {
    for (const key of known) yield taken(key);
  }
  const map: ReadonlyMap<string, Value> = {
    size: known.size,
    get: (key) => made.get(key) ?? (known.has(key) ? taken(key) : undefined),
    has: (key) => known.has(key),
    keys: () => known.keys(),
    values,
    entries,
    [Symbol.iterator]: entries,
    forEach: (visit) => {
      for (const [key, value] of entries()) visit(value, key, map);
    },
  };
  return map;
}

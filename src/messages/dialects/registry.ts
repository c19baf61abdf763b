/**
 * The dialects that exist, in the order they are tried without a team. This file alone names single dialects; everyone
 * else asks here and sees a `Dialect`.
 */

import { invariant, unreachable } from "../../base/invariant.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import type { Fact, FactKind } from "../facts.ts";
import type { DialectId } from "../message.ts";
import { table as bmad1Table } from "./bmad-1/generated/table.ts";
import { validators as bmad1Validators } from "./bmad-1/generated/validators.js";
import type { Bmad1Message } from "./bmad-1/generated/wire.ts";
import type {
  Answer,
  Definition,
  Dialect,
  DialectTable,
  GivenHead,
  OwnDefinition,
  TableDefinition,
  Validators,
  WireForm,
} from "./dialect.ts";
import { acceptsDocument, readDocument, writeDocument } from "./document.ts";
import { acceptsFlat, readFlat, writeFlat } from "./flat-form.ts";
import { isFit, placeOf, type Readable, readable } from "./readable.ts";
import { readTyped, writeTyped } from "./typed-write.ts";
import { table as vbw1Table } from "./vbw-1/generated/table.ts";
import { validators as vbw1Validators } from "./vbw-1/generated/validators.js";
import type { Vbw1Message } from "./vbw-1/generated/wire.ts";
import { table as vbw2Table } from "./vbw-2/generated/table.ts";
import { validators as vbw2Validators } from "./vbw-2/generated/validators.js";
import type { Vbw2Message } from "./vbw-2/generated/wire.ts";
import { table as vbw21Table } from "./vbw-2.1/generated/table.ts";
import { validators as vbw21Validators } from "./vbw-2.1/generated/validators.js";
import type { Vbw21Message } from "./vbw-2.1/generated/wire.ts";
import { table as yolo1Table } from "./yolo-1/generated/table.ts";
import { validators as yolo1Validators } from "./yolo-1/generated/validators.js";
import type { Yolo1Message } from "./yolo-1/generated/wire.ts";
import { table as yolo2Table } from "./yolo-2/generated/table.ts";
import { validators as yolo2Validators } from "./yolo-2/generated/validators.js";
import type { Yolo2Message } from "./yolo-2/generated/wire.ts";

/** The BMAD handoff document. */
const bmad1 = lazyDialect("bmad/1", "document", () => dialectFrom(bmad1Table(), bmad1Validators()));
/** The VBW structured handoffs, first revision. */
const vbw1 = lazyDialect("vbw/1", "structured", () => dialectFrom(vbw1Table(), vbw1Validators()));
/** The VBW typed protocol, second revision. */
const vbw2 = lazyDialect("vbw/2", "typed", () => dialectFrom(vbw2Table(), vbw2Validators()));
/** The VBW typed protocol as its scripts have it today. */
const vbw21 = lazyDialect("vbw/2.1", "typed", () => dialectFrom(vbw21Table(), vbw21Validators()));
/** The YOLO structured handoffs, first revision. */
const yolo1 = lazyDialect("yolo/1", "structured", () => dialectFrom(yolo1Table(), yolo1Validators()));
/** The YOLO typed protocol, second revision. */
const yolo2 = lazyDialect("yolo/2", "typed", () => dialectFrom(yolo2Table(), yolo2Validators()));

/** Every dialect, in the order they are tried. */
export const dialects: readonly Dialect[] = [vbw2, yolo2, vbw21, vbw1, yolo1, bmad1];

/** The ids of every dialect, in the same order. */
export const dialectIds: readonly DialectId[] = dialects.map((dialect) => dialect.id);

const byId: ReadonlyMap<string, Dialect> = new Map(dialects.map((dialect) => [dialect.id, dialect]));

/** The dialect called `id`, e.g. `vbw/2`, or null when there is none. */
export function dialectOf(id: string): Dialect | null {
  return byId.get(id) ?? null;
}

type Typed<Id extends DialectId, Wire extends { readonly type: string }> = Wire extends unknown
  ? { readonly dialect: Id; readonly type: Wire["type"]; readonly message: Wire }
  : never;

/**
 * A message as it is on the wire, distinguished by dialect and type. A document has no `type` field.
 * @example if (wire.dialect === "vbw/2" && wire.type === "execution_update") wire.message.payload.status
 */
export type WireMessage =
  | Typed<"vbw/2", Vbw2Message>
  | Typed<"yolo/2", Yolo2Message>
  | Typed<"vbw/2.1", Vbw21Message>
  | Typed<"vbw/1", Vbw1Message>
  | Typed<"yolo/1", Yolo1Message>
  | { readonly dialect: "bmad/1"; readonly type: "handoff"; readonly message: Bmad1Message };

/**
 * The dialect that `make` gives, made when more is asked of it than what it is called and its form: a team speaks one or
 * two, and what is never made is never compiled.
 */
function lazyDialect(id: DialectId, form: WireForm, make: () => Dialect): Dialect {
  let made: Dialect | null = null;
  const whole = () => {
    made ??= make();
    return made;
  };
  return {
    id,
    form,
    place: placeOf(form),
    get family() {
      return whole().family;
    },
    get isolatesDepartments() {
      return whole().isolatesDepartments;
    },
    get envelope() {
      return whole().envelope;
    },
    get definitions() {
      return whole().definitions;
    },
    definitionOf: (kind) => whole().definitionOf(kind),
    read: (value, options) => whole().read(value, options),
    accepts: (value) => whole().accepts(value),
    write: (fact, given) => whole().write(fact, given),
    extendedBy: (own) => whole().extendedBy(own),
  };
}

/* A dialect from its generated facts and validators, put to work by the reader and the writer of its form. */

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
function dialectFrom(table: DialectTable, validators: Validators): Dialect {
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

/** A second revision as a `Dialect`: its generated facts and validators put to work by the shared reader and writer. */
import { invariant } from "../base/invariant.ts";
import { isJsonObject } from "../base/json.ts";
import type { FactKind } from "../message/facts.ts";
import type { Definition, Dialect } from "./dialect.ts";
import type { TypedTable, Validators } from "./typed-definition.ts";
import { isAccepted, type Readable, readable, readTyped } from "./typed-read.ts";
import { writeTyped } from "./typed-write.ts";

/** The dialect of a generated table. Every definition needs its validator: the generator writes both. */
export function typedDialect(table: TypedTable, validators: Validators): Dialect {
  const entries = new Map<string, Readable>();
  const byKind = new Map<FactKind, Readable>();
  for (const definition of table.definitions) {
    const validate = validators[definition.type];
    invariant(validate !== undefined, `${table.id} has a validator of ${definition.type}`);
    const entry = readable(definition, validate);
    entries.set(definition.type, entry);
    byKind.set(definition.kind, entry);
  }
  return {
    id: table.id,
    family: table.family,
    definitions: new Map<string, Definition>(table.definitions.map((definition) => [definition.type, definition])),
    definitionOf: (kind) => byKind.get(kind)?.definition ?? null,
    read: (value, options) => readTyped(entries, value, options?.strict === true),
    accepts(value) {
      if (!isJsonObject(value) || typeof value.type !== "string") return false;
      const entry = entries.get(value.type);
      return entry !== undefined && isAccepted(entry, value);
    },
    write(fact, { id, given }) {
      const entry = byKind.get(fact.kind);
      return entry === undefined ? null : writeTyped(entry, fact, id, given);
    },
  };
}

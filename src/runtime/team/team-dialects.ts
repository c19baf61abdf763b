/**
 * The dialects of one team: the built-in ones, and in those with an envelope the team's custom message types, as its
 * active revision records them. So every process that reads the journal judges alike, whatever files are next to it.
 */
import type { Definition, Dialect } from "../../dialects/dialect.ts";
import { ownSchema, withOwnMessages } from "../../dialects/own-messages.ts";
import { dialects } from "../../dialects/registry.ts";
import type { DialectId } from "../../message/message.ts";
import type { TeamDefinition } from "../../team/definition.ts";

/** Definitions are replaced, never changed, so a team's own types are made ready once for each. */
const dialectsOf = new WeakMap<TeamDefinition, Map<DialectId, Dialect>>();

/** `dialect` as the team of `definition` has it. */
export function teamDialect(definition: TeamDefinition | null, dialect: Dialect): Dialect {
  const own = definition?.messages;
  if (definition === null || own === undefined || !definition.dialects.includes(dialect.id)) return dialect;
  const ready = dialectsOf.get(definition) ?? new Map<DialectId, Dialect>();
  const known = ready.get(dialect.id);
  if (known !== undefined) return known;
  const made = withOwnMessages(dialect, own);
  dialectsOf.set(definition, ready.set(dialect.id, made));
  return made;
}

/** The definitions of the team's own types in `dialect`, which has them (`teamDialect`). */
export function ownDefinitions(definition: TeamDefinition | null, dialect: Dialect): readonly Definition[] {
  const own = definition?.messages ?? [];
  return own.flatMap(({ type }) => dialect.definitions.get(type) ?? []);
}

/** The JSON Schema of `name` (`dialect/type`) as text, where that is a message type of the team's own; else null. */
export function ownSchemaOf(definition: TeamDefinition | null, name: string): string | null {
  for (const dialect of dialects.filter(({ id }) => name.startsWith(`${id}/`))) {
    const known = teamDialect(definition, dialect);
    const own = definition?.messages?.find(({ type }) => `${dialect.id}/${type}` === name);
    if (own !== undefined && known.definitions.has(own.type)) return JSON.stringify(ownSchema(own, known), null, 2);
  }
  return null;
}

type DialectOf = (id: DialectId) => Dialect | null;

/** One function a definition: what is known of receivers is known by it. */
const lookups = new WeakMap<TeamDefinition, { readonly over: DialectOf; readonly lookup: DialectOf }>();

/** As `dialectOf`, of the team's own types too. The same function for the same definition. */
export function teamDialectOf(definition: TeamDefinition | null, dialectOf: DialectOf): DialectOf {
  if (definition?.messages === undefined) return dialectOf;
  const known = lookups.get(definition);
  if (known?.over === dialectOf) return known.lookup;
  const lookup: DialectOf = (id) => {
    const dialect = dialectOf(id);
    return dialect === null ? null : teamDialect(definition, dialect);
  };
  lookups.set(definition, { over: dialectOf, lookup });
  return lookup;
}

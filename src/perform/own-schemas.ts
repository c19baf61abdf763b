/** The JSON Schemas of a team's own message types, which are named as those of every dialect are: `dialect/type`. */
import { ownSchema } from "../messages/dialects/own-messages.ts";
import { dialects } from "../messages/dialects/registry.ts";
import type { TeamDefinition } from "../team/state/definition.ts";
import { teamDialect } from "./team-dialects.ts";

/** The JSON Schema of `name` (`dialect/type`) as text, where that is a message type of the team's own; else null. */
export function ownSchemaOf(definition: TeamDefinition | null, name: string): string | null {
  for (const dialect of dialects.filter(({ id }) => name.startsWith(`${id}/`))) {
    const known = teamDialect(definition, dialect);
    const own = definition?.messages?.find(({ type }) => `${dialect.id}/${type}` === name);
    if (own !== undefined && known.definitions.has(own.type)) return JSON.stringify(ownSchema(own, known), null, 2);
  }
  return null;
}

/**
 * The documents of a whole dialect as a team has them: what the package publishes, with the custom message types among
 * the others. Without such types they are the published files verbatim.
 */
import { invariant } from "../../../base/invariant.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../base/json.ts";
import { asyncApiDocument, asyncApiMessage } from "../../../dialects/asyncapi.ts";
import type { Definition, Dialect } from "../../../dialects/dialect.ts";
import { ownDefinitions, ownSchemaOf } from "../../../runtime/team/team-dialects.ts";
import type { TeamDefinition } from "../../../team/definition.ts";
import { asJson, publishedJson } from "../messages/published-files.ts";

/** A document: its text for people, its value for programs. */
type Document = ReturnType<typeof asJson>;

/** Every message of `dialect` as one JSON Schema. */
export function bundleFor(dialect: Dialect, team: TeamDefinition | null): Document {
  const published = publishedJson(`schemas/${dialect.id}/bundle.json`);
  const own = ownSchemas(dialect, team);
  if (own.length === 0) return published;
  const bundle = objectOf(published.value);
  const { anyOf, $defs } = bundle;
  invariant(isJsonList(anyOf), "a bundle lists its messages");
  return written({
    ...bundle,
    anyOf: [...anyOf, ...own.map(({ schema }) => ({ $ref: schema.$id ?? "" }))],
    $defs: {
      ...objectOf($defs),
      ...Object.fromEntries(own.map(({ definition, schema }) => [definition.type, schema])),
    },
  });
}

/** `dialect` as an AsyncAPI document. */
export function asyncApiFor(dialect: Dialect, team: TeamDefinition | null): Document {
  const published = publishedJson(`schemas/${dialect.id}/asyncapi.json`);
  const own = ownSchemas(dialect, team);
  if (own.length === 0) return published;
  const { info, components } = objectOf(published.value);
  const { title, version } = objectOf(info);
  invariant(typeof title === "string" && typeof version === "string", "a document has a title and a version");
  const messages = {
    ...objectOf(objectOf(components).messages),
    ...Object.fromEntries(
      own.map(({ definition, schema }) => {
        const examples = [{ title: "usual", message: definition.example }];
        return [definition.type, asyncApiMessage(definition, schema, examples)];
      }),
    ),
  };
  const head = { dialect: dialect.id, title, version };
  return written(asyncApiDocument(head, [...dialect.definitions.values()], messages));
}

interface OwnSchema {
  readonly definition: Definition;
  readonly schema: JsonObject;
}

function ownSchemas(dialect: Dialect, team: TeamDefinition | null): readonly OwnSchema[] {
  return ownDefinitions(team, dialect).map((definition) => {
    const text = ownSchemaOf(team, `${dialect.id}/${definition.type}`);
    invariant(text !== null, "a type of the team's own has a schema");
    return { definition, schema: objectOf(asJson(text).value) };
  });
}

function written(document: JsonObject): Document {
  return asJson(JSON.stringify(document, null, 2));
}

/** A part of a document that the generator wrote as an object. */
function objectOf(value: unknown): JsonObject {
  const json = value as Json | undefined; // What the package publishes is JSON.
  invariant(isJsonObject(json), "the package's documents are objects");
  return json;
}

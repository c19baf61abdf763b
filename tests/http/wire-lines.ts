/** What goes over the wire to and from a hub, a line for each parameter and field, as its OpenAPI document says it. */

type Schema = Readonly<Record<string, unknown>>;
// The document is plain JSON; each use is guarded by what OpenAPI says is there.
type Loose = ReturnType<typeof JSON.parse>;

/** The lines of a document, sorted: names, types, words and what is required, without descriptions. */
export function wireLines(document: unknown): readonly string[] {
  const { paths, components } = document as Loose;
  const lines = new Set<string>();
  for (const [path, methods] of Object.entries<Loose>(paths)) {
    for (const [method, operation] of Object.entries<Loose>(methods)) {
      const route = `${method.toUpperCase()} ${path}`;
      lines.add(`${route} is ${operation.operationId}`);
      for (const { name, in: place, required, schema } of operation.parameters) {
        describe(lines, `${route} ${place}.${name}`, schema, required === true);
      }
      const { content: taken, required } = operation.requestBody ?? {};
      for (const [type, { schema }] of Object.entries<Loose>(taken ?? {}))
        describe(lines, `${route} body ${type}`, schema, required === true);
      for (const [status, { content }] of Object.entries<Loose>(operation.responses)) {
        // Refusals are one document, which `default` names.
        if (status.startsWith("4") || status === "default") continue;
        for (const [type, { schema }] of Object.entries<Loose>(content ?? {}))
          describe(lines, `${route} ${status} ${type}`, schema, true);
      }
    }
  }
  for (const [name, schema] of Object.entries<Schema>(components.schemas)) describe(lines, `#${name}`, schema, true);
  return [...lines].toSorted();
}

function describe(lines: Set<string>, place: string, schema: Loose, isRequired: boolean): void {
  const { $ref, anyOf, items, properties, required = [], additionalProperties: more } = schema;
  lines.add(`${place}${isRequired ? "" : "?"}: ${typeOf(schema)}`);
  if ($ref !== undefined) return;
  for (const [index, each] of Object.entries<Loose>(anyOf ?? {})) {
    if (each.type !== "null") describe(lines, `${place}|${index}`, each, true);
  }
  if (items !== undefined) describe(lines, `${place}[]`, items, true);
  for (const [name, each] of Object.entries<Loose>(properties ?? {}))
    describe(lines, `${place}.${name}`, each, required.includes(name));
  if (typeof more === "object" && Object.keys(more).length > 0) describe(lines, `${place}.*`, more, true);
}

function typeOf({ $ref, type, enum: words, const: only, anyOf, pattern, minimum, maxLength }: Loose): string {
  if ($ref !== undefined) return String($ref).replace("#/components/schemas/", "#");
  if (only !== undefined) return JSON.stringify(only);
  if (words !== undefined) return words.join("|");
  if (anyOf !== undefined) return anyOf.some((each: Loose) => each.type === "null") ? "nullable" : "one of these";
  const bounds = [pattern, minimum === -Number.MAX_SAFE_INTEGER ? undefined : minimum, maxLength];
  const said = bounds.filter((each) => each !== undefined).map((each) => ` ${each}`);
  return `${Array.isArray(type) ? type.join("|") : (type ?? "any")}${said.join("")}`;
}

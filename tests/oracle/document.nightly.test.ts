import assert from "node:assert/strict";
import { test } from "node:test";
import { authoredDialects } from "../../scripts/generate/authored.ts";
import { emitSchema, type JsonSchema } from "../../src/base/schema/emitter.ts";
import { objectOf } from "../../src/base/schema/shapes.ts";
import { parseYaml } from "../../src/base/text-formats/yaml.ts";
import { wireFieldsOf } from "../../src/messages/dialects/define.ts";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { roles } from "../../src/messages/role.ts";
import { documentText } from "./documents.ts";

const text = documentText("bmad-1");
const skip = text === null ? "BATON_DOCUMENTS names no folder with the documents" : false;
const document = text ?? "";
const dialect = authoredDialects.find(({ id }) => id === "bmad/1");
const [entry] = dialect?.messages ?? [];
assert.ok(dialect && entry);

test("bmad/1: the schema is the document's, fields, forms, words and formats", { skip }, () => {
  // The document's last block is left open at the end of the file.
  const printed = JSON.parse(/```json\n([\s\S]*?)(?:```|$)/.exec(document)?.[1] ?? "{}") as JsonSchema;
  assert.deepEqual(bare(emitSchema(objectOf(wireFieldsOf(dialect, entry)))), bare(printed));
});

test("bmad/1: any agent may hand over to any; people hand over through their own agents", () => {
  assert.deepEqual(entry.senders, entry.receivers);
  assert.deepEqual(
    roles.filter((role) => !entry.senders.includes(role)),
    ["user", "guest"],
  );
});

test("bmad/1: the document's example is accepted unchanged, and so is its outline with one of each pair of words", {
  skip,
}, async () => {
  const [outline = "", example = ""] = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
  for (const yaml of [
    example,
    outline
      .replaceAll("ISO 8601 timestamp", "2026-03-04T10:00:00Z")
      .replace("completed|in-progress|failed", "failed")
      .replace("true|false", "true")
      .replace("passed|failed|pending", "pending")
      .replace("true|false", "false"),
  ]) {
    const parsed = await parseYaml(yaml, "handoff.yaml");
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const answer = dialectOf("bmad/1")?.read(parsed.value.value, { strict: true });
    assert.equal(answer?.answer, "accepted", JSON.stringify(answer));
  }
});

/** A schema without the words for people, in the order of keys. */
function bare(schema: JsonSchema): unknown {
  const { $schema: _, description: _words, properties, items, required, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(items === undefined ? {} : { items: bare(items) }),
    ...(required === undefined ? {} : { required }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: bare(additionalProperties) } : {}),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, bare(inner)])) }),
  };
}

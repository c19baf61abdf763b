import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Diagnostic, Parser } from "@asyncapi/parser";
import { dialects } from "../../src/dialects/index.ts";

const parser = new Parser();

function published(dialect: string): string {
  return readFileSync(new URL(`../../schemas/${dialect}/asyncapi.json`, import.meta.url), "utf8");
}

/** What is more than advice: an error or a warning, with its place. */
function faults(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ path, message }) => `${path.join(".")}: ${message}`);
}

for (const dialect of dialects) {
  test(`the AsyncAPI document of ${dialect.id} is valid, and says who sends and who receives what`, async () => {
    const { document, diagnostics } = await parser.parse(published(dialect.id));
    assert.deepEqual(faults(diagnostics), []);
    assert.ok(document !== undefined);
    assert.equal(document.version(), "3.0.0");
    const sent = [...dialect.definitions.values()].filter(({ wire }) => wire === "sent");
    const expected = sent.flatMap(({ type, senders, receivers }) => [
      ...senders.flatMap((sender) => receivers.map((receiver) => `${sender} sends ${type} to ${receiver}`)),
      ...receivers.map((receiver) => `${receiver} receives ${type}`),
    ]);
    const said = document
      .operations()
      .all()
      .flatMap((operation) => {
        const id = operation.id() ?? "";
        const [, sender, receiver] = /^(.+)-sends-to-(.+)$/.exec(id) ?? [];
        const types = operation
          .messages()
          .all()
          .map((message) => message.name() ?? "");
        return types.map((type) =>
          sender === undefined
            ? `${id.replace(/-receives$/, "")} receives ${type}`
            : `${sender} sends ${type} to ${receiver}`,
        );
      });
    assert.deepEqual(said.toSorted(), expected.toSorted());
  });
}

test("a broken document is found out: an unknown word, and a reference to nothing", async () => {
  // Of the smallest document: what is found does not depend on the dialect.
  const broken = published("vbw/1").replaceAll('"action": "receive"', '"action": "overhear"');
  assert.notDeepEqual(faults((await parser.parse(broken)).diagnostics), []);
  const dangling = published("vbw/1").replaceAll("#/components/messages/qa_result", "#/components/messages/gone");
  assert.notDeepEqual(faults((await parser.parse(dangling)).diagnostics), []);
});

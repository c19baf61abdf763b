import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { dialects } from "../../src/messages/dialects/index.ts";
import { acceptedExamples, refusedExamples } from "./messages.ts";

const given = { authorRole: "lead", timestamp: "2026-03-04T10:00:00Z" };

for (const dialect of dialects) {
  test(`${dialect.id} shows in its reference what the corpus accepts`, () => {
    const accepted = new Map(acceptedExamples(dialect.id).map(({ name, message }) => [name, message]));
    for (const [type, { example }] of dialect.definitions) assert.deepEqual(accepted.get(`${type}.json`), example, type);
  });
}

/** A file is called by its message's type, then by what is special about it. */
function typeOf({ name }: { readonly name: string }): string {
  return /^[a-z_]+/.exec(name)?.[0] ?? name;
}

/** The id that a message names itself: of its envelope, or of its metadata. */
function wireIdOf({ id, handoff }: JsonObject): Json {
  const metadata = isJsonObject(handoff) ? handoff.metadata : undefined;
  return id ?? (isJsonObject(metadata) ? metadata.id : undefined) ?? null;
}

for (const dialect of dialects) {
  test(`${dialect.id} accepts its accepted examples and writes them again as they were`, () => {
    for (const { name, message } of acceptedExamples(dialect.id)) {
      const answer = dialect.read(message);
      assert.equal(answer.answer, "accepted", `${name}: ${JSON.stringify(answer)}`);
      if (answer.answer !== "accepted") continue;
      assert.equal(answer.wireId, wireIdOf(message));
      assert.deepEqual(dialect.write(answer.fact, { id: answer.wireId ?? "", given }), message, name);
    }
  });

  test(`${dialect.id} refuses its refused examples, each with the problems named, and a hint`, () => {
    for (const { name, message, problems } of refusedExamples(dialect.id)) {
      const answer = dialect.read(message);
      assert.equal(answer.answer, "invalid", name);
      if (answer.answer !== "invalid") continue;
      const found = answer.problems.map(({ code, path }) => ({ code, path }));
      assert.deepEqual(found, problems, name);
      for (const problem of answer.problems) assert.ok(problem.hint, `${name}: no hint at ${problem.path}`);
    }
  });

  test(`${dialect.id} has two accepted and three refused examples of every type`, () => {
    const accepted = acceptedExamples(dialect.id).map(typeOf);
    const refused = refusedExamples(dialect.id).map(typeOf);
    for (const type of dialect.definitions.keys()) {
      assert.ok(accepted.filter((one) => one === type).length >= 2, `${type} is accepted fewer than two times`);
      assert.ok(refused.filter((one) => one === type).length >= 3, `${type} is refused fewer than three times`);
    }
    for (const type of [...accepted, ...refused]) assert.ok(dialect.definitions.has(type), type);
  });
}

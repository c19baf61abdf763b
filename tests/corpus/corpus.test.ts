import assert from "node:assert/strict";
import { test } from "node:test";
import { dialects } from "../../src/dialects/index.ts";
import { acceptedExamples, refusedExamples } from "./messages.ts";

const given = { authorRole: "lead", timestamp: "2026-03-04T10:00:00Z" };

for (const dialect of dialects) {
  test(`${dialect.id} accepts its accepted examples and writes them again as they were`, () => {
    for (const { name, message } of acceptedExamples(dialect.id)) {
      const answer = dialect.read(message);
      assert.equal(answer.answer, "accepted", `${name}: ${JSON.stringify(answer)}`);
      if (answer.answer !== "accepted") continue;
      assert.equal(answer.wireId, message.id);
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

  test(`${dialect.id} has an accepted and three refused examples of every type`, () => {
    const accepted = acceptedExamples(dialect.id).map(({ message }) => message.type);
    const refused = refusedExamples(dialect.id).map(({ message }) => message.type);
    for (const type of dialect.definitions.keys()) {
      assert.ok(accepted.includes(type), `${type} is never accepted`);
      assert.ok(refused.filter((one) => one === type).length >= 3, `${type} is refused fewer than three times`);
    }
  });
}

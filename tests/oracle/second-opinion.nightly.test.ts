import "@hyperjump/json-schema/formats";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { registerSchema, setShouldValidateFormat, validate } from "@hyperjump/json-schema/draft-2020-12";
import { isJsonObject, type Json } from "../../src/base/json.ts";
import { dialects } from "../../src/messages/dialects/index.ts";
import { acceptedExamples } from "../corpus/messages.ts";

/** Values that replace any other, to be wrong in every way. */
const strangers: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1.5,
  101,
  "",
  "x",
  "complete",
  // With a Cyrillic letter, and with a space: they look the same.
  "c\u043emplete",
  "high ",
  "high",
  "2.0",
  "2026-02-30",
  "2026-03-04T10:00:00Z",
  "abc1234",
  [],
  [1],
  ["x"],
  {},
  { passed: 1 },
];

/** Every message that differs from `message` at one place: a value replaced, taken away, or a stranger added. */
function* mutants(message: Json): Generator<Json> {
  yield* strangers;
  if (Array.isArray(message)) {
    for (const [index, inner] of message.entries()) {
      for (const mutant of mutants(inner)) yield message.with(index, mutant);
    }
  } else if (isJsonObject(message)) {
    const fields = Object.entries(message);
    for (const [key, inner] of fields) {
      yield Object.fromEntries(fields.filter(([other]) => other !== key));
      for (const mutant of mutants(inner)) yield { ...message, [key]: mutant };
    }
    yield { ...message, further: 1 };
  }
}

/** Codes of problems that JSON Schema can see; rules between fields it cannot. */
function isFormed(dialect: (typeof dialects)[number], type: string, message: Json): boolean {
  const answer = dialect.read(message);
  if (answer.answer === "accepted") return answer.type === type;
  return answer.answer === "invalid" && answer.problems.every(({ code }) => code === "cross-field");
}

setShouldValidateFormat(true);

test("another validator, from the published schemas, judges every mutant as the reader does", async (t) => {
  const registered = new Set<string>();
  let compared = 0;
  let refused = 0;
  for (const dialect of dialects) {
    for (const { name, message } of acceptedExamples(dialect.id)) {
      const type = /^[a-z_]+/.exec(name)?.[0] ?? "";
      const file = new URL(`../../schemas/${dialect.id}/${type}.json`, import.meta.url);
      const schema = JSON.parse(readFileSync(file, "utf8")) as { readonly $id: string };
      assert.equal(schema.$id, `urn:baton:${dialect.id}:${type}`);
      if (!registered.has(schema.$id)) registerSchema(schema, schema.$id);
      registered.add(schema.$id);
      const judge = await validate(schema.$id);
      for (const mutant of mutants(message)) {
        const second = judge(mutant as never).valid; // Their JSON is mutable; nothing is changed.
        compared += 1;
        if (!second) refused += 1;
        assert.equal(isFormed(dialect, type, mutant), second, `${dialect.id} ${type}: ${JSON.stringify(mutant)}`);
      }
    }
  }
  t.diagnostic(`${compared} mutants, ${refused} refused by both`);
  assert.ok(compared > 50_000 && refused > 40_000);
});

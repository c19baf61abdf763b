import "@hyperjump/json-schema/formats";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { registerSchema, setShouldValidateFormat, validate } from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";
import { authoredDialects } from "../../scripts/generate/authored.ts";
import { isJsonObject, type Json } from "../../src/base/json.ts";
import { dialectOf, dialects } from "../../src/messages/dialects/registry.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import { anyCharacter } from "../corpus/any-character.ts";
import { anyMessage } from "../corpus/any-message.ts";
import { acceptedExamples } from "../corpus/messages.ts";

const seed = 404;

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
  if (typeof message === "string") yield `${message}\u0455`;
  if (typeof message === "string") yield message.toUpperCase();
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
const registered = new Set<string>();

/** Whether a message fits the published schema of a type, as another validator sees it. */
async function judgeOf(id: string, type: string): Promise<(message: Json) => boolean> {
  const file = new URL(`../../schemas/${id}/${type}.json`, import.meta.url);
  const schema = JSON.parse(readFileSync(file, "utf8")) as { readonly $id: string };
  assert.equal(schema.$id, `urn:baton:${id}:${type}`);
  // Both tests ask about one of them.
  if (!registered.has(schema.$id)) registerSchema(schema, schema.$id);
  registered.add(schema.$id);
  const judge = await validate(schema.$id);
  // Their JSON is mutable; nothing is changed.
  return (message) => judge(message as never).valid;
}

/** What is wrong with the way in which `reader` takes a mutant that is no message of its type, if anything. */
function wrongIn(
  message: Json,
  read: typeof readMessage,
  of: Parameters<typeof readMessage>[1],
  fits: (message: Json) => boolean,
) {
  const text = JSON.stringify(message);
  const isTaken = ({ outcome, problems }: ReturnType<typeof readMessage>) =>
    outcome !== "invalid" && problems.length === 0;
  if (isTaken(read(text, { ...of, strict: true }))) return "taken under strict";
  const loose = read(text, of);
  if (!isTaken(loose)) return null;
  if (loose.outcome !== "accepted") return "taken for words";
  if (!loose.notes.some(({ code }) => code === "alias" || code === "unknown-field")) return "taken without a note";
  return fits(loose.message as Json) ? null : "read as what is no message";
}

test("another validator judges every mutant as the reader does, and none is taken but by a rule that is noted", async (t) => {
  let [compared, refused, read] = [0, 0, 0];
  for (const authored of authoredDialects) {
    const dialect = dialectOf(authored.id) ?? assert.fail();
    for (const entry of authored.messages) {
      const { type } = entry;
      const judge = await judgeOf(dialect.id, type);
      const examples = acceptedExamples(dialect.id).filter(({ name }) => /^[a-z_]+/.exec(name)?.[0] === type);
      // Fields that the examples leave out come with the generated ones.
      const generated = fc.sample(anyMessage(authored, entry), { numRuns: 2, seed });
      for (const message of [...examples.map((each) => each.message), ...generated])
        for (const [index, mutant] of [...mutants(message)].entries()) {
          const second = judge(mutant);
          const what = `${dialect.id} ${type}: ${JSON.stringify(mutant)}`;
          compared += 1;
          assert.equal(isFormed(dialect, type, mutant), second, what);
          if (second) continue;
          refused += 1;
          if (!isJsonObject(mutant) || mutant.type !== (message as { type?: Json }).type || index % 14 !== 0) continue;
          assert.equal(wrongIn(mutant, readMessage, { dialects: [dialect.id] }, judge), null, what);
          read += 1;
        }
    }
  }
  t.diagnostic(`${compared} mutants, ${refused} refused by both, ${read} of them read in both modes`);
  assert.ok(compared > 50_000 && refused > 40_000 && read > 3_000);
});

test("a reader that takes a look-alike for the letter, null for nothing, or drift under strict is found", async () => {
  const judge = await judgeOf("vbw/2", "execution_update");
  const [message] = acceptedExamples("vbw/2").flatMap(({ name, message }) =>
    name === "execution_update.json" ? [message] : [],
  );
  const readers: Readonly<Record<string, typeof readMessage>> = {
    "a look-alike": (text, of) => readMessage(String(text).replaceAll("\u043e", "o").replaceAll("\u0455", ""), of),
    "null for nothing": (text, of) => readMessage(String(text).replaceAll(/"\w+":null,?/g, ""), of),
    "drift under strict": (text, of) => readMessage(text, { ...of, strict: false }),
  };
  for (const [bug, reader] of Object.entries(readers)) {
    const found = [...mutants(message ?? null)].filter(
      (mutant) =>
        isJsonObject(mutant) && !judge(mutant) && wrongIn(mutant, reader, { dialects: ["vbw/2"] }, judge) !== null,
    );
    assert.ok(found.length > 0, bug);
  }
});

test("any text has a reading, in any dialect and mode; an invalid one says why, and nothing is accepted without a type", () => {
  const messages = dialects.flatMap(({ id }) => acceptedExamples(id).map(({ message }) => JSON.stringify(message)));
  const spoilt = fc
    .tuple(fc.constantFrom(...messages), fc.nat(), fc.string({ maxLength: 4 }))
    .map(([text, at, piece]) => text.slice(0, at % text.length) + piece + text.slice((at % text.length) + (at % 5)));
  const texts = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 400 }), fc.json(), spoilt);
  const ids = dialects.map(({ id }) => id);
  const property = fc.property(texts, fc.constantFrom(...ids), fc.boolean(), (text, dialect, strict) => {
    const { outcome, problems, type } = readMessage(text, { dialects: [dialect], strict });
    if (outcome === "invalid") assert.ok(problems.length > 0);
    else assert.equal(outcome === "accepted", type !== null);
  });
  fc.assert(property, { seed, numRuns: 3_000 });
});

/**
 * Random JSON and random text, against the independent validator and against readers that throw. JSON is random where it
 * hurts: any value in any place of an accepted message, as well as values that have nothing of a message.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isJsonList, isJsonObject, type Json } from "../../src/base/json.ts";
import { dialects } from "../../src/messages/dialects/registry.ts";
import { anyCharacter } from "../corpus/any-character.ts";
import { acceptedExamples } from "../corpus/messages.ts";
import { library, type Reader, type SecondJudges } from "./campaign.ts";

const examples = dialects.flatMap((dialect) =>
  acceptedExamples(dialect.id).map(({ name, message }) => {
    return { dialect, type: /^[a-z_]+/.exec(name)?.[0] ?? "", message, places: [...placesIn(message, [])] };
  }),
);

function* placesIn(value: Json, steps: readonly string[]): Generator<readonly string[]> {
  const inner = isJsonList(value) || isJsonObject(value) ? Object.entries(value) : [];
  for (const [key, held] of inner) {
    yield [...steps, key];
    yield* placesIn(held, [...steps, key]);
  }
}

function put(owner: Json, [step = "", ...deeper]: readonly string[], value: Json): Json {
  const made = (held: Json): Json => (deeper.length === 0 ? value : put(held, deeper, value));
  if (isJsonList(owner)) return owner.map((held, index) => (String(index) === step ? made(held) : held));
  if (!isJsonObject(owner)) return owner;
  return Object.fromEntries(Object.entries(owner).map(([key, held]) => [key, key === step ? made(held) : held]));
}

// Their type of JSON has mutable lists.
const anyJson = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

const anyChanged = fc.constantFrom(...examples).chain((example) =>
  fc.tuple(fc.constantFrom(...example.places), anyJson).map(([steps, value]) => {
    return { ...example, message: put(example.message, steps, value) };
  }),
);

/** Messages with one random value: ours and the independent validator agree, and what passes strictly is a message. */
export function randomMessages(seed: number, runs: number, judges: SecondJudges): void {
  const property = fc.property(anyChanged, ({ dialect, type, message }) => {
    assert.ok(isJsonObject(message));
    const answer = dialect.read(message);
    const isOurs =
      answer.answer === "accepted"
        ? answer.type === type
        : answer.answer === "invalid" && answer.problems.every(({ code }) => code === "cross-field");
    // Another type's name makes another type's message of it.
    if (message.type !== undefined && message.type !== type) return;
    assert.equal(isOurs, judges(dialect.id, type, message), JSON.stringify(message));
    const reading = library(JSON.stringify(message), dialect.id, true);
    if (reading.outcome === "accepted") assert.ok(judges(dialect.id, type, reading.message));
  });
  fc.assert(property, { seed, numRuns: runs });
}

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  anyJson.map((value) => JSON.stringify(value)),
  anyChanged.map(({ message }) => JSON.stringify(message)),
  fc.tuple(anyChanged, fc.nat(), fc.string({ maxLength: 4 })).map(([{ message }, at, piece]) => {
    const text = JSON.stringify(message, null, at % 3);
    const place = at % (text.length + 1);
    return text.slice(0, place) + piece + text.slice(place + (at % 5));
  }),
);

/**
 * Any string has a reading, in any dialect and mode; an invalid one says why, and nothing is accepted without a type.
 */
export function randomTexts(seed: number, runs: number, reader: Reader): void {
  const ids = dialects.map(({ id }) => id);
  const property = fc.property(anyText, fc.constantFrom(...ids), fc.boolean(), (text, dialect, strict) => {
    const { outcome, problems, type } = reader(text, dialect, strict);
    if (outcome === "invalid") assert.ok(problems.length > 0);
    else assert.equal(outcome === "accepted", type !== null);
  });
  fc.assert(property, { seed, numRuns: runs });
}

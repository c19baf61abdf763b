/** Laws of reading and writing, on every definition and between every two dialects, by generated messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { authoredDialects } from "../../scripts/generate/authored.ts";
import type { Dialect } from "../../src/messages/dialects/dialect.ts";
import { dialectOf, dialects } from "../../src/messages/dialects/registry.ts";
import type { Fact } from "../../src/messages/facts.ts";
import { anyMessage } from "./any-message.ts";

const seed = 20_26;
const given = { authorRole: "dev", timestamp: "2026-03-04T10:00:00Z" };

function accepted(dialect: Dialect, message: Json) {
  const answer = dialect.read(message);
  assert.equal(answer.answer, "accepted", `${dialect.id}: ${JSON.stringify(answer)}`);
  assert.ok(answer.answer === "accepted");
  return answer;
}

/** Through JSON, so that objects without a prototype compare equal. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

for (const authored of authoredDialects) {
  const dialect = dialectOf(authored.id);
  assert.ok(dialect);
  for (const entry of authored.messages) {
    test(`${dialect.id} ${entry.type}: what is read is written again with every field (seed ${seed})`, () => {
      fc.assert(
        fc.property(anyMessage(authored, entry), (message) => {
          const before = JSON.stringify(message);
          const { fact, wireId } = accepted(dialect, message);
          const write = (said: Fact) => plain(dialect.write(said, { id: wireId ?? "", given }));
          assert.deepEqual(write(fact), plain(message));
          assert.deepEqual(write(plain(fact) as Fact), plain(message), "a stored fact is written the same");
          assert.equal(JSON.stringify(message), before, "reading and writing leave the message alone");
          assert.ok(dialect.accepts(message));
        }),
        { seed, numRuns: 60 },
      );
    });
  }
}

/** Fields of `message` that `other` has not with the same value, nor what it keeps under taken names. */
function lost(message: JsonObject, other: JsonObject, kept: JsonObject): readonly string[] {
  const text = (value: Json | undefined) => JSON.stringify(sorted(value));
  return Object.entries(message)
    .filter(([key, value]) => text(other[key]) !== text(value) && text(kept[key]) !== text(value))
    .map(([key]) => key);
}

function keptOf(message: JsonObject, part: string): JsonObject {
  const { kept } = message;
  const inner = isJsonObject(kept) ? kept[part] : undefined;
  return isJsonObject(inner) ? inner : {};
}

function sorted(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

for (const authored of authoredDialects) {
  const source = dialectOf(authored.id);
  assert.ok(source);
  for (const entry of authored.messages) {
    const targets = dialects.filter(({ id, definitionOf }) => id !== source.id && definitionOf(entry.kind) !== null);
    if (targets.length === 0) continue;
    const ids = targets.map(({ id }) => id).join(", ");
    test(`${source.id} ${entry.type}: nothing is lost on the way to ${ids} and back (seed ${seed})`, () => {
      let translated = 0;
      fc.assert(
        fc.property(anyMessage(authored, entry), (message) => {
          const { fact, wireId } = accepted(source, message);
          const id = wireId ?? "answer-1";
          for (const target of targets) {
            const there = target.write(fact, { id, given });
            if (there === null) continue;
            translated += 1;
            const abroad = accepted(target, there);
            assert.equal(abroad.type, target.definitionOf(entry.kind)?.type);
            const back = source.write(abroad.fact, { id, given });
            assert.ok(back !== null, `${target.id} cannot be read back: ${JSON.stringify(there)}`);
            const home = plain(back) as JsonObject;
            // `assumed` and `kept` are Baton's own words and grow on the way.
            const missing = lost(plain(message) as JsonObject, home, { ...keptOf(home, "envelope"), ...keptOf(home, "payload") }).filter(
              (key) => !["payload", "assumed", "kept"].includes(key),
            );
            assert.deepEqual(missing, [], `by ${target.id}: ${JSON.stringify(there)}\n${JSON.stringify(home)}`);
            if (source.form !== "typed") continue;
            const payload = plain(message.payload ?? {}) as JsonObject;
            assert.deepEqual(lost(payload, home.payload as JsonObject, keptOf(home, "payload")), [], `by ${target.id}: ${JSON.stringify(there)}`);
          }
        }),
        { seed, numRuns: 150 },
      );
      assert.ok(translated > 30, `${translated} translations: do its fields and words fit those of other dialects with the kind ${entry.kind}?`);
    });
  }
}

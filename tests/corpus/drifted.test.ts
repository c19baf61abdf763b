/**
 * Messages of every definition as agents drift from it: long and short names, one word for another, camel case, lone
 * values, numbers and flags as text. Each is read, each use is noted, `strict` refuses it, and what it is read as needs
 * no tolerance. Source: docs/protocol/messages.md, section 15.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { dialects } from "../../src/messages/dialects/registry.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import type { DialectId } from "../../src/messages/message.ts";

interface Drifted {
  readonly dialect: DialectId;
  readonly message: JsonObject;
}

const drifted = readFileSync(new URL("drifted.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Drifted);

for (const dialect of dialects) {
  const own = drifted.filter((one) => one.dialect === dialect.id);

  test(`${dialect.id} reads its drifted messages as what they mean, and strictly none of them`, () => {
    for (const { message } of own) {
      const text = JSON.stringify(message);
      const reading = readMessage(text, { dialects: [dialect.id] });
      assert.ok(reading.outcome === "accepted", `${text}: ${JSON.stringify(reading.problems)}`);
      const codes = new Set(reading.notes.map(({ code }) => code));
      assert.deepEqual(codes, new Set(["alias"]), `${text}: every use is noted, and nothing is a stranger`);
      assert.equal(readMessage(text, { dialects: [dialect.id], strict: true }).outcome, "invalid", text);
      const again = readMessage(JSON.stringify(reading.message), { dialects: [dialect.id], strict: true });
      assert.equal(again.outcome, "accepted", `${text}: ${JSON.stringify(again.problems)}`);
      const given = { authorRole: "dev", timestamp: "2026-03-04T10:00:00Z" };
      const written = dialect.write(reading.fact, { id: reading.wireId ?? "", given });
      assert.deepEqual(written, reading.message, `${text}: what is written is canonical`);
    }
  });

  test(`${dialect.id} has a drifted message of every type`, () => {
    const types = own.map(({ message }) => message.type ?? Object.keys(message)[0]);
    assert.deepEqual(
      [...dialect.definitions.keys()].filter((type) => !types.includes(type)),
      [],
      `${dialect.id}: write a drifted message of each of these types into tests/corpus/drifted.jsonl`,
    );
  });
}

/**
 * Every message that a dialect accepts is told in one line that a person can read, whatever its fields hold: what stands in
 * the timeline of the page, and in the terminal.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonList, isJsonObject, type Json } from "../../src/base/json.ts";
import { shorten, visible } from "../../src/base/text.ts";
import { dialects } from "../../src/messages/dialects/index.ts";
import type { Fact } from "../../src/messages/facts.ts";
import { linePieces } from "../../src/messages/fact-line.ts";
import type { Message } from "../../src/messages/message.ts";
import { summaryOf } from "../../src/record/view/summary.ts";
import { acceptedExamples } from "./messages.ts";

/** What is wrong with a line, or null. */
function problemOf(line: string, raw: string): string | null {
  if (line.trim() === "") return "it is empty";
  if (/[\r\n\v\f\u0085\u2028\u2029]/.test(line)) return "it is more than one line";
  if (visible(line) !== line) return "it carries what is not seen, or acts";
  if (/[{}]|\[object|\bundefined\b|\bnull\b|\bNaN\b/.test(line) || raw.startsWith(line)) return "it is raw JSON";
  return null;
}

interface Example {
  readonly name: string;
  readonly fact: Fact;
  readonly message: Message;
}

const examples: readonly Example[] = dialects.flatMap((dialect) =>
  acceptedExamples(dialect.id).map(({ name, message: wire }): Example => {
    const answer = dialect.read(wire);
    assert.ok(answer.answer === "accepted", name);
    const { fact, type, wireId } = answer;
    const message: Message = { dialect: dialect.id, type, rung: "typed", wireId, text: JSON.stringify(wire), fact };
    return { name: `${dialect.id} ${name}`, fact, message };
  }),
);

test("what is wrong with a line is seen", () => {
  const raw = '{"type":"task_claim"}';
  for (const line of ["", " ", raw, raw.slice(0, 9), "a\nb", "a\u2028b", "a\u001b[31m", "a\u202e", "is [object Object]"])
    assert.notEqual(problemOf(line, raw), null, JSON.stringify(line));
  assert.equal(problemOf("02-01/T1: claims src/auth/code.ts", raw), null);
});

test("every accepted example is told in a line", () => {
  for (const { name, message } of examples) {
    const line = summaryOf({ message });
    assert.equal(problemOf(line, message.text), null, `${name}: ${line}`);
    assert.ok(line.length <= 120, `${name} is cut in the log: ${line}`);
  }
});

test("every line says more than one word of its message", () => {
  for (const { name, message } of examples) assert.match(summaryOf({ message }), /\S\s+\S/, name);
});

test("texts of many lines stay on one, whatever field holds them, and are escaped for a terminal", () => {
  const hostile = (value: Json): Json => {
    if (typeof value === "string") return `${value}\r\n\u2028\tsecond \u001b]0;x\u0007 line`;
    if (isJsonList(value)) return value.map(hostile);
    return isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hostile(inner)]))
      : value;
  };
  for (const { name, fact, message } of examples) {
    // The same shape with other texts.
    const turned = hostile({ head: { ...fact.head }, body: { ...fact.body } }) as unknown as Pick<Fact, "head" | "body">;
    const line = summaryOf({ message: { ...message, fact: { ...fact, ...turned } } });
    assert.equal(problemOf(visible(line), message.text), null, `${name}: ${JSON.stringify(line)}`);
    assert.doesNotMatch(line, /[\r\n\t\u2028]/, name);
    // What a door shows is whole characters of it.
    assert.ok(shorten(line, 120).isWellFormed(), name);
  }
});

test("a fact whose fields hold something else is told too, and nothing throws", () => {
  const strange: readonly Json[] = [null, true, -1, "", [], [null, [[]], {}], {}, { passed: [] }, [{ decision: {} }]];
  for (const { name, fact, message } of examples) {
    for (const value of strange) {
      const body = Object.fromEntries(Object.keys(fact.body).map((field) => [field, value]));
      // As a journal of a later revision may hold it.
      const line = summaryOf({ message: { ...message, fact: { ...fact, body } as unknown as Fact } });
      assert.equal(problemOf(line, message.text), null, `${name} of ${JSON.stringify(value)}: ${line}`);
    }
  }
});

test("a line names fields that its kind has", () => {
  const known = new Map<string, Set<string>>();
  for (const { definitions } of dialects) {
    for (const { kind, fields } of definitions.values()) {
      const names = known.get(kind) ?? new Set<string>();
      known.set(kind, names);
      for (const { neutral } of fields) names.add(neutral === "head.phase" ? "phase" : neutral);
    }
  }
  for (const [kind, pieces] of Object.entries(linePieces)) {
    const names = known.get(kind);
    // Notices of agent programs have no definition.
    if (names === undefined) assert.match(kind, /-notice$/);
    else for (const { field } of pieces) assert.ok(names.has(field.split(".")[0] ?? ""), `${kind} has no ${field}`);
  }
});

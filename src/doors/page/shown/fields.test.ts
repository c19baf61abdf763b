/** Rows of a message as written, and of what was understood where the text is no JSON. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../../messages/message.ts";
import type { Shown } from "../../../record/operations/entries.ts";
import { fieldsOf, wordsOf } from "./fields.ts";

const fact: Message["fact"] = {
  kind: "blocker",
  head: { phase: 1, task: "1-1-T1", authorRole: "dev", timestamp: null, confidence: null },
  body: { blocker: "No network", severity: 2, tried: ["a", "b"], detail: { deep: [1] } },
};
const message = (text: string, known: Message["fact"] = fact): Message => ({
  dialect: "vbw/2",
  type: "blocker_report",
  rung: "typed",
  wireId: null,
  text,
  fact: known,
});

test("a typed message's rows bear the names that were written, payload first", () => {
  const text =
    '{"id":"b-1","payload":{"blocker":"No network","tried":["a","b"],"none":[],"deep":{"x":{"y":[{"z":1}]}},"n":2},"phase":1}';
  assert.deepEqual(fieldsOf(message(text)), {
    payload: [
      { name: "blocker", value: { form: "text", text: "No network" } },
      {
        name: "tried",
        value: {
          form: "list",
          items: [
            { form: "text", text: "a" },
            { form: "text", text: "b" },
          ],
        },
      },
      { name: "none", value: { form: "text", text: "none" } },
      {
        name: "deep",
        value: {
          form: "fields",
          rows: [
            {
              name: "x",
              value: {
                form: "fields",
                rows: [{ name: "y", value: { form: "list", items: [{ form: "json", text: '{\n  "z": 1\n}' }] } }],
              },
            },
          ],
        },
      },
      { name: "n", value: { form: "text", text: "2" } },
    ],
    envelope: [
      { name: "id", value: { form: "text", text: "b-1" } },
      { name: "phase", value: { form: "text", text: "1" } },
    ],
  });
});

test("where the text is no JSON object, the rows are what was understood", () => {
  const { payload, envelope } = fieldsOf(message("```json\n{}\n```"));
  assert.deepEqual(
    payload.map(({ name }) => name),
    ["blocker", "severity", "tried", "detail"],
  );
  assert.deepEqual(
    envelope.map(({ name }) => name),
    ["phase", "task", "authorRole"],
  );
});

test("prose has no rows", () => {
  assert.deepEqual(fieldsOf(message("hello", null)), { payload: [], envelope: [] });
});

test("the whole words of an entry are those of its prose, an agent's or Baton's own", () => {
  // Of an entry as shown, what is read.
  const shown = (message: object | null, content: unknown) => ({ message, entry: { content } }) as unknown as Shown;
  const prose = { fact: null, text: "One\ntwo" };
  assert.equal(wordsOf(shown(prose, {})), "One\ntwo");
  assert.equal(
    wordsOf(shown(null, { command: {}, message: { text: "It is disputed.\nFound: nothing" } })),
    "It is disputed.\nFound: nothing",
  );
  assert.equal(wordsOf(shown({ fact: { kind: "progress" }, text: "{}" }, {})), null);
  assert.equal(wordsOf(shown(null, { command: {} })), null);
});

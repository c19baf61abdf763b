/** What an import reads of a transcript. Rule: docs/protocol/messages.md, section 16. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { dialects } from "../../messages/dialects/registry.ts";
import { readMessage } from "../../messages/intake/read-message.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { newItemReader } from "./import-items.ts";

const frame = JSON.stringify({ type: "idle_notification", from: "dev-1", idleReason: "available" });
const report = JSON.stringify(typedMessage("execution_update"));
const tag = (text: string, more = "") => `<teammate-message teammate_id="dev-1"${more}>\n${text}\n</teammate-message>`;
const row = (content: JsonObject[string]): JsonObject => ({
  type: "user",
  message: { role: "user", content },
  uuid: "u-1",
  timestamp: "2026-02-12T10:00:00Z",
});
const entry = (text: string): JsonObject => ({ from: "team-lead", text, timestamp: "2026-02-12T10:00:00Z" });

/** A row in which an agent sends something by its program's tool. */
const sends = (input: JsonObject, ...more: JsonObject[]): JsonObject => ({
  type: "assistant",
  agentName: "dev-1",
  message: {
    role: "assistant",
    content: [{ type: "text", text: "Now." }, { type: "tool_use", name: "SendMessage", input }, ...more],
  },
  uuid: "u-2",
});
const asked = {
  type: "permission_request",
  request_id: "p-1",
  agent_id: "dev-1",
  tool_name: "Bash",
  description: "ls",
};

/** a line of an import, the type that it is read as (null: prose), who said it */
const lines: readonly (readonly [string, JsonObject, string | null, string | undefined])[] = [
  ["a frame in a row", row(tag(frame)), "idle_notification", "dev-1"],
  ["a message in a row", row(tag(report)), "execution_update", "dev-1"],
  ["one with further attributes", row(tag(frame, ' color="blue" summary="Idle"')), "idle_notification", "dev-1"],
  ["one part of a row", row([{ type: "text", text: tag(frame) }]), "idle_notification", "dev-1"],
  ["a frame in a mailbox", entry(tag(frame)), "idle_notification", "dev-1"],
  ["words of a teammate", row(tag("All is well.")), null, "dev-1"],
  ["a faulty message", row(tag(report.replace("complete", "so-so"))), null, "dev-1"],
  ["two of them", row(`${tag(frame)}\n${tag(frame)}`), null, undefined],
  ["a message that an agent sent", sends({ to: "lead", message: report }), "execution_update", "dev-1"],
  [
    "a frame that an agent sent",
    sends({ to: "dev-1", message: { type: "shutdown_response", request_id: "s-1", approve: true } }),
    "shutdown_response",
    "dev-1",
  ],
  ["words that an agent sent", sends({ to: "lead", message: "All is well." }), null, "dev-1"],
  ["a question of a program about its tools", entry(JSON.stringify(asked)), "permission_request", "team-lead"],
  ["words around one", row(`It said ${tag(frame)}`), null, undefined],
];

for (const [name, line, type, from] of lines) {
  test(`an import reads ${name} of a transcript as ${type ?? "prose"}`, async () => {
    const reader = newItemReader({ first: [], others: dialects }, { asHistory: false });
    const text = JSON.stringify(line);
    const item = await reader.read(
      { path: "old.jsonl", shown: "old.jsonl" },
      { index: 0, line: 1, text, entry: false },
    );
    assert.ok(item.is === "past", JSON.stringify(item));
    assert.deepEqual(
      item.past.map(({ message, origin }) => [message.type, origin.from]),
      [[type, from]],
    );
  });
}

test("each message that one row shows an agent sending is history, with its receiver, equal ones too", async () => {
  const use = (input: JsonObject) => ({ type: "tool_use", name: "SendMessage", input });
  const line = sends(
    { to: "lead", message: report },
    use({ to: "dev-2", message: "All is well." }),
    use({ to: "lead", message: report }),
    { type: "tool_use", name: "Bash", input: { command: "ls" } },
    use({ to: "lead" }),
  );
  const reader = newItemReader({ first: [], others: dialects }, { asHistory: false });
  const file = { path: "old.jsonl", shown: "old.jsonl" };
  const item = await reader.read(file, { index: 0, line: 1, text: JSON.stringify(line), entry: false });
  assert.ok(item.is === "past", JSON.stringify(item));
  assert.deepEqual(
    item.past.map(({ message, origin }) => [message.type, origin.from, origin.to, origin.nth]),
    [
      ["execution_update", "dev-1", "lead", undefined],
      [null, "dev-1", "dev-2", undefined],
      ["execution_update", "dev-1", "lead", 2],
    ],
  );
});

test("a message that is sent in this form stays prose", () => {
  const partial = JSON.stringify(typedMessage("execution_update", { status: "partial" }));
  assert.equal(readMessage(`So: ${partial}`).outcome, "accepted", "a report may be said among words");
  for (const text of [tag(frame), tag(report), tag(partial), JSON.stringify(entry(tag(report)))]) {
    assert.equal(readMessage(text).outcome, "prose", text);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedExamples } from "../../../tests/corpus/messages.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { dialectIds, dialectOf } from "../dialects/registry.ts";
import { readMessage } from "./read-message.ts";
import { repair } from "./repair.ts";

interface Drift {
  readonly name: string;
  readonly type: string;
  readonly payload?: JsonObject;
  readonly envelope?: JsonObject;
  /** Payload fields to leave out. */
  readonly without?: readonly string[];
  /** What was written and what it is read as, by path. */
  readonly uses: readonly (readonly [path: string, from: string, to: string])[];
}

/** General drift, which needs no table. */
const drifts: readonly Drift[] = [
  {
    name: "camel case",
    type: "execution_update",
    payload: { planId: "1-1", filesModified: ["src/greet.js"] },
    without: ["plan_id", "files_modified"],
    uses: [
      ["$.payload.planId", '"planId"', '"plan_id"'],
      ["$.payload.filesModified", '"filesModified"', '"files_modified"'],
    ],
  },
  {
    name: "an envelope in camel case",
    type: "execution_update",
    envelope: { author_role: undefined as unknown as Json, authorRole: "dev" },
    uses: [["$.authorRole", '"authorRole"', '"author_role"']],
  },
  {
    name: "a confidence of 0.9",
    type: "execution_update",
    envelope: { confidence: 0.9 },
    uses: [["$.confidence", "0.9", '"high"']],
  },
  {
    name: "a confidence as text",
    type: "execution_update",
    envelope: { confidence: "0.5" },
    uses: [["$.confidence", '"0.5"', '"medium"']],
  },
  {
    name: "a confidence in other letters",
    type: "execution_update",
    envelope: { confidence: "High" },
    uses: [["$.confidence", '"High"', '"high"']],
  },
  {
    name: "a phase as text",
    type: "execution_update",
    envelope: { phase: "01" },
    uses: [["$.phase", '"01"', "1"]],
  },
  {
    name: "a version as a number",
    type: "execution_update",
    envelope: { schema_version: 2 },
    uses: [["$.schema_version", "2", '"2.0"']],
  },
  {
    name: "a verdict in lower case and counts as text",
    type: "qa_verdict",
    payload: { result: "pass", checks: { passed: "3", failed: 0, total: "3" } },
    uses: [
      ["$.payload.result", '"pass"', '"PASS"'],
      ["$.payload.checks.passed", '"3"', "3"],
      ["$.payload.checks.total", '"3"', "3"],
    ],
  },
  {
    name: "one text where a list is meant",
    type: "execution_update",
    payload: { files_modified: "src/greet.js" },
    uses: [["$.payload.files_modified", '"src/greet.js"', '["src/greet.js"]']],
  },
  {
    name: "one object where a list is meant",
    type: "scout_findings",
    payload: { documents: { name: "MAP.md", content: "# Map" } },
    uses: [["$.payload.documents", '{"name":"MAP.md","content":"# Map"}', '[{"name":"MAP.md","content":"# Map"}]']],
  },
  {
    name: "a flag as text",
    type: "approval_response",
    payload: { approved: "False" },
    uses: [["$.payload.approved", '"False"', "false"]],
  },
  {
    name: "a word joined otherwise",
    type: "approval_request",
    payload: { request_type: "Scope Change" },
    uses: [["$.payload.request_type", '"Scope Change"', '"scope_change"']],
  },
];

function drifted({ type, payload = {}, envelope = {}, without = [] }: Drift): JsonObject {
  const message = typedMessage(type, payload, envelope);
  const held = isJsonObject(message.payload) ? message.payload : {};
  return { ...message, payload: Object.fromEntries(Object.entries(held).filter(([key]) => !without.includes(key))) };
}

for (const drift of drifts) {
  test(`reads ${drift.name}, each use noted with path, from and to`, () => {
    const text = JSON.stringify(drifted(drift));
    const reading = readMessage(text, { dialects: ["vbw/2"] });
    assert.ok(reading.outcome === "accepted", JSON.stringify(reading.problems));
    assert.deepEqual(
      reading.notes.map(({ code, path, from, to }) => [code, path, from, to]),
      drift.uses.map((use) => ["alias", ...use]),
    );
    assert.equal(reading.text, text, "the text stays as it came");
    const again = readMessage(JSON.stringify(reading.message), { dialects: ["vbw/2"], strict: true });
    assert.equal(again.outcome, "accepted", "what it is read as needs no tolerance");
    assert.equal(readMessage(text, { dialects: ["vbw/2"], strict: true }).outcome, "invalid", "strict turns it off");
  });
}

/** type, payload field, value: what is no drift stays an error */
const problems: readonly (readonly [type: string, field: string, value: Json])[] = [
  ["execution_update", "status", "so-so"],
  ["execution_update", "files_modified", 7],
  ["scout_findings", "documents", "MAP.md"],
  ["scout_findings", "documents", { name: "MAP.md" }],
  ["approval_response", "approved", "maybe"],
  ["approval_response", "approved", 1],
  ["qa_verdict", "checks", { passed: "three", failed: 0, total: 3 }],
  ["qa_verdict", "checks", { passed: "-3", failed: 0, total: 3 }],
];

for (const [type, field, value] of problems) {
  test(`does not read ${field} ${JSON.stringify(value)} as anything else`, () => {
    const reading = readMessage(JSON.stringify(typedMessage(type, { [field]: value })), { dialects: ["vbw/2"] });
    assert.equal(reading.outcome, "invalid");
  });
}

test("a field that is there is not overwritten by another spelling of it", () => {
  const message = typedMessage("execution_update", { filesModified: ["b"], files_modified: ["src/greet.js"] });
  const reading = readMessage(JSON.stringify(message), { dialects: ["vbw/2"] });
  assert.ok(reading.outcome === "accepted");
  assert.deepEqual(reading.message, message);
  assert.deepEqual(
    reading.notes.map(({ code }) => code),
    ["unknown-field"],
  );
});

test("nothing of a conforming message is corrected", () => {
  for (const id of dialectIds) {
    const dialect = dialectOf(id);
    assert.ok(dialect !== null);
    for (const { name, message } of acceptedExamples(id)) {
      if (name.includes("further-fields")) continue;
      assert.equal(repair(dialect, message), null, `${id} ${name}`);
    }
  }
});

test("the singular of a list's name is its name, the name of another field is not, and of two lists neither is meant", () => {
  const read = (value: Json) => readMessage(JSON.stringify(value), { dialects: ["vbw/2"] });
  const update = typedMessage("execution_update") as { payload: { files_modified?: Json; file_modified?: Json } };
  const { files_modified: files, ...payload } = update.payload;
  for (const written of ["file_modified", "fileModified", "FilesModified", "file-modified"]) {
    const reading = read({ ...update, payload: { ...payload, [written]: files ?? null } });
    assert.ok(reading.outcome === "accepted");
    assert.deepEqual((reading.fact.body as { filesModified?: Json }).filesModified, files, written);
    assert.ok(reading.notes.some(({ code, path }) => code === "alias" && path === `$.payload.${written}`));
  }
  const both = read({ ...update, payload: { ...update.payload, file_modified: ["other"] } });
  assert.ok(
    both.notes.some(({ code }) => code === "unknown-field"),
    "a field that is there is never overwritten",
  );
  const contract = typedMessage("plan_contract", { allowed_path: "src/", task: "1-1-T1" }) as { payload: object };
  const { allowed_paths: _paths, tasks: _tasks, ...rest } = contract.payload as { allowed_paths?: Json; tasks?: Json };
  const reading = read({ ...contract, payload: rest });
  assert.ok(reading.outcome === "accepted");
  assert.deepEqual((reading.message as unknown as { payload: { allowed_paths: Json } }).payload.allowed_paths, [
    "src/",
  ]);
});

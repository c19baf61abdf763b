/**
 * What the document of bmad/1 says of a handoff beside its fields (`fields.test.ts`): its parts, entries of lists, and the
 * shapes of its example.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stringify } from "yaml";
import type { Json } from "../../src/base/json.ts";
import { readMessage, writeMessage } from "../../src/messages/intake/read-message.ts";
import { home } from "../architecture/sources.ts";
import { type FieldSchema, fieldAt, withField } from "./field-forms.ts";

/** Each shape that the document's example shows, in other words. */
const shown: Json = {
  handoff: {
    metadata: {
      id: "handoff-2026-03-04-001",
      source_agent: "sm",
      target_agent: "dev",
      timestamp: "2026-03-04T09:30:00Z",
      workflow_id: "epic-shop",
      task_id: "story-12",
    },
    context: {
      story_file: "docs/stories/12.md",
      architecture_context: "docs/architecture.md",
      prd_context: "docs/plan.md",
      additional_context: ["docs/glossary.md"],
      key_decisions: [{ decision: "Signed sessions", rationale: "No store is needed", impact: "Keys are rotated" }],
    },
    instructions: {
      primary: "Build the basket",
      secondary: ["Add tests", "Write the page", "Update the list"],
      constraints: ["No new tables", "Two days"],
      success_criteria: ["It adds up", "It empties", "It is kept"],
    },
    dependencies: {
      required_files: ["docs/stories/12.md"],
      generated_files: ["src/basket.ts", "src/basket.test.ts"],
      external_dependencies: [{ name: "money", version: "^2.0.0", url: "https://example.org/money" }],
    },
    validation: {
      file_checksums: { "docs/stories/12.md": "a1b2c3d4e5f6" },
      source_status: { completed_tasks: ["Story written"], pending_tasks: [], overall_status: "completed" },
      quality_checks: { tests_passed: true, code_review_status: "pending", documentation_complete: true },
    },
    history: {
      previous_handoffs: [
        { source_agent: "pm", target_agent: "sm", timestamp: "2026-03-03T09:30:00Z", summary: "The plan is agreed" },
      ],
      lessons_learned: ["Ask early", "Small stories"],
    },
  },
};

/** Whether it is read as a handoff without a note, and without tolerance. */
function isRead(document: Json | string): boolean {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const reading = readMessage(text, { dialects: ["bmad/1"], strict: true });
  return reading.outcome === "accepted" && reading.type === "handoff";
}

function changed(path: string, value?: Json): Json {
  const copy = withField(shown, `handoff.${path}`, value);
  assert.ok(copy !== null, path);
  return copy;
}

test("a document with each shape that the example shows is read", () => {
  assert.ok(isRead(shown));
});

test("a document says the same in YAML and in JSON", () => {
  const [yaml, json] = [stringify(shown), JSON.stringify(shown)].map((text) =>
    readMessage(text, { dialects: ["bmad/1"] }),
  );
  assert.ok(yaml?.outcome === "accepted" && json?.outcome === "accepted");
  assert.deepEqual(yaml.message, json.message);
});

test("the document is an object under its key, and its parts may be empty", () => {
  assert.ok(!isRead({ other: {} }), "without its key");
  assert.ok(!isRead({ handoff: "text" }), "not an object");
  for (const part of ["context", "dependencies", "validation"]) assert.ok(isRead(changed(part, {})), part);
});

test("a word that is listed is read; an entry, a time or a word of another form, and a template's list of words, are not", () => {
  const [states, reviews] = ["completed|in-progress|failed", "passed|failed|pending"] as const;
  const times = ["2026-03-04", "2026-03-04T09:30:00", "soon"];
  for (const [path, right, wrong] of [
    ["context.additional_context", [], [[{}]]],
    ["instructions.secondary", [], [[{}]]],
    ["dependencies.required_files", [], [[{}]]],
    ["validation.source_status.pending_tasks", [], [[{}]]],
    ["validation.file_checksums", [], [{ "a.md": {} }]],
    ["metadata.timestamp", [], times],
    ["history.previous_handoffs[].timestamp", [], times],
    ["validation.source_status.overall_status", states.split("|"), [states]],
    ["validation.quality_checks.code_review_status", reviews.split("|"), [reviews]],
    ["validation.quality_checks.tests_passed", [false], ["true|false"]],
  ] as const) {
    for (const value of right) assert.ok(isRead(changed(path, value)), `${path} ${value}`);
    for (const value of wrong) assert.ok(!isRead(changed(path, value)), `${path} ${JSON.stringify(value)}`);
  }
});

test("the statuses have these words and no others", () => {
  const schema = JSON.parse(readFileSync(join(home, "schemas/bmad/1/handoff.json"), "utf8")) as FieldSchema; // as published
  const words = (path: string) => fieldAt(schema, `handoff.validation.${path}`)?.schema.enum?.toSorted();
  assert.deepEqual(words("source_status.overall_status"), ["completed", "failed", "in-progress"]);
  assert.deepEqual(words("quality_checks.code_review_status"), ["failed", "passed", "pending"]);
});

test("further properties are kept", () => {
  const message = { handoff: { ...(shown as { handoff: object }).handoff, budget: { days: 2 } } };
  const reading = readMessage(JSON.stringify(message), { dialects: ["bmad/1"] });
  assert.ok(reading.outcome === "accepted");
  assert.deepEqual(reading.message, message);
  const written = writeMessage(reading.fact, {
    dialect: "bmad/1",
    id: "handoff-2026-03-04-001",
    given: { authorRole: "lead", timestamp: "2026-03-04T09:30:00Z" },
  });
  assert.deepEqual(written.ok && written.value, message, "also where the fact alone is written");
});

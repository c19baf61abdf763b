/** What the document of bmad/1 says of a handoff: its parts, what is required, the forms, and the shapes of its example. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stringify } from "yaml";
import type { Json } from "../../src/base/json.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import { withField } from "./field-forms.ts";

/** The words of a text. */
const wordsOf = (text: string) => text.trim().split(/\s+/);

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

test("a required part or field is required", () => {
  const required = wordsOf(`
    metadata context instructions dependencies metadata.id metadata.source_agent metadata.target_agent
    metadata.timestamp context.key_decisions[].decision context.key_decisions[].rationale
    context.key_decisions[].impact instructions.primary dependencies.external_dependencies[].name
    history.previous_handoffs[].source_agent history.previous_handoffs[].target_agent
    history.previous_handoffs[].timestamp history.previous_handoffs[].summary
`);
  for (const path of required) assert.ok(!isRead(changed(path)), path);
  assert.ok(!isRead({ other: {} }), "without its key");
  assert.ok(!isRead({ handoff: "text" }), "not an object");
});

test("what may be left out may be left out", () => {
  const optional = wordsOf(`
    validation history metadata.workflow_id metadata.task_id context.story_file context.architecture_context
    context.prd_context context.additional_context context.key_decisions instructions.secondary
    instructions.constraints instructions.success_criteria dependencies.required_files dependencies.generated_files
    dependencies.external_dependencies dependencies.external_dependencies[].version
    dependencies.external_dependencies[].url validation.file_checksums validation.source_status
    validation.source_status.completed_tasks validation.source_status.pending_tasks
    validation.source_status.overall_status validation.quality_checks validation.quality_checks.tests_passed
    validation.quality_checks.code_review_status validation.quality_checks.documentation_complete
    history.previous_handoffs history.lessons_learned
`);
  for (const path of optional) assert.ok(isRead(changed(path)), path);
  for (const part of ["context", "dependencies", "validation"]) assert.ok(isRead(changed(part, {})), part);
});

test("a value of another form is refused", () => {
  const texts = [
    ...["source_agent", "target_agent", "workflow_id", "task_id"].map((name) => `metadata.${name}`),
    ...["story_file", "architecture_context", "prd_context"].map((name) => `context.${name}`),
    ...["decision", "rationale", "impact"].map((name) => `context.key_decisions[].${name}`),
    "instructions.primary",
    ...["name", "version", "url"].map((name) => `dependencies.external_dependencies[].${name}`),
    ...["source_agent", "target_agent", "summary"].map((name) => `history.previous_handoffs[].${name}`),
  ];
  for (const path of texts) assert.ok(!isRead(changed(path, 7)), path);
  const lists = [
    "context.additional_context",
    ...["secondary", "constraints", "success_criteria"].map((name) => `instructions.${name}`),
    ...["required_files", "generated_files"].map((name) => `dependencies.${name}`),
    ...["completed_tasks", "pending_tasks"].map((name) => `validation.source_status.${name}`),
    "history.lessons_learned",
  ];
  for (const path of lists) {
    assert.ok(!isRead(changed(path, "one")), path);
    assert.ok(!isRead(changed(path, [{}])), path);
  }
  for (const path of ["metadata.timestamp", "history.previous_handoffs[].timestamp"])
    for (const time of ["2026-03-04", "2026-03-04T09:30:00", "soon"])
      assert.ok(!isRead(changed(path, time)), `${path} ${time}`);
  for (const path of ["tests_passed", "documentation_complete"])
    assert.ok(!isRead(changed(`validation.quality_checks.${path}`, "maybe")), path);
  assert.ok(!isRead(changed("validation.file_checksums", { "a.md": {} })));
  for (const [path, words] of [
    ["validation.source_status.overall_status", ["completed", "in-progress", "failed"]],
    ["validation.quality_checks.code_review_status", ["passed", "failed", "pending"]],
  ] as const) {
    for (const word of words) assert.ok(isRead(changed(path, word)), word);
    assert.ok(!isRead(changed(path, "done")), path);
  }
});

test("a template that still lists its words is refused", () => {
  for (const [path, bars] of [
    ["validation.source_status.overall_status", "completed|in-progress|failed"],
    ["validation.quality_checks.code_review_status", "passed|failed|pending"],
    ["validation.quality_checks.tests_passed", "true|false"],
  ] as const)
    assert.ok(!isRead(changed(path, bars)), path);
});

test("further properties are kept", () => {
  const message = { handoff: { ...(shown as { handoff: object }).handoff, budget: { days: 2 } } };
  const reading = readMessage(JSON.stringify(message), { dialects: ["bmad/1"] });
  assert.ok(reading.outcome === "accepted");
  assert.deepEqual(reading.message, message);
});

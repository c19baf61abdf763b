/**
 * The rules of reading, one after another, over all dialects that exist. Source: docs/protocol/messages.md, sections 10
 * to 18.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedExamples } from "../../../tests/corpus/messages.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { dialectIds, dialectOf } from "../dialects/registry.ts";
import { readMessage } from "./read-message.ts";

const progress = { type: "dev_progress", task: "03-01/T3", plan_id: "03-01", commit: "abc1234", status: "partial" };
const claim = {
  type: "task_claim",
  task_id: "T3",
  plan_id: "03-01",
  files: ["src/a.ts"],
  claimed_at: "2026-02-17T10:30:00Z",
};

/** A whole example of a type of yolo/1. */
function example(type: string, fields: JsonObject = {}): JsonObject {
  const found = dialectOf("yolo/1")?.definitions.get(type)?.example;
  assert.ok(found !== undefined, type);
  return { ...found, ...fields };
}

function read(value: Json, options: Parameters<typeof readMessage>[1] = {}) {
  return readMessage(JSON.stringify(value), options);
}

test("the ladder: typed envelope, then structured, then markdown; the rung is on the reading", () => {
  assert.equal(read(typedMessage("execution_update")).rung, "typed");
  assert.equal(read(progress).rung, "structured");
  assert.equal(readMessage("All is well.").rung, "markdown");
});

test("structured is flat fields next to type, and also {type, payload}", () => {
  const { type, ...payload } = progress;
  for (const value of [progress, { type, payload }]) {
    const reading = read(value, { dialects: ["vbw/1"] });
    assert.ok(reading.outcome === "accepted");
    assert.equal(reading.rung, "structured");
    assert.equal(reading.fact.kind, "progress");
  }
});

test("a definition answers accepted, not mine, or invalid with problems", () => {
  const dialect = dialectOf("vbw/1");
  assert.equal(dialect?.read(progress).answer, "accepted");
  assert.equal(dialect?.read({ type: "lunch" }).answer, "not-mine");
  const answer = dialect?.read({ type: "dev_progress" });
  assert.ok(answer?.answer === "invalid" && answer.problems.length > 0);
});

test("without a team vbw/2, yolo/2, vbw/2.1, vbw/1, yolo/1, bmad/1 are tried in this order", () => {
  assert.deepEqual(dialectIds, ["vbw/2", "yolo/2", "vbw/2.1", "vbw/1", "yolo/1", "bmad/1"]);
});

test("the team's dialects are tried first, and an ambiguity is noted", () => {
  for (const [dialects, first] of [
    [["vbw/1", "yolo/1"], "vbw/1"],
    [["yolo/1", "vbw/1"], "yolo/1"],
  ] as const) {
    const reading = read(progress, { dialects });
    assert.equal(reading.dialect, first);
    assert.deepEqual(
      reading.notes.map(({ code }) => code),
      ["ambiguous-dialect"],
    );
  }
});

test("a flat message of an unknown type is prose with a note; strict refuses it", () => {
  const reading = read({ type: "lunch", at: 12 });
  assert.equal(reading.outcome, "prose");
  assert.equal(reading.notes[0]?.code, "read-as-prose");
  assert.equal(read({ type: "lunch", at: 12 }, { strict: true }).outcome, "invalid");
});

/** No upward fall: what carries a mark of v2 is v2 or invalid, never v1 or markdown, with any dialects. */
const marked: readonly (readonly [name: string, value: JsonObject])[] = [
  ["schema_version beside a flat message", { ...progress, schema_version: "2.0" }],
  ["author_role and payload beside a type of v1", { type: "dev_progress", author_role: "dev", payload: progress }],
  ["schema_version and a type that v1 knows too", { ...example("shutdown_request"), schema_version: "2.0" }],
  ["a flat type that only v2 knows", { type: "plan_contract", plan_id: "1-1" }],
];

for (const [name, value] of marked) {
  test(`${name} is v2 or invalid, never v1 or markdown`, () => {
    const text = JSON.stringify(value);
    for (const whole of [text, `So: ${text}`, `\`\`\`json\n${text}\n\`\`\``]) {
      const reading = readMessage(whole);
      assert.equal(reading.outcome, "invalid", whole);
      assert.equal(reading.rung, "typed");
    }
  });
}

test("a type that both revisions know is v1 without a mark and v2 with one", () => {
  assert.equal(read(example("shutdown_request")).dialect, "yolo/1");
  assert.equal(read(typedMessage("shutdown_request")).dialect, "vbw/2");
});

/** What acts: it counts when the message is the whole text, and is prose among words. */
const acting: readonly (readonly [word: string, message: JsonObject])[] = [
  ["approve (code_review_result)", example("code_review_result", { result: "approve" })],
  ["approve (owner_signoff)", example("owner_signoff")],
  ["agree (api_contract)", example("api_contract", { status: "agreed" })],
  ["shut down (shutdown_request)", example("shutdown_request")],
  ["agree to shut down (shutdown_response)", example("shutdown_response")],
  ["claim (task_claim)", claim],
  ["complete (task_complete)", example("task_complete")],
  ["complete (dev_progress)", { ...progress, status: "complete" }],
  ["complete (department_result)", example("department_result")],
  ["resolve (escalation_resolution)", example("escalation_resolution")],
  ["resolve (code_review_changes)", example("code_review_changes")],
];

for (const [word, message] of acting) {
  test(`words quoted in prose must not ${word}`, () => {
    const text = JSON.stringify(message);
    assert.equal(readMessage(text).outcome, "accepted", JSON.stringify(readMessage(text).problems));
    for (const quoting of [`I could say ${text} now.`, `\`\`\`json\n${text}\n\`\`\``, `${text}\nis what I say.`]) {
      const reading = readMessage(quoting);
      assert.equal(reading.outcome, "prose", quoting);
      assert.equal(reading.fact, null);
    }
  });
}

test("every kind but those that act may be said among words, and none is forgotten", () => {
  const silent = new Set<string>();
  for (const id of dialectIds) {
    for (const { message } of acceptedExamples(id)) {
      const quoted = readMessage(`As told:\n\`\`\`json\n${JSON.stringify(message)}\n\`\`\``, { dialects: [id] });
      assert.notEqual(quoted.outcome, "invalid");
      const alone = read(message, { dialects: [id] });
      if (quoted.outcome === "prose" && alone.fact !== null) silent.add(alone.fact.kind);
    }
  }
  assert.deepEqual([...silent].toSorted(), [
    "approval-response",
    "breaker",
    "claim",
    "completion",
    "department-result",
    "design-handoff",
    "health",
    "owner-signoff",
    "progress",
    "resolution",
    "review-changes",
    "review-result",
    "shutdown-request",
    "shutdown-response",
    "summary",
  ]);
});

test("each problem has JSON path, expected, received and a repair hint an agent can apply", () => {
  const reading = read(typedMessage("execution_update", { status: "partail" }), { dialects: ["vbw/2"] });
  assert.deepEqual(
    reading.problems.map(({ code, path, expected, received, hint }) => ({ code, path, expected, received, hint })),
    [
      {
        code: "wrong-value",
        path: "$.payload.status",
        expected: "complete | partial | failed",
        received: '"partail"',
        hint: 'did you mean "partial"?',
      },
    ],
  );
});

test("unknown extra fields are kept, passed on and noted; strict refuses them", () => {
  const message = { ...progress, mood: "fine" };
  const reading = read(message, { dialects: ["vbw/1"] });
  assert.ok(reading.outcome === "accepted");
  assert.deepEqual(
    reading.notes.map(({ code, path }) => [code, path]),
    [["unknown-field", "$.mood"]],
  );
  assert.deepEqual(reading.message, message);
  const given = { authorRole: "dev", timestamp: "2026-02-12T10:00:00Z" };
  const written = dialectOf("vbw/1")?.write(reading.fact, { id: "x", given });
  assert.deepEqual(written, message);
  assert.equal(read(message, { dialects: ["vbw/1"], strict: true }).problems[0]?.code, "unknown-field");
});

test("all problems are reported, in a fixed order", () => {
  const { id: _, ...message } = typedMessage("execution_update", { status: "x", plan_id: 7.5 }, { phase: -1 });
  const told = read(message, { dialects: ["vbw/2"], strict: true }).problems;
  assert.deepEqual(
    told.map(({ code, path }) => [code, path]),
    [
      ["missing-field", "$.id"],
      ["wrong-type", "$.payload.plan_id"],
      ["wrong-value", "$.phase"],
      ["wrong-value", "$.payload.status"],
    ],
  );
  const shuffled = Object.fromEntries(Object.entries(message).toReversed());
  const again = read(shuffled, { dialects: ["vbw/2"], strict: true }).problems;
  assert.deepEqual(
    again.map(({ code }) => code),
    told.map(({ code }) => code),
  );
});

test("of a message that drifted and has other errors, the errors are reported, and the drift is noted", () => {
  const { plan_id: plan, ...rest } = progress;
  const drifted = { ...rest, plan, status: "so-so" };
  const reading = read(drifted, { dialects: ["vbw/1"] });
  assert.deepEqual(
    reading.problems.map(({ code, path }) => [code, path]),
    [["wrong-value", "$.status"]],
  );
  assert.deepEqual(
    reading.notes.map(({ code, path }) => [code, path]),
    [["alias", "$.plan"]],
  );
  assert.deepEqual(reading.outcome === "invalid" && reading.message, drifted, "the message stays as it came");
  const strict = read(drifted, { dialects: ["vbw/1"], strict: true });
  assert.deepEqual(
    new Set(strict.problems.map(({ path }) => path)),
    new Set(["$.plan_id", "$.status", "$.plan"]),
    "strict turns all of this off",
  );
  const rule = read({ ...progress, commit: "", status: "Done" }, { dialects: ["vbw/1"] });
  assert.deepEqual(
    rule.problems.map(({ code, path }) => [code, path]),
    [["cross-field", "$.commit"]],
    "a rule that the drift hid",
  );
  const [problem] = read({ ...progress, commit: 0.5 }, { dialects: ["vbw/1"] }).problems;
  assert.equal(problem?.received, "0.5", "what tolerance does not put right is told as it was written");
});

test("a type of a first revision in an envelope is reported as such, with what to send instead", () => {
  const { type, ...payload } = progress;
  const { problems, outcome } = read({ ...typedMessage("execution_update"), type, payload });
  assert.equal(outcome, "invalid");
  assert.deepEqual(
    problems.map(({ code, path }) => [code, path]),
    [["unknown-type", "$.type"]],
  );
  assert.match(problems[0]?.message ?? "", /vbw\/1, which has no envelope/);
  assert.match(problems[0]?.hint ?? "", /^Send execution_update of vbw\/2 instead, or dev_progress flat/);
  const alone = read({ ...typedMessage("execution_update"), type: "senior_spec", payload: {} });
  assert.match(alone.problems[0]?.hint ?? "", /^Send it flat/);
  const nobody = read({ ...typedMessage("execution_update"), type: "lunch", payload: {} });
  assert.match(nobody.problems[0]?.message ?? "", /^No dialect in use/);
});

test("form judges author_role against the type, never receivers, state or internal", () => {
  const foreign = read(typedMessage("plan_contract", {}, { author_role: "qa" }), { dialects: ["vbw/2"] });
  assert.equal(foreign.problems[0]?.code, "sender-not-authorised");
  const faulty = read(typedMessage("plan_contract", { tasks: 7 }, { author_role: "qa" }), { dialects: ["vbw/2"] });
  assert.deepEqual(
    new Set(faulty.problems.map(({ code, path }) => `${code} ${path}`)),
    new Set(["wrong-type $.payload.tasks", "sender-not-authorised $.author_role"]),
    "beside other faults too",
  );
  assert.equal(read(example("agent_health_event")).outcome, "accepted");
  const verdict = read(typedMessage("qa_verdict"), { dialects: ["vbw/2"] });
  assert.ok(verdict.outcome === "accepted");
  const given = { authorRole: "qa", timestamp: "2026-03-04T10:00:00Z" };
  const translated = dialectOf("yolo/1")?.write(verdict.fact, { id: "v", given });
  assert.equal((translated as JsonObject).author_role, "qa", "there a qa-lead sends it; the role is kept as said");
  assert.equal(read(translated as JsonObject, { dialects: ["yolo/1"] }).outcome, "accepted");
});

const ids: readonly (readonly [id: string, isGood: boolean])[] = [
  ["a", true],
  ["A.b_c:d/e@f-0", true],
  ["x".repeat(128), true],
  ["x".repeat(129), false],
  ["", false],
  ["a b", false],
  ["ä", false],
];

test("ids are non-empty ASCII, at most 128 of a closed alphabet", () => {
  for (const [id, isGood] of ids) {
    const { outcome } = read(typedMessage("execution_update", {}, { id }), { dialects: ["vbw/2"] });
    assert.equal(outcome, isGood ? "accepted" : "invalid", id);
  }
});

test("timestamps are a date-time or a full date; bmad/1 takes a date-time only", () => {
  for (const [timestamp, isGood] of [
    ["2026-02-12T10:00:00Z", true],
    ["2026-02-12", true],
    ["2026-02-30", false],
    ["12.02.2026", false],
  ] as const) {
    const { outcome } = read(typedMessage("execution_update", {}, { timestamp }), { dialects: ["vbw/2"] });
    assert.equal(outcome, isGood ? "accepted" : "invalid", timestamp);
  }
  const document = (timestamp: string) => `handoff:
  metadata: {id: h-1, source_agent: sm, target_agent: dev, timestamp: "${timestamp}"}
  context: {}
  instructions: {primary: Build it}
  dependencies: {}
`;
  assert.equal(readMessage(document("2026-02-12T10:00:00Z")).outcome, "accepted");
  assert.equal(readMessage(document("2026-02-12")).outcome, "invalid");
});

test("before there are tasks, task is empty in an envelope; what is about a task names it in its payload", () => {
  for (const type of ["shutdown_request", "scout_findings", "plan_contract", "approval_request", "blocker_report"])
    assert.equal(read(typedMessage(type, {}, { task: "" }), { strict: true }).outcome, "accepted", type);
  assert.equal(read(typedMessage("execution_update", { task_id: "" })).outcome, "invalid");
});

test("a word, a share and a check that was not run are read as they are said", () => {
  const said = (type: string, fields: JsonObject) => {
    const reading = read(example(type, fields), { strict: true });
    return reading.outcome === "accepted" ? reading.message : reading.outcome;
  };
  for (const [type, fields] of [
    ["architecture_design", { risks: [{ risk: "A code is guessed", impact: "critical", mitigation: "Five tries" }] }],
    ["phase_progress", { percent_complete: 33.3 }],
    ["owner_signoff", { integration_qa: "NOT_RUN" }],
    ["department_result", { security_result: "NOT_RUN" }],
  ] as const)
    assert.deepEqual(said(type, fields), example(type, fields), type);
  const drifted = read(example("owner_signoff", { integration_qa: "skipped" }));
  assert.ok(drifted.outcome === "accepted" && JSON.stringify(drifted.message).includes('"NOT_RUN"'));
});

test("phase is a whole number from 0 in v2, a string in v1", () => {
  const strict = { dialects: ["vbw/2"], strict: true } as const;
  assert.equal(read(typedMessage("execution_update", {}, { phase: 0 }), strict).outcome, "accepted");
  for (const phase of [-1, 1.5, "01"]) {
    assert.equal(read(typedMessage("execution_update", {}, { phase }), strict).outcome, "invalid", String(phase));
  }
  assert.equal(read(example("critique_result", { phase: "01" }), { strict: true }).outcome, "accepted");
  assert.equal(read(example("critique_result", { phase: 1 }), { strict: true }).outcome, "invalid");
});

test("v1 and prose have no id", () => {
  assert.equal(read(progress).wireId, null);
  assert.equal(readMessage("All is well.").wireId, null);
});

test("a YAML handoff document is a candidate: whole, as JSON, and in a fence", () => {
  const [found] = acceptedExamples("bmad/1");
  assert.ok(found !== undefined);
  const sections = (found.message.handoff ?? {}) as JsonObject; // The corpus's documents have sections.
  // JSON in flow style is YAML too.
  const yaml = `# for dev\n---\nhandoff:\n${Object.entries(sections)
    .map(([name, section]) => `  ${name}: ${JSON.stringify(section)}\n`)
    .join("")}`;
  for (const text of [yaml, JSON.stringify(found.message), `Over to you.\n\`\`\`yaml\n${yaml}\`\`\`\n`]) {
    const reading = readMessage(text);
    assert.ok(reading.outcome === "accepted", JSON.stringify(reading.problems));
    assert.equal(reading.rung, "document");
    assert.equal(reading.dialect, "bmad/1");
    assert.deepEqual(reading.message, found.message);
  }
});

for (const [dialect, type] of [
  ["vbw/1", "dev_progress"],
  ["yolo/1", "task_complete"],
  ["vbw/2", "execution_update"],
  ["yolo/2", "execution_update"],
] as const)
  test(`${dialect}: a list of commits is one report; a list of one counts as its entry`, () => {
    const isTyped = type === "execution_update";
    const payload = { task: "T3", task_id: "T3", plan_id: "03-01", files_modified: [], status: "complete" };
    const { task, task_id, files_modified, ...common } = payload;
    const fields =
      type === "dev_progress"
        ? { ...common, task }
        : type === "task_complete"
          ? { ...common, task_id, files_modified }
          : {};
    const said = (commit: Json) =>
      isTyped ? typedMessage(type, { commit, status: "complete" }) : { type, ...fields, commit };
    for (const [commit, one, several] of [
      [["abc1234"], "abc1234", undefined],
      [["abc1234", "def5678"], "def5678", ["abc1234", "def5678"]],
    ] as const) {
      const reading = read(said([...commit]), { dialects: [dialect] });
      assert.equal(reading.outcome, "accepted", JSON.stringify(reading.problems));
      assert.ok(reading.fact !== null && "commit" in reading.fact.body);
      assert.equal(reading.fact.body.commit, one);
      assert.deepEqual(reading.fact.extra?.payload?.commits, several);
      assert.ok(reading.notes.some(({ code, path }) => code === "alias" && path.endsWith("commit")));
    }
  });

/** Drift counted in what agents wrote: what is written, in which dialect, what it is read as. */
const drifts: readonly (readonly [dialect: "vbw/1" | "yolo/1", written: JsonObject, read: JsonObject])[] = [
  [
    "vbw/1",
    { type: "dev_progress", task: "T3", plan: "03-01", commit_hash: "abc1234", status: "done", concerns: "One" },
    { type: "dev_progress", task: "T3", plan_id: "03-01", commit: "abc1234", status: "complete", concerns: ["One"] },
  ],
  [
    "vbw/1",
    { type: "qa_result", tier: "Quick", r: "pass", checks: { pass: 1, fail: "0", total: 1 }, body: "Fine" },
    { type: "qa_result", tier: "quick", result: "PASS", checks: { passed: 1, failed: 0, total: 1 }, body: "Fine" },
  ],
  [
    "yolo/1",
    {
      type: "code_review_changes",
      plan_id: "01-01",
      cycle: "1",
      changes: { file: "a.ts", line: 3, issue: "x", fix: "y" },
      must_fix: "a.ts:3",
      rerun_tests: "true",
    },
    {
      type: "code_review_changes",
      plan_id: "01-01",
      cycle: 1,
      changes: [{ f: "a.ts", ln: 3, issue: "x", fix: "y" }],
      must_fix: ["a.ts:3"],
      rerun_tests: true,
    },
  ],
];

for (const [index, [dialect, written, meant]] of drifts.entries()) {
  test(`a per-definition alias table maps known drift of ${dialect} ${index}, each use is noted`, () => {
    const reading = read(written, { dialects: [dialect] });
    assert.ok(reading.outcome === "accepted", JSON.stringify(reading.problems));
    assert.deepEqual(reading.message, meant);
    assert.ok(reading.notes.every(({ code, from, to }) => code === "alias" && from !== undefined && to !== undefined));
    assert.equal(read(written, { dialects: [dialect], strict: true }).outcome, "invalid");
  });
}

test("what Baton writes is canonical", () => {
  for (const [dialect, written, meant] of drifts) {
    const reading = read(written, { dialects: [dialect] });
    assert.ok(reading.fact !== null);
    const given = { authorRole: "dev", timestamp: "2026-02-12T10:00:00Z" };
    assert.deepEqual(dialectOf(dialect)?.write(reading.fact, { id: "x", given }), meant);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { frameProblem } from "./native.ts";
import { readMessage } from "./read-message.ts";

const at = "2026-11-21T10:00:00.000Z";

/** Every control frame as the programs write it, with the kind and the neutral fields it is read as. */
const frames: readonly (readonly [
  frame: { readonly type: string; readonly [field: string]: unknown },
  kind: string,
  body: object,
])[] = [
  [
    { type: "idle_notification", from: "dev-1", timestamp: at, idleReason: "available" },
    "idle-notice",
    { agent: "dev-1", reason: "available" },
  ],
  [
    { type: "idle_notification", from: "dev-1", timestamp: at, idleReason: "available", result: "Done" },
    "idle-notice",
    { agent: "dev-1", reason: "available", result: "Done" },
  ],
  [
    { type: "shutdown_request", requestId: "shutdown-1@dev-1", from: "team-lead", reason: "Finished", timestamp: at },
    "shutdown-request",
    { reason: "user_abort" },
  ],
  [
    {
      type: "shutdown_approved",
      requestId: "shutdown-1@dev-1",
      from: "dev-1",
      timestamp: at,
      paneId: "in-process",
      backendType: "in-process",
    },
    "shutdown-response",
    { requestId: "shutdown-1@dev-1", approved: true, finalStatus: "complete" },
  ],
  [
    { type: "shutdown_rejected", requestId: "shutdown-1@dev-1", from: "dev-1", reason: "T2 is half done" },
    "shutdown-response",
    { requestId: "shutdown-1@dev-1", approved: false, finalStatus: "in_progress", pendingWork: "T2 is half done" },
  ],
  [
    { type: "shutdown_response", request_id: "shutdown-1@dev-1", approve: true },
    "shutdown-response",
    { requestId: "shutdown-1@dev-1", approved: true, finalStatus: "complete" },
  ],
  [
    { type: "task_assignment", taskId: "3", subject: "Write it", description: "All of it", assignedBy: "team-lead" },
    "assignment-notice",
    { taskId: "3", subject: "Write it", description: "All of it", assignedBy: "team-lead" },
  ],
  [
    { type: "task_completed", taskId: "3", taskSubject: "Write it" },
    "completion-notice",
    { taskId: "3", subject: "Write it" },
  ],
  [
    { type: "teammate_terminated", message: "dev-1 has shut down." },
    "termination-notice",
    { reason: "dev-1 has shut down." },
  ],
  [
    {
      type: "plan_approval_request",
      requestId: "plan-1",
      from: "dev-1",
      planFilePath: "plan.md",
      planContent: "# Plan",
    },
    "approval-request",
    { subject: "plan.md", requestType: "plan_approval", evidence: "# Plan" },
  ],
  [
    { type: "plan_approval_response", requestId: "plan-1", approved: false, feedback: "Smaller steps" },
    "approval-response",
    { requestId: "plan-1", approved: false, reason: "Smaller steps" },
  ],
  [
    { type: "plan_approval_response", request_id: "plan-1", approve: true },
    "approval-response",
    { requestId: "plan-1", approved: true, reason: "" },
  ],
  [
    {
      type: "permission_request",
      request_id: "perm-1",
      agent_id: "dev-1",
      tool_name: "Bash",
      tool_use_id: "toolu_1",
      description: "Run the tests",
      input: { command: "npm test" },
      permission_suggestions: [],
    },
    "permission-notice",
    { requestId: "perm-1", agent: "dev-1", tool: "Bash", summary: "Run the tests" },
  ],
  [
    { type: "permission_response", request_id: "perm-1", subtype: "success", response: { updated_input: {} } },
    "permission-notice",
    { requestId: "perm-1", outcome: "success" },
  ],
  [
    { type: "permission_response", requestId: "perm-1", subtype: "error", error: "Not now" },
    "permission-notice",
    { requestId: "perm-1", outcome: "error", reason: "Not now" },
  ],
];

for (const [frame, kind, body] of frames) {
  test(`reads the frame ${frame.type} ${Object.keys(frame).join(",")} as ${kind}`, () => {
    const { type, ...payload } = frame;
    const entry = { from: "dev-1", text: JSON.stringify(frame), timestamp: at, read: false };
    for (const text of [frame, { type, payload }, entry, JSON.stringify(frame)].map((one) => JSON.stringify(one))) {
      const reading = readMessage(text);
      assert.ok(reading.outcome === "accepted", text);
      assert.equal(reading.rung, "structured");
      assert.equal(reading.dialect, "claude-code/1");
      assert.equal(reading.type, type);
      assert.equal(reading.fact.kind, kind);
      assert.deepEqual(reading.fact.body, body);
    }
  });

  test(`${frame.type} in a fence is a quotation (${Object.keys(frame).join(",")})`, () => {
    assert.equal(readMessage(`\`\`\`json\n${JSON.stringify(frame)}\n\`\`\``).outcome, "prose");
  });
}

/** What a frame gives as its reason, and what is kept of it. */
const reasons: readonly (readonly [string, { readonly [field: string]: string }, string | undefined])[] = [
  ["phase_complete", { reason: "phase_complete" }, undefined],
  ["timeout", { reason: "user_abort", stopReason: "timeout" }, undefined],
  ["We ship tomorrow", { reason: "user_abort" }, "We ship tomorrow"],
  ["", { reason: "user_abort" }, undefined],
];

for (const [reason, body, kept] of reasons) {
  test(`a request to stop for the reason "${reason}" says ${JSON.stringify(body)}`, () => {
    const reading = readMessage(JSON.stringify({ type: "shutdown_request", requestId: "s-1", from: "lead", reason }));
    assert.ok(reading.outcome === "accepted");
    assert.deepEqual(reading.fact.body, body);
    assert.equal(reading.fact.extra?.payload?.reason_text, kept);
  });
}

test("a request's id is the frame's id, spelled requestId or request_id", () => {
  for (const name of ["requestId", "request_id"]) {
    const reading = readMessage(
      JSON.stringify({ type: "shutdown_request", [name]: "shutdown-1@a", from: "team-lead" }),
    );
    assert.equal(reading.wireId, "shutdown-1@a");
  }
});

test("a type of a frame without the frame's marks is none", () => {
  for (const type of ["idle_notification", "shutdown_approved", "shutdown_rejected", "task_completed"]) {
    assert.equal(readMessage(JSON.stringify({ type })).outcome, "prose", type);
  }
});

test("a message with the mark of an envelope is never a frame", () => {
  const message = typedMessage("shutdown_request", { requestId: "r", from: "lead-1" });
  const reading = readMessage(JSON.stringify(message));
  assert.equal(reading.dialect, "vbw/2");
});

const update = JSON.stringify(typedMessage("execution_update"));

/** An entry of a mailbox, new and old. */
const entries: readonly (readonly [name: string, entry: object])[] = [
  [
    "new",
    {
      from: "dev-1",
      text: update,
      summary: "T1",
      timestamp: at,
      color: "blue",
      msgV: 1,
      msg_id: "11111111-1111-4111-8111-111111111111",
      type: "message",
      read: false,
    },
  ],
  ["old", { from: "dev-1", text: update, timestamp: at, read: true }],
];

for (const [name, entry] of entries) {
  test(`reads the message out of a mailbox entry of the ${name} form`, () => {
    const reading = readMessage(JSON.stringify(entry));
    assert.ok(reading.outcome === "accepted");
    assert.equal(reading.type, "execution_update");
    assert.equal(reading.text, update);
    assert.equal(reading.notes.at(-1)?.code, "mailbox-entry");
  });
}

test("prose in a mailbox entry is prose, and an empty text is invalid", () => {
  const entry = (text: string) => readMessage(JSON.stringify({ from: "dev-1", text, timestamp: at }));
  const reading = entry("All is well.");
  assert.equal(reading.outcome, "prose");
  assert.equal(reading.text, "All is well.");
  assert.equal(entry("").outcome, "invalid");
});

test("an object with from and text and nothing else of an entry is no entry", () => {
  assert.equal(readMessage('{"from":"a","text":"b"}').problems[0]?.code, "missing-field");
});

test("a frame's task may be a number, and a request to stop keeps the deadline it names", () => {
  for (const type of ["task_assignment", "task_completed"]) {
    const reading = readMessage(JSON.stringify({ type, taskId: 3, subject: "Write it" }));
    assert.ok(reading.outcome === "accepted");
    assert.equal(reading.fact.head.task, "3");
    assert.equal((reading.fact.body as { taskId?: unknown }).taskId, "3");
    assert.notEqual(readMessage(JSON.stringify({ type, taskId: 1.5, subject: "Write it" })).outcome, "accepted");
  }
  const stop = { type: "shutdown_request", requestId: "stop-1", from: "team-lead", reason: "timeout" };
  const body = (further: object) => {
    const reading = readMessage(JSON.stringify({ ...stop, ...further }));
    assert.ok(reading.outcome === "accepted");
    return reading.fact.body;
  };
  assert.deepEqual(body({ deadline_seconds: 120 }), {
    reason: "user_abort",
    stopReason: "timeout",
    deadlineSeconds: 120,
  });
  for (const none of [-1, 0.5, "120", null]) assert.ok(!("deadlineSeconds" in body({ deadline_seconds: none })));
});

/** A frame with every field that it needs and no other, and for each of these a value of the wrong type. */
const wholeFrames: readonly (readonly [JsonObject & { readonly type: string }, JsonObject])[] = [
  [
    { type: "idle_notification", from: "dev-1", idleReason: "available" },
    { from: 1, idleReason: false },
  ],
  [
    { type: "shutdown_approved", requestId: "r-1", from: "dev-1" },
    { requestId: 7, from: [] },
  ],
  [{ type: "shutdown_rejected", request_id: "r-1" }, { request_id: {} }],
  [
    { type: "task_assignment", taskId: 3, subject: "Write it" },
    { taskId: 1.5, subject: 2 },
  ],
  [{ type: "task_completed", taskId: "3" }, { taskId: true }],
  [{ type: "teammate_terminated", message: "Gone" }, { message: 0 }],
  [
    { type: "plan_approval_request", requestId: "p-1", planContent: "# Plan" },
    { requestId: 1, planContent: 1 },
  ],
  [
    { type: "plan_approval_response", requestId: "p-1", approved: true },
    { requestId: null, approved: "yes" },
  ],
  [
    { type: "permission_request", request_id: "p-1", tool_name: "Bash" },
    { request_id: 1, tool_name: 1 },
  ],
  [
    { type: "permission_response", request_id: "p-1", subtype: "success" },
    { request_id: 1, subtype: 1 },
  ],
];

for (const [frame, wrong] of wholeFrames) {
  test(`a field of ${frame.type} that is wrong or missing is reported, not an unknown type`, () => {
    assert.equal(readMessage(JSON.stringify(frame)).outcome, "accepted");
    assert.equal(frameProblem(frame), null);
    const { type, ...fields } = frame;
    for (const [field, value] of Object.entries(wrong)) {
      const { [field]: _, ...without } = fields;
      for (const [message, code, path] of [
        [{ type, ...fields, [field]: value }, "wrong-type", `$.${field}`],
        [{ type, payload: { ...fields, [field]: value } }, "wrong-type", `$.payload.${field}`],
        [{ type, ...without }, "missing-field", null],
      ] as const) {
        const reading = readMessage(JSON.stringify(message));
        assert.equal(reading.outcome, "prose");
        const [problem, ...others] = reading.problems;
        assert.deepEqual([problem?.code, others], [code, []], JSON.stringify(message));
        if (path !== null) assert.equal(problem?.path, path);
      }
    }
  });
}

test("a type that is no frame's is unknown as before", () => {
  assert.equal(frameProblem({ type: "lunch" }), null);
  assert.equal(readMessage('{"type":"lunch"}').problems[0]?.code, "unknown-type");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../base/json.ts";
import { frameProblem } from "./native.ts";
import { readMessage } from "./read-message.ts";

/** A frame with every field that it needs and no other, and for each of these a value of the wrong type. */
const frames: readonly (readonly [JsonObject & { readonly type: string }, JsonObject])[] = [
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

for (const [frame, wrong] of frames) {
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
        const [fault, ...others] = reading.problems;
        assert.deepEqual([fault?.code, others], [code, []], JSON.stringify(message));
        if (path !== null) assert.equal(fault?.path, path);
      }
    }
  });
}

test("a type that is no frame's is unknown as before", () => {
  assert.equal(frameProblem({ type: "lunch" }), null);
  assert.equal(readMessage('{"type":"lunch"}').problems[0]?.code, "unknown-type");
});

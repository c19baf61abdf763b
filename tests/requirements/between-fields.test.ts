/** What the dialects' documents say of several fields or several messages together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { testTeam } from "../../src/testing/test-team.ts";

type Message = { readonly [field: string]: unknown };

function exampleOf(dialect: DialectId, type: string): Message {
  const found = dialectOf(dialect)?.definitions.get(type);
  assert.ok(found !== undefined);
  return found.example;
}

/** The codes of the problems; none: it is read. */
function problemsOf(dialect: DialectId, message: Message): readonly string[] {
  const reading = readMessage(JSON.stringify(message), { dialects: [dialect], strict: true });
  return reading.outcome === "invalid" ? reading.problems.map(({ code }) => code) : [];
}

const debuggers = [
  { agent: "lead-1", role: "lead" },
  { agent: "debugger-1", role: "debugger" },
  { agent: "debugger-2", role: "debugger" },
] as const;

test("a result of PASS with failures is refused, and without any is read", () => {
  const example = { ...exampleOf("vbw/1", "qa_result"), checks: { passed: 3, failed: 0, total: 3 }, result: "PASS" };
  const failures = [{ check: "a", expected: "b", actual: "c", evidence: "d" }];
  assert.deepEqual(problemsOf("vbw/1", { ...example, failures: [] }), []);
  assert.deepEqual(problemsOf("vbw/1", { ...example, failures }), ["cross-field"]);
});

test("a fix at low confidence is free text", () => {
  const example = { ...exampleOf("vbw/1", "debugger_report"), confidence: "low" };
  for (const fix of ["Insufficient evidence", "Close the connection in a finally block"])
    assert.deepEqual(problemsOf("vbw/1", { ...example, recommended_fix: fix }), []);
});

test("failures that were there before may be absent or an empty list", () => {
  for (const type of ["blocker_report", "debugger_report"]) {
    const example = exampleOf("yolo/2", type);
    const { pre_existing_issues: _, ...payload } = example.payload as Message;
    assert.deepEqual(problemsOf("yolo/2", { ...example, payload }), []);
    assert.deepEqual(problemsOf("yolo/2", { ...example, payload: { ...payload, pre_existing_issues: [] } }), []);
    const half = [{ test: "a" }];
    assert.notDeepEqual(problemsOf("yolo/2", { ...example, payload: { ...payload, pre_existing_issues: half } }), []);
  }
});

test("each of several debuggers reports on its own hypothesis", async () => {
  for (const dialect of ["vbw/1", "yolo/2"] as const) {
    await using team = await testTeam({ agents: debuggers, dialects: [dialect] });
    const example = exampleOf(dialect, "debugger_report");
    for (const [index, agent] of ["debugger-1", "debugger-2"].entries()) {
      const hypothesis = `Cause ${index}`;
      const message =
        dialect === "vbw/1"
          ? { ...example, hypothesis }
          : { ...example, id: `report-${index}`, payload: { ...(example.payload as Message), hypothesis } };
      assert.equal((await team.as(agent).send(JSON.stringify(message))).outcome, "accepted");
    }
    const inbox = await team.as("lead-1").inbox();
    assert.deepEqual(inbox.ok && inbox.value.deliveries.map(({ sender }) => sender), ["debugger-1", "debugger-2"]);
  }
});

test("a debugger's report opens no escalation", async () => {
  await using team = await testTeam({ agents: debuggers, dialects: ["yolo/2"] });
  const sent = await team.as("debugger-1").send(JSON.stringify(exampleOf("yolo/2", "debugger_report")));
  assert.equal(sent.outcome, "accepted");
  const found = await team.as("lead-1").escalations();
  assert.deepEqual(found.ok && found.value, []);
});

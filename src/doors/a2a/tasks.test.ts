/**
 * What the board and the approvals say, as states of A2A: each row of the table of docs/protocol/doors.md, section 16.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, viewAfter } from "../../../tests/work/orders.ts";
import { makeProblem } from "../../base/problem.ts";
import type { ApprovalState } from "../../perform/deciders.ts";
import type { AskView } from "../../tasks/operations/asks.ts";
import { isOver, isSettled, operationIdOf, taskOfApproval, taskOfAsk, withHistory } from "./tasks.ts";
import type { A2aState } from "./wire.ts";

const at = "2026-03-01T12:00:00.000Z";

const free = viewAfter(add("ask-00000000000000000000", { title: "Add the tax", seq: 9 }));
const said = { seq: 7, at, by: "shop", id: "a2a/m-1", text: "Add the tax", isQuestion: false };
const asked = { seq: 8, at, by: "lead-1", id: null, text: "Gross or net?", isQuestion: true };

function askOf(task: Partial<AskView["task"]>, more: Partial<AskView> = {}): AskView {
  const ask = { asker: "shop", context: null, question: null, ended: null, evidence: null, seq: 9, at, askedAt: at };
  return { ...ask, task: { ...free, ...task }, said: [said, asked], ...more };
}

const ended = (outcome: "withdrawn" | "refused" | "given-up") => ({
  ended: { outcome, reason: "Not ours", by: "lead-1", seq: 10 },
});
const reported = { report: 9, reporter: "dev-1", commit: "1234567", commits: ["1234567"] } as const;
const wrong = makeProblem("commit-missing", "commit", "There is no such commit.");

test("an ask is completed only once its work counts as done, and every other state says what it waits for", () => {
  const rows: readonly (readonly [AskView, A2aState])[] = [
    [askOf({}), "TASK_STATE_SUBMITTED"],
    [askOf({ holder: "dev-1", state: "claimed" }), "TASK_STATE_WORKING"],
    [askOf({ ...reported, state: "reported" }), "TASK_STATE_WORKING"],
    [askOf({ ...reported, state: "disputed", verdict: "disputed" }), "TASK_STATE_WORKING"],
    [askOf({ ...reported, state: "gone", verdict: "gone" }), "TASK_STATE_WORKING"],
    [askOf({ ...reported, state: "complete", verdict: "verified" }), "TASK_STATE_COMPLETED"],
    [askOf({ ...reported, state: "complete", verdict: "unneeded" }), "TASK_STATE_COMPLETED"],
    [askOf({ ...reported, state: "reported", verdict: "unavailable" }), "TASK_STATE_COMPLETED"],
    // Claimed again after it was verified: it is worked on.
    [askOf({ ...reported, state: "claimed", verdict: "verified", holder: "dev-1" }), "TASK_STATE_WORKING"],
    [askOf({ holder: "dev-1", state: "claimed" }, { question: 8 }), "TASK_STATE_INPUT_REQUIRED"],
    [askOf({}, ended("withdrawn")), "TASK_STATE_CANCELED"],
    [askOf({}, ended("refused")), "TASK_STATE_REJECTED"],
    [askOf({ holder: "dev-1" }, ended("given-up")), "TASK_STATE_FAILED"],
  ];
  for (const [ask, state] of rows) {
    const { task } = taskOfAsk(ask);
    assert.equal(task.status.state, state, JSON.stringify(ask.task));
    assert.equal(task.artifacts?.length ?? 0, state === "TASK_STATE_COMPLETED" ? 1 : 0, state);
  }
  const states = rows.map(([, state]) => state);
  assert.deepEqual(new Set(states.filter(isOver)), new Set(states.filter((each) => /COMP|CANC|REJ|FAIL/.test(each))));
  assert.ok(isSettled("TASK_STATE_INPUT_REQUIRED") && !isSettled("TASK_STATE_WORKING"));
});

test("the status message is the reason, the question or what the repository contradicts", () => {
  const words = (ask: AskView) => taskOfAsk(ask).task.status.message?.parts;
  assert.deepEqual(words(askOf({}, ended("withdrawn"))), [{ text: "Not ours" }]);
  for (const outcome of ["refused", "given-up"] as const)
    assert.deepEqual(words(askOf({ problems: [wrong] }, ended(outcome))), [
      { text: "Not ours" },
      { data: { outcome, reason: "Not ours", problems: [{ ...wrong }] }, mediaType: "application/json" },
    ]);
  assert.deepEqual(words(askOf({}, { question: 8 })), [{ text: "Gross or net?" }]);
  const [text, data] = words(askOf({ ...reported, state: "disputed", verdict: "disputed", problems: [wrong] })) ?? [];
  assert.match(JSON.stringify(text), /disputed/);
  assert.deepEqual(data, { data: { problems: [{ ...wrong }] }, mediaType: "application/json" });
  assert.equal(words(askOf({})), undefined);
  const { history } = taskOfAsk(askOf({})).task;
  assert.deepEqual(
    history?.map(({ messageId, role }) => [messageId, role]),
    [
      ["m-1", "ROLE_USER"],
      ["entry-8", "ROLE_AGENT"],
    ],
  );
  const { task } = taskOfAsk(askOf({}));
  assert.equal("history" in withHistory(task, 0), false);
  assert.deepEqual([withHistory(task, 1).history?.length, withHistory(task, null).history?.length], [1, 2]);
});

const open: ApprovalState = {
  requestId: "r-1",
  requester: "dev-1",
  requesterRole: "dev",
  subject: "Touch the build",
  requestType: "scope_change",
  evidence: "It fails",
  options: ["yes", "no"],
  phase: 1,
  task: null,
  plan: null,
  addressees: ["lead-1"],
  seq: 4,
  openedAtMs: 0,
  deadlineMs: null,
  status: "open",
  answer: null,
  expiredAtMs: null,
};

test("an approval waits for who is asked, works for who asks, and is nobody else's", () => {
  const stateFor = (request: ApprovalState, caller: string) =>
    taskOfApproval(request, caller)?.task.status.state ?? null;
  const callers = ["lead-1", "dev-1", "shop"];
  const statesOf = (request: ApprovalState) => callers.map((caller) => stateFor(request, caller));
  assert.deepEqual(statesOf(open), ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING", null]);
  const late = { ...open, status: "expired", expiredAtMs: 5 } as const;
  assert.deepEqual(statesOf(late), ["TASK_STATE_FAILED", "TASK_STATE_FAILED", null]);
  assert.equal(taskOfApproval(open, "dev-1")?.task.id, taskOfApproval(open, "lead-1")?.task.id);
  assert.notEqual(
    taskOfApproval({ ...open, requester: "dev-2" }, "lead-1")?.task.id,
    taskOfApproval(open, "lead-1")?.task.id,
    "ids of requests are the requesters' own",
  );
});

test("a message's id names the operation, one for each", () => {
  assert.equal(operationIdOf("m-1"), "a2a/m-1");
  assert.match(operationIdOf("with a blank"), /^a2a-sha256:[0-9a-f]{64}$/);
  assert.notEqual(operationIdOf("a\nb"), operationIdOf("a b"));
});

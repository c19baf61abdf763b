import assert from "node:assert/strict";
import { test } from "node:test";
import { judge, report, type WorkCommand, work } from "../../../tests/work/orders.ts";
import type { HandoffBody } from "../../messages/handoff-body.ts";
import {
  type CoordinationState,
  decideAcceptance,
  evolveCoordination,
  initialCoordination,
} from "../../perform/deciders.ts";
import { findTask, type Task } from "../../tasks/state/task-state.ts";
import { handoffs } from "./handoffs.ts";

const verified = { digest: "d", files: 0, weak: 0, failed: [] };
const acceptance = { id: "h1", by: "dev-2", session: 1, breaker: null, verified, seq: 20, atMs: 20, leaseMs: 1000 };

/** A handoff of `task` from dev-1 to dev-2, after these commands about tasks. */
function handedOver(
  task: string,
  commands: readonly WorkCommand[],
  issuerRole: "dev" | "lead" = "dev",
  validation: HandoffBody["validation"] = {},
): CoordinationState {
  let state = initialCoordination();
  for (const command of commands) {
    const decided = work.decide(command, state.work);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = evolveCoordination(state, event);
  }
  const timestamp = "2026-03-04T10:00:00Z";
  const metadata = { id: "h1", source_agent: "dev-1", target_agent: "dev-2", timestamp, task_id: task };
  const issued = handoffs.decide(
    {
      command: "issue-handoff",
      issuer: "dev-1",
      issuerRole,
      receivers: ["dev-2"],
      body: { metadata, context: {}, instructions: { primary: "Go on" }, dependencies: {}, validation },
      digest: "d",
      seq: 10,
      atMs: 10,
    },
    state.handoffs,
  );
  assert.ok(issued.ok);
  for (const event of issued.value.events) state = evolveCoordination(state, event);
  return state;
}

const add: WorkCommand = { command: "add-task", taskId: "1-1-T1", planId: "1-1", files: ["src/a.ts"], seq: 1 };
const claimBy = (holder: string): WorkCommand => ({
  command: "claim-task",
  taskId: "1-1-T1",
  planId: null,
  files: null,
  holder,
  session: 1,
  scope: null,
  seq: 5,
  atMs: 5,
  leaseMs: 1000,
});

function taskAfter(state: CoordinationState): Task | null {
  const decided = decideAcceptance(state, acceptance);
  assert.ok(decided.ok, JSON.stringify(decided));
  for (const event of decided.value.events) evolveCoordination(state, event);
  return findTask(state.work, "1-1-T1", null);
}

function refusalOf(state: CoordinationState): string | undefined {
  const decided = decideAcceptance(state, acceptance);
  return decided.ok ? undefined : decided.error[0]?.code;
}

test("the claim moves with a new token, and the agent that handed over is fenced", () => {
  const state = handedOver("1-1-T1", [add, claimBy("dev-1")]);
  const task = taskAfter(state);
  assert.deepEqual([task?.claim?.holder, task?.claim?.token, task?.claim?.files], ["dev-2", 20, ["src/a.ts"]]);
  assert.deepEqual(
    [state.handoffs.all.get("h1")?.acceptance?.task, state.handoffs.all.get("h1")?.acceptance?.token],
    ["1-1-T1", 20],
  );
  const late = work.decide(
    { command: "release-task", taskId: "1-1-T1", planId: null, token: 5, by: "dev-1", mayTake: false },
    state.work,
  );
  assert.equal(late.ok ? null : late.error[0]?.code, "fenced-claim");
});

test("a task that nobody holds is claimed, and one's own stays as it is", () => {
  assert.equal(taskAfter(handedOver("1-1-T1", [add]))?.claim?.token, 20);
  assert.equal(taskAfter(handedOver("1-1-T1", [add, claimBy("dev-2")]))?.claim?.token, 5);
});

test("a claim of a third agent is not the issuer's to give, but a lead's", () => {
  assert.equal(refusalOf(handedOver("1-1-T1", [add, claimBy("dev-3")])), "task-held");
  assert.equal(taskAfter(handedOver("1-1-T1", [add, claimBy("dev-3")], "lead"))?.claim?.holder, "dev-2");
});

test("files that somebody else holds are in the way, and the handoff waits", () => {
  const other: WorkCommand = { command: "add-task", taskId: "1-1-T2", planId: "1-1", files: ["src/"], seq: 2 };
  const state = handedOver("1-1-T1", [add, other, { ...claimBy("dev-3"), taskId: "1-1-T2" } as WorkCommand]);
  assert.equal(refusalOf(state), "claim-overlap");
});

test("files that the giver keeps for another task are in the way, and move once that claim has ended", () => {
  const other: WorkCommand = { command: "add-task", taskId: "1-1-T2", planId: "1-1", files: ["src/"], seq: 2 };
  const state = handedOver("1-1-T1", [
    add,
    other,
    claimBy("dev-1"),
    { ...claimBy("dev-1"), taskId: "1-1-T2" } as WorkCommand,
  ]);
  assert.equal(refusalOf(state), "claim-overlap");
  const ended = work.decide(
    { command: "release-task", taskId: "1-1-T2", planId: null, token: null, by: "dev-1", mayTake: false },
    state.work,
  );
  assert.ok(ended.ok);
  for (const event of ended.value.events) evolveCoordination(state, event);
  assert.equal(taskAfter(state)?.claim?.holder, "dev-2");
});

test("reported work that is handed over for repair is open again and its receiver's, and other work stays done", () => {
  const done = report("1-1-T1", "dev-1");
  const verdict = judge("1-1-T1", "verified");
  const repair = { quality_checks: { tests_passed: false } };
  const task = taskAfter(handedOver("1-1-T1", [add, claimBy("dev-1"), done, verdict], "dev", repair));
  assert.deepEqual([task?.report, task?.verdict, task?.claim?.holder, task?.claim?.token], [null, null, "dev-2", 20]);
  const kept = taskAfter(handedOver("1-1-T1", [add, claimBy("dev-1"), done, verdict]));
  assert.deepEqual([kept?.verdict?.state, kept?.claim], ["verified", null]);
});

test("a task that is not on the board moves nothing, and a note says so", () => {
  const decided = decideAcceptance(handedOver("story-2.1", []), acceptance);
  assert.ok(decided.ok);
  assert.deepEqual(
    decided.value.events.map(({ event }) => event),
    ["handoff-accepted"],
  );
  assert.equal(decided.value.notes[0]?.code, "no-claim-moved");
});

test("an acceptance that is refused moves no claim, and one that is repeated moves none again", () => {
  const state = handedOver("1-1-T1", [add, claimBy("dev-1")]);
  const refused = decideAcceptance(state, { ...acceptance, verified: { ...verified, digest: "other" } });
  assert.equal(refused.ok ? null : refused.error[0]?.code, "not-verified");
  assert.equal(decideAcceptance(state, { ...acceptance, id: "h2" }).ok, false);
  taskAfter(state);
  const again = decideAcceptance(state, { ...acceptance, seq: 30 });
  assert.deepEqual(again.ok && again.value.events, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type WorkCommand, work } from "../../../tests/work/orders.ts";
import {
  type CoordinationState,
  decideReassignment,
  evolveCoordination,
  initialCoordination,
} from "../../perform/deciders.ts";
import { findTask } from "../state/task-state.ts";
import type { Reassignment } from "./task-rules.ts";

const add = (taskId: string, files: readonly string[]): WorkCommand => {
  return { command: "add-task", taskId, planId: null, files, seq: 1 };
};
const claimBy = (holder: string, taskId: string, seq: number): WorkCommand => {
  const granted = { session: 1, scope: null, seq, atMs: seq, leaseMs: 1_000 };
  return { command: "claim-task", taskId, planId: null, files: null, holder, ...granted };
};
const report = (by: string, more: { readonly token?: number } = {}): WorkCommand => ({
  command: "report-task",
  taskId: "1-1-T1",
  planId: null,
  by,
  token: more.token ?? null,
  way: "command",
  status: "complete",
  commit: "abc1234",
  files: null,
  deviations: [],
  evidence: null,
  completes: true,
  awaitsVerdict: false,
  seq: 30,
});

function after(...commands: readonly WorkCommand[]): CoordinationState {
  let state = initialCoordination();
  for (const command of commands) {
    const decided = work.decide(command, state.work);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = evolveCoordination(state, event);
  }
  return state;
}

const task = add("1-1-T1", ["src/a.ts"]);
const toSecond: Reassignment = {
  taskId: "1-1-T1",
  planId: null,
  to: "dev-2",
  session: 3,
  breaker: null,
  seq: 20,
  atMs: 20,
  leaseMs: 1_000,
};

function codesOf(state: CoordinationState, more: Partial<Reassignment> = {}): readonly string[] {
  const decided = decideReassignment(state, { ...toSecond, ...more });
  return decided.ok ? [] : decided.error.map(({ code }) => code);
}

test("the claim moves with its files, lives from the reassignment on, and the old token counts no more", () => {
  let state = after(task, claimBy("dev-1", "1-1-T1", 5));
  const decided = decideReassignment(state, toSecond);
  assert.ok(decided.ok);
  for (const event of decided.value.events) state = evolveCoordination(state, event);
  const claim = findTask(state.work, "1-1-T1", null)?.claim;
  assert.deepEqual([claim?.holder, claim?.token, claim?.session, claim?.files], ["dev-2", 20, 3, ["src/a.ts"]]);
  assert.deepEqual([...state.work.signs], [["dev-2", 20]], "its lease runs, and nobody watches the old holder");
  for (const late of [report("dev-1", { token: 5 }), report("dev-1")]) {
    const refused = work.decide(late, state.work);
    assert.ok(!refused.ok);
    assert.equal(refused.error[0]?.code, "fenced-claim");
    assert.match(refused.error[0].message, /granted to dev-2 since, at entry 20/);
  }
  assert.ok(work.decide(report("dev-2", { token: 20 }), state.work).ok);
});

test("it is refused for a task that is unknown or done", () => {
  assert.deepEqual(codesOf(after()), ["unknown-task"]);
  const done = after(task, claimBy("dev-1", "1-1-T1", 5), report("dev-1"));
  const ended = decideReassignment(done, toSecond);
  assert.deepEqual(ended.ok ? [] : ended.error.map(({ code, hint }) => [code, hint]), [
    ["task-done", "Nobody holds it, so there is no claim to reassign."],
  ]);
});

test("a task that nobody holds is claimed for the agent, unless it could not be claimed", () => {
  const decided = decideReassignment(after(task), toSecond);
  assert.ok(decided.ok, JSON.stringify(decided));
  const [granted] = decided.value.events;
  assert.deepEqual(granted?.event === "task-claimed" && [granted.holder, granted.files], ["dev-2", ["src/a.ts"]]);
  const met = after(task, add("1-1-T2", ["src/"]), claimBy("dev-1", "1-1-T2", 5));
  assert.deepEqual(codesOf(met), ["claim-overlap"]);
});

test("files that the task names since it was claimed come along, where nobody has them", () => {
  const wider = add("1-1-T1", ["src/a.ts", "src/more.ts", "src/theirs.ts"]);
  const theirs = [add("1-1-T9", ["src/theirs.ts"]), claimBy("dev-3", "1-1-T9", 15)];
  const moved = decideReassignment(after(task, claimBy("dev-1", "1-1-T1", 10), ...theirs, wider), toSecond);
  assert.ok(moved.ok);
  const granted = moved.value.events.find((event) => event.event === "task-claimed");
  assert.deepEqual(granted?.files, ["src/a.ts", "src/more.ts"]);
});

test("two agents never hold one file: a claim that shares files with another of its holder stays where it is", () => {
  const both = after(task, add("1-1-T2", ["src/"]), claimBy("dev-1", "1-1-T1", 5), claimBy("dev-1", "1-1-T2", 6));
  assert.deepEqual(codesOf(both), ["claim-overlap"]);
});

test("to the agent that holds the task nothing changes", () => {
  const decided = decideReassignment(after(task, claimBy("dev-1", "1-1-T1", 5)), { ...toSecond, to: "dev-1" });
  assert.ok(decided.ok);
  assert.deepEqual([decided.value.events, decided.value.notes.map(({ code }) => code)], [[], ["already-so"]]);
});

test("an agent that disappeared, or that its circuit breaker keeps out, gets no task", () => {
  let state = after(task, claimBy("dev-1", "1-1-T1", 5));
  const lost = {
    event: "agent-disappeared",
    agent: "dev-2",
    session: 3,
    cause: "lease",
    lastSignMs: 1,
    tasks: [],
  } as const;
  state = evolveCoordination(state, { ...lost, atMs: 10 });
  assert.deepEqual(codesOf(state), ["not-ready"]);
  state = evolveCoordination(state, { event: "breaker-opened", scope: "team", seq: 11, atMs: 11, dueAtMs: 500 });
  assert.deepEqual(codesOf(state, { to: "dev-3", breaker: "team" }), ["breaker-open"]);
  assert.deepEqual(codesOf(state, { to: "dev-3" }), [], "an agent that no breaker counts gets it");
});

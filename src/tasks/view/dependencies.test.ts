import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  adopt,
  after,
  claim,
  judge,
  report,
  stateAfter,
  type WorkCommand,
  work,
} from "../../../tests/work/orders.ts";
import { given } from "../../testing/given.ts";
import type { WorkEvent } from "../state/task-events.ts";
import type { Work } from "../state/task-state.ts";
import { boardOf } from "./board.ts";
import { blockersOf, isBlocked } from "./dependencies.ts";
import { taskViews } from "./task-view.ts";

const cycleOf = (state: Work) =>
  boardOf(state, { agent: null, signOf: () => 0, leaseMs: 1, hasRepository: true }).cycle;

function blockers(key: string, ...commands: readonly WorkCommand[]): readonly string[] {
  const state = stateAfter(...commands);
  const task = state.tasks.get(key);
  assert.ok(task !== undefined);
  const found = blockersOf(state, task);
  assert.equal(isBlocked(state, task), found.length > 0);
  return found;
}

test("a task waits for those it names until they are done, in any spelling", () => {
  const list = [add("01-01/T1"), add("T2", { planId: "1-1", dependsOn: ["task-1"] })];
  assert.deepEqual(blockers("1-1-T2", ...list), ["01-01/T1"]);
  assert.deepEqual(blockers("1-1-T2", ...list, report("1-1-T1", "dev-1")), []);
  assert.deepEqual(blockers("1-1-T2", ...list, report("1-1-T1", "dev-1"), judge("1-1-T1", "gone")), ["01-01/T1"]);
});

test("all tasks of a plan wait for all tasks of the plans it depends on, also of one that has not begun", () => {
  const later = adopt("1-2", ["T1"], ["phase-1-plan-1"]);
  assert.deepEqual(blockers("1-2-T1", later), ["phase-1-plan-1"]);
  const both = [later, adopt("1-1", ["T1", "T2"])];
  assert.deepEqual(blockers("1-2-T1", ...both), ["T1", "T2"]);
  assert.deepEqual(blockers("1-2-T1", ...both, report("1-1-T1", "dev-1")), ["T2"]);
  const done = [...both, report("1-1-T1", "dev-1"), report("1-1-T2", "dev-1")];
  assert.deepEqual(blockers("1-2-T1", ...done), []);
  const gone = [...done, judge("1-1-T2", "gone")];
  assert.deepEqual(blockers("1-2-T1", ...gone), ["T2"]);
  assert.equal(cycleOf(stateAfter(...gone)), null);
  assert.deepEqual(blockers("1-2-T1", ...gone, judge("1-1-T2", "verified")), []);
});

test("where work lands first, what is verified blocks until it has landed, also through a plan, and the refusal says why", () => {
  const lists = [adopt("1-1", ["T1"]), adopt("1-2", ["T1"], ["1-1"]), add("1-3-T1", { dependsOn: ["1-1-T1"] })];
  const before = [...lists, report("1-1-T1", "dev-1"), judge("1-1-T1", "verified", { place: placeAt("branch") })];
  const refusal = (state: Work, taskId: string) => {
    const decided = work.decide(claim(taskId, "dev-2", { landsFirst: true }), state);
    return decided.ok ? null : decided.error.map(({ code, message }) => `${code}: ${message}`).join();
  };
  const onBranch = () => stateAfter(...before);
  const waits = {
    reason: "waits",
    report: 20,
    branch: "main",
    onto: "1",
    why: "Look at it.",
    files: [],
    times: 0,
  } as const;
  const late: WorkEvent = { event: "task-not-landed", key: "1-1-T1", task: "1-1-T1", ...waits, seq: 9 };
  const held: WorkEvent = { event: "landing-held", branch: "baton/main", why: "It was moved.", seq: 9 };
  for (const taskId of ["1-2-T1", "1-3-T1"]) {
    assert.match(refusal(onBranch(), taskId) ?? "", /^task-blocked: .* waits for .* lands next: wait a moment/);
    assert.match(refusal(work.evolve(onBranch(), late), taskId) ?? "", /does not land yet: Look at it\.$/);
    // The other one came back and was reported anew since.
    const over = work.evolve(onBranch(), { ...late, behind: "1-3-T1" });
    assert.match(refusal(over, taskId) ?? "", /lands next: wait a moment/);
    assert.match(refusal(work.evolve(onBranch(), held), taskId) ?? "", /nothing lands now: It was moved\.$/);
    const landed = stateAfter(...before, judge("1-1-T1", "verified", { place: placeAt("landed") }));
    assert.equal(refusal(landed, taskId), null);
    assert.ok(work.decide(claim(taskId, "dev-2"), onBranch()).ok, "where nothing lands by itself");
  }
});

function placeAt(at: "branch" | "landed") {
  return { at, branch: "dev-1", since: null, isChanged: false };
}

/** Three plans of `size` tasks, each after the one before, and 60 disputed artifacts of the first. */
function chainOfPlans(size: number) {
  const tasks = (plan: number) => Array.from({ length: size }, (_, at) => `1-${plan}-T${at + 1}`);
  const plans = [1, 2, 3].map((plan) => adopt(`1-${plan}`, tasks(plan), plan === 1 ? [] : [`1-${plan - 1}`]));
  const disputes = Array.from({ length: 60 }, (_, at): readonly WorkCommand[] => [
    {
      command: "name-artifacts",
      fact: {
        kind: "test-plan",
        head: { phase: null, task: null, authorRole: null, timestamp: null, confidence: null },
        body: { artifact: `a-${at}.jsonl`, planId: "1-1" },
      },
      type: "test_plan_result",
      sender: `qa-${at}`,
      seq: 100 + at,
    },
    { command: "record-artifacts", message: 100 + at, state: "disputed", problems: [], seq: 200 + at },
  ]).flat();
  return stateAfter(...plans, ...disputes);
}

test("a board of plans that wait for each other grows with its tasks, not with their square", () => {
  const viewer = { agent: null, signOf: () => 0, leaseMs: 300_000, hasRepository: true };
  const bytesOf = (size: number) => JSON.stringify(taskViews(chainOfPlans(size), viewer)).length;
  const [small, large] = [bytesOf(100), bytesOf(1_000)];
  assert.ok(large < small * 11, `${small} characters for 3 plans of 100 tasks, ${large} for 1,000`);
  const views = taskViews(chainOfPlans(1_000), viewer);
  assert.equal(views.filter(({ state }) => state === "blocked").length, 2_000);
  assert.deepEqual([views[1_000]?.blockedBy, views[2_999]?.blockedBy], [["1-1"], ["1-2"]]);
  assert.deepEqual([views[0]?.heldUpBy.length, views[0]?.heldUpByMore], [20, 40]);
  assert.deepEqual([views[1_000]?.heldUpBy, views[1_000]?.heldUpByMore], [[], undefined]);
  // What is left of a plan is named task by task, and of two plans no more than one list's.
  const few = stateAfter(
    adopt("1-1", ["T1", "T2"]),
    adopt("1-2", tasksOfPlan(19)),
    adopt("1-3", ["T1"], ["1-1", "1-2"]),
  );
  const last = few.tasks.get("1-3-T1");
  assert.ok(last !== undefined);
  assert.deepEqual(blockersOf(few, last), ["T1", "T2", "1-2"]);
});

const tasksOfPlan = (size: number) => Array.from({ length: size }, (_, at) => `1-2-T${at + 1}`);

test("a task that is not known yet blocks, which is noted", () => {
  const { notes } = given(work, [])
    .when(add("1-1-T2", { dependsOn: ["1-1-T1"] }))
    .thenEvents(after(add("1-1-T2", { dependsOn: ["1-1-T1"] })));
  assert.equal(notes[0]?.code, "unknown-task");
  assert.deepEqual(blockers("1-1-T2", add("1-1-T2", { dependsOn: ["1-1-T1"] })), ["1-1-T1"]);
});

test("a cycle is refused with all its members, by hand and by contract", () => {
  const chain = [add("1-1-T1", { dependsOn: ["1-1-T2"] }), add("1-1-T2", { dependsOn: ["1-1-T3"] })];
  const problems = given(work, after(...chain))
    .when(add("1-1-T3", { dependsOn: ["1-1-T1"] }))
    .thenRefused("dependency-cycle");
  assert.equal(problems[0]?.received, "1-1-T3 -> 1-1-T1 -> 1-1-T2 -> 1-1-T3");
  given(work, [])
    .when(add("1-1-T1", { dependsOn: ["T1"] }))
    .thenRefused("dependency-cycle");
  const plans = [adopt("1-1", ["T1"], ["1-2"]), adopt("1-2", ["T1"], ["1-3"])];
  const [closed] = given(work, after(...plans))
    .when(adopt("1-3", ["T1"], ["1-1"]))
    .thenRefused("dependency-cycle");
  assert.equal(closed?.received, "1-3 -> 1-1 -> 1-2 -> 1-3");
});

test("a cycle through a plan and a task by hand is found too", () => {
  const before = [adopt("1-1", ["T1"]), adopt("1-2", ["T1"], ["1-1"])];
  given(work, after(...before))
    .when(add("1-1-T1", { dependsOn: ["1-2-T1"] }))
    .thenRefused("dependency-cycle");
  given(work, after(...before))
    .when(add("1-1-T9", { dependsOn: ["1-2-T1"] }))
    .thenRefused("dependency-cycle");
});

test("tasks that wait for each other are named; those behind an unknown one are not", () => {
  const free = add("2-1-T1");
  // A journal of an earlier version may hold a cycle of plans.
  const cyclic = stateAfter(free, adopt("1-1", ["T1"], ["1-2"]), adopt("1-2", ["T7"]));
  const needs = ["1-1"];
  work.evolve(cyclic, { event: "plan-ordered", plan: "1-2", planName: "1-2", dependsOn: needs, needs });
  assert.deepEqual(cycleOf(cyclic), ["1-2", "1-1", "1-2"]);
  const unknown = stateAfter(free, add("2-1-T2", { dependsOn: ["2-1-T9"] }), add("2-1-T3", { dependsOn: ["2-1-T2"] }));
  assert.equal(cycleOf(unknown), null);
});

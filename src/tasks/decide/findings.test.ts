import assert from "node:assert/strict";
import { test } from "node:test";
import { add, after, claim, judge, report, stateAfter } from "../../../tests/work/orders.ts";
import { problem } from "../../base/problem.ts";
import { given } from "../../testing/given.ts";
import type { Finding } from "../state/task-report.ts";
import { taskViews } from "../view/task-view.ts";
import type { RecordFinding } from "./findings.ts";
import { type WorkCommand, work } from "./task-decider.ts";

const viewer = { agent: null, signOf: () => 0, leaseMs: 1, hasRepository: true };
const only: readonly WorkCommand[] = [
  add("1-1-T1", { files: ["src/a.ts"] }),
  report("1-1-T1", "dev-1", { awaitsVerdict: true }),
];
const reported = [...only, add("1-1-T2", { files: ["src/b.ts"] })];
const one = "verifier:ci-1";
const two = "verifier:ci-2";

function found(judgeName: string, state: Finding["state"], more: Partial<RecordFinding> = {}): RecordFinding {
  const commit = "abc1234".padEnd(40, "0");
  const problems = state === "verified" ? [] : [problem("nothing-changed", "1-1-T1", "Nothing is changed.")];
  const kept = { commit, files: ["src/a.ts"], problems, seq: 30, ...more };
  return { command: "record-finding", taskId: "1-1-T1", planId: null, report: 20, judge: judgeName, state, ...kept };
}

function viewAfter(...commands: readonly WorkCommand[]) {
  const [view] = taskViews(stateAfter(...reported, ...commands), viewer);
  assert.ok(view !== undefined);
  return view;
}

/** What each judge found in turn, and what the task counts as then. */
const cases: readonly (readonly [readonly WorkCommand[], state: string, isDiffering: boolean])[] = [
  [[found(one, "verified")], "verified", false],
  [[found(one, "undecided")], "reported", false],
  [[found(one, "disputed")], "disputed", false],
  [[found(one, "verified"), found(two, "verified", { seq: 31 })], "verified", false],
  [[found(one, "verified"), found(two, "disputed", { seq: 31 })], "disputed", true],
  [[found(one, "disputed"), found(two, "verified", { seq: 31 })], "disputed", true],
  [[found(one, "verified"), found(two, "undecided", { seq: 31 })], "reported", true],
  [[found(one, "undecided"), found(two, "verified", { seq: 31 })], "reported", true],
  [[found(one, "stale"), found(two, "disputed", { seq: 31 })], "disputed", true],
  [[found(one, "verified"), found(two, "verified", { seq: 31, commit: "abc1234".padEnd(40, "1") })], "reported", true],
  [[found(one, "verified"), found(two, "disputed"), found(two, "verified", { seq: 32 })], "verified", false],
  // A hub with a repository is one judge more, and it does not matter who looked first.
  [[judge("1-1-T1", "verified"), found(one, "disputed", { seq: 31 })], "disputed", true],
  [[found(one, "verified"), judge("1-1-T1", "disputed", { seq: 31 })], "disputed", true],
  [[found(one, "verified"), found(two, "disputed"), settle(one)], "verified", true],
  [[found(one, "verified"), found(two, "disputed"), settle(one), settle(null, 34)], "disputed", true],
  [[found(one, "verified"), found(two, "disputed"), drop(two)], "verified", false],
  [[found(one, "verified"), drop(one)], "verified", false],
];

function settle(by: string | null, seq = 33): WorkCommand {
  return { command: "settle-verdict", taskId: "1-1-T1", planId: null, judge: by, seq };
}

function drop(judgeName: string): WorkCommand {
  return { command: "drop-findings", judge: judgeName, seq: 33 };
}

for (const [commands, state, isDiffering] of cases) {
  const words = commands.map((each) =>
    [each.command, "judge" in each ? each.judge : "", "state" in each ? each.state : ""].join(" "),
  );
  test(`${words.join(", ")}: the task is ${state}${isDiffering ? ", and the difference is shown" : ""}`, () => {
    const view = viewAfter(...commands);
    assert.deepEqual([view.state, view.isDiffering ?? false], [state, isDiffering]);
  });
}

test("findings that agree record one verdict, and the same finding again records nothing", () => {
  const before = after(...reported, found(one, "verified"));
  const second = found(two, "verified", { seq: 31 });
  given(work, before)
    .when(second)
    .thenEvents([
      {
        event: "finding-recorded",
        key: "1-1-T1",
        task: "1-1-T1",
        report: 20,
        judge: two,
        state: "verified",
        commit: "abc1234".padEnd(40, "0"),
        files: ["src/a.ts"],
        problems: [],
        seq: 31,
      },
    ]);
  given(work, before)
    .when(found(one, "verified", { seq: 31 }))
    .thenNothing("already-so");
});

test("a finding about another report, or on a task that is claimed again, comes too late", () => {
  given(work, after(...reported, report("1-1-T1", "dev-1", { commit: "def5678", seq: 21 })))
    .when(found(one, "verified"))
    .thenNothing("verdict-outdated");
  given(work, after(...reported, found(one, "disputed"), claim("1-1-T1", "dev-2")))
    .when(found(two, "verified", { seq: 31 }))
    .thenNothing("verdict-outdated");
  given(work, []).when(found(one, "verified")).thenRefused("unknown-task");
});

test("a new report is judged again by all, and what the owner decided is over with the old one", () => {
  const again = viewAfter(
    found(one, "verified"),
    found(two, "disputed"),
    settle(one),
    report("1-1-T1", "dev-1", { commit: "def5678", seq: 40 }),
  );
  assert.deepEqual([again.state, again.findings, again.settledBy], ["reported", undefined, undefined]);
});

test("the owner decides only by a judge that has seen the work", () => {
  const before = after(...reported, found(one, "verified"), found(two, "undecided", { seq: 31 }));
  given(work, before).when(settle(two)).thenRefused("not-found");
  given(work, before).when(settle("verifier:none")).thenRefused("not-found");
  given(work, before).when(settle(null)).thenNothing("already-so");
});

test("the plan is summed up once its last task counts, and waits again where judges differ", () => {
  const state = stateAfter(...only, found(one, "verified"));
  assert.equal(state.plans.get("1-1")?.recorded?.summary.status, "complete");
  const differing = stateAfter(...only, found(one, "verified"), found(two, "undecided", { seq: 31 }));
  assert.equal(differing.plans.get("1-1")?.open.has("1-1-T1"), true);
});

test("a verifier that ends frees the last tasks of a plan together, and the plan is summed up", () => {
  const both = ["1-1-T1", "1-1-T2"].flatMap((taskId): readonly WorkCommand[] => [
    add(taskId, { files: ["src/a.ts"] }),
    report(taskId, "dev-1", { awaitsVerdict: true }),
    { ...found(one, "verified"), taskId },
    { ...found(two, "undecided", { seq: 31 }), taskId },
  ]);
  const { plans, tasks } = stateAfter(...both, drop(two));
  assert.deepEqual(
    [...tasks.values()].map(({ verdict }) => verdict?.state),
    ["verified", "verified"],
  );
  assert.deepEqual([plans.get("1-1")?.open.size, plans.get("1-1")?.recorded?.seq], [0, 33]);
});

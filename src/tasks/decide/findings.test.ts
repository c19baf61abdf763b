import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  after,
  claim,
  judge,
  type Orders,
  report,
  stateAfter,
  viewAfter,
  type WorkCommand,
  work,
} from "../../../tests/work/orders.ts";
import { makeProblem } from "../../base/problem.ts";
import { given } from "../../testing/given.ts";
import type { WorkEvent } from "../state/task-events.ts";
import type { Finding } from "../state/task-state.ts";
import { taskViews } from "../view/task-view.ts";
import type { RecordFinding } from "./completions.ts";

const viewer = { agent: null, signOf: () => 0, leaseMs: 1, hasRepository: true };
const only: readonly WorkCommand[] = [
  add("1-1-T1", { files: ["src/a.ts"] }),
  report("1-1-T1", "dev-1", { awaitsVerdict: true }),
];
const reported = [...only, add("1-1-T2", { files: ["src/b.ts"] })];
const verifier = "verifier:ci-1";
const commit = "abc1234".padEnd(40, "0");
const unpushed = [makeProblem("commit-missing", "1-1-T1", "Nothing is pushed.")];

function found(state: Finding["state"], more: Partial<RecordFinding> = {}): Orders["record-finding"] {
  const problems = state === "verified" ? [] : unpushed;
  const kept = { commit, files: ["src/a.ts"], problems, seq: 30, ...more };
  return { command: "record-finding", taskId: "1-1-T1", planId: null, report: 20, judge: verifier, state, ...kept };
}

/** What was found in turn, what the task counts as then, and whether the verifier is shown as one that cannot see it. */
const cases: readonly (readonly [readonly WorkCommand[], state: string, isUnseen: boolean])[] = [
  [[found("verified")], "verified", false],
  [[found("undecided")], "reported", true],
  [[found("disputed")], "disputed", false],
  [[found("verified"), found("gone", { seq: 31 })], "gone", false],
  [[found("verified"), found("undecided", { seq: 31 })], "verified", true],
  [[found("undecided"), found("verified", { seq: 31 })], "verified", false],
  [[judge("1-1-T1", "verified"), found("disputed", { seq: 31 })], "verified", false],
  [[found("undecided"), judge("1-1-T1", "verified")], "verified", false],
  [[found("undecided"), report("1-1-T1", "dev-1", { commit: "def5678", seq: 40 })], "reported", false],
];

for (const [commands, state, isUnseen] of cases) {
  const words = commands.map((each) => [each.command, "state" in each ? each.state : ""].join(" "));
  test(`${words.join(", ")}: the task is ${state}${isUnseen ? ", and the verifier cannot see it" : ""}`, () => {
    const view = viewAfter(...reported, ...commands);
    assert.deepEqual([view.state, view.unseen !== undefined], [state, isUnseen]);
  });
}

test("the same finding again records nothing", () => {
  for (const state of ["verified", "undecided"] as const)
    given(work, after(...reported, found(state)))
      .when(found(state, { seq: 31 }))
      .thenNothing("already-so");
});

test("a finding about another report, or on a task that is claimed again, comes too late", () => {
  for (const state of ["verified", "undecided"] as const) {
    given(work, after(...reported, report("1-1-T1", "dev-1", { commit: "def5678", seq: 21 })))
      .when(found(state))
      .thenNothing("verdict-outdated");
    given(work, after(...reported, found("disputed"), claim("1-1-T1", "dev-2")))
      .when(found(state, { seq: 31 }))
      .thenNothing("verdict-outdated");
    given(work, []).when(found(state)).thenRefused("unknown-task");
  }
});

test("the plan is summed up once its last task counts, and stays so where the verifier cannot see it any more", () => {
  const state = stateAfter(...only, found("verified"));
  assert.equal(state.plans.get("1-1")?.recorded?.summary.status, "complete");
  const blind = stateAfter(...only, found("verified"), found("undecided", { seq: 31 }));
  assert.equal(blind.plans.get("1-1")?.open.has("1-1-T1"), false);
});

test("older entries of several verifiers and of the owner's decision show what was decided then", () => {
  const about = { key: "1-1-T1", task: "1-1-T1", report: 20 } as const;
  const kept = { commit, files: null, problems: [] };
  const verdict = (seq: number): WorkEvent => ({ event: "task-verified", ...about, ...kept, seq });
  const finding = (judgeName: string, state: Finding["state"], seq: number): WorkEvent => ({
    event: "finding-recorded",
    ...about,
    ...kept,
    judge: judgeName,
    state,
    seq,
  });
  const opened = (seq: number): WorkEvent => ({ event: "verdict-opened", ...about, seq });
  let state = stateAfter(...reported);
  const shown: (string | undefined)[] = [];
  for (const events of [
    [finding(verifier, "verified", 30), verdict(30)],
    [finding("verifier:ci-2", "undecided", 31), opened(31)],
    [{ event: "verdict-settled", ...about, judge: verifier, seq: 32 } as const, verdict(32)],
    [{ event: "verdict-settled", ...about, judge: null, seq: 33 } as const, opened(33)],
    [{ event: "findings-dropped", judge: "verifier:ci-2", keys: ["1-1-T1"], seq: 34 } as const, verdict(34)],
  ]) {
    for (const event of events) state = work.evolve(state, event);
    shown.push(taskViews(state, viewer)[0]?.state);
  }
  assert.deepEqual(shown, ["verified", "reported", "verified", "reported", "verified"]);
});

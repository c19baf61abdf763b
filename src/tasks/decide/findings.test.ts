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
import type { RecordUndecided } from "./completions.ts";

const viewer = { agent: null, signOf: () => 0, leaseMs: 1, hasRepository: true };
const only: readonly WorkCommand[] = [
  add("1-1-T1", { files: ["src/a.ts"] }),
  report("1-1-T1", "dev-1", { awaitsVerdict: true }),
];
const reported = [...only, add("1-1-T2", { files: ["src/b.ts"] })];
const verifier = "verifier:ci-1";
const commit = "abc1234".padEnd(40, "0");
const cutOff = [makeProblem("shallow-clone", "1-1-T1", "Its history is cut off.")];

function undecided(more: Partial<RecordUndecided> = {}): Orders["record-undecided"] {
  const kept = { commit, files: ["src/a.ts"], problems: cutOff, seq: 30, ...more };
  return { command: "record-undecided", taskId: "1-1-T1", planId: null, report: 20, judge: "baton", ...kept };
}

/** What was found in turn, what the task counts as then, and whether it is shown that it cannot be judged. */
const cases: readonly (readonly [readonly WorkCommand[], state: string, isUnseen: boolean])[] = [
  [[undecided()], "reported", true],
  [[judge("1-1-T1", "verified"), undecided({ seq: 31 })], "verified", true],
  [[judge("1-1-T1", "disputed"), undecided({ seq: 31 })], "reported", true],
  [[undecided(), judge("1-1-T1", "verified")], "verified", false],
  [[undecided(), report("1-1-T1", "dev-1", { commit: "def5678", seq: 40 })], "reported", false],
];

for (const [commands, state, isUnseen] of cases) {
  const words = commands.map((each) => [each.command, "state" in each ? each.state : ""].join(" "));
  test(`${words.join(", ")}: the task is ${state}${isUnseen ? ", and cannot be judged" : ""}`, () => {
    const view = viewAfter(...reported, ...commands);
    assert.deepEqual([view.state, view.unseen !== undefined], [state, isUnseen]);
  });
}

test("that a report cannot be judged, again and for the same reason, records nothing", () => {
  given(work, after(...reported, undecided()))
    .when(undecided({ seq: 31 }))
    .thenNothing("already-so");
});

test("it comes too late for another report, or for a task that is claimed again", () => {
  given(work, after(...reported, report("1-1-T1", "dev-1", { commit: "def5678", seq: 21 })))
    .when(undecided())
    .thenNothing("verdict-outdated");
  given(work, after(...reported, judge("1-1-T1", "disputed"), claim("1-1-T1", "dev-2")))
    .when(undecided({ seq: 31 }))
    .thenNothing("verdict-outdated");
  given(work, []).when(undecided()).thenRefused("unknown-task");
});

test("a plan that is summed up stays so where its work cannot be judged any more", () => {
  const blind = stateAfter(...only, judge("1-1-T1", "verified"), undecided({ seq: 31 }));
  assert.equal(blind.plans.get("1-1")?.recorded?.summary.status, "complete");
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

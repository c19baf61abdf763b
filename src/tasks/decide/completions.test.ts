import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  adopt,
  after,
  claim,
  judge,
  type Orders,
  release,
  report,
  stateAfter,
  viewAfter,
  type WorkCommand,
  work,
} from "../../../tests/work/orders.ts";
import { makeProblem, type ProblemCode } from "../../base/problem.ts";
import { reportsBehind } from "../../shutdown/decide/ending-rules.ts";
import { given } from "../../testing/given.ts";
import type { WorkEvent } from "../state/task-events.ts";
import type { Work } from "../state/task-state.ts";
import { boardOf } from "../view/board.ts";
import { isBlocked } from "../view/dependencies.ts";
import { remarksOn } from "../view/task-remarks.ts";
import { taskViews } from "../view/task-view.ts";

const viewer = { agent: null, signOf: () => 0, leaseMs: 1, hasRepository: true };
const t1 = add("1-1-T1", { files: ["src/a.ts"] });
const t2 = add("1-1-T2", { files: ["src/a.ts", "src/b.ts"] });
const open = add("1-1-T3");
const mine = claim("1-1-T1", "dev-1");

function stateOf(commands: readonly WorkCommand[], key = "1-1-T1") {
  const task = stateAfter(...commands).tasks.get(key);
  assert.ok(task !== undefined);
  return task;
}

test("a completion by the holder ends the claim and frees its files", () => {
  const { state } = given(work, after(t1, t2, mine))
    .when(report("1-1/T1", "dev-1", { files: ["src/a.ts"], evidence: "It works" }))
    .thenEvents([
      {
        event: "task-reported",
        key: "1-1-T1",
        task: "1-1-T1",
        plan: "1-1",
        reporter: "dev-1",
        status: "complete",
        commit: "abc1234",
        files: ["src/a.ts"],
        deviations: [],
        evidence: "It works",
        claimed: ["src/a.ts"],
        seq: 20,
      },
    ]);
  assert.equal(state.tasks.get("1-1-T1")?.claim, null);
  assert.ok(work.decide(claim("1-1-T2", "dev-2"), state).ok);
});

test("partial and failed keep the claim", () => {
  for (const status of ["partial", "failed"] as const) {
    const task = stateOf([t1, mine, report("1-1-T1", "dev-1", { status, commit: "" })]);
    assert.deepEqual([task.claim?.holder, task.report?.status], ["dev-1", status]);
  }
});

const gone: readonly WorkCommand[] = [t1, mine, release("1-1-T1", "lead-1", { mayTake: true })];
const theirs: readonly WorkCommand[] = [...gone, claim("1-1-T1", "dev-2", { seq: 9 })];

const refusals: readonly (readonly [string, readonly WorkCommand[], Orders["report-task"], ProblemCode])[] = [
  ["by who never held it, while another does", [t1, mine], report("1-1-T1", "dev-2"), "not-holder"],
  ["by who held it before, without a token", theirs, report("1-1-T1", "dev-1"), "fenced-claim"],
  ["with a fenced token", theirs, report("1-1-T1", "dev-1", { token: 7 }), "fenced-claim"],
  ["with a token of somebody else", [t1, mine], report("1-1-T1", "dev-2", { token: 7 }), "not-holder"],
  ["with a token that nobody got", [t1, mine], report("1-1-T1", "dev-1", { token: 8 }), "not-holder"],
  [
    "with a fenced token, of what the other has completed",
    [...theirs, report("1-1-T1", "dev-2")],
    report("1-1-T1", "dev-1", { token: 7, seq: 21 }),
    "fenced-claim",
  ],
  [
    "with an older token of its own",
    [...gone, claim("1-1-T1", "dev-1", { seq: 9 })],
    report("1-1-T1", "dev-1", { token: 7 }),
    "fenced-claim",
  ],
  ["by command, of an unknown task", [], report("1-1-T9", "dev-1", { way: "command" }), "unknown-task"],
  [
    "by command, of what another has done",
    [t1, report("1-1-T1", "dev-2")],
    report("1-1-T1", "dev-1", { way: "command" }),
    "task-done",
  ],
  [
    "by command, of how it goes with another's task",
    [t1, mine],
    report("1-1-T1", "dev-2", { way: "command", status: "partial" }),
    "not-holder",
  ],
];

for (const [what, before, command, code] of refusals) {
  test(`a completion is refused ${what}`, () => {
    given(work, after(...before))
      .when(command)
      .thenRefused(code);
  });
}

test("the refusal of a fenced completion names the new holder", () => {
  const problems = given(work, after(...theirs))
    .when(report("1-1-T1", "dev-1"))
    .thenRefused("fenced-claim");
  assert.match(problems[0]?.message ?? "", /granted to dev-2 since, at entry 9/);
});

test("a claim that has ended and was not granted to another may still be completed", () => {
  for (const token of [7, null])
    assert.equal(stateOf([...gone, report("1-1-T1", "dev-1", { token })]).report?.reporter, "dev-1");
});

test("completing a task that nobody holds claims it, so an earlier holder is fenced", () => {
  given(work, after(...gone, report("1-1-T1", "dev-2")))
    .when(report("1-1-T1", "dev-1", { token: 7, seq: 21 }))
    .thenRefused("fenced-claim");
});

for (const [by, way, completes] of [
  ["message", "message", true],
  ["a message that only informs", "message", false],
  ["command", "command", true],
] as const) {
  test(`its reporter takes a completion back by ${by}, with the verdict on it, and the task is free`, () => {
    const done = [t1, report("1-1-T1", "dev-1"), judge("1-1-T1", "verified", { report: 20 })];
    const takeBack = report("1-1-T1", "dev-1", { status: "failed", way, completes, commit: "", seq: 31 });
    const decided = work.decide(takeBack, stateAfter(...done));
    assert.ok(decided.ok);
    const { state, notes } = given(work, after(...done))
      .when(takeBack)
      .thenEvents(decided.value.events);
    assert.deepEqual(
      notes.map(({ code }) => code),
      ["report-withdrawn"],
    );
    const task = state.tasks.get("1-1-T1");
    assert.deepEqual([task?.report?.withdraws, task?.report?.status, task?.verdict], [20, "failed", null]);
    assert.deepEqual(availableIn(state), ["1-1-T1"]);
    assert.ok(work.decide(claim("1-1-T1", "dev-2"), state).ok);
    const late = work.decide(judge("1-1-T1", "verified", { report: 20, seq: 33 }), state);
    assert.deepEqual(late.ok && late.value.notes.map(({ code }) => code), ["verdict-outdated"]);
  });
}

for (const state of ["disputed"] as const) {
  const found = [t1, mine, report("1-1-T1", "dev-1"), judge("1-1-T1", state, { report: 20 })];
  const again = [...found, claim("1-1-T1", "dev-1", { seq: 31 })];

  test(`a report that is ${state} is judged again when it is repeated, with a new claim or without`, () => {
    for (const before of [found, again]) {
      const task = stateOf([...before, report("1-1-T1", "dev-1", { seq: 32 })]);
      assert.deepEqual([task.claim, task.report?.seq, task.verdict], [null, 32, null]);
    }
  });

  for (const status of ["partial", "failed"] as const)
    test(`${status} leaves a ${state} completion as it was found, and the finding is still its reporter's`, () => {
      const theirs = [...found, claim("1-1-T1", "dev-2", { seq: 31 })];
      const told = stateAfter(...theirs, report("1-1-T1", "dev-2", { status, commit: "", seq: 32 }));
      const known = told.tasks.get("1-1-T1");
      assert.deepEqual(
        [known?.verdict?.state, known?.report?.leavesRefuted, known?.claim?.holder],
        [state, "dev-1", "dev-2"],
      );
      const [row] = boardOf(told, viewer).tasks;
      assert.deepEqual([row?.state, row?.holder, row?.verdict], [state, "dev-2", state]);
      assert.deepEqual([taskViews(told, viewer, { state: "claimed" }).length, availableIn(told)], [1, []]);
      assert.equal(reportsBehind(told, "dev-1", 40)[state].length, 0, "another agent has it now");
      const freed = stateAfter(
        ...theirs,
        report("1-1-T1", "dev-2", { status, commit: "", seq: 32 }),
        release("1-1-T1", "dev-2"),
      );
      assert.deepEqual([boardOf(freed, viewer).tasks[0]?.state, availableIn(freed)], [state, ["1-1-T1"]]);
      assert.deepEqual(reportsBehind(freed, "dev-1", 40)[state], ["1-1-T1"]);
      assert.deepEqual(reportsBehind(freed, "dev-2", 40)[state], []);
      const repaired = stateAfter(
        ...theirs,
        report("1-1-T1", "dev-2", { status, commit: "", seq: 32 }),
        report("1-1-T1", "dev-2", { seq: 33 }),
      );
      assert.equal(repaired.tasks.get("1-1-T1")?.verdict, null);
    });
}

test("nobody but its reporter takes a completion back, and the refusal says who can", () => {
  const [problem] = given(work, after(t1, report("1-1-T1", "dev-2")))
    .when(report("1-1-T1", "dev-1", { status: "failed", way: "command", seq: 31 }))
    .thenRefused("task-done");
  assert.match(problem?.hint ?? "", /dev-2 takes the report back with status "failed"/);
});

const outOfStep: readonly (readonly [string, readonly WorkCommand[], Orders["report-task"], string | null])[] = [
  ["what another has done", [t1, report("1-1-T1", "dev-2")], report("1-1-T1", "dev-1", { seq: 21 }), "task-done"],
  [
    "progress after the end",
    [t1, report("1-1-T1", "dev-1")],
    report("1-1-T1", "dev-1", { status: "partial" }),
    "task-done",
  ],
  ["progress on another's task", [t1, mine], report("1-1-T1", "dev-2", { status: "partial" }), "not-holder"],
  ["a task that the plan does not have", [t1], report("T9", "dev-1", { planId: "1-1" }), "unknown-task"],
  ["the end of a task of a plan that has none", [t1], report("T1", "dev-1", { planId: "2-1" }), "unknown-task"],
  [
    "progress on a task of a plan that has none",
    [t1],
    report("T1", "dev-1", { planId: "2-1", status: "partial" }),
    "unknown-task",
  ],
  ["progress where nobody lists tasks", [], report("T1", "dev-1", { planId: "2-1", status: "partial" }), null],
  ["what was said before", [t1, report("1-1-T1", "dev-1")], report("1-1-T1", "dev-1", { seq: 21 }), "already-so"],
];

for (const [what, before, command, code] of outOfStep) {
  test(`a message about ${what} advances nothing`, () => {
    given(work, after(...before))
      .when(command)
      .thenNothing(code);
  });
}

test("the same agent may report again, and the new report counts", () => {
  const task = stateOf([t1, report("1-1-T1", "dev-1"), report("1-1-T1", "dev-1", { commit: "def5678", seq: 21 })]);
  assert.deepEqual([task.report?.commit, task.report?.seq, task.verdict], ["def5678", 21, null]);
});

test("a claim without files grows by those that its holder names, never by another's", () => {
  const before = [t1, open, mine, claim("1-1-T3", "dev-2", { seq: 9 })];
  const partial = { status: "partial", commit: "" } as const;
  given(work, after(...before))
    .when(report("1-1-T3", "dev-2", { ...partial, files: ["lib/x.ts", "lib/x.ts"] }))
    .thenEvents([
      { event: "claim-grown", key: "1-1-T3", task: "1-1-T3", holder: "dev-2", files: ["lib/x.ts"], seq: 20 },
      ...after(...before, report("1-1-T3", "dev-2", { ...partial, files: ["lib/x.ts", "lib/x.ts"] })).slice(-1),
    ]);
  given(work, after(...before))
    .when(report("1-1-T3", "dev-2", { ...partial, files: ["lib/x.ts", "src/a.ts"] }))
    .thenRefused("claim-overlap");
  const grownState = stateAfter(...before, report("1-1-T3", "dev-2", { ...partial, files: ["lib/x.ts"] }));
  const met = work.decide(claim("1-1-T1", "dev-1", { files: ["lib/"], seq: 22 }), grownState);
  assert.equal(!met.ok && met.error[0]?.code, "claim-overlap");
});

test("a completion that names another's files is taken, noted, and leaves those out of what was claimed", () => {
  const before = [t1, open, mine, claim("1-1-T3", "dev-2", { seq: 9 })];
  const decided = work.decide(report("1-1-T3", "dev-2", { files: ["lib/x.ts", "src/a.ts"] }), stateAfter(...before));
  assert.ok(decided.ok);
  const [event] = decided.value.events;
  assert.deepEqual(event?.event === "task-reported" && event.claimed, ["lib/x.ts"]);
  assert.equal(decided.value.notes[0]?.code, "claim-overlap");
});

test("progress that only informs lets the claim grow and completes nothing", () => {
  const before = [open, claim("1-1-T3", "dev-2")];
  given(work, after(...before))
    .when(report("1-1-T3", "dev-2", { completes: false, files: ["lib/x.ts"] }))
    .thenEvents([
      { event: "claim-grown", key: "1-1-T3", task: "1-1-T3", holder: "dev-2", files: ["lib/x.ts"], seq: 20 },
    ]);
});

test("a verdict is about one report and comes too late for another", () => {
  const reported = [t1, report("1-1-T1", "dev-1")];
  const { state } = given(work, after(...reported))
    .when(judge("1-1-T1", "disputed"))
    .thenEvents([
      {
        event: "task-disputed",
        key: "1-1-T1",
        task: "1-1-T1",
        report: 20,
        commit: "abc1234".padEnd(40, "0"),
        files: null,
        problems: [],
        seq: 30,
      },
    ]);
  assert.equal(state.plans.get("1-1")?.open.has("1-1-T1"), true);
  given(work, after(...reported, report("1-1-T1", "dev-1", { commit: "def5678", seq: 21 })))
    .when(judge("1-1-T1", "disputed"))
    .thenNothing("verdict-outdated");
  given(work, after(t1)).when(judge("1-1-T1", "verified")).thenNothing("verdict-outdated");
  given(work, after(...reported, judge("1-1-T1", "verified")))
    .when(judge("1-1-T1", "verified", { seq: 31 }))
    .thenNothing("already-so");
  given(work, []).when(judge("1-1-T1", "verified")).thenRefused("unknown-task");
});

test("who looked before work landed does not take it back to its branch", () => {
  const landed = { report: 20, branch: "baton/main", commit: "a".repeat(40), seq: 40 };
  const before: readonly WorkEvent[] = [
    ...after(t1, report("1-1-T1", "dev-1"), judge("1-1-T1", "verified")),
    { event: "task-landed", key: "1-1-T1", task: "1-1-T1", ...landed },
  ];
  const place = { at: "branch", branch: "dev-1", since: null, isChanged: false, notes: [] } as const;
  const looked = (asOf: number) => given(work, before).when(judge("1-1-T1", "verified", { place, asOf, seq: 41 }));
  looked(39).thenNothing("verdict-outdated");
  // Somebody moved the branch back since.
  const found = work.decide(
    judge("1-1-T1", "verified", { place, asOf: 40, seq: 41 }),
    before.reduce(work.evolve, work.initial()),
  );
  assert.deepEqual(found.ok && found.value.events.map(({ event }) => event), ["task-verified"]);
});

test("a report on which a check failed stays disputed for who looked without that check, until it passes", () => {
  const ran = {
    check: "npm test",
    isTimedOut: false,
    durationMs: 9,
    outputDigest: "",
    outputBytes: 0,
    sandbox: "none",
  };
  const run = (exitCode: number) => [{ ...ran, exitCode, commit: "abc1234", tree: "def" }];
  const problems = [makeProblem("check-failed", "$.checks", "It fails.")];
  const failed = judge("1-1-T1", "disputed", { checks: run(1), problems, seq: 31 });
  const before = [t1, mine, report("1-1-T1", "dev-1"), judge("1-1-T1", "verified"), failed] as const;
  const stale = stateOf([...before, judge("1-1-T1", "verified", { asOf: 29, seq: 32 })]);
  assert.deepEqual([stale.verdict?.state, stale.verdict?.seq], ["disputed", 31]);
  assert.equal(
    stateOf([...before, judge("1-1-T1", "verified", { checks: run(0), seq: 33 })]).verdict?.state,
    "verified",
  );
  assert.equal(stateOf([...before, judge("1-1-T1", "verified", { settledBy: "owner" })]).verdict?.state, "verified");
});

test("who looked before the main branch moved does not take work back to Baton's branch", () => {
  const at = (branch: string) => ({ at: "landed", branch, since: null, isChanged: false, notes: [] }) as const;
  const [onMain, ahead] = [at("main"), at("baton/main")];
  const found = (place: typeof onMain) =>
    after(t1, report("1-1-T1", "dev-1"), judge("1-1-T1", "verified", { place, seq: 45 }));
  const looked = (place: typeof onMain, asOf: number) => judge("1-1-T1", "verified", { place, asOf, seq: 46 });
  given(work, found(onMain)).when(looked(ahead, 44)).thenNothing("verdict-outdated");
  for (const [known, place, asOf] of [
    [onMain, ahead, 45],
    [ahead, onMain, 44],
  ] as const) {
    const decided = work.decide(looked(place, asOf), found(known).reduce(work.evolve, work.initial()));
    assert.deepEqual(decided.ok && decided.value.events.map(({ event }) => event), ["task-verified"]);
  }
});

test("a verdict comes too late for a disputed report whose task another has claimed since", () => {
  const before = [t1, report("1-1-T1", "dev-1"), judge("1-1-T1", "disputed"), claim("1-1-T1", "dev-2")];
  given(work, after(...before))
    .when(judge("1-1-T1", "verified", { seq: 31 }))
    .thenNothing("verdict-outdated");
});

/** What the board says may be begun, to somebody who claims nothing. */
function availableIn(state: Work): readonly string[] {
  return boardOf(state, viewer).available;
}

test("what is disputed or gone blocks again; what is disputed may be claimed, what is gone not, and a new report repairs both", () => {
  const before = [t1, add("1-1-T5", { dependsOn: ["1-1-T1"] }), report("1-1-T1", "dev-1")];
  for (const state of ["disputed", "gone"] as const) {
    const judged = stateAfter(...before, judge("1-1-T1", state));
    const waiting = work.decide(claim("1-1-T5", "dev-2"), judged);
    assert.equal(!waiting.ok && waiting.error[0]?.code, "task-blocked");
    assert.equal(work.decide(claim("1-1-T1", "dev-2"), judged).ok, state === "disputed");
    assert.deepEqual(availableIn(judged), state === "disputed" ? ["1-1-T1"] : []);
    assert.deepEqual(availableIn(stateAfter(...before, judge("1-1-T1", state), t2, claim("1-1-T2", "dev-2"))), []);
    const repaired = stateOf([
      ...before,
      judge("1-1-T1", state),
      report("1-1-T1", "dev-1", { commit: "def5678", seq: 40 }),
      judge("1-1-T1", "verified", { report: 40, seq: 41 }),
    ]);
    assert.equal(repaired.verdict?.state, "verified");
  }
  assert.ok(work.decide(claim("1-1-T5", "dev-2"), stateAfter(...before, judge("1-1-T1", "verified"))).ok);
});

test("a plan is done without the task that was given up, whatever is reported first", () => {
  const parts = ["T1", "T2"].map((task) => add(task, { planId: "1-1" }));
  const next = add("2-1-T1", {});
  const order = adopt("2-1", [], ["1-1"]);
  const done = report("T1", "dev-1", { planId: "1-1" });
  const end = { command: "end-task", taskId: "T2", planId: "1-1", outcome: "given-up", reason: null } as const;
  const given = { ...end, by: "lead-1", mayDecide: true, seq: 30 };
  for (const orders of [
    [done, given],
    [given, done],
  ]) {
    const state = stateAfter(...parts, next, order, ...orders);
    const { summary } = state.plans.get("1-1")?.recorded ?? {};
    assert.deepEqual([summary?.status, summary?.tasksCompleted, summary?.tasksTotal], ["complete", 1, 1]);
    const [waiting = assert.fail()] = [...state.tasks.values()].filter(({ plan }) => plan === "2-1");
    assert.equal(isBlocked(state, waiting), false);
  }
});

test("the last task's completion records the plan's summary, with everything once and in order", () => {
  const plan = adopt("1-1", ["T1", "T2"]);
  const first = report("T2", "dev-2", {
    planId: "1-1",
    commit: "bbbbbbb",
    files: ["b", "c"],
    deviations: ["Later"],
    seq: 21,
  });
  const last = report("T1", "dev-1", { planId: "1-1", files: ["a", "c"], deviations: ["Later", "Less"], seq: 22 });
  const { state } = given(work, after(plan, first))
    .when(last)
    .thenEvents([
      ...after(plan, first, last).slice(3, 4),
      {
        event: "plan-summarised",
        key: "1-1",
        summary: {
          plan: "1-1",
          status: "complete",
          tasksCompleted: 2,
          tasksTotal: 2,
          commitHashes: ["bbbbbbb", "abc1234"],
          filesModified: ["b", "c", "a"],
          deviations: ["Later", "Less"],
        },
        seq: 22,
      },
    ]);
  assert.equal(state.plans.get("1-1")?.recorded?.seq, 22);
  given(work, after(plan, first, last))
    .when(judge("1-1-T1", "verified", { report: 22 }))
    .thenEvents(after(plan, first, last, judge("1-1-T1", "verified", { report: 22 })).slice(-1));
});

test("a disputed task holds its plan's summary until it is repaired; a task that leaves the contract no longer does", () => {
  const plan = adopt("1-1", ["T1", "T2"]);
  const one = report("T1", "dev-1", { planId: "1-1" });
  const disputed = [plan, one, judge("1-1-T1", "disputed"), report("T2", "dev-2", { planId: "1-1", seq: 31 })];
  assert.equal(stateAfter(...disputed).plans.get("1-1")?.recorded, null);
  const repaired = stateAfter(...disputed, judge("1-1-T1", "verified", { seq: 40 }));
  assert.equal(repaired.plans.get("1-1")?.recorded?.seq, 40);
  const fewer = stateAfter(plan, one, { ...adopt("1-1", ["T1"]), seq: 50 } as WorkCommand);
  assert.deepEqual(fewer.plans.get("1-1")?.recorded?.summary.tasksTotal, 1);
});

test("a report that the work failed is shown with who said so, until it is reported otherwise", () => {
  const held = [add("1-1-T1"), claim("1-1-T1", "dev-1", { seq: 2 })];
  const failed = report("1-1-T1", "dev-1", { status: "failed", seq: 3 });
  const [view, later] = [viewAfter(...held, failed), viewAfter(...held, failed, report("1-1-T1", "dev-1", { seq: 4 }))];
  assert.deepEqual(
    remarksOn(view).map(({ label, words }) => `${label} ${words}`),
    ["failed dev-1"],
  );
  assert.deepEqual([view.holder, later.failed], ["dev-1", undefined]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  adopt,
  after,
  claim,
  type Orders,
  release,
  report,
  stateAfter,
  type WorkCommand,
  work,
} from "../../../tests/work/orders.ts";
import type { ProblemCode } from "../../base/problem.ts";
import { given } from "../../testing/given.ts";
import { findTask, noText } from "../state/task-state.ts";
import type { AddTask } from "./tasks.ts";

test("a contract brings its tasks once each, in any spelling, with the plans that come before", () => {
  given(work, [])
    .when(adopt("01-02", ["T1", "01-02/task-1", "1-2-T2"], ["01-01"]))
    .thenEvents([
      { event: "plan-ordered", plan: "1-2", planName: "01-02", dependsOn: ["01-01"], needs: ["1-1"] },
      ...["T1", "1-2-T2"].map((task, index) => ({
        event: "task-added" as const,
        key: `1-2-T${index + 1}`,
        task,
        plan: "1-2",
        planName: "01-02",
        title: null,
        files: [],
        dependsOn: [],
        needs: [],
        source: "contract" as const,
        seq: 2,
      })),
    ]);
});

test("a revision adds what it newly names and withdraws what nobody has begun; what is held or reported stays", () => {
  const before = [
    adopt("1-1", ["T1", "T2", "T4", "T5"]),
    add("1-1-T9", { files: ["x"] }),
    claim("T2", "dev-1", { planId: "1-1", files: ["src/"] }),
    report("T4", "dev-2", { planId: "1-1" }),
  ];
  const revised = adopt("1-1", ["T1", "T3"]);
  const { state, notes } = given(work, after(...before))
    .when(revised)
    .thenEvents([{ event: "task-dropped", key: "1-1-T5", task: "T5" }, ...after(adopt("1-1", ["T3"])).slice(-1)]);
  assert.deepEqual([...state.tasks.keys()], ["1-1-T1", "1-1-T2", "1-1-T4", "1-1-T9", "1-1-T3"]);
  assert.deepEqual(
    notes.map(({ code, message }) => [code, message]),
    [
      ["tasks-withdrawn", "No longer in the contract and withdrawn: T5."],
      [
        "tasks-kept",
        "Not in this contract, and kept: dev-1 holds T2, T4 is reported. To withdraw one, `baton task release T2`, then send the contract again.",
      ],
    ],
  );
  // The way that the note names.
  const reopened = { command: "reopen-task", taskId: "T4", planId: "1-1", by: "lead-1", reason: null, seq: 9 } as const;
  const freed = [release("T2", "dev-1", { planId: "1-1" }), reopened];
  given(work, after(...before, revised, ...freed))
    .when(revised)
    .thenEvents(["T2", "T4"].map((task) => ({ event: "task-dropped", key: `1-1-${task}`, task })));
});

test("a task after a plan waits for every task of it, and no plan waits for itself or for ever", () => {
  const before = [adopt("1-1", ["T1", "T2"]), add("tests", { planId: "1-1" })];
  const needs = (id: string, dependsOn: readonly string[]) =>
    stateAfter(...before, add(id, { dependsOn })).tasks.get(id)?.needs;
  const all = ["1-1-T1", "1-1-T2", "1-1/tests"];
  assert.deepEqual(needs("Three", ["01-01"]), all);
  assert.deepEqual(needs("1-1-T3", ["phase-1-plan-1"]), all);
  given(work, after(...before))
    .when(add("Three", { dependsOn: ["01-02"] }))
    .thenRefused("unknown-task");
  const { plans } = stateAfter(...before, adopt("1-2", ["T1", "T2"], ["01-01/T2", "1-2", "1-2-T1"]));
  assert.deepEqual(plans.get("1-2")?.needs, ["1-1"]);
});

test("a contract that waits for a plan without tasks says so, and for one with tasks nothing", () => {
  const codes = (...before: readonly WorkCommand[]) =>
    given(work, after(...before))
      .when(adopt("1-2", ["T1"], ["1-1"]))
      .thenEvents(after(...before, adopt("1-2", ["T1"], ["1-1"])).slice(after(...before).length))
      .notes.map(({ code }) => code);
  assert.deepEqual(codes(), ["unknown-plan"]);
  assert.deepEqual(codes(adopt("1-1", ["T1"])), []);
});

test("a task that is another plan's already is noted and left there", () => {
  const { notes } = given(work, after(adopt("1-1", ["shared-T1"])))
    .when(adopt("1-2", ["shared-T1"]))
    .thenNothing("plan-mismatch");
  assert.match(notes[0]?.message ?? "", /1-1/);
});

test("a task added by hand may be described again, and fields that are left out stay", () => {
  const first = add("1-1-T1", { title: "Greet", files: ["src/a.ts"] });
  given(work, after(first))
    .when(add("T1", { planId: "1-1", files: ["src/b.ts"] }))
    .thenEvents([
      {
        event: "task-changed",
        key: "1-1-T1",
        task: "1-1-T1",
        title: "Greet",
        files: ["src/b.ts"],
        dependsOn: [],
        needs: [],
      },
    ]);
  given(work, after(first)).when(add("1-1-T1")).thenNothing("already-so");
});

test("who changes a task that was there learns what it was before", () => {
  const first = add("1-1-T1", { title: "Greet", files: ["src/a.ts"], dependsOn: ["1-1-T9"] });
  const told = (known: WorkCommand, now: Partial<AddTask>, ...more: readonly WorkCommand[]) => {
    const decided = work.decide(add("1-1-T1", now), stateAfter(known, ...more));
    assert.ok(decided.ok);
    return decided.value.notes.flatMap(({ code, message }) => (code === "task-changed" ? [message] : []));
  };
  const changed = "Task 1-1-T1 was in the list already and is changed:";
  assert.deepEqual(told(first, { title: "Wave" }), [`${changed} its title was "Greet".`]);
  assert.deepEqual(told(first, { files: "none", dependsOn: [] }), [
    `${changed} its files were src/a.ts; it waited for 1-1-T9.`,
  ]);
  assert.deepEqual(told(add("1-1-T1", { files: "none" }), { files: ["docs/"], title: "Write" }), [
    `${changed} its files were none, because it needed no change in files.`,
  ]);
  assert.deepEqual(
    told(add("1-1-T1"), { files: ["docs/"], title: "Write", dependsOn: ["1-1-T9"] }),
    [],
    "a first word",
  );
  assert.deepEqual([told(first, {}), told(first, { title: "Greet" })], [[], []]);
  const many = (last: string) => [...Array.from({ length: 30 }, (_, at) => `src/${at}.ts`), last];
  assert.equal(
    told(add("1-1-T1", { files: many("a") }), { files: many("b") }).length,
    1,
    "beyond those that are named",
  );
  const free = add("1-1-T1", { files: ["src/a.ts"] });
  assert.deepEqual(told(free, { files: ["src/b.ts"] }, claim("1-1-T1", "dev-1")), [
    `${changed} its files were src/a.ts. dev-1 holds it with the files of its claim; the new ones count from the next claim.`,
  ]);
});

/** A task that Baton gives a number. */
function newTask(more: Partial<Orders["add-task"]> = {}): Orders["add-task"] {
  return { command: "add-task", taskId: null, planId: null, seq: 1, ...more };
}

test("a new task gets the next number, which stands for its id unless a task is called so", () => {
  const state = stateAfter(
    adopt("01-01", ["T1", "T2"]),
    newTask({ title: "third" }),
    add("5"),
    newTask({ title: "fourth" }),
    newTask({ title: "sixth" }),
    adopt("auth", ["1", "tests"]),
  );
  const key = (id: string, plan: string | null = null) => findTask(state, id, plan)?.key ?? null;
  assert.deepEqual(
    ["1", "2", "3", "4", "5", "6", "7", "8"].map((id) => key(id)),
    ["auth/1", "1-1-T2", "3", "4", "5", "6", "auth/1", "auth/tests"],
    "a document calls a task 1, and this goes first",
  );
  assert.deepEqual([key("2", "auth"), key("1", "01-01"), key("0"), key("03")], [null, null, null, null]);
  const revised = stateAfter(adopt("1-1", ["T1", "T2"]), adopt("1-1", ["T1"]), newTask({ title: "later" }));
  assert.deepEqual(
    ["2", "3"].map((id) => findTask(revised, id, null)?.task ?? null),
    [null, "3"],
    "the number of a task that is dropped is not given again",
  );
  const [first, second] = after(add("1-1-T1"), newTask({ title: "a", planId: "1-1", dependsOn: ["1"] }));
  assert.ok(first?.event === "task-added" && second?.event === "task-added");
  assert.deepEqual([second.dependsOn, second.needs], [["1-1-T1"], ["1-1-T1"]]);
});

test("what is said of a task stays until somebody says otherwise, and a criterion is a text whatever it says", () => {
  const said = {
    title: "a",
    description: " Why\nand how ",
    criteria: ["$(rm -rf ~) exits 0"],
    priority: "high",
  } as const;
  const before = [newTask(said), newTask({ title: "b" })];
  const text = { ...noText, description: "Why\nand how", criteria: said.criteria, priority: "high" };
  assert.deepEqual(stateAfter(...before).tasks.get("1")?.text, text);
  given(work, after(...before))
    .when(newTask({ taskId: "1", labels: ["tax", "tax"], priority: "low", agent: "dev-1" }))
    .thenEvents([
      {
        event: "task-described",
        key: "1",
        task: "1",
        text: { ...text, labels: ["tax"], priority: "low", agent: "dev-1" },
      },
    ]);
  given(work, after(...before))
    .when(newTask({ taskId: "1", ...said }))
    .thenEvents([]);
  const decided = work.decide(newTask({ taskId: "1", description: "Other" }), stateAfter(...before));
  assert.ok(decided.ok);
  assert.match(decided.value.notes[0]?.message ?? "", /^Task 1 said otherwise before: description\./);
  const twice = work.decide(newTask({ title: "b" }), stateAfter(...before));
  assert.deepEqual(twice.ok && twice.value.notes.map(({ code }) => code), ["title-twice"]);
});

const problems: readonly (readonly [string, readonly WorkCommand[], Orders["add-task"], ProblemCode])[] = [
  ["an empty id", [], add(" ") as Orders["add-task"], "invalid-id"],
  ["an id with a line break", [], add("a\nb") as Orders["add-task"], "invalid-id"],
  ["a path out of the repository", [], add("1-1-T1", { files: ["../x"] }) as Orders["add-task"], "invalid-glob"],
  ["the word for no files in a list", [], add("1-1-T1", { files: ["none"] }) as Orders["add-task"], "wrong-value"],
  [
    "too many files",
    [],
    add("1-1-T1", { files: Array.from({ length: 1_001 }, String) }) as Orders["add-task"],
    "too-large",
  ],
  ["no id and no title", [], newTask(), "cross-field"],
  ["an empty title", [], newTask({ title: " " }), "wrong-value"],
  ["a title too large", [], newTask({ title: "a".repeat(1_001) }), "too-large"],
  ["a description too large", [], newTask({ title: "a", description: "é".repeat(8_193) }), "too-large"],
  ["a description that turns round", [], newTask({ title: "a", description: "a\u202eb" }), "wrong-format"],
  ["41 criteria", [], newTask({ title: "a", criteria: Array.from({ length: 41 }, String) }), "too-large"],
  ["a criterion of two lines", [], newTask({ title: "a", criteria: ["a\nb"] }), "wrong-format"],
  [
    "a task of another plan",
    [add("shared-T1", { planId: "1-1" })],
    add("shared-T1", { planId: "1-2" }) as Orders["add-task"],
    "already-exists",
  ],
  [
    "what is done",
    [add("1-1-T1"), report("1-1-T1", "dev-1")],
    add("1-1-T1", { title: "x" }) as Orders["add-task"],
    "task-done",
  ],
];

for (const [what, before, command, code] of problems) {
  test(`refused: ${what}`, () => {
    given(work, after(...before))
      .when(command)
      .thenRefused(code);
  });
}

test("adding a task under the id of one that is done is refused with the hint to choose another id", () => {
  const [refused] = given(work, after(add("1-1-T1"), report("1-1-T1", "dev-1")))
    .when(add("1-1-T1", { title: "x" }))
    .thenRefused("task-done");
  assert.match(refused?.hint ?? "", /^The id is taken by that task\. Choose another id/);
});

test("a task is found by every spelling of its id, and without its plan where no other is called so", () => {
  const state = stateAfter(adopt("01-01", ["T1", "tests"]), adopt("01-02", ["T2", "tests"]), add("deploy"));
  const key = (id: string, plan: string | null = null) => findTask(state, id, plan)?.key ?? null;
  assert.deepEqual(
    ["1-1-T1", "01-01/task-1", "phase-1-plan-1/T1", "t1", "T2", "deploy"].map((id) => key(id)),
    ["1-1-T1", "1-1-T1", "1-1-T1", "1-1-T1", "1-2-T2", "deploy"],
  );
  assert.deepEqual(
    [key("T1", "1-1"), key("T1", "1-2"), key("tests"), key("tests", "1-2"), key("deploy", "1-1")],
    ["1-1-T1", null, null, "1-2/tests", "deploy"],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { ShutdownView } from "../operations.ts";
import { dayOf, dayRows, isDayOver } from "./day.ts";

const task: TaskView = {
  task: "1",
  plan: null,
  title: null,
  state: "verified",
  files: [],
  filesKind: "unknown",
  dependsOn: [],
  blockedBy: [],
  holder: null,
  token: null,
  expiresAt: null,
  reporter: "dev-1",
  commit: null,
  commits: [],
  report: 5,
  verdict: "verified",
  disputes: 0,
  heldUpBy: [],
  problems: [],
  notes: [],
  seq: 6,
};

const at = (where: NonNullable<TaskView["place"]>["at"], branch = "main") =>
  ({ place: { at: where, branch, since: null, isChanged: false } }) as const;

test("what landed after the last stop is the day's, whenever it was reported", () => {
  const before: ShutdownView = {
    round: "stop-1",
    seq: 10,
    outcome: "complete",
  } as ShutdownView; // of a round that is over, no more is read
  const tasks: readonly TaskView[] = [
    { ...task, task: "yesterday", ...at("landed") },
    { ...task, task: "landed since", ...at("landed"), seq: 12 },
    { ...task, task: "waits", ...at("branch") },
  ];
  const { landed, waiting } = dayOf(tasks, [before], null);
  assert.deepEqual([landed, waiting], [["landed since"], ["waits"]]);
});

test("what was undone, settled, or is only on Baton's own branch is not called landed", () => {
  const tasks: readonly TaskView[] = [
    { ...task, task: "1", ...at("landed") },
    { ...task, task: "2", ...at("landed", "baton/main") },
    { ...task, task: "3", ...at("settled") },
    { ...task, task: "4", state: "reverted", verdict: "gone", ...at("reverted") },
    { ...task, task: "5", state: "returned", ...at("branch") },
    { ...task, task: "6", state: "gone", verdict: "gone", ...at("gone") },
    { ...task, task: "7", state: "complete", verdict: "unneeded" },
  ];
  assert.deepEqual(dayRows(dayOf(tasks, [], null)), [
    ["landed", ["1", "7"]],
    ["on baton/main", ["2"]],
    ["settled", ["3"]],
    ["came back", ["5", "6"]],
    ["undone", ["4"]],
  ]);
});

test("a day is over with its last round, until somebody takes or reports something", () => {
  const round = { seq: 10, outcome: "complete" } as const;
  assert.deepEqual(
    [
      isDayOver([task], round),
      isDayOver([], round),
      isDayOver([{ ...task, token: 11 }], round),
      isDayOver([{ ...task, report: 12 }], round),
      isDayOver([task], { ...round, outcome: "open" }),
      isDayOver([task], undefined),
    ],
    [true, true, false, false, false, false],
  );
});

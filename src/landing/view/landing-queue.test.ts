/** The queue as people read it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, viewAfter } from "../../../tests/work/orders.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import { landingQueue, landingWords } from "./landing-queue.ts";

const free = viewAfter(add("1"));
const branch = { at: "branch", branch: "baton/dev-1", since: null, isChanged: false } as const;
const verified = (task: string, report: number, more: Partial<TaskView> = {}): TaskView => ({
  ...free,
  task,
  report,
  state: "verified",
  place: branch,
  ...more,
});
const notLanded = (message: string) => [{ code: "not-landed", path: "main", message }] as const;
const landed = verified("9", 1, { place: { ...branch, at: "landed", branch: "main" } });
const tasks: readonly TaskView[] = [
  free,
  landed,
  verified("3", 30, { dependsOn: ["4"] }),
  verified("4", 40),
  verified("5", 50, { priority: "urgent" }),
  verified("6", 20, { notes: notLanded("Its check waits for your word.") }),
  verified("8", 15, { blockedBy: ["plan-approval"] }),
  verified("7", 10, { state: "returned", notes: notLanded("It conflicts in a.js.") }),
];
const said = (when?: "auto" | "ask") =>
  landingQueue(tasks, when).map(({ task, words, why }) => [task.task, words, why]);

test("work lands in its order, what waits and what came back say why", () => {
  assert.deepEqual(said("auto"), [
    ["5", "lands next", null],
    ["8", "waits", "It waits for plan-approval."],
    ["6", "waits", "Its check waits for your word."],
    ["4", "lands after 5", null],
    ["3", "lands after 4", null],
    ["7", "came back", "It conflicts in a.js."],
  ]);
});

test("without a hub that lands, it waits for the person", () => {
  assert.deepEqual(
    new Set(said("ask").map(([, words]) => words)),
    new Set(["lands when you say so", "waits", "came back"]),
  );
});

test("a task says where its work is", () => {
  const queue = landingQueue(tasks, "auto");
  assert.deepEqual(
    tasks.map((task) => landingWords(task, queue)),
    [null, "landed", "lands after 4", "lands after 5", "lands next", "waits", "waits", "came back"],
  );
});

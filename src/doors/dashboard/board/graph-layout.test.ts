import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskView } from "../../../coordination/tasks/task-view.ts";
import { layoutOf, linePath } from "./graph-layout.ts";

const task = (id: string, more: Partial<TaskView> = {}) =>
  ({ task: id, state: "available", dependsOn: [], blockedBy: [], ...more }) as unknown as TaskView;

test("what is done and needed comes first, then the hub's waves, near what they wait for, with the longest chain", () => {
  const tasks = [
    task("a", { state: "verified" }),
    task("lone", { state: "verified" }),
    task("b", { dependsOn: ["a"] }),
    task("c"),
    task("d", { dependsOn: ["c"], state: "blocked", blockedBy: ["c"] }),
    task("e", { dependsOn: ["b"], state: "blocked", blockedBy: ["b"] }),
    task("f", { dependsOn: ["d"], state: "blocked", blockedBy: ["d", "b"] }),
  ];
  const { columns, edges, longest, leftOut } = layoutOf(tasks, [["b", "c"], ["d", "e"], ["f"]]);
  assert.deepEqual(
    columns.map(({ name, tasks: some }) => [name, some.map((each) => each.task)]),
    [
      ["Done", ["a"]],
      ["Now", ["b", "c"]],
      ["Next", ["e", "d"]],
      ["Then", ["f"]],
    ],
  );
  assert.deepEqual(longest, ["c", "d", "f"]);
  assert.equal(leftOut, 1);
  assert.deepEqual(
    edges.map(({ from, to, kind }) => `${from}${to} ${kind}`),
    ["ab after", "cd longest", "be after", "df longest", "bf files"],
  );
});

test("a circle ends, and what is in no wave is shown", () => {
  const { columns } = layoutOf([task("x", { dependsOn: ["y"] }), task("y", { dependsOn: ["x"] })], []);
  assert.deepEqual(
    columns.map(({ name, tasks }) => [name, tasks.length]),
    [["In no wave", 2]],
  );
});

test("a line past a column runs below its row, not behind the box of a task that it has nothing to do with", () => {
  const box = { width: 100, height: 40, gap: 10, between: 50 };
  const next = linePath({ x: 0, y: 20 }, { x: 150, y: 20 }, box);
  const past = linePath({ x: 0, y: 20 }, { x: 300, y: 20 }, box);
  assert.equal(next, "M100 40C125 40 125 40 146 40");
  assert.equal(past, "M100 40C125 40 125 65 150 65L250 65C275 65 275 40 296 40");
});

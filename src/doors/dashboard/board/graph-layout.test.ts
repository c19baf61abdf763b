import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskView } from "../../../coordination/tasks/board.ts";
import { layoutOf } from "./graph-layout.ts";

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
  const { columns, edges, longest } = layoutOf(tasks, [["b", "c"], ["d", "e"], ["f"]]);
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

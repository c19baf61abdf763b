import assert from "node:assert/strict";
import { test } from "node:test";
import { add, claim, stateAfter, work } from "../../../tests/work/orders.ts";
import { type BranchTips, branchesSeen, initialBranches, keepBranches, tipsAt } from "./branches.ts";
import { filesKindOf, findTask } from "./task-state.ts";

const seen = (...ids: readonly string[]): BranchTips => ({ ids, isCut: false });

test("each sighting is recorded by what changed, and says later what it saw", () => {
  const branches = initialBranches();
  const sizes: number[][] = [];
  const sightings = [seen("a", "b"), seen("a", "b"), seen("b", "c"), { ...seen("a"), isCut: true }, seen()];
  for (const [index, tips] of sightings.entries())
    for (const event of branchesSeen(branches, tips, index + 1)) {
      sizes.push([event.added.length, event.gone.length]);
      keepBranches(branches, event);
    }
  assert.deepEqual(sizes, [
    [2, 0],
    [0, 0],
    [1, 1],
    [1, 2],
    [0, 1],
  ]);
  const gone = [[], [], ["a"], ["b", "c"], ["a", "b", "c"]];
  for (const [index, tips] of sightings.entries())
    assert.deepEqual(tipsAt(branches, index + 1), { ...tips, gone: gone[index] }, `sighting ${index + 1}`);
  assert.equal(tipsAt(branches, null), null);
  assert.deepEqual(branchesSeen(branches, null, 9), [], "what could not be read is not recorded");
});

test("a task knows the sighting of its entry, and none where there was none", () => {
  const state = work.initial();
  const give = (...commands: readonly Parameters<typeof work.decide>[0][]) => {
    for (const command of commands) {
      const decided = work.decide(command, state);
      assert.ok(decided.ok);
      for (const event of decided.value.events) work.evolve(state, event);
    }
  };
  const look = (seq: number) => {
    for (const event of branchesSeen(state.branches, seen("a"), seq)) work.evolve(state, event);
  };
  give(add("1-1-T1", { seq: 1 }));
  look(2);
  give(add("1-1-T2", { seq: 2 }), add("1-1-T3", { seq: 3 }));
  const known = ["1-1-T1", "1-1-T2", "1-1-T3"].map((id) => state.tasks.get(id)?.branches);
  assert.deepEqual(known, [null, 2, null]);
});

test("a task declares its files, does not know them yet, or needs none; then its claim does not grow", () => {
  const kinds = stateAfter(
    add("1-1-T1", { files: ["src/"] }),
    add("1-1-T2"),
    add("1-1-T3", { files: "none" }),
    {
      command: "adopt-tasks",
      planId: "2-1",
      tasks: ["2-1-T1", "2-1-T2"],
      withoutFiles: ["2-1-T2"],
      dependsOn: [],
      seq: 2,
    },
    claim("1-1-T3", "a"),
  );
  assert.deepEqual(
    [...kinds.tasks.values()].map((task) => filesKindOf(task)),
    ["declared", "unknown", "none", "unknown", "none"],
  );
  assert.equal(findTask(kinds, "1-1-T3", null)?.claim?.grows, false);
  const described = stateAfter(add("1-1-T3", { files: "none" }), add("1-1-T3", { title: "Read" }));
  assert.equal(findTask(described, "1-1-T3", null)?.withoutFiles, true, "a new title leaves it so");
  const named = stateAfter(add("1-1-T3", { files: "none" }), add("1-1-T3", { files: ["src/"] }));
  assert.equal(findTask(named, "1-1-T3", null)?.withoutFiles, false);
});

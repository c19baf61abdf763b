import assert from "node:assert/strict";
import { test } from "node:test";
import { add, claim, type WorkCommand, work } from "../../../tests/work/orders.ts";
import { claimWildcardsMax } from "../../base/limits.ts";
import { comparingCost } from "../state/claim-index.ts";
import { initialWork } from "../state/task-state.ts";
import { boardOf } from "./board.ts";
import { boardStepsMax, type Viewer } from "./task-view.ts";

const viewer: Viewer = { agent: "dev-1", signOf: () => 0, leaseMs: 300_000, hasRepository: true };
const state = initialWork();

function give(command: WorkCommand): void {
  const decided = work.decide(command, state);
  assert.ok(decided.ok, JSON.stringify(decided));
  for (const event of decided.value.events) work.evolve(state, event);
}

/** The longest globs that one claim may have: each has to be looked at for every path. */
function worstFiles(): readonly string[] {
  const files: string[] = [];
  for (let number = 0; ; number += 1) {
    const more = [...files, `**/${"*?".repeat(120)}${number}/**/x`];
    if (comparingCost(more) > claimWildcardsMax) return files;
    files.push(more.at(-1) ?? "");
  }
}

test("the worst claim cannot make a board of 3,000 tasks costly, and what was compared once is not compared again", () => {
  for (let number = 0; number < 3_000; number += 1) {
    const files = [`src/part-${number % 97}/file-${number}.ts`, `tests/part-${number % 97}/file-${number}/`];
    give(add(`${Math.floor(number / 100) + 1}-1-T${number}`, { files }));
  }
  const worst = worstFiles();
  assert.ok(worst.length > 5);
  give(add("99-1-T1", { files: worst }));
  give(claim("99-1-T1", "dev-9"));
  const looks: number[] = [];
  // What is known takes a step each time that it is looked at: here eight globs for each of two files, twice.
  for (let steps = boardStepsMax; steps > 40 * 3_000; ) {
    const budget = { left: boardStepsMax };
    const board = boardOf(state, viewer, budget);
    steps = boardStepsMax - budget.left;
    looks.push(steps);
    assert.equal(board.tasks.length, 3_001);
    // A file that is claimed covers what may once lie below it, so each of these waits.
    assert.deepEqual(board.available, []);
    assert.ok(steps < boardStepsMax + 10_000, `${steps} steps for one board`);
    assert.ok(looks.length < 15, looks.join(", "));
  }
  assert.ok(looks.length > 1, looks.join(", "));
});

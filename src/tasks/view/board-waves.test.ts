import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { add, stateAfter } from "../../../tests/work/orders.ts";
import { overlaps } from "../../base/paths/glob-overlap.ts";
import { asStored, readGlob } from "../../base/paths/globs.ts";
import type { Task, Work } from "../state/task-state.ts";
import { freeWave, nothingCovered, takeWave, wavesOf } from "./board.ts";

const part = fc.constantFrom("a", "b", "ab", "*", "?", "**", "**", "a*", "A", "a.", "e\u0301", "\u00e9");
const text = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([parts, isFolder]) => parts.join("/") + (isFolder ? "/" : ""))
  .filter((glob) => readGlob(glob).ok);
const task = fc.record({ files: fc.array(text, { maxLength: 3 }), from: fc.nat({ max: 3 }) });
const tasks = fc.array(task, { minLength: 1, maxLength: 14 });

function isMet(files: readonly string[], others: readonly string[]): boolean {
  const stored = (glob: string) => {
    const read = readGlob(glob);
    assert.ok(read.ok, glob);
    return asStored(read.value);
  };
  return files.some((one) => others.some((other) => overlaps(stored(one), stored(other))));
}

test("each task gets the wave that comparing it with every other one gives it", () => {
  fc.assert(
    fc.property(tasks, (list) => {
      const covered = nothingCovered();
      const before: { readonly files: readonly string[]; readonly wave: number }[] = [];
      for (const { files, from } of list) {
        const taken = new Set(before.filter((other) => isMet(files, other.files)).map(({ wave }) => wave));
        let expected = from;
        while (taken.has(expected)) expected += 1;
        const wave = freeWave(covered, files, from, { left: 1_000_000 });
        assert.equal(wave, expected, JSON.stringify({ files, before }));
        takeWave(covered, files, wave);
        before.push({ files, wave });
      }
    }),
    { numRuns: 2_000 },
  );
});

test("wherever the budget ends, no two tasks that meet are in one wave", () => {
  fc.assert(
    fc.property(tasks, fc.nat({ max: 300 }), (list, left) => {
      const covered = nothingCovered();
      const budget = { left };
      const before: { readonly files: readonly string[]; readonly wave: number }[] = [];
      for (const { files, from } of list) {
        const wave = freeWave(covered, files, from, budget);
        assert.ok(wave >= from);
        for (const other of before) assert.ok(other.wave !== wave || !isMet(files, other.files));
        takeWave(covered, files, wave);
        before.push({ files, wave });
      }
    }),
    { numRuns: 500 },
  );
});

/** Tasks that count how often one is looked up. */
class CountedTasks extends Map<string, Task> {
  lookups = 0;
  override get(key: string): Task | undefined {
    this.lookups += 1;
    return super.get(key);
  }
}

const count = 3_000;

function boardOf(filesOf: (number: number) => readonly string[]): {
  readonly work: Work;
  readonly tasks: CountedTasks;
} {
  const commands = Array.from({ length: count }, (_, number) => {
    return add(`${Math.floor(number / 100) + 1}-1-T${number}`, { files: filesOf(number) });
  });
  const work = stateAfter(...commands);
  const tasks = new CountedTasks(work.tasks);
  tasks.lookups = 0;
  return { work: { ...work, tasks }, tasks };
}

for (const { what, filesOf } of [
  { what: "one file", filesOf: () => ["src/x.ts"] },
  { what: "one folder", filesOf: () => ["src/**"] },
  { what: "one glob", filesOf: () => ["src/*.ts"] },
  { what: "one file beside their own", filesOf: (number: number) => ["src/x.ts", `src/file-${number}.ts`] },
]) {
  test(`waves of ${count} tasks that all name ${what} cost each a few steps`, () => {
    const { work, tasks } = boardOf(filesOf);
    const budget = { left: 500_000 };
    const { waves } = wavesOf(work, budget);
    assert.deepEqual([waves.length, new Set(waves.map((wave) => wave.length))], [count, new Set([1])]);
    assert.ok(tasks.lookups <= 10 * count, `${tasks.lookups} tasks were looked up`);
    assert.ok(500_000 - budget.left <= 10 * count, `${500_000 - budget.left} steps`);
  });
}

test("globs that all meet and are all different end the budget, and the rest go one after the other at no cost", () => {
  const { work, tasks } = boardOf((number) => [`src/*/file-${number}*`]);
  const budget = { left: 500_000 };
  const { waves } = wavesOf(work, budget);
  assert.equal(waves.flat().length, count);
  assert.ok(budget.left <= 0 && budget.left > -10_000, `${budget.left} steps are left`);
  assert.ok(tasks.lookups <= 10 * count, `${tasks.lookups} tasks were looked up`);
});

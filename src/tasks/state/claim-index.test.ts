import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { overlaps } from "../../base/paths/glob-overlap.ts";
import { asStored, type Glob, readGlob } from "../../base/paths/globs.ts";
import { addFiles, emptyIndex, globsMeeting, type IndexedGlob, removeFiles, tasksMeeting } from "./claim-index.ts";

function globOf(text: string): Glob {
  const glob = readGlob(text);
  assert.ok(glob.ok, text);
  return glob.value;
}

/** Whether two globs share a path, whatever spelling of it some file system takes for the same. */
function meet(one: Glob, other: Glob): boolean {
  return overlaps(asStored(one), asStored(other));
}

const part = fc.constantFrom("a", "b", "ab", "*", "?", "**", "a*", "*b", "C:", "A", "a.", "e\u0301", "\u00e9");
const text = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([parts, isFolder]) => parts.join("/") + (isFolder ? "/" : ""))
  .filter((glob) => readGlob(glob).ok);
const entry: fc.Arbitrary<IndexedGlob> = fc.record({
  task: fc.constantFrom("t1", "t2", "t3"),
  holder: fc.constantFrom("dev-1", "dev-2", "dev-3"),
  glob: text.map((each) => globOf(each).text),
});

test("the index finds what comparing with every glob finds, whatever was added and removed before", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ entry, isAdded: fc.boolean() }), { maxLength: 20 }),
      text,
      fc.constantFrom(null, "dev-1"),
      (steps, asked, except) => {
        const index = emptyIndex();
        const naive = new Map<string, IndexedGlob>();
        const byTask = new Map<string, string>();
        for (const { entry: step, isAdded } of steps) {
          // A task has one holder at a time.
          const holder = byTask.get(step.task) ?? step.holder;
          byTask.set(step.task, holder);
          const each = { ...step, holder };
          const key = `${each.task} ${each.glob}`;
          if (isAdded) addFiles(index, each, [each.glob]);
          else removeFiles(index, each, [each.glob]);
          if (isAdded) naive.set(key, each);
          else naive.delete(key);
        }
        const glob = globOf(asked);
        const expected = [...naive.values()].filter((each) => each.holder !== except && meet(globOf(each.glob), glob));
        const found = globsMeeting(index, [asked], { except, most: 100 });
        const keys = (globs: readonly IndexedGlob[]) => globs.map((each) => `${each.task} ${each.glob}`).toSorted();
        assert.deepEqual(keys(found), keys(expected));
        for (const each of naive.values()) removeFiles(index, each, [each.glob]);
        assert.deepEqual(index, emptyIndex(), "nothing is left behind");
      },
    ),
    { numRuns: 1_500 },
  );
});

test("what cannot be compared within bounds counts as meeting", () => {
  const index = emptyIndex();
  const hostile = (letter: string) => `${"*a".repeat(60)}${letter}`;
  for (let count = 0; count < 500; count += 1)
    addFiles(index, { task: `t${count}`, holder: "dev-2" }, [hostile(`b${count}`)]);
  const met = globsMeeting(index, [hostile("c")], { except: "dev-1", most: 500 });
  assert.ok(met.length > 0);
  // Within bounds the same two are known to be apart.
  assert.ok(!overlaps(globOf(hostile("b1")), globOf(hostile("c"))));
});

test("tasks that meet a list of files are those of the globs that meet it, also when asked again", () => {
  const lists = fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lists, fc.array(lists, { minLength: 1, maxLength: 3 }), (claims, askers) => {
      const index = emptyIndex();
      const files = new Map(claims.map((globs, number) => [`t${number}`, globs.map((each) => globOf(each).text)]));
      for (const [task, globs] of files) addFiles(index, { task, holder: task }, globs);
      const comparing = { budget: { left: 1_000_000 }, filesOf: (task: string) => files.get(task) };
      for (const asked of [...askers.flat(), ...askers.flat()]) {
        const met = tasksMeeting(index, asked, { except: "t0", most: 100, comparing });
        const expected = [...files].filter(([task, globs]) => {
          return task !== "t0" && globs.some((glob) => asked.some((each) => meet(globOf(glob), globOf(each))));
        });
        assert.deepEqual([...met].toSorted(), expected.map(([task]) => task).toSorted());
      }
    }),
    { numRuns: 800 },
  );
});

test("two spellings that some file system takes for one file meet", () => {
  const spellings = [
    "src/Gr\u00fc\u00dfe.md",
    "src/gru\u0308sse.md",
    "SRC/GR\u00dcSSE.MD.",
    "src/gr\u00fc\u200b\u00dfe.md",
    "src/gr\u00fc\u00dfe.md::$DATA",
  ];
  for (const held of spellings) {
    const index = emptyIndex();
    const entry = { task: "t1", holder: "dev-1", glob: globOf(held).text };
    addFiles(index, entry, [entry.glob]);
    for (const asked of spellings) {
      const found = globsMeeting(index, [asked], { except: "dev-2", most: 9 });
      assert.deepEqual(found, [entry], `${held} and ${asked}`);
    }
    assert.deepEqual(globsMeeting(index, ["src/gruse.md"], { except: null, most: 9 }), [], "another file");
    removeFiles(index, entry, [entry.glob]);
    assert.deepEqual(index, emptyIndex());
  }
});

/** Globs against their meaning, on all short ones: no case between them is left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, overlaps } from "../../src/base/paths/glob-overlap.ts";
import { type Glob, globMatches } from "../../src/base/paths/globs.ts";
import { inLongRun } from "../run-size.ts";
import { compareCovers, compareMatches, compareOverlaps } from "./comparison.ts";
import { shortGlobs, shortPaths } from "./reference.ts";

// One character more than a glob has: every wildcard can take none, one and several, in one part and in many.
const paths = shortPaths("ab/", inLongRun(8, 6));
// Two globs of four characters that meet do so in at most eight: each takes what the other has to have.
const joint = shortPaths("ab/", inLongRun(9, 8));
// The letter c stands for all the characters that no glob names.
const foreign = shortPaths("abc/", 7);

test("every glob of up to five characters over {a, b, /, *, ?} means what plain recursion says, on every short path", (t) => {
  const { found, asked } = compareMatches(shortGlobs(5), paths, globMatches);
  assert.deepEqual(found.slice(0, 10), []);
  assert.ok(asked > 1_000_000);
  t.diagnostic(`${asked} questions, ${found.length} disagreements`);
});

test("every two short globs overlap exactly where they share a path", (t) => {
  const { found, asked } = compareOverlaps(shortGlobs(inLongRun(5, 4)), joint, overlaps);
  assert.deepEqual(found.slice(0, 10), []);
  t.diagnostic(`${asked} pairs, ${found.length} disagreements`);
});

test("every two short globs cover every one of up to three characters exactly where they leave no path out", (t) => {
  const { found, asked } = compareCovers(shortGlobs(inLongRun(3, 2)), shortGlobs(3), foreign, covers);
  assert.deepEqual(found.slice(0, 10), []);
  t.diagnostic(`${asked} triples, ${found.length} disagreements`);
});

test("the comparison sees a matcher whose star takes a slash, an overlap that forgets folders, a cover that looks at one", () => {
  const greedy = (glob: Glob, path: string) => globMatches(glob, path) || (glob.text === "*" && path.includes("/"));
  assert.ok(compareMatches(shortGlobs(2), paths, greedy).found.length > 0);
  const exact = (a: Glob, b: Glob) => overlaps(a, b) && !(a.literal === "a" && b.text === "a/b");
  assert.ok(compareOverlaps(shortGlobs(3), joint, exact).found.length > 0);
  const single = (globs: readonly Glob[], glob: Glob) => globs.some((each) => covers([each], glob));
  const union = compareCovers(
    shortGlobs(3),
    shortGlobs(3).filter(({ text }) => text === "*"),
    foreign,
    single,
  );
  assert.ok(union.found.length > 0);
});

/** The long comparison of globs with their meaning. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { covers, overlaps } from "../../src/base/paths/glob-overlap.ts";
import { globMatches } from "../../src/base/paths/globs.ts";
import { type Comparison, compareCovers, compareMatches, compareOverlaps } from "../paths/comparison.ts";
import { shortGlobs, shortPaths } from "../paths/reference.ts";
import { record } from "./record.ts";

test("globs match, overlap and cover as they mean, on all short ones", () => {
  const rows: readonly (readonly [what: string, compared: Comparison])[] = [
    [
      "globs of up to 5 characters, each on every path of up to 8",
      compareMatches(shortGlobs(5), shortPaths("ab/", 8), globMatches),
    ],
    [
      "pairs of globs of up to 5 characters: do they share a path (of up to 9)?",
      compareOverlaps(shortGlobs(5), shortPaths("ab/", 9), overlaps),
    ],
    [
      "two globs of up to 3 characters and a third: do the two leave out a path (of up to 7, a foreign letter among them)?",
      compareCovers(shortGlobs(3), shortGlobs(3), shortPaths("abc/", 7), covers),
    ],
  ];
  record(
    "globs",
    "Every glob over {a, b, /, *, ?} is compared with plain recursion over its parts and characters: as a matcher, in pairs for overlap, in threes for cover. `npm run test:nightly` asks the same of shorter ones, and shows the comparison a matcher, an overlap and a cover that are wrong.",
    rows.map(([what, { asked, found }]) => [what, `${asked} questions, ${found.length} disagreements`]),
  );
  for (const [what, { found }] of rows) assert.deepEqual(found.slice(0, 5), [], what);
});

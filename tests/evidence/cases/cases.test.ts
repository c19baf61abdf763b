/** A case for each code that no other test of a change shows; every night plays all cases. */
import assert from "node:assert/strict";
import { honest } from "./honest.ts";
import { lies } from "./lies.ts";
import { storiesIn, testStories } from "./story.ts";

const codes = [
  "commit-credited",
  "commit-unreachable",
  "unrelated-history",
  "outside-contract",
  "symlink-escape",
  "submodule-change",
  "part-gone",
  "outside-forecast",
];
const all = [...storiesIn(lies), ...storiesIn(honest)];

testStories(codes.map((code) => all.find(({ right }) => right.includes(code)) ?? assert.fail(code)));

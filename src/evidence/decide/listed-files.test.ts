import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangedPath } from "../git/changes.ts";
import { compareListed } from "./listed-files.ts";

const change = (path: string): ChangedPath => ({
  path,
  isText: true,
  change: "added",
  mode: { before: "000000", after: "100644" },
  content: { before: "0".repeat(40), after: "1".repeat(40) },
});

/** A letter with its accent, as one character and as two. */
const [composed, apart] = ["\u00e9", "e\u0301"];

test("either spelling of a letter will do", () => {
  const compare = (listed: readonly string[], changed: readonly string[]) => {
    const { unlisted, untouched } = compareListed(listed, changed.map(change), [change("made")]);
    return [unlisted.map(({ path }) => path), untouched];
  };
  assert.deepEqual(compare([apart, "made", "b"], [composed, "a"]), [["a"], ["b"]]);
  assert.deepEqual(compare([`${composed}/${apart}`], [`${apart}/${composed}`]), [[], []]);
  assert.deepEqual(compare(["../x"], []), [[], ["../x"]]);
});

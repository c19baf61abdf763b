import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangedPath } from "../git/changed-paths.ts";
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

test("either spelling of a letter will do, once for each file", () => {
  const compare = (listed: readonly string[], changed: readonly string[]) => {
    const { unlisted, untouched } = compareListed(listed, changed.map(change), [change("made")]);
    return [unlisted.map(({ path }) => path), untouched];
  };
  assert.deepEqual(compare([apart, "made", "b"], [composed, "a"]), [["a"], ["b"]]);
  assert.deepEqual(compare([composed, composed], [composed, apart]), [[apart], []]);
  assert.deepEqual(compare([`${composed}/${apart}`], [`${composed}/${composed}`, `${apart}/${apart}`]), [
    [`${apart}/${apart}`],
    [],
  ]);
});

test("a long list that names none of many files is compared once a path, not once a pair", ({ mock }) => {
  const count = 400;
  const spelled = mock.method(String.prototype, "normalize");
  const paths = (folder: string) => Array.from({ length: count }, (_, at) => `${folder}/${at}`);
  const { unlisted, untouched } = compareListed(paths("a"), paths("b").map(change), []);
  assert.deepEqual([unlisted.length, untouched.length], [count, count]);
  assert.ok(spelled.mock.callCount() <= 8 * count, `${spelled.mock.callCount()} spellings`);
});

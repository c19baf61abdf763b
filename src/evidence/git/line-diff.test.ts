/** A difference by lines leads from one content to the other, is short, and is bounded whatever the contents are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../../../tests/crash/seed.ts";
import { diffOf, diffStepsMax, type FileDiff, shownLinesMax } from "./line-diff.ts";

const bytes = (text: string) => Buffer.from(text);
const written = ({ hunks }: FileDiff) =>
  hunks.map(({ oldStart, oldLines, newStart, newLines, heading, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading === "" ? "" : ` ${heading}`}`,
    ...lines.flatMap(({ op, text, noNewline = false }) => [`${op}${text}`, ...(noNewline ? ["\\"] : [])]),
  ]);

const cases: readonly (readonly [string, string | null, string | null, readonly (readonly string[])[]])[] = [
  ["equal", "a\nb\n", "a\nb\n", []],
  ["a line changed", "a\nb\nc\n", "a\nx\nc\n", [["@@ -1,3 +1,3 @@", " a", "-b", "+x", " c"]]],
  ["a new file", null, "a\nb\n", [["@@ -0,0 +1,2 @@", "+a", "+b"]]],
  ["a file that went", "a\n", null, [["@@ -1,1 +0,0 @@", "-a"]]],
  ["an empty file", "", "", []],
  ["a line feed at the end went", "a\nb\n", "a\nb", [["@@ -1,2 +1,2 @@", " a", "-b", "+b", "\\"]]],
  ["a carriage return came", "a\nb\n", "a\r\nb\n", [["@@ -1,2 +1,2 @@", "-a", "+a\r", " b"]]],
  ["escape sequences stay as they are", "a\n", "\u001b[2Ja\n", [["@@ -1,1 +1,1 @@", "-a", "+\u001b[2Ja"]]],
  [
    "changes far apart are two hunks, with what they are in",
    "f() {\n 1\n 2\n 3\n 4\n 5\n}\ng() {\n 1\n 2\n 3\n 4\n 5\n}\n",
    "f() {\n x\n 2\n 3\n 4\n 5\n}\ng() {\n 1\n 2\n 3\n 4\n y\n}\n",
    [
      ["@@ -1,5 +1,5 @@", " f() {", "- 1", "+ x", "  2", "  3", "  4"],
      ["@@ -10,5 +10,5 @@ g() {", "  2", "  3", "  4", "- 5", "+ y", " }"],
    ],
  ],
];

for (const [what, before, after, expected] of cases) {
  test(`by lines: ${what}`, () => {
    const diff = diffOf(before === null ? null : bytes(before), after === null ? null : bytes(after));
    assert.deepEqual(written(diff), expected);
    assert.equal(diff.isCut, false);
  });
}

const seed = chosenSeed(4242);

test(`the hunks of any two contents lead from one to the other (seed ${seed})`, () => {
  const chance = chanceFrom(seed);
  for (let round = 0; round < 300; round += 1) {
    const some = (count: number) => Array.from({ length: chance.below(count) }, () => `line ${chance.below(6)}`);
    const before = some(40);
    const after =
      chance.below(4) === 0 ? some(40) : before.flatMap((each) => (chance.below(6) === 0 ? some(3) : [each]));
    const contentOf = (lines: readonly string[]) => bytes(lines.map((each) => `${each}\n`).join(""));
    const { hunks, added, removed } = diffOf(contentOf(before), contentOf(after));
    const made: string[] = [];
    let at = 0;
    for (const { oldStart, oldLines, lines } of hunks) {
      const start = oldLines === 0 ? oldStart : oldStart - 1;
      made.push(...before.slice(at, start));
      for (const { op, text, old, new: now } of lines) {
        if (op !== "+") assert.equal(before[(old ?? 0) - 1], text);
        if (op !== "-") assert.equal(after[(now ?? 0) - 1], text);
        if (op !== "-") made.push(text);
      }
      at = start + oldLines;
    }
    made.push(...before.slice(at));
    assert.deepEqual(made, after);
    assert.equal(after.length - before.length, added - removed);
  }
});

test("what is binary has no lines; what is long or too different is bounded", () => {
  assert.deepEqual(diffOf(bytes("a\0b"), bytes("a")), { binary: true, added: 0, removed: 0, hunks: [], isCut: false });
  const many = (word: string) => bytes(Array.from({ length: 100_000 }, (_, n) => `${word} ${n}\n`).join(""));
  const steps = { left: diffStepsMax };
  const far = diffOf(many("old"), many("new"), steps);
  assert.equal(steps.left, 0, "it stops where its steps are spent, and takes no more");
  assert.deepEqual([far.added, far.removed, far.isCut], [100_000, 100_000, true]);
  assert.equal(far.hunks.flatMap(({ lines }) => lines).length, shownLinesMax);
  const wide = diffOf(bytes("a\n"), bytes(`${"x".repeat(1_000_000)}\n`));
  assert.equal(wide.isCut, true);
  assert.ok((wide.hunks[0]?.lines.at(-1)?.text.length ?? 0) <= 2_000);
  const spent = { left: 0 };
  assert.deepEqual(written(diffOf(bytes("a\nb\nc\n"), bytes("x\nb\ny\n"), spent)), [
    ["@@ -1,3 +1,3 @@", "-a", "-b", "-c", "+x", "+b", "+y"],
  ]);
});

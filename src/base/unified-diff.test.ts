import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { unifiedDiff } from "./unified-diff.ts";

const names = { from: "a/x", to: "b/x" };
const many = (mark: string) => Array.from({ length: 3_000 }, (_, at) => `${mark}${at}`);
const lines = (...words: readonly string[]) => words.map((word) => `${word}\n`).join("");

test("removed and added lines are shown with three lines around them", () => {
  const before = lines(..."abcdefghijklmnop");
  const after = before.replace("b\n", "B\n").replace("o\n", "");
  assert.equal(
    unifiedDiff(before, after, names),
    "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -12,5 +12,4 @@\n l\n m\n n\n-o\n p",
  );
  assert.equal(unifiedDiff(before, before, names), "");
  assert.equal(unifiedDiff(null, "a\n", names), "--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a");
  assert.equal(unifiedDiff("a\n", null, names), "--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a");
});

test("git makes the new text of the old one and the diff", () => {
  const directory = mkdtempSync(join(tmpdir(), "baton-diff-"));
  const cases: readonly (readonly [string, string])[] = [
    ["a", "a\nb"],
    ["a\nb", "a\n"],
    [lines(..."abcabba"), lines(..."cbabac")],
    [lines("{", "}"), lines("{", "  x", "}")],
    ["a\r\nb\r\n", "a\r\nc\r\nb\r\n"],
    ["a \nb ", "a \nc "],
    // More lines than are paired.
    [lines(...many("x")), lines(...many("y"))],
    [many("x").join("\n"), `${many("y").join("\n")}\n`],
  ];
  try {
    for (const [before, after] of cases) {
      writeFileSync(join(directory, "x"), before);
      const diff = `${unifiedDiff(before, after, names)}\n`;
      const applied = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: directory,
        input: diff,
        encoding: "utf8",
      });
      assert.equal(applied.status, 0, `${applied.stderr}\n${diff}`);
      assert.equal(readFileSync(join(directory, "x"), "utf8"), after);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Words as a shell reads them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { shellLine, shellWords } from "./next-command.ts";

test("a shell reads the words back as they were", () => {
  const words = [
    "task",
    "--as=x",
    "$(id)",
    "it's",
    "a b",
    "",
    "~",
    "#1",
    "*",
    "é",
    "-n",
    "a;b",
    '"',
    "\\",
    "!x",
    "{a,b}",
    "=x",
  ];
  const line = shellLine(words);
  const read = spawnSync("bash", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  assert.deepEqual(read.stdout.split("\0").slice(0, -1), words);
  assert.deepEqual(shellWords(line ?? ""), words);
});

test("plain words stay as they are, and a word that a terminal would not show is left out", () => {
  assert.equal(shellLine(["approval", "approve", "a/b:1", "--reason", "TEXT"]), "approval approve a/b:1 --reason TEXT");
  for (const word of ["\u001b[31m", "a\nb", "\u202eexe", "a\u200b"]) assert.equal(shellLine(["show", word]), null);
});

test("a line that was not written so has no words", () => {
  for (const line of ["", "a  b", "a ", " a", "'a", "a'b'", "'plain'", "a $(b)", "a; b", '"a"', "a\nb"])
    assert.equal(shellWords(line), null, line);
});

/** What `baton demo` tells people, and where it refuses to play. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder } from "../e2e/command.ts";
import { demo } from "./played.ts";

test("what it tells people is what told.txt shows, and nothing is left when it is over", async () => {
  const temporary = folder();
  const done = await demo(temporary, ["--fast"], { TMPDIR: temporary });
  assert.equal(done.code, 0, `${done.stdout}\n${done.stderr}`);
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(done.stdout.includes("\u001b"), false, "no colours but on a terminal");
  const printed = new Set(done.stdout.split("\n").map(withoutChance));
  const shown = readFileSync(join(import.meta.dirname, "told.txt"), "utf8");
  for (const line of shown.split("\n").map(withoutChance)) assert.ok(printed.has(line), `not printed: ${line}`);
});

/**
 * Numbers of entries and processes and hashes differ from run to run, and so does the width of their column; and who of
 * the two developers wins which race for which files. How much of its mail an agent that was not asked to stop had
 * acknowledged when the others had stopped is chance too.
 */
function withoutChance(line: string): string {
  const same = /denied: overlap/.test(line) ? line.replace(/holds .*/, "holds test") : line;
  const counted = /not addressed/.test(same) ? same.replace(/ +\d+ unread$/, "") : same;
  return counted.replaceAll(/\b[0-9a-f]{7,}\b|\d+/g, "#").replaceAll(/ +/g, " ");
}

test("a folder that holds something is left alone", async () => {
  const full = folder();
  writeFileSync(join(full, "mine.txt"), "mine");
  const done = await demo(full, ["--fast", "--keep", ".", "--json"]);
  assert.equal(done.code, 2);
  assert.match(done.stdout, /already-exists/);
  assert.deepEqual(readdirSync(full), ["mine.txt"]);
});

test("without git it says so and leaves nothing behind", async () => {
  const elsewhere = folder();
  const empty = folder();
  mkdirSync(join(empty, "bin"));
  const done = await demo(empty, ["--fast"], { PATH: join(empty, "bin"), TMPDIR: elsewhere });
  assert.equal(done.code, 3, done.stderr);
  assert.match(done.stderr, /git/);
  assert.deepEqual(readdirSync(elsewhere), []);
  assert.ok(existsSync(empty));
});

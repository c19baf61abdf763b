import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { endOf } from "./transcript-reading.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "baton-transcript-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("only the end of a large file is read, and a short one whole", async (t) => {
  const path = join(folder(t), "session.jsonl");
  assert.equal(await endOf(path), "", "there is none yet");
  writeFileSync(path, "");
  assert.equal(await endOf(path), "");
  appendFileSync(path, "first\nlast");
  assert.equal(await endOf(path), "first\nlast");
  appendFileSync(path, `${"x".repeat(1024 * 1024)}\nend`);
  assert.equal(await endOf(path), `${"x".repeat(1024 * 1024 - 4)}\nend`);
});

test("a link, a pipe and a folder in the place of a file are not read, and nobody waits for them", async (t) => {
  const place = folder(t);
  const [file, link, pipe, below] = ["file", "link", "pipe", "below"].map((name) => join(place, name));
  assert.ok(file !== undefined && link !== undefined && pipe !== undefined && below !== undefined);
  writeFileSync(file, "a secret\n");
  symlinkSync(file, link);
  assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
  mkdirSync(below);
  assert.equal(await endOf(file), "a secret\n", "control");
  for (const path of [link, pipe, below]) assert.equal(await endOf(path), "", path);
});

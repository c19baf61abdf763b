import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readCodexWords } from "./codex-words.ts";

const place = mkdtempSync(join(tmpdir(), "baton-words-"));
after(() => rmSync(place, { recursive: true }));
for (const each of ["one/.git", "one/src", "two/.git"]) mkdirSync(join(place, each), { recursive: true });
const here = join(place, "one");

/** What the words begin, in short: the thread, or the reason for a separate process, with the words. */
function begun(...words: readonly string[]): unknown {
  const start = readCodexWords(words, here);
  if (!start.ok) return `${start.error.code}: ${start.error.hint}`;
  const { value } = start;
  return value.kind === "thread" ? [value.earlier, value.words] : [value.because, value.words];
}

const last = { isLast: true };

test("what the daemon takes begins in a thread: a prompt, some options, and an earlier session by id, by name or the newest", () => {
  assert.deepEqual(begun(), [null, []]);
  assert.deepEqual(begun("Do it."), [null, ["Do it."]]);
  const options = ["-m", "gpt", "--sandbox=read-only", "-anever", "--add-dir", "resume", "--no-alt-screen"];
  assert.deepEqual(begun(...options, "Do it."), [null, [...options, "Do it."]]);
  assert.deepEqual(begun("--", "-m is what?"), [null, ["--", "-m is what?"]]);
  assert.deepEqual(begun("resume", "--last", "-m", "gpt", "Go on."), [last, ["-m", "gpt", "Go on."]]);
  assert.deepEqual(begun("-m", "gpt", "resume", "dev-1", "--all", "--", "-x"), [
    { named: "dev-1" },
    ["-m", "gpt", "--", "-x"],
  ]);
  const inside = readCodexWords(["-C", "src"], here);
  assert.ok(inside.ok && inside.value.kind === "thread" && inside.value.directory === join(here, "src"));
});

test("other words begin a separate process, and those that a person types in a terminal say why", () => {
  assert.deepEqual(begun("exec", "-C", "src", "Do it."), [null, ["--no-daemon", "exec", "-C", "src", "Do it."]]);
  assert.deepEqual(begun("-c", "a=b", "Do it."), ["-c", ["--no-daemon", "-c", "a=b", "Do it."]]);
  assert.deepEqual(begun("--search"), ["--search", ["--no-daemon", "--search"]]);
  assert.deepEqual(begun("--no-daemon", "-m", "gpt"), [null, ["--no-daemon", "-m", "gpt"]]);
  assert.deepEqual(begun("resume"), ["resume without an id", ["--no-daemon", "resume"]]);
  assert.deepEqual(begun("fork", "--last"), ["fork", ["--no-daemon", "fork", "--last"]]);
  // A subcommand of a later Codex, or a prompt of one word.
  assert.deepEqual(begun("newcommand"), [null, ["--no-daemon", "newcommand"]]);
});

test("what begins no session of the agent in this project is refused with what to do", () => {
  assert.equal(begun("login"), "wrong-usage: run it without Baton: codex login");
  assert.equal(begun("-m", "gpt", "app-server", "--listen"), "wrong-usage: run it without Baton: codex app-server");
  assert.equal(begun("exec", "--remote=ws://x", "Do it."), "wrong-usage: leave --remote out");
  assert.match(String(begun("--worktree")), /worktree of its own: baton run AGENT/);
  for (const option of [["-C", "../two"], ["-C../two"], ["--cd=/"]])
    assert.match(String(begun("exec", ...option, "Do it.")), /cd there, and run this line again without (?:-C|--cd)/);
});

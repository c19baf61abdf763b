/** `baton demo` as people run it: what it tells is in the journal and in git, and it refuses where it cannot play. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Evidence, problemsIn } from "../../examples/demo/check.ts";
import { baton, folder, jsonLines, mainBundle } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

const place = folder();
const kept = join(place, "kept");
const run = baton(place, ["demo", "--fast", "--keep", "kept", "--json"]);
const events = jsonLines(run);
const here = (...words: readonly string[]) => baton(kept, [...words, "--json"]);

test("it ends well, and what it shows comes in this order", () => {
  assert.equal(run.code, 0, `${run.stdout}\n${run.stderr}`);
  const steps = (agent: string) =>
    events.filter((each) => each.agent === agent).map(({ event, isLie }) => (isLie === true ? "lied" : event));
  assert.deepEqual(steps("lead-1"), ["sent", "sent", "sent", "left"]);
  const work = ["committed", "reported", "verdict"];
  assert.deepEqual(steps("dev-1"), ["claimed", "sent", "sent", "read", ...work, "sent", "left"]);
  assert.deepEqual(steps("dev-2"), [
    "claimed",
    "edit-denied",
    "sent",
    "lied",
    "read",
    "claimed",
    ...work,
    "sent",
    "left",
  ]);
  const summary = events.find(({ event }) => event === "summary");
  assert.deepEqual([summary?.complete, summary?.disputed, summary?.problems], [2, 1, []]);
  assert.deepEqual(events.at(-1), { event: "kept", directory: kept, journal: join(kept, ".git/baton/journal.db") });
});

test("journal and git hold what it told", () => {
  const tasks = jsonLines(here("task", "list")).map(({ task, state }) => `${task} ${state}`);
  assert.deepEqual(tasks, ["1-1-T1 complete", "1-1-T2 complete"]);
  const lines = jsonLines(here("log")).map(({ sender, summary }) => `${sender} ${summary}`);
  assert.deepEqual(lines.filter((line) => /^\S+ (found|claimed|decided) /.test(line)).toSorted(), [
    "baton found 1-1-T1 verified",
    "baton found 1-1-T2 disputed",
    "baton found 1-1-T2 verified",
    "dev-1 claimed 1-1-T1",
    "dev-2 claimed 1-1-T2",
    "dev-2 claimed 1-1-T2",
    "owner decided ESC-01-01-T1: 19 percent",
  ]);
  assert.equal(here("journal", "verify").code, 0);
  const work = ["dev-1: Totals carry tax", "dev-2: A receipt lists every item"];
  const commits = git(kept, "log", "--reverse", "--format=%an: %s").trim().split("\n");
  assert.deepEqual(commits, ["owner: The team", "owner: The shop as it is", ...work]);
  assert.equal(git(kept, "status", "--porcelain"), "", "nothing is left uncommitted, and the journal is ignored");
  const tokens = spawnSync("grep", ["-rlaE", "baton_[A-Za-z0-9_-]{43}", kept], { encoding: "utf8" });
  assert.equal(tokens.stdout, "", "tokens are kept nowhere");
});

test("people read it in sentences, and nothing is left when it is over", () => {
  const temporary = folder();
  const { code, stdout, stderr } = baton(temporary, ["demo", "--fast"], "", { TMPDIR: temporary });
  assert.equal(code, 0, stderr);
  assert.deepEqual(readdirSync(temporary), []);
  assert.match(stdout, /^In a repository of yours: baton start$/m);
  assert.equal(stdout.includes("\u001b"), false, "no colours but on a terminal");
  for (const sentence of [
    /^dev-1 {3}claims 1-1-T1: granted, it holds src\/price\.js$/m,
    /^dev-2 {3}wants to edit src\/price\.js: denied\. dev-1 holds this path for task 1-1-T1\.$/m,
    /^dev-2 {3}to dev-1 \(entry \d+\): I need a function shown\(\) in src\/price\.js\. Please write it for me\.$/m,
    /^you {5}are asked, in the terminal and on the page: Which tax rate applies\? 1\) 19 percent, 2\) 7 percent$/m,
    /^dev-2 {3}reports 1-1-T2 as done with commit [0-9a-f]{7}\. This is a lie\.$/m,
    /^ {8}Found in git: A branch held this commit before the task was recorded\.$/m,
    /^dev-2 {3}sees on the board: the report of 1-1-T2 is verified$/m,
    /^\d+ entries in the journal, chained by their hashes: sound, up to [0-9a-f]{16}$/m,
    /^Nothing lost, nothing overwritten, no lie believed\.\n$/m,
  ])
    assert.match(stdout, sentence);
});

const task = { task: "1-1-T1", state: "complete", reporter: "dev-1", files: ["a.js"] };
const inGit = { author: "dev-1", files: ["a.js"] };
const heads = { entries: 3, head: "f00d", messages: 2, tasks: [{ ...task, inGit }] };
const whole = { broken: [], unread: [], liars: ["dev-2"], decidedBy: "owner", authors: ["dev-1", "owner"] };
const good: Evidence = { ...heads, ...whole };
const planted: readonly (readonly [Partial<Evidence>, RegExp])[] = [
  [{ broken: ["entry 2 was changed"] }, /entry 2 was changed/],
  [{ unread: ["dev-1"] }, /not acknowledged by dev-1/],
  [{ liars: [] }, /of nobody were disputed/],
  [{ liars: ["dev-1", "dev-2"] }, /of dev-1 and dev-2 were disputed/],
  [{ tasks: [{ ...task, inGit, state: "reported" }] }, /1-1-T1 is reported/],
  [{ tasks: [{ ...task, inGit: { ...inGit, author: "dev-2" } }] }, /git does not bear out/],
  [{ tasks: [{ ...task, inGit: { ...inGit, files: ["b.js"] } }] }, /git does not bear out/],
  [{ decidedBy: null }, /not decided by the person/],
  [{ authors: ["owner", "dev-1", "dev-2"] }, /changed by owner and dev-1 and dev-2/],
];

test("its own check finds every planted error, and none where there is none", () => {
  assert.deepEqual(problemsIn(good), []);
  for (const [damage, words] of planted) assert.match(problemsIn({ ...good, ...damage }).join(), words);
});

test("a folder that holds something is left alone", () => {
  const full = folder();
  writeFileSync(join(full, "mine.txt"), "mine");
  const done = baton(full, ["demo", "--fast", "--keep", ".", "--json"]);
  assert.equal(done.code, 2);
  assert.match(done.stdout, /already-exists/);
  assert.deepEqual(readdirSync(full), ["mine.txt"]);
});

test("without git, and without a place for its folder, it says so and leaves nothing behind", () => {
  const [elsewhere, empty] = [folder(), folder()];
  mkdirSync(join(empty, "bin"));
  const without = baton(empty, ["demo", "--fast"], "", { PATH: join(empty, "bin"), TMPDIR: elsewhere });
  assert.equal(without.code, 3, without.stderr);
  assert.match(without.stderr, /needs the program git/);
  assert.deepEqual(readdirSync(elsewhere), []);
  const nowhere = baton(empty, ["demo", "--fast", "--json"], "", { TMPDIR: join(empty, "nowhere") });
  assert.match(nowhere.stdout, /"journal-cannot-open".*TMPDIR/);
});

test("an agent that nobody ordered says what it is", () => {
  const alone = spawnSync(process.execPath, [mainBundle, "demo-agent"], { encoding: "utf8", input: "" });
  assert.deepEqual([alone.status, alone.stderr], [64, "This is an agent of `baton demo`, which starts it.\n"]);
});

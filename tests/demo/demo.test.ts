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

test("it ends well, and what it shows of each agent comes in this order", () => {
  assert.equal(run.code, 0, `${run.stdout}\n${run.stderr}`);
  const steps = (agent: string) =>
    events.filter((each) => each.agent === agent).map(({ event, isLie }) => (isLie === true ? "lied" : event));
  const work = ["committed", "reported"];
  const [done, returned] = [
    [...work, "landed"],
    [...work, "read"],
  ];
  assert.deepEqual(steps("dev-1"), ["claimed", "sent", ...done, "sent", "claimed", ...returned, ...done, "left"]);
  const denied = ["claimed", "sent", "edit-denied", "sent"];
  assert.deepEqual(steps("dev-2"), [...denied, ...returned, ...done, "claimed", ...done, "left"]);
  const killed = ["claimed", "stuck", "claimed"];
  assert.deepEqual(steps("dev-3"), ["claimed", "lied", "read", "claimed", ...done, ...killed, ...done, "left"]);
  const { landed, disputed, returned: back, problems } = events.find(({ event }) => event === "summary") ?? {};
  assert.deepEqual([landed, disputed, back, problems], [6, 1, ["check", "conflict"], []]);
  assert.deepEqual(events.at(-1), { event: "kept", directory: kept, journal: join(kept, ".git/baton/journal.db") });
});

test("journal and git hold what it told", () => {
  const lines = jsonLines(here("log", "--limit", "1000")).map(({ sender, summary }) => `${sender} ${summary}`);
  for (const at of [1, 2, 3, 4, 5, 6])
    assert.equal(lines.filter((line) => line === `baton landed task ${at} on baton/main`).length, 1, lines.join("\n"));
  assert.equal(lines.filter((line) => line === "baton found task 3 disputed").length, 1, lines.join("\n"));
  assert.equal(here("journal", "verify").code, 0);
  assert.equal(git(kept, "rev-parse", "main"), git(kept, "rev-parse", "baton/main"));
  assert.match(git(kept, "show", "main:src/price.js"), /withTax[\s\S]*shown/);
  assert.equal(git(kept, "status", "--porcelain"), "", "nothing is left uncommitted, and the journal is ignored");
  const tokens = spawnSync("grep", ["-rlaE", "baton_[A-Za-z0-9_-]{43}", kept], { encoding: "utf8" });
  assert.equal(tokens.stdout, "", "tokens are kept nowhere");
});

test("people read it in sentences, and nothing is left when it is over", () => {
  const temporary = folder();
  const { code, stdout, stderr } = baton(temporary, ["demo", "--fast"], "", { TMPDIR: temporary });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.deepEqual(readdirSync(temporary), []);
  assert.match(stdout, /^In a repository of yours: baton start$/m);
  assert.equal(stdout.includes("\u001b"), false, "no colours but on a terminal");
  for (const sentence of [
    /^you {4}give 6 tasks as a list: baton plan add plan\.md$/m,
    /^dev-1 {2}takes 1: Totals carry tax$/m,
    /^dev-2 {2}wants to edit src\/price\.js: denied\. dev-1 edits this path for task 1\.$/m,
    /^dev-3 {2}reports 3 as done with commit [0-9a-f]{7}\. This is a lie\.$/m,
    /^ {7}Found in git: A branch held this commit before the task was recorded\.$/m,
    /^dev-1 {2}reads: The work of 4 is verified and did not land on baton\/main: a check does not pass with it\.$/m,
    /^dev-2 {2}reads: The work of 2 is verified and did not land on baton\/main: it conflicts in src\/price\.js\.$/m,
    /^you {4}kill -9 dev-3, and start it again\.$/m,
    /^you {4}move main to what has landed: baton land\n {7}main moved from [0-9a-f]{12} to [0-9a-f]{12}\.$/m,
    /^ {7}landed {11}\d(?:, \d){5}$/m,
    /^\d+ entries in the journal, chained by their hashes: sound, up to [0-9a-f]{16}$/m,
    /^Nothing lost, nothing overwritten, no lie believed\.\n$/m,
  ])
    assert.match(stdout, sentence);
});

const tasks = ["1", "2", "3", "4", "5", "6"].map((task) => ({ task, title: task, isOnMain: true }));
const good: Evidence = {
  entries: 3,
  head: "f00d",
  messages: 2,
  broken: [],
  unread: [],
  tasks,
  liars: ["dev-3"],
  returned: ["check", "conflict"],
  authors: ["dev-1", "dev-2", "owner"],
};
const planted: readonly (readonly [Partial<Evidence>, RegExp])[] = [
  [{ broken: ["entry 2 was changed"] }, /entry 2 was changed/],
  [{ unread: ["dev-1"] }, /not acknowledged by dev-1/],
  [{ liars: [] }, /of nobody were disputed/],
  [{ liars: ["dev-1", "dev-3"] }, /of dev-1 and dev-3 were disputed/],
  [{ tasks: tasks.slice(1) }, /there are 5 tasks/],
  [{ tasks: tasks.map((each) => ({ ...each, isOnMain: each.task !== "4" })) }, /the work of 4 is not on main/],
  [{ returned: ["conflict"] }, /work went back for conflict$/],
  [{ authors: ["owner", "dev-1"] }, /changed by owner and dev-1/],
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

/**
 * `baton demo` as people run it: it ends well in time, and what it claims is read again from what it left: the journal
 * with the library, the commits with git.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTeam, type Shown } from "../../src/index.ts";
import { expectedMessages, faultsOf, omissionsOf } from "../../src/main/demo/check.ts";
import type { RecordedPhase } from "../../src/main/demo/record.ts";
import { readPhase } from "../../src/main/demo/record.ts";
import { repositoryAt } from "../../src/main/demo/repository.ts";
import { environment, folder, jsonLines, mainBundle } from "../e2e/command.ts";

/** Longest time of `baton demo --fast`, in milliseconds. */
const fastMsMax = 15_000;

function demo(directory: string, words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const started = performance.now();
  const run = spawnSync(process.execPath, [mainBundle, "demo", ...words], {
    cwd: directory,
    encoding: "utf8",
    env: environment(variables),
    timeout: 60_000,
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr, tookMs: performance.now() - started };
}

function git(directory: string, ...words: string[]): string {
  const run = spawnSync("git", ["-C", directory, ...words], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

async function entriesIn(directory: string): Promise<readonly Shown[]> {
  const opened = await openTeam({ journal: join(directory, ".baton/journal.db"), readOnly: true });
  assert.ok(opened.ok);
  await using team = opened.value;
  const entries: Shown[] = [];
  for await (const line of team.log()) {
    assert.ok(line.ok);
    const shown = await team.show(String(line.value.seq));
    assert.ok(shown.ok);
    entries.push(shown.value);
  }
  return entries;
}

const place = folder();
const kept = join(place, "kept");
const run = demo(place, ["--fast", "--keep", "kept", "--json"]);

test("the demo ends well in less than 15 seconds, and says one JSON value a line", (t) => {
  assert.equal(run.code, 0, `${run.stdout}\n${run.stderr}`);
  t.diagnostic(`took ${Math.round(run.tookMs)} ms`);
  assert.ok(run.tookMs < fastMsMax, `took ${run.tookMs} ms`);
  const events = jsonLines(run);
  const summary = events.find(({ event }) => event === "summary");
  assert.deepEqual(summary?.faults, []);
  assert.equal(summary?.agentsEnded, 5);
  const doors = events.filter(({ event }) => event === "arrived").map(({ agent, door }) => `${agent} ${door}`);
  assert.deepEqual(
    new Set(doors),
    new Set(["lead-1 http", "architect-1 http", "scout-1 mcp", "dev-1 mcp", "qa-1 mcp"]),
  );
  assert.equal(events.filter(({ event }) => event === "killed").length, 1);
  assert.equal(events.at(-1)?.event, "kept");
});

test("the journal holds what it claims, each message once and acknowledged by every receiver", async () => {
  const entries = await entriesIn(kept);
  const messages = entries.filter(({ kind }) => kind === "message");
  const types = messages.map(({ type }) => type ?? "prose").toSorted();
  assert.deepEqual(types, [
    "approval_request",
    "approval_response",
    "execution_update",
    "execution_update",
    "plan_contract",
    "plan_contract",
    "prose",
    "prose",
    "qa_verdict",
    "scout_findings",
    "shutdown_request",
    "shutdown_response",
    "shutdown_response",
    "shutdown_response",
  ]);
  assert.equal(new Set(messages.map(({ sender, id }) => `${sender} ${id}`)).size, messages.length, "no id twice");
  for (const { seq, delivery } of messages) {
    assert.ok(delivery.length > 0, `entry ${seq} has receivers`);
    for (const { agent, state } of delivery) assert.equal(state, "acknowledged", `entry ${seq} by ${agent}`);
  }
  const refused = entries.filter(({ kind }) => kind === "refusal");
  assert.deepEqual(
    refused.map(({ problems }) => problems[0]?.code),
    ["wrong-value", "outside-contract"],
  );
  for (const { problems } of refused) assert.ok(problems[0]?.hint, "a refusal has a hint");
  for (const { entry, kind } of entries) {
    if (kind === "message" || kind === "ack") assert.equal(entry.principal.via, "token", "agents are proven by tokens");
  }
});

test("the reported commits are in git, by the developer, with the files that were reported", async () => {
  for (const { message } of await entriesIn(kept)) {
    if (message?.type !== "execution_update") continue;
    const { payload } = JSON.parse(message.text) as { payload: { commit: string; files_modified: string[] } };
    assert.equal(git(kept, "show", "-s", "--format=%an", payload.commit).trim(), "dev-1");
    const files = git(kept, "show", "--name-only", "--format=", payload.commit).trim().split("\n");
    assert.deepEqual(files.toSorted(), payload.files_modified.toSorted());
  }
  assert.deepEqual(git(kept, "log", "--reverse", "--format=%an: %s").trim().split("\n"), [
    "owner: The shop as it is",
    "architect-1: Plan 1-1 is written down",
    "dev-1: Totals carry tax",
    "dev-1: Money is shown with its cents",
  ]);
  assert.equal(git(kept, "status", "--porcelain"), "", "nothing is left uncommitted, and the journal is ignored");
});

test("the record that was kept is sound, and no token stands in the folder", () => {
  const verify = spawnSync(process.execPath, [mainBundle, "journal", "verify", "--json"], {
    cwd: kept,
    encoding: "utf8",
  });
  assert.equal(verify.status, 0, verify.stdout);
  const found = spawnSync("grep", ["-rlaE", "baton_[A-Za-z0-9_-]{43}", kept], { encoding: "utf8" });
  assert.equal(found.stdout, "", "tokens are kept nowhere");
});

/** One line a case: what is done to the record, and the fault that must be found. */
const damages: readonly (readonly [string, (phase: RecordedPhase) => RecordedPhase, RegExp])[] = [
  ["a message is lost", (phase) => ({ ...phase, messages: phase.messages.slice(1) }), /is lost/],
  [
    "a message is doubled",
    (phase) => ({ ...phase, messages: [...phase.messages, ...phase.messages.slice(2, 3)] }),
    /stands 2 times/,
  ],
  [
    "a message is doubled under another id",
    (phase) => ({ ...phase, messages: [...phase.messages, { ...phase.messages[3]!, id: "again" }] }),
    /was never meant to be sent/,
  ],
  [
    "a receiver did not acknowledge",
    (phase) => ({ ...phase, messages: phase.messages.map((each) => ({ ...each, acknowledgedBy: [] })) }),
    /never acknowledged/,
  ],
  [
    "a commit was made twice",
    (phase) => ({ ...phase, commits: [...phase.commits, ...phase.commits] }),
    /committed 2 times/,
  ],
  [
    "a reported commit is not in git",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, committed: null })) }),
    /not in git/,
  ],
  [
    "a report names other files",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, files: ["other.js"] })) }),
    /the commit changes/,
  ],
];

test("the demo's own check finds nothing here, and every planted fault", async () => {
  const read = await readPhase(join(kept, ".baton/journal.db"), repositoryAt(kept, { PATH: process.env.PATH ?? "" }));
  assert.ok(read.ok);
  assert.deepEqual([...faultsOf(read.value, expectedMessages()), ...omissionsOf(read.value)], []);
  for (const [what, damage, fault] of damages) {
    assert.match(faultsOf(damage(read.value), expectedMessages()).join("\n"), fault, what);
  }
  assert.match(omissionsOf({ ...read.value, refusals: [] }).join("\n"), /refused for a wrong word/);
});

test("what it tells people is what its guide shows, and nothing is left when it is over", () => {
  const temporary = folder();
  const done = demo(temporary, ["--fast"], { TMPDIR: temporary });
  assert.equal(done.code, 0, `${done.stdout}\n${done.stderr}`);
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(done.stdout.includes("\u001b"), false, "no colours but on a terminal");
  const printed = new Set(done.stdout.split("\n").map(withoutNumbers));
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/demo.md"), "utf8");
  const shown = /```text\n([^`]+)```/.exec(guide)?.[1] ?? "";
  assert.ok(shown.split("\n").length > 20, "the guide shows what it prints");
  for (const line of shown.split("\n").map(withoutNumbers)) assert.ok(printed.has(line), `not printed: ${line}`);
});

/** Numbers of entries and processes and hashes differ from run to run, and so does the width of their column. */
function withoutNumbers(line: string): string {
  return line.replaceAll(/\b[0-9a-f]{7,}\b|\d+/g, "#").replaceAll(/ +/g, " ");
}

test("a folder that holds something is left alone", () => {
  const full = folder();
  writeFileSync(join(full, "mine.txt"), "mine");
  const done = demo(full, ["--fast", "--keep", ".", "--json"]);
  assert.equal(done.code, 2);
  assert.match(done.stdout, /already-exists/);
  assert.deepEqual(readdirSync(full), ["mine.txt"]);
});

test("without git it says so and leaves nothing behind", () => {
  const temporary = folder();
  const empty = folder();
  mkdirSync(join(empty, "bin"));
  const done = demo(empty, ["--fast"], { PATH: join(empty, "bin"), TMPDIR: temporary });
  assert.equal(done.code, 3, done.stderr);
  assert.match(done.stderr, /git/);
  assert.deepEqual(readdirSync(temporary), []);
  assert.ok(existsSync(empty));
});

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
import type { RecordedPhase, RecordedWork } from "../../src/main/demo/record.ts";
import { readPhase } from "../../src/main/demo/record.ts";
import { repositoryAt } from "../../src/main/demo/repository.ts";
import { effectsOf } from "../../src/runtime/content.ts";
import { baton, environment, folder, jsonLines, mainBundle } from "../e2e/command.ts";

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
  assert.equal(summary?.agentsEnded, 6);
  assert.equal(summary?.tasksVerified, 3);
  assert.equal(summary?.reportsDisputed, 1);
  const doors = events.filter(({ event }) => event === "arrived").map(({ agent, door }) => `${agent} ${door}`);
  assert.deepEqual(
    new Set(doors),
    new Set(["lead-1 http", "architect-1 http", "scout-1 mcp", "dev-1 mcp", "dev-2 http", "qa-1 mcp"]),
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
    "execution_update",
    "execution_update",
    "plan_contract",
    "plan_contract",
    "prose",
    "prose",
    "prose",
    "prose",
    "qa_verdict",
    "scout_findings",
    "shutdown_request",
    "shutdown_response",
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
  // Who of the two developers is denied how often is a matter of chance; that one is, is not.
  const codes = refused.map(({ type, problems }) => `${type} ${problems[0]?.code}`);
  assert.deepEqual([...new Set(codes)].toSorted(), [
    "claim-task claim-overlap",
    "claim-task outside-contract",
    "execution_update wrong-value",
  ]);
  for (const { problems } of refused) assert.ok(problems[0]?.hint, "a refusal has a hint");
  for (const { entry, kind } of entries) {
    if (kind === "message" || kind === "ack") assert.equal(entry.principal.via, "token", "agents are proven by tokens");
  }
});

test("two developers race for the same files: one is granted them, the other is told by whom", async () => {
  const claims = jsonLines(run).filter(({ event }) => event === "claimed");
  const first = ["dev-1", "dev-2"].map((agent) => {
    const { answer } = claims.find((each) => each.agent === agent) ?? {};
    return { agent, ...(answer as { outcome: string; reason?: string; holder?: string; paths?: string[] }) }; // as a step says it
  });
  const granted = first.find(({ outcome }) => outcome === "granted");
  const denied = first.find(({ outcome }) => outcome === "denied");
  assert.deepEqual([granted?.holder, denied?.reason, denied?.holder], [undefined, "overlap", granted?.agent]);
  assert.match(String(denied?.paths), /^test(\/price\.test\.js)?$/);
});

test("the reported commits are in git, by the developer, with the files that were reported; a lie is disputed", async () => {
  const events = (await entriesIn(kept)).flatMap(({ entry }) => effectsOf(entry).events ?? []);
  const disputed = events.flatMap((event) => (event.event === "task-disputed" ? [event] : []));
  assert.deepEqual(
    disputed.map(({ task }) => task),
    ["1-1-T3"],
  );
  for (const { seq, sender, message } of await entriesIn(kept)) {
    if (message?.type !== "execution_update") continue;
    const { payload } = JSON.parse(message.text) as { payload: { commit: string; files_modified: string[] } };
    const author = git(kept, "show", "-s", "--format=%an", payload.commit).trim();
    const files = git(kept, "show", "--name-only", "--format=", payload.commit).trim().split("\n");
    if (disputed.some(({ report }) => report === seq)) {
      assert.equal(author, "architect-1", "it was another's commit");
      assert.notDeepEqual(files.toSorted(), payload.files_modified.toSorted());
      continue;
    }
    assert.equal(author, sender);
    assert.deepEqual(files.toSorted(), payload.files_modified.toSorted());
  }
  const [first, second, ...work] = git(kept, "log", "--reverse", "--format=%an: %s").trim().split("\n");
  assert.deepEqual([first, second], ["owner: The shop as it is", "architect-1: Plan 1-1 is written down"]);
  assert.deepEqual(work.toSorted(), [
    "dev-1: Money is shown with its cents",
    "dev-1: Totals carry tax",
    "dev-2: An empty basket costs nothing",
  ]);
  assert.equal(git(kept, "status", "--porcelain"), "", "nothing is left uncommitted, and the journal is ignored");
});

test("what it left can be looked at as it says: the tasks, and git's word on each", () => {
  const journal = `sqlite:${join(kept, ".baton/journal.db")}`;
  const ask = (...words: string[]) => baton(place, [...words, "--journal", journal, "--json"]);
  const listed = jsonLines(ask("task", "list"));
  assert.deepEqual(
    listed.map(({ task, state }) => `${task} ${state}`),
    ["1-1-T1 complete", "1-1-T2 complete", "1-1-T3 complete"],
  );
  const verified = ask("verify", "--repository", kept);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.deepEqual(
    jsonLines(verified).map(({ task, state }) => `${task} ${state}`),
    ["1-1-T1 complete", "1-1-T2 complete", "1-1-T3 complete"],
  );
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
  [
    "a dispute is unjust",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, verdict: "disputed" })) }),
    /is disputed, and git bears it out/,
  ],
  [
    "a lie is believed",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, verdict: "verified" })) }),
    /the commit changes/,
  ],
  [
    "a claim never ended",
    (phase) => ({ ...phase, work: phase.work.filter(({ event }) => event.event !== "task-reported") }),
    /gives dev-\d test\/.*, which dev-\d holds/,
  ],
  [
    "a task is granted to two",
    (phase) => ({ ...phase, work: phase.work.flatMap(twiceGranted) }),
    /grants 1-1-T1 to dev-9, and dev-1 holds it/,
  ],
];

/** The grant of the first task, and right after it one to another agent. */
function twiceGranted(work: RecordedWork): readonly RecordedWork[] {
  const { seq, event } = work;
  const isIt = event.event === "task-claimed" && event.task === "1-1-T1";
  return isIt ? [work, { seq, event: { ...event, holder: "dev-9", files: [] } }] : [work];
}

/** One line a case: what is done to the record, and what is then said not to have happened. */
const gaps: readonly (readonly [string, (phase: RecordedPhase) => RecordedPhase, RegExp])[] = [
  ["nothing is refused", (phase) => ({ ...phase, refusals: [] }), /refused for a wrong word/],
  ["no claim is denied", (phase) => ({ ...phase, refusals: [] }), /denied for files of another/],
  [
    "every claim lies in the contract",
    (phase) => ({ ...phase, refusals: phase.refusals.filter(({ codes }) => !codes.includes("outside-contract")) }),
    /no claim was held to the contract/,
  ],
  [
    "the lie is not there",
    (phase) => ({ ...phase, reports: phase.reports.filter(isNoLie) }),
    /0 reports were disputed/,
  ],
  [
    "the lie is not repaired",
    (phase) => ({ ...phase, reports: phase.reports.filter((each) => each.task !== "1-1-T3" || !isNoLie(each)) }),
    /last report is not verified/,
  ],
  [
    "the plan is not summed up",
    (phase) => ({ ...phase, work: phase.work.filter(({ event }) => event.event !== "plan-summarised") }),
    /not summed up/,
  ],
  [
    "a must-have is shown by nobody",
    (phase) => ({ ...phase, work: phase.work.map(withoutCents) }),
    /no report shows that: 1250 cents are shown as 12\.50/,
  ],
];

/** The report about money without what shows it. */
function withoutCents({ seq, event }: RecordedWork): RecordedWork {
  const isIt = event.event === "task-reported" && event.task === "1-1-T2";
  return { seq, event: isIt ? { ...event, evidence: null } : event };
}

function isNoLie({ verdict }: RecordedPhase["reports"][number]): boolean {
  return verdict !== "disputed";
}

test("the demo's own check finds nothing here, and every planted fault", async () => {
  const read = await readPhase(join(kept, ".baton/journal.db"), repositoryAt(kept, { PATH: process.env.PATH ?? "" }));
  assert.ok(read.ok);
  assert.deepEqual([...faultsOf(read.value, expectedMessages()), ...omissionsOf(read.value)], []);
  for (const [what, damage, fault] of damages) {
    assert.match(faultsOf(damage(read.value), expectedMessages()).join("\n"), fault, what);
  }
  for (const [what, damage, fault] of gaps) assert.match(omissionsOf(damage(read.value)).join("\n"), fault, what);
});

test("what it tells people is what its guide shows, and nothing is left when it is over", () => {
  const temporary = folder();
  const done = demo(temporary, ["--fast"], { TMPDIR: temporary });
  assert.equal(done.code, 0, `${done.stdout}\n${done.stderr}`);
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(done.stdout.includes("\u001b"), false, "no colours but on a terminal");
  const printed = new Set(done.stdout.split("\n").map(withoutChance));
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/demo.md"), "utf8");
  const shown = /```text\n([^`]+)```/.exec(guide)?.[1] ?? "";
  assert.ok(shown.split("\n").length > 20, "the guide shows what it prints");
  for (const line of shown.split("\n").map(withoutChance)) assert.ok(printed.has(line), `not printed: ${line}`);
});

/**
 * Numbers of entries and processes and hashes differ from run to run, and so does the width of their column; and who of
 * the two developers wins which race for which files.
 */
function withoutChance(line: string): string {
  const same = /denied: overlap/.test(line) ? line.replace(/holds .*/, "holds test") : line;
  return same.replaceAll(/\b[0-9a-f]{7,}\b|\d+/g, "#").replaceAll(/ +/g, " ");
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

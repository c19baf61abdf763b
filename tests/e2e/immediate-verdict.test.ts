/**
 * Without a hub, an agent that reports finished work learns immediately what the repository shows, and Baton records
 * it.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { file, git, makeHistory } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, message, problemCodes, team } from "./command.ts";

/** A team in a repository with a contract for `src/`; the second commit changes it. Answers the folder and the commits. */
async function place() {
  const directory = team({ isDeclared: true });
  const readme = ["README.md", file("x")] as const;
  const ids = makeHistory(directory, {
    commits: [
      { tree: new Map([readme]), parents: [] },
      { tree: new Map([readme, ["src/a.js", file("1")]]), parents: [0] },
    ],
    references: { "refs/heads/main": 0 },
  });
  git(directory, "reset", "--quiet", "--hard");
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], {}));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  // The commit comes after the task, as work does.
  git(directory, "update-ref", "refs/heads/main", ids[1] ?? "");
  return { directory, commit: ids[1] ?? "" };
}

const complete = (commit: string) => ["task", "complete", "1-1-T1", "--commit", commit, "--as", "dev-1"];

const states = async (directory: string) => {
  const [status] = jsonLines(await calledWithCode(0, directory, ["status", "--json"]));
  return { tasks: status?.tasks, unverified: status?.unverified };
};

test("a lie is disputed in the answer to it, by Baton, and the report stays recorded", async () => {
  const { directory } = await place();
  const lied = await called(directory, complete("deadbeef"));
  assert.equal(lied.code, 2, lied.stderr);
  assert.match(lied.stdout, /^Reported complete: 1-1-T1 \(entry \d+\)\.\nDisputed: the repository contradicts/);
  assert.match(lied.stderr, /commit-missing/);
  const last = jsonLines(await calledWithCode(0, directory, ["log", "--json"])).at(-1);
  assert.deepEqual([last?.sender, last?.type], ["baton", "record-verdict"]);
  const shown = await calledWithCode(0, directory, ["status"]);
  assert.match(shown.stdout, /1 disputed/);
  assert.match(shown.stdout, /dispute +1-1-T1/);
});

test("what only the reporter's own process has seen says so, and the owner's look judges it again", async () => {
  const directory = team({ isDeclared: true });
  const readme = ["README.md", file("x")] as const;
  const work = ["src/a.js", file("1")] as const;
  const ids = makeHistory(directory, {
    commits: [
      { tree: new Map([readme]), parents: [] },
      { tree: new Map([readme, work]), parents: [0] },
      { tree: new Map([readme, work, ["src/b.js", file("1")]]), parents: [1] },
    ],
    references: { "refs/heads/main": 2 },
  });
  git(directory, "reset", "--quiet", "--hard");
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], {}));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  // A program called git, which shows another repository: there nothing is older than the task.
  const bin = folder();
  git(bin, "init", "--quiet", "--bare", "other.git");
  git(directory, "push", "--quiet", join(bin, "other.git"), `${ids[1]}:refs/heads/main`);
  const script = `[ -z "$GIT_DIR" ] || export GIT_DIR=${bin}/other.git; PATH="\${PATH#*:}" exec git "$@"`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const lied = await called(directory, complete(ids[1] ?? ""), "", { PATH: `${bin}:${process.env.PATH ?? ""}` });
  assert.match(lied.stdout, /\nVerified/, lied.said);
  const shown = await calledWithCode(0, directory, ["task", "list", "1-1-T1"]);
  assert.match(shown.stdout, /note +The reporter's own process looked at it/);
  const looked = await called(directory, ["verify", "--json"]);
  assert.deepEqual(
    jsonLines(looked).map(({ state }) => state),
    ["disputed"],
  );
  assert.deepEqual(problemCodes(looked), ["commit-before-task"]);
  writeFileSync(join(directory, "src/a.js"), "2");
  git(directory, "commit", "--quiet", "-a", "-m", "work");
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  await calledWithCode(0, directory, complete(git(directory, "rev-parse", "HEAD").trim()));
  await calledWithCode(0, directory, ["verify"]);
  const [seen] = jsonLines(await calledWithCode(0, directory, ["task", "list", "1-1-T1", "--json"]));
  assert.deepEqual([seen?.verdict, seen?.notes], ["verified", []]);
});

test("an entry is shown with what became of it: a report with its verdict, why, and the entry that counts now", async () => {
  const { directory, commit } = await place();
  await called(directory, complete("deadbeef"));
  const lie = jsonLines(await calledWithCode(0, directory, ["log", "--json"])).at(-2)?.seq as number;
  const shown = async (seq: number) => (await calledWithCode(0, directory, ["show", String(seq)])).stdout;
  const disputed =
    /^ {2}outcome {4}disputed\n {2}verdict {4}1-1-T1: disputed in entry (\d+)\n {13}commit-missing at deadbeef: /m;
  assert.match(await shown(lie), disputed);
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  await calledWithCode(0, directory, complete(commit));
  const report = lie + 3;
  const repaired = new RegExp(
    `^  outcome    repaired by entry ${report}\\n  verdict    1-1-T1: disputed in entry ${lie + 1}\\n`,
    "m",
  );
  assert.match(await shown(lie), repaired);
  assert.match(
    await shown(report),
    new RegExp(`outcome    verified\\n  verdict    1-1-T1: verified in entry ${report + 1}\\n`),
  );
  // What nothing becomes of has no such line.
  assert.doesNotMatch(await shown(1), /outcome/);
  const [json] = jsonLines(await calledWithCode(0, directory, ["show", String(lie), "--json"]));
  const { outcome, supersededBy, verdicts } = json as { readonly [field: string]: unknown };
  assert.deepEqual([outcome, supersededBy], ["repaired", report]);
  const [verdict] = verdicts as { readonly problems: readonly { readonly code: string }[] }[];
  assert.deepEqual(
    [{ ...verdict, problems: verdict?.problems.map(({ code }) => code) }],
    [{ task: "1-1-T1", seq: lie + 1, state: "disputed", problems: ["commit-missing"] }],
  );
});

test("good work is verified in the answer, wherever the command is called, and asking again says so again", async () => {
  const { directory, commit } = await place();
  // Another repository around the caller must not be asked instead.
  const elsewhere = folder();
  makeHistory(elsewhere, { commits: [{ tree: new Map([["x", file("x")]]), parents: [] }], references: {} });
  const journal = `sqlite:${join(directory, ".git/baton/journal.db")}`;
  const done = await called(elsewhere, [...complete(commit), "--journal", journal, "--json"]);
  assert.equal(done.code, 0, done.stderr);
  const [receipt] = jsonLines(done) as readonly { seq: number; verdicts: { state: string }[] }[];
  assert.deepEqual([typeof receipt?.seq, receipt?.verdicts[0]?.state], ["number", "complete"]);
  const again = await calledWithCode(0, directory, complete(commit));
  assert.match(again.stdout, /^Already reported: 1-1-T1 .*\nVerified: the repository confirms 1-1-T1/);
  assert.deepEqual((await states(directory)).unverified, { awaited: 0, unavailable: 0 });
});

test("a lie about verified work is answered as one, and frees nothing", async () => {
  const { directory, commit } = await place();
  await calledWithCode(0, directory, complete(commit));
  const lied = await called(directory, complete("deadbeef"));
  assert.equal(lied.code, 2, lied.stderr);
  assert.match(
    lied.stdout,
    /\nDisputed: this report of 1-1-T1 does not hold; what was found of an earlier one stays so\./,
  );
  const shown = await calledWithCode(0, directory, ["status"]);
  assert.doesNotMatch(shown.stdout, /dispute +1-1-T1/);
  const [listed] = jsonLines(await calledWithCode(0, directory, ["task", "list", "1-1-T1", "--json"]));
  assert.deepEqual([listed?.commit, listed?.commits], [commit, [commit]], "the board shows the work that counts");
  // What was said of it is about the state that was named, not about who acts.
  const settled = await called(directory, ["task", "settle", "1-1-T1", "superseded"]);
  assert.match(settled.stderr, /^wrong-value at STATE\n.*is not gone/m);
});

test("a check that the owner was not asked about yet is named in the answer to the report", async () => {
  const { directory, commit } = await place();
  const terms = { plan_id: "1-1", phase_id: "phase-1", objective: "x", tasks: ["1-1-T1"], must_haves: ["y"] };
  const more = { ...terms, allowed_paths: ["src/"], verification_checks: ["npm run e2e"] };
  await calledWithCode(
    0,
    directory,
    ["send", "--as", "lead-1"],
    message("plan_contract", "lead", more, { id: "wants-a-check" }),
  );
  const done = await calledWithCode(0, directory, complete(commit));
  assert.match(done.stdout, /\nVerified: /);
  assert.match(done.stderr, /The check "npm run e2e" waits for the owner's answer: `baton needs` asks\./);
  await calledWithCode(0, directory, ["check", "npm run e2e", "no"]);
  assert.doesNotMatch((await calledWithCode(0, directory, complete(commit))).stderr, /npm run e2e/);
});

test("doctor says where the main branch is not there, and where the team file has an error", async () => {
  const { directory } = await place();
  const teamFile = join(directory, ".baton/team.yaml");
  const before = readFileSync(teamFile, "utf8");
  const said = async (name: string) => {
    const done = await called(directory, ["doctor", "--json"]);
    const found = jsonLines(done).find(({ check }) => check === name);
    return `${done.code} ${found?.state} ${found?.finding}`;
  };
  assert.match(await said("main branch"), / ok main$/);
  writeFileSync(teamFile, `${before}main: trunk\n`);
  assert.match(await said("main branch"), / warn there is no branch trunk, as the team file says, so no work lands/);
  writeFileSync(teamFile, `${before}main: [trunk\n`);
  assert.match(await said("team file"), /^2 fail .*team\.yaml:.* not YAML/);
  assert.match(await said("main branch"), /^2 warn not known, because the team file has an error/);
});

test("what is disputed leaves needs while somebody has claimed it", async () => {
  const { directory } = await place();
  await called(directory, complete("deadbeef"));
  const needs = async () => (await calledWithCode(0, directory, ["needs"])).stdout;
  assert.match(await needs(), /task settle 1-1-T1 verified/);
  for (const [agent, count] of [
    ["lead-1", 1],
    ["qa-1", 0],
  ] as const) {
    const theirs = await calledWithCode(0, directory, ["needs", "--as", agent]);
    assert.match(theirs.stdout, new RegExp(`${agent} may decide ${count}\n`));
  }
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  assert.doesNotMatch(await needs(), /1-1-T1/);
});

test("a message that reports completion is judged at once too, and partial work is not", async () => {
  const { directory } = await place();
  const update = (status: string, id: string) =>
    message(
      "execution_update",
      "dev",
      { plan_id: "1-1", task_id: "1-1-T1", status, commit: "deadbeef", files_modified: [] },
      { id },
    );
  const partial = await calledWithCode(0, directory, ["send", "--as", "dev-1"], update("partial", "u-1"));
  assert.doesNotMatch(partial.stdout, /Disputed|Verified|Undecided/);
  const lied = await called(directory, ["send", "--as", "dev-1"], update("complete", "u-2"));
  assert.equal(lied.code, 2, lied.stderr);
  assert.match(lied.stdout, /^Sent: .*\nDisputed:/);
});

test("where git gives no answer the report is undecided, waits, and is said to", async () => {
  const { directory, commit } = await place();
  writeFileSync(join(directory, ".git/config"), "[broken");
  const done = await called(directory, complete(commit));
  assert.equal(done.code, 5, `${done.stdout}${done.stderr}`);
  assert.match(done.stdout, /Undecided: the repository could not answer/);
  assert.deepEqual((await states(directory)).unverified, { awaited: 1, unavailable: 0 });
  const status = await calledWithCode(0, directory, ["status"]);
  assert.match(status.stdout, /not verified: 1 task reported, verdict awaited/);
});

test("an artifact that is said to be committed and is not there is noted in the answer, and its phase is held", async () => {
  const directory = folder();
  makeHistory(directory, { commits: [{ tree: new Map([["x", file("x")]]), parents: [] }], references: {} });
  await calledWithCode(0, directory, ["init", "--kind", "yolo"]);
  const design = (artifact: string) =>
    JSON.stringify({
      type: "architecture_design",
      phase: "01",
      artifact,
      decisions: [{ decision: "A", rationale: "B", alternatives: [] }],
      risks: [],
      committed: true,
    });
  const said = await calledWithCode(0, directory, ["send", "--as", "architect-1", "--json"], design("none.toon"));
  assert.match(said.stderr, /artifact-missing/);
  for (const agent of ["architect-1", "lead-1"]) {
    const inbox = await calledWithCode(0, directory, ["inbox", "--as", agent]);
    assert.match(inbox.stdout, /architect-1's architecture_design \(entry \d+\) says of 1 artifact is disputed/, agent);
  }
  const phase = await calledWithCode(0, directory, ["phase"]);
  assert.match(phase.stdout, /blocked +architecture_design of entry \d+ is disputed/);
});

test("a report of several commits names each, and verify says of every other task why there is nothing to judge", async () => {
  const { directory, commit } = await place();
  git(directory, "reset", "--quiet", "--hard");
  writeFileSync(join(directory, "src/b.js"), "2");
  git(directory, "add", "src/b.js");
  git(directory, "commit", "--quiet", "-m", "more");
  const second = git(directory, "rev-parse", "HEAD").trim();
  const done = await calledWithCode(0, directory, complete(`${commit},${second}`));
  const both = `${commit.slice(0, 12)}, ${second.slice(0, 12)}`;
  assert.ok(done.stdout.includes(`1-1-T1 (commits ${both})`), done.stdout);
  assert.ok((await calledWithCode(0, directory, ["task", "list"])).stdout.includes(both));
  await calledWithCode(0, directory, ["task", "add", "2-1-T1", "--files", "none"]);
  await calledWithCode(0, directory, ["task", "add", "2-1-T2"]);
  await calledWithCode(0, directory, ["task", "complete", "2-1-T1", "--as", "dev-1"]);
  const verified = await calledWithCode(0, directory, ["verify", "2-1-T1", "2-1-T2"]);
  assert.equal(
    verified.stderr,
    "2-1-T1 needs no files, so its report is not checked: it is done.\n2-1-T2 is available, and not reported as complete.\n",
  );
});

test("work that went gone is exit 2, and no verdict is exit 5, also when verify asks", async () => {
  const { directory, commit } = await place();
  await calledWithCode(0, directory, complete(commit));
  git(directory, "update-ref", "refs/heads/main", `${commit}^`);
  for (const words of [["verify"], ["verify", "1-1-T1"]]) {
    const gone = await calledWithCode(2, directory, words);
    assert.match(gone.stdout, /^gone +1-1-T1/);
  }
  writeFileSync(join(directory, ".git/config"), "[broken");
  assert.match((await calledWithCode(5, directory, ["verify"])).stdout, /^reported +1-1-T1/);
});

test("first line and exit code speak of the reporter's own work; a dispute that it settles comes after", async () => {
  const { directory } = await place();
  git(directory, "reset", "--quiet", "--hard");
  await calledWithCode(0, directory, ["task", "release", "1-1-T1", "--as", "dev-1"]);
  for (const [task, path] of [
    ["1-1-T2", "src/b.js"],
    ["1-1-T3", "src/c.js"],
    ["1-1-T4", "src/d.js"],
  ] as const)
    await calledWithCode(0, directory, ["task", "add", task, "--files", path]);
  writeFileSync(join(directory, "src/b.js"), "2");
  writeFileSync(join(directory, "src/c.js"), "2");
  git(directory, "add", "src");
  git(directory, "commit", "--quiet", "-m", "both");
  const commit = git(directory, "rev-parse", "HEAD").trim();
  const report = async (task: string, code: number) => {
    await calledWithCode(0, directory, ["task", "claim", task, "--as", "dev-1"]);
    return await calledWithCode(code, directory, ["task", "complete", task, "--commit", commit, "--as", "dev-1"]);
  };
  assert.match((await report("1-1-T2", 2)).stdout, /\nDisputed: .* 1-1-T2 is not done/);
  assert.match((await report("1-1-T4", 2)).stdout, /\nDisputed: .* 1-1-T4 is not done/);
  const honest = await report("1-1-T3", 0);
  assert.match(
    honest.stdout,
    /^Reported complete: 1-1-T3 \(entry \d+\)\.\nVerified: the repository confirms 1-1-T3 .*\nAlso verified now: 1-1-T2, which was disputed/,
  );
  assert.doesNotMatch(`${honest.stdout}${honest.stderr}`, /1-1-T4|nothing-changed/);
});

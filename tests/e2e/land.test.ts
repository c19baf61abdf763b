/** Verified work lands on the main branch: in order, checked as it comes together, and never over the person's files. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { called, calledWithCode } from "./called.ts";
import { commandNode, environment, jsonLines, mainBundle, message, team } from "./command.ts";
import { commit, done, git, passes, stage } from "./gate-place.ts";
import { startHub } from "./hub-process.ts";

/** A team whose developers have a work tree and branch each. */
async function shop(settings = "") {
  const directory = team();
  appendFileSync(join(directory, ".baton/team.yaml"), settings);
  writeFileSync(join(directory, ".baton/.gitignore"), "*\n");
  done(directory, "init", "--quiet", "-b", "main");
  stage(directory, "README.md", "The shop.\n");
  stage(directory, "src/a.js", "one\ntwo\n");
  passes(commit(directory, null));
  const agents = ["dev-1", "dev-2", "dev-3"];
  const treeOf = (agent: string) => `${directory}-${agent}`;
  for (const agent of agents) {
    if (agent !== "dev-1") await calledWithCode(0, directory, ["agent", "register", agent, "--role", "dev"]);
    done(directory, "worktree", "add", "--quiet", "-b", agent, treeOf(agent));
  }
  const add = async (task: string, file: string, ...more: string[]) =>
    await calledWithCode(0, directory, ["task", "add", "--plan", "1-1", "--files", file, ...more, task]);
  /** Claims a task, commits a file and reports the commit, or what it is said to be. */
  const does = async (agent: string, task: string, file: string, text: string, lie: readonly string[] = []) => {
    const claimed = await called(treeOf(agent), ["task", "claim", task, "--as", agent]);
    assert.equal(claimed.code, 0, claimed.said);
    stage(treeOf(agent), file, text);
    passes(commit(treeOf(agent), agent));
    const id = done(treeOf(agent), "rev-parse", "HEAD").trim();
    const told = await called(treeOf(agent), ["task", "complete", task, "--commit", id, "--as", agent, ...lie]);
    assert.equal(told.code, lie.length === 0 ? 0 : 2, told.said);
  };
  const land = async (...words: string[]) => {
    const told = await called(directory, ["land", "--json", ...words]);
    const found = jsonLines(told).map(({ task, outcome, why }) => [task, outcome, why]);
    return { ...told, found };
  };
  const main = () => done(directory, "rev-parse", "main").trim();
  const states = async () =>
    jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"])).map((task) => {
      const { place } = task as { place?: { at: string } }; // as documented
      return [task.task, place?.at];
    });
  return { directory, treeOf, add, does, land, main, states };
}

test("verified work lands in order, each with its merge, beside the person's open files; a conflict stays and is named", async () => {
  const { directory, add, does, land, main, states } = await shop();
  await add("1-1-T1", "src/b.js");
  await add("1-1-T2", "src/c.js", "--after", "1-1-T1");
  await add("1-1-T3", "src/a.js");
  await add("1-1-T4", "src/a.js");
  await does("dev-2", "1-1-T1", "src/b.js", "b\n");
  await does("dev-1", "1-1-T3", "src/a.js", "one\nthree\n");
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  await does("dev-3", "1-1-T4", "src/a.js", "one\nfour\n");
  writeFileSync(join(directory, "README.md"), "The shop, being written.\n");
  stage(directory, "notes.txt", "mine");
  const before = main();

  const dry = await land("--dry-run");
  assert.deepEqual([dry.code, main()], [2, before]);
  const landed = await land();
  assert.equal(landed.code, 2, landed.said);
  assert.deepEqual(landed.found, [
    ["1-1-T1", "landed", null],
    ["1-1-T3", "landed", null],
    ["1-1-T2", "landed", null],
    ["1-1-T4", "conflict", "It conflicts in src/a.js. dev-3 merges the branch and reports again."],
  ]);
  assert.deepEqual(dry.found, landed.found);
  const trailers = done(
    directory,
    "log",
    "--first-parent",
    "--format=%(trailers:key=Baton-Landed,valueonly,separator=%x20)",
    `${before}..main`,
  );
  assert.deepEqual(trailers.trim().split("\n"), ["1-1-T2", "1-1-T3", "1-1-T1"]);
  assert.equal(readFileSync(join(directory, "README.md"), "utf8"), "The shop, being written.\n");
  assert.equal(readFileSync(join(directory, "src/a.js"), "utf8"), "one\nthree\n");
  assert.equal(
    done(directory, "status", "--porcelain", "README.md", "notes.txt", "src"),
    " M README.md\nA  notes.txt\n",
  );
  assert.deepEqual(await states(), [
    ["1-1-T1", "landed"],
    ["1-1-T2", "landed"],
    ["1-1-T3", "landed"],
    ["1-1-T4", "branch"],
  ]);
  const again = await land();
  assert.deepEqual(again.found, [
    ["1-1-T4", "waits", "It is dev-3's again: It conflicts in src/a.js. dev-3 merges the branch and reports again."],
  ]);
});

test("what does not land is its author's again with both sides, told to the other side and the lead, until it reports anew", async () => {
  const { directory, add, does, land, main, treeOf } = await shop();
  await calledWithCode(0, directory, ["agent", "register", "lead-1", "--role", "lead"]);
  await add("1-1-T1", "src/a.js");
  await add("1-1-T2", "src/a.js");
  await does("dev-1", "1-1-T1", "src/a.js", "one\nalpha\n");
  await does("dev-2", "1-1-T2", "src/a.js", "one\nbeta gamma\n");
  const before = main();
  assert.deepEqual(
    (await land()).found.map(([task, outcome]) => [task, outcome]),
    [
      ["1-1-T1", "landed"],
      ["1-1-T2", "conflict"],
    ],
  );
  const listed = async () => {
    const tasks = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
    const task = tasks.find((each) => each.task === "1-1-T2");
    return [task?.state, task?.holder, task?.files];
  };
  assert.deepEqual(await listed(), ["returned", "dev-2", ["src/a.js"]]);
  const reopened = await called(directory, ["task", "reopen", "1-1-T2"]);
  assert.match(reopened.said, /dev-2 has 1-1-T2 in hand[\s\S]*baton task release TASK/);
  for (const agent of ["dev-2", "dev-1", "lead-1"]) {
    const { said } = await called(directory, ["inbox", "--as", agent, "--json"]);
    const details = JSON.parse(
      /Details: (\{.*?\})(?:\\n|")/.exec(said.replaceAll('\\"', '"'))?.[1]?.replaceAll("\\\\", "\\") ?? "{}",
    );
    const { task, files, ours, hunks } = details;
    assert.deepEqual(
      { task, files, ours, hunks },
      {
        task: "1-1-T2",
        files: ["src/a.js"],
        ours: main(),
        hunks: [{ file: "src/a.js", ours: "alpha\n", theirs: "beta gamma\n" }],
      },
      `${agent}: ${said}`,
    );
    assert.match(said, /Other side: 1-1-T1 by dev-1/);
  }
  const needs = async () => (await called(directory, ["needs", "--json"])).said;
  assert.doesNotMatch(await needs(), /unlanded/, "its author is there and works on it");
  // What nobody works on any more is the person's.
  assert.equal((await called(treeOf("dev-2"), ["task", "release", "1-1-T2", "--as", "dev-2"])).code, 0);
  assert.match(await needs(), /unlanded:1-1-T2/);
  assert.equal((await called(treeOf("dev-2"), ["task", "claim", "1-1-T2", "--as", "dev-2"])).code, 0);

  git(treeOf("dev-2"), ["merge", "main"]);
  stage(treeOf("dev-2"), "src/a.js", "one\nalpha\nbeta gamma\n");
  passes(commit(treeOf("dev-2"), "dev-2"));
  const commits = `${done(treeOf("dev-2"), "rev-parse", "HEAD^").trim()},${done(treeOf("dev-2"), "rev-parse", "HEAD").trim()}`;
  const told = await called(treeOf("dev-2"), ["task", "complete", "1-1-T2", "--commit", commits, "--as", "dev-2"]);
  assert.equal(told.code, 0, told.said);
  assert.deepEqual((await land()).found, [["1-1-T2", "landed", null]]);
  assert.notEqual(main(), before);
  assert.deepEqual((await listed()).slice(0, 2), ["complete", null]);
  const log = (await called(directory, ["log", "--limit", "100"])).said;
  for (const landed of ["landed 1-1-T1 on main", "did not land 1-1-T2 on main", "landed 1-1-T2 on main"])
    assert.equal(log.split(landed).length, 2, landed);
});

test("work that is built on what came back is all of it, also where no commit names the task", async () => {
  const { directory, add, does, land, main, treeOf } = await shop(
    'checks:\n  commands: ["grep -rq two src"]\n  sandbox: none\n',
  );
  await add("1-1-T1", "src/a.js");
  await does("dev-1", "1-1-T1", "src/a.js", "three\n");
  await land();
  stage(treeOf("dev-1"), "src/a.js", "one\ntwo\nthree\nfour\n");
  passes(commit(treeOf("dev-1"), "dev-1"));
  const mended = done(treeOf("dev-1"), "rev-parse", "HEAD").trim();
  const told = await called(treeOf("dev-1"), ["task", "complete", "1-1-T1", "--commit", mended, "--as", "dev-1"]);
  assert.match(told.said, /to be merged/, "the lines that it put back are no work of it, and main has them");
  const landed = await land();
  assert.deepEqual(
    landed.found.map(([, outcome]) => outcome),
    ["landed"],
    landed.said,
  );
  assert.equal(done(directory, "show", `${main()}:src/a.js`), "one\ntwo\nthree\nfour\n");
});

test("what did not land is not done by a commit that was there already", async () => {
  const { directory, add, does, land, main, treeOf } = await shop();
  await add("1-1-T1", "src/a.js");
  await add("1-1-T2", "src/a.js");
  await does("dev-1", "1-1-T1", "src/a.js", "one\nalpha\n");
  await does("dev-2", "1-1-T2", "src/a.js", "one\nbeta gamma\n");
  await land();
  const reported = await called(treeOf("dev-2"), ["task", "complete", "1-1-T2", "--commit", main(), "--as", "dev-2"]);
  assert.equal(reported.code, 2, reported.said);
  assert.match(reported.said, /commit-before-task|held this commit before/);
  const tasks = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  const task = tasks.find((each) => each.task === "1-1-T2");
  assert.equal(task?.commit, done(treeOf("dev-2"), "rev-parse", "HEAD").trim(), "its own work stays what is to land");
  assert.match(JSON.stringify(task?.place), /"at":"branch"/);
});

test("work that its author took back because a check was red needs the person at once, and is settled by its own commit", async () => {
  const { directory, add, does, land, treeOf } = await shop(
    'checks:\n  commands: ["! grep -rq XX lines"]\n  sandbox: none\n',
  );
  await add("1-1-T1", "lines/a.txt");
  stage(treeOf("dev-1"), "lines/a.txt", "one\ntwo\n");
  passes(commit(treeOf("dev-1"), null));
  done(directory, "merge", "--quiet", "dev-1");
  await does("dev-1", "1-1-T1", "lines/a.txt", "one\nXX\n");
  const red = done(treeOf("dev-1"), "rev-parse", "HEAD").trim();
  assert.deepEqual(
    (await land()).found.map(([, outcome]) => outcome),
    ["failed"],
  );
  // As the tree in which a hub runs checks, which it keeps.
  const checks = join(`${directory}-checks`, "baton-check-1-x", "tree");
  done(directory, "worktree", "add", "--quiet", "--detach", checks, red);
  stage(treeOf("dev-1"), "lines/a.txt", "one\ntwo\n");
  passes(commit(treeOf("dev-1"), "dev-1"));
  const cured = done(treeOf("dev-1"), "rev-parse", "HEAD").trim();
  const told = await called(treeOf("dev-1"), ["task", "complete", "1-1-T1", "--commit", cured, "--as", "dev-1"]);
  assert.match(told.said, /Gone: the work of 1-1-T1 .*\n[\s\S]*baton task settle TASK superseded/);
  assert.match(
    (await called(directory, ["needs"])).said,
    /baton task settle 1-1-T1 superseded\n +baton task reopen 1-1-T1/,
  );
  const list = async () => (await called(directory, ["task", "list"])).said;
  assert.doesNotMatch(await list(), /to be merged/);
  const lines = jsonLines(await called(directory, ["log", "--json"]));
  assert.deepEqual(
    lines.flatMap(({ report, outcome }) => (report === null ? [] : [outcome])),
    ["superseded", "disputed"],
  );
  assert.equal((await called(directory, ["task", "settle", "1-1-T1", "superseded"])).code, 0);
  const [task] = jsonLines(await called(directory, ["task", "list", "--json"]));
  assert.deepEqual([task?.commit, JSON.stringify(task?.place).includes("settled")], [red, true]);
});

test("where the branch itself does not pass, nobody's work is returned", async () => {
  const { add, does, land, directory } = await shop(
    'checks:\n  commands: ["seq 40; f=$(git rev-parse --git-common-dir)/n; echo >>$f; seq -s . $(wc -l <$f); test -e never"]\n  sandbox: none\n',
  );
  await add("1-1-T1", "src/b.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  const landed = await land();
  const [found] = landed.found;
  const runs = [...landed.said.matchAll(/^ran seq.*: did not pass/gm)].length;
  assert.equal(runs, 3, "with the work, without it, and that once more");
  assert.deepEqual(
    [landed.said.match(/^(?:21|22|40)$/gm), landed.said.match(/All that it/g)?.length],
    [["22", "40"], 1],
  );
  assert.deepEqual(found?.slice(0, 2), ["1-1-T1", "waits"]);
  assert.match(String(found?.[2]), /do not pass on the branch as it is, without this work/);
  const [task] = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  assert.equal(task?.state, "complete");
});

test("work that comes back before Baton's branch exists is to be merged with the person's", async () => {
  const { directory, add, does } = await shop(
    'land: {when: auto}\nchecks:\n  commands: ["! grep -rq XX src"]\n  sandbox: none\n',
  );
  await add("1-1-T1", "src/b.js");
  await startHub(directory);
  await does("dev-1", "1-1-T1", "src/b.js", "XX\n");
  const mail = async () => (await called(directory, ["inbox", "--as", "dev-1"])).said;
  await until(async () => (await mail()).includes("did not land"));
  assert.equal(git(directory, ["rev-parse", "--verify", "--quiet", "baton/main"]).status, 1);
  assert.match(await mail(), /did not land on main: a check [\s\S]*merges main into its branch, mends/);
  assert.doesNotMatch(await mail(), /baton\/main/);
});

test("what the checks refuse with the rest stays, the others land as exactly the commit that was checked", async () => {
  const { directory, add, does, land, main } = await shop(
    'checks:\n  commands: ["! ls | grep -q bad"]\n  sandbox: none\n',
  );
  await add("1-1-T1", "good.txt");
  await add("1-1-T2", "bad.txt");
  await add("1-1-T3", "Makefile");
  await does("dev-1", "1-1-T1", "good.txt", "good\n");
  await does("dev-2", "1-1-T2", "bad.txt", "bad\n");
  await does("dev-3", "1-1-T3", "Makefile", "test:\n\ttrue\n");
  const landed = await land();
  assert.equal(landed.code, 2, landed.said);
  const [good, bad, make] = landed.found;
  assert.deepEqual(good, ["1-1-T1", "landed", null]);
  assert.deepEqual(bad?.slice(0, 2), ["1-1-T2", "failed"]);
  assert.match(String(bad?.[2]), /grep -q bad/);
  assert.deepEqual(make, [
    "1-1-T3",
    "waits",
    "It changes Makefile, and with it how checks run. Look at its branch, then name it: baton land 1-1-T3.",
  ]);
  assert.doesNotMatch(done(directory, "ls-tree", "--name-only", "main"), /bad|Makefile/);
  for (const command of ["needs", "status"]) {
    const terminal = { isTTY: true, columns: 80 };
    const signal = new AbortController().signal;
    const lines = (await called(directory, [command, "--no-color"], "", {}, signal, terminal)).said.split("\n");
    const text = lines.map((line) => line.trim()).join(" ");
    assert.match(text, /Look at its branch, then name it: baton land 1-1-T3\./, command);
    const long = lines.filter((line) => line.length > 80 && !line.trim().startsWith("baton ") && command === "needs");
    assert.deepEqual(long, []);
    assert.doesNotMatch(text, /…|\.;/);
  }
  assert.deepEqual((await land("1-1-T3")).found, [["1-1-T3", "landed", null]]);
  assert.equal(done(directory, "worktree", "list").trim().split("\n").length, 4, "no tree of a check is left");
  assert.equal(done(directory, "log", "-1", "--format=%s", main()).trim(), "Merge 1-1-T3 (dev-3)");
});

test("one of five that breaks the checks goes back and four land; a check that fails by chance blames nobody", async () => {
  const flag = "$(git rev-parse --git-common-dir)/once";
  const { directory, add, does, land, states, treeOf } = await shop(
    `checks:\n  commands: ["! ls | grep -q bad", "ls | grep -q flaky || exit 0; test -e ${flag} || { touch ${flag}; exit 1; }"]\n  sandbox: none\n`,
  );
  const files = ["one.txt", "two.txt", "bad.txt", "four.txt", "five.txt"];
  for (const [index, file] of files.entries()) await add(`1-1-T${index + 1}`, file);
  for (const [index, file] of files.entries()) {
    const agent = `dev-${(index % 3) + 1}`;
    // From where nothing has landed: a branch carries its earlier commits.
    done(treeOf(agent), "checkout", "--quiet", "-B", `${agent}-${index}`, "main");
    await does(agent, `1-1-T${index + 1}`, file, `${file}\n`);
  }
  const landed = await land();
  assert.deepEqual(
    landed.found.map(([task, outcome]) => [task, outcome]),
    files.map((file, index) => [`1-1-T${index + 1}`, file === "bad.txt" ? "failed" : "landed"]),
  );
  assert.deepEqual(
    (await states()).map(([, at]) => at),
    files.map((file) => (file === "bad.txt" ? "branch" : "landed")),
  );
  // The next task on the branch of what came back brings that too.
  done(treeOf("dev-3"), "checkout", "--quiet", "dev-3-2");
  await add("1-1-T7", "seven.txt");
  await does("dev-3", "1-1-T7", "seven.txt", "7\n");
  const bad = done(treeOf("dev-3"), "rev-parse", "--short=12", "HEAD^").trim();
  const behind = `It waits for 1-1-T3, which came back, because its branch has commit ${bad} of it. dev-3 repairs 1-1-T3 and reports it again; then both land.`;
  for (const named of [[], ["1-1-T7"]])
    assert.deepEqual(
      (await land(...named)).found.find(([task]) => task === "1-1-T7"),
      ["1-1-T7", "waits", behind],
      "also where it is named it is not sent back for the other's commit",
    );
  done(treeOf("dev-3"), "rm", "--quiet", "bad.txt");
  await does("dev-3", "1-1-T3", "mended.txt", "mended\n");
  await add("1-1-T6", "flaky.txt");
  done(treeOf("dev-1"), "checkout", "--quiet", "-B", "dev-1-6", "main");
  await does("dev-1", "1-1-T6", "flaky.txt", "x\n");
  const flaky = await land("1-1-T6");
  assert.deepEqual(flaky.found, [["1-1-T6", "landed", null]], flaky.said);
  assert.ok(existsSync(join(directory, ".git/once")), "the check has failed once");
  assert.deepEqual(
    (await land()).found.map(([task, outcome]) => [task, outcome]),
    [
      ["1-1-T7", "landed"],
      ["1-1-T3", "landed"],
    ],
  );
});

test("where a file of the person's would be overwritten nothing moves; a branch that nobody has checked out moves alone", async () => {
  const { directory, add, does, land, main } = await shop();
  await add("1-1-T1", "src/a.js");
  await does("dev-1", "1-1-T1", "src/a.js", "one\nthree\n");
  writeFileSync(join(directory, "src/a.js"), "mine\n");
  const before = main();
  const refused = await land();
  assert.match(refused.said, /not-ready/);
  assert.match(refused.said, /src\/a\.js/);
  assert.deepEqual([main(), readFileSync(join(directory, "src/a.js"), "utf8")], [before, "mine\n"]);
  done(directory, "switch", "--quiet", "-c", "elsewhere");
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  assert.notEqual(main(), before);
  assert.equal(readFileSync(join(directory, "src/a.js"), "utf8"), "mine\n");
});

test("the person's yes to an override lands that one task once, red, disputed or gone, and log and receipt say so", async () => {
  const { directory, treeOf, add, does, land } = await shop(
    'checks:\n  commands: ["! ls | grep -q bad"]\n  sandbox: none\n',
  );
  await calledWithCode(0, directory, ["agent", "register", "lead-1", "--role", "lead"]);
  await add("1-1-T1", "bad.txt");
  await add("1-1-T2", "src/b.js");
  await add("1-1-T3", "src/c.js");
  await does("dev-3", "1-1-T3", "src/c.js", "c\n");
  done(treeOf("dev-3"), "reset", "--quiet", "--hard", "HEAD^");
  await called(directory, ["verify"]);
  assert.match((await called(directory, ["needs"])).said, /1-1-T3 was verified, and its work is not in the repository/);
  await does("dev-1", "1-1-T1", "bad.txt", "bad\n");
  await does("dev-2", "1-1-T2", "src/b.js", "b\n", ["--files", "src/never.js"]);
  assert.deepEqual((await land()).found[0]?.slice(0, 2), ["1-1-T1", "failed"]);
  for (const [agent, task] of Object.entries({ "dev-1": "1-1-T1", "dev-2": "1-1-T2", "dev-3": "1-1-T3" })) {
    const asked = { subject: "Land it", request_type: "gate_override", evidence: "The check is wrong" };
    const sent = message("approval_request", "dev", asked, { id: `over-${task}`, task });
    await calledWithCode(0, directory, ["send", "--as", agent], sent);
    const refused = await called(directory, ["approve", `over-${task}`, "--as", "lead-1"]);
    assert.match(refused.said, /human-required/);
    const yes = await calledWithCode(0, directory, ["approve", `over-${task}`]);
    assert.match(yes.stdout + yes.stderr, /may land once/);
  }
  assert.deepEqual((await land()).found, [
    ["1-1-T3", "landed", null],
    ["1-1-T1", "landed", null],
    ["1-1-T2", "landed", null],
  ]);
  assert.match(done(directory, "ls-tree", "-r", "--name-only", "main"), /bad\.txt[\s\S]*src\/b\.js\nsrc\/c\.js/);
  const { said } = await called(directory, ["log", "--limit", "50"]);
  for (const task of ["1-1-T1", "1-1-T2", "1-1-T3"])
    assert.match(said, new RegExp(`landed ${task} on main by over-${task}`));
  const tasks = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  assert.deepEqual(
    tasks.slice(0, 3).map(({ state, holder }) => [state, holder]),
    [
      ["complete", null],
      ["complete", null],
      ["complete", null],
    ],
  );
  for (const task of ["1-1-T1", "1-1-T2"]) {
    const { payload } = JSON.parse((await calledWithCode(0, directory, ["receipt", task])).stdout);
    const { predicate } = JSON.parse(Buffer.from(payload, "base64").toString());
    assert.equal(predicate.landed.override, `over-${task}`);
  }
  // A look later does not take the person's word back, and what comes next is judged as ever.
  await called(directory, ["verify"]);
  assert.deepEqual((await land()).found, []);
});

test("where the main branch and its remote went apart, landing says what to type, and goes on after that", async () => {
  const { directory, add, does, land } = await shop();
  const remote = `${directory}-origin.git`;
  done(directory, "clone", "--quiet", "--bare", directory, remote);
  done(directory, "remote", "add", "origin", remote);
  done(directory, "worktree", "add", "--quiet", "-b", "theirs", `${directory}-theirs`);
  stage(`${directory}-theirs`, "theirs.txt", "theirs\n");
  passes(commit(`${directory}-theirs`, null));
  done(directory, "push", "--quiet", "origin", "theirs:main");
  done(directory, "fetch", "--quiet", "origin");
  await add("1-1-T1", "src/b.js");
  await add("1-1-T2", "src/c.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  assert.match(
    (await land()).said,
    /main and origin\/main went apart\. On main: git pull --no-rebase, and baton land goes on/,
  );
  const names = ["-c", "user.name=x", "-c", "user.email=x@y.invalid"];
  done(directory, ...names, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main");
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  const after = await land();
  assert.deepEqual(after.found, [["1-1-T2", "landed", null]]);
  assert.doesNotMatch(after.said, /apart/);
});

test("who commits on the branch while the checks run loses nothing: landing begins again behind that commit", async () => {
  const { directory, add, does, land } = await shop('checks:\n  commands: ["./commits-once"]\n  sandbox: none\n');
  const once = join(directory, ".git/once");
  const commits = `git -C '${directory}' -c user.name=x -c user.email=x@y.invalid commit --quiet --allow-empty -m theirs`;
  stage(directory, "commits-once", `#!/bin/sh\ntest -e '${once}' || { touch '${once}' && ${commits}; }\n`);
  done(directory, "update-index", "--chmod=+x", "commits-once");
  passes(commit(directory, null));
  await add("1-1-T1", "src/b.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  const subjects = done(directory, "log", "--first-parent", "-3", "--format=%s").trim().split("\n");
  assert.deepEqual(subjects, ["Merge 1-1-T1 (dev-1)", "theirs", "work"]);
});

test("what another hand lands while the checks run is in the list of what the main branch moves with", async () => {
  const { directory, add, does, land, treeOf } = await shop(
    'land: {when: auto}\nchecks:\n  commands: ["./lands-once"]\n  sandbox: none\n',
  );
  const once = join(directory, ".git/once");
  const baton = `'${commandNode}' '${mainBundle}'`;
  const lands = [
    `cd '${treeOf("dev-2")}'`,
    `${baton} task complete 1-1-T2 --as dev-2 --commit "$(git rev-parse HEAD)"`,
    `cd '${directory}'`,
    // It is in the way of the main branch, not of Baton's.
    `echo mine >src/c.js && ! ${baton} land && rm src/c.js`,
  ].join(" && ");
  stage(directory, "lands-once", `#!/bin/sh\ntest -e '${once}' || { touch '${once}' && ${lands}; }\n`);
  done(directory, "update-index", "--chmod=+x", "lands-once");
  passes(commit(directory, null));
  for (const [task, file] of [
    ["1-1-T1", "src/b.js"],
    ["1-1-T2", "src/c.js"],
  ] as const)
    await add(task, file);
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  assert.equal((await called(treeOf("dev-2"), ["task", "claim", "1-1-T2", "--as", "dev-2"])).code, 0);
  stage(treeOf("dev-2"), "src/c.js", "c\n");
  passes(commit(treeOf("dev-2"), "dev-2"));
  const landed = await land();
  assert.match(landed.said, /^ran \.\/lands-once with 1-1-T1: passed /m);
  assert.deepEqual(
    landed.found,
    [
      ["1-1-T1", "landed", null],
      ["1-1-T2", "landed", null],
    ],
    landed.said,
  );
});

test("a commit that the person takes off the branch while the checks run stays off it", async () => {
  const { directory, add, does, land } = await shop('checks:\n  commands: ["./resets-once"]\n  sandbox: none\n');
  const once = join(directory, ".git/once");
  const resets = `git -C '${directory}' reset --quiet --keep HEAD~1`;
  stage(directory, "resets-once", `#!/bin/sh\ntest -e '${once}' || { touch '${once}' && ${resets}; }\n`);
  done(directory, "update-index", "--chmod=+x", "resets-once");
  passes(commit(directory, null));
  stage(directory, "unwanted.txt");
  passes(commit(directory, null));
  await add("1-1-T1", "src/b.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  assert.doesNotMatch(done(directory, "ls-tree", "--name-only", "main"), /unwanted/);
});

test("work that was merged with the main branch by its author is not taken for landed by what came from there", async () => {
  const { directory, add, does, land, treeOf } = await shop();
  await add("1-1-T1", "src/a.js");
  const tree = treeOf("dev-1");
  await does("dev-1", "1-1-T1", "src/a.js", "one v2\n[two]\n");
  const first = done(tree, "rev-parse", "HEAD").trim();
  stage(directory, "src/a.js", "one (Pat)\ntwo\n");
  passes(commit(directory, null));
  assert.deepEqual((await land()).found[0]?.slice(0, 2), ["1-1-T1", "conflict"]);
  git(tree, ["merge", "main"]);
  stage(tree, "src/a.js", "one v2 (Pat)\n[two]\n");
  passes(commit(tree, "dev-1"));
  const both = `${first},${done(tree, "rev-parse", "HEAD").trim()}`;
  const told = await called(tree, ["task", "complete", "1-1-T1", "--commit", both, "--as", "dev-1"]);
  assert.match(told.said, /on dev-1, to be merged/);
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  assert.equal(readFileSync(join(directory, "src/a.js"), "utf8"), "one v2 (Pat)\n[two]\n");
});

test("a branch that carries commits of a disputed report waits, and only the owner lands", async () => {
  const { add, does, land, treeOf } = await shop();
  await add("1-1-T1", "src/b.js");
  await add("1-1-T2", "src/c.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n", ["--files", "src/never.js"]);
  await does("dev-1", "1-1-T2", "src/c.js", "c\n");
  const waits = await land();
  assert.deepEqual([waits.code, waits.found[0]?.slice(0, 2)], [2, ["1-1-T2", "waits"]]);
  assert.match(
    String(waits.found[0]?.[2]),
    /^Its branch has commit [0-9a-f]{12} of 1-1-T1, which is not verified\. Look at its branch, then name it: baton land 1-1-T2\.$/,
  );
  const agent = await called(treeOf("dev-1"), ["land"], "", { BATON_AGENT: "dev-1" });
  assert.notEqual(agent.code, 0, agent.said);
});

test("what a branch brings besides verified work, and work whose dependency does not land, wait until they are named", async () => {
  const { directory, add, does, land, treeOf } = await shop();
  await add("1-1-T1", "src/a.js");
  await add("1-1-T2", "src/b.js", "--after", "1-1-T1");
  await add("1-1-T3", "src/c.js");
  stage(treeOf("dev-3"), "test.sh", "exit 0\n");
  passes(commit(treeOf("dev-3"), "dev-3"));
  await does("dev-3", "1-1-T3", "src/c.js", "c\n");
  await does("dev-1", "1-1-T1", "src/a.js", "one\nthree\n");
  git(treeOf("dev-2"), ["merge", "--quiet", "dev-1"]);
  await does("dev-2", "1-1-T2", "src/b.js", "b\n");
  stage(directory, "src/a.js", "one\nfour\n");
  passes(commit(directory, null));
  const besides =
    "Its branch also changes test.sh, which the verified work does not. Look at its branch, then name it: baton land 1-1-T3.";
  assert.deepEqual((await land()).found, [
    ["1-1-T3", "waits", besides],
    ["1-1-T1", "conflict", "It conflicts in src/a.js. dev-1 merges the branch and reports again."],
    ["1-1-T2", "waits", "What it depends on does not land."],
  ]);
  assert.deepEqual((await land("1-1-T2")).found, [["1-1-T2", "waits", "What it depends on does not land."]]);
  assert.deepEqual((await land("1-1-T3")).found, [["1-1-T3", "landed", null]]);
  assert.match((await land("9-9-T9")).said, /unknown-task/);
});

test("work that waits for a look at its branch needs nobody while other work of its author is about to land with it", async () => {
  const { directory, add, does, land, treeOf } = await shop();
  await add("1-1-T1", "src/c.js");
  await add("1-1-T2", "test.sh");
  stage(treeOf("dev-3"), "test.sh", "exit 0\n");
  passes(commit(treeOf("dev-3"), "dev-3"));
  await does("dev-3", "1-1-T1", "src/c.js", "c\n");
  assert.deepEqual((await land()).found[0]?.slice(0, 2), ["1-1-T1", "waits"]);
  const needs = async () => (await called(directory, ["needs"])).said;
  assert.match(await needs(), /The work of 1-1-T1 waits/);
  await does("dev-3", "1-1-T2", "test.sh", "exit 1\n");
  assert.doesNotMatch(await needs(), /The work of 1-1-T1 waits/);
  assert.deepEqual(
    (await land()).found.map(([task, outcome]) => `${task} ${outcome}`),
    ["1-1-T1 landed", "1-1-T2 landed"],
  );
  assert.doesNotMatch(await needs(), /1-1-T1/);
});

test("nothing of the person's is overwritten, ignored or not, no filter or agent runs a landing, and the branch is compared", async () => {
  const { directory, add, does, land, main, treeOf } = await shop();
  await add("1-1-T1", ".env");
  await does("dev-1", "1-1-T1", ".env", "theirs\n");
  writeFileSync(join(directory, ".git/info/exclude"), ".env\n");
  writeFileSync(join(directory, ".env"), "mine\n");
  const before = main();
  assert.match((await land()).said, /\.env is in the way, which git does not track/);
  assert.deepEqual([main(), readFileSync(join(directory, ".env"), "utf8")], [before, "mine\n"]);
  rmSync(join(directory, ".env"));
  for (const variables of [{ BATON_AGENT: "dev-1" }, { CLAUDECODE: "1" }])
    assert.match((await called(directory, ["land"], "", variables)).said, /human-required/);
  assert.equal((await called(treeOf("dev-1"), ["land"], "", { BATON_AGENT: "dev-1" })).code, 2);
  done(directory, "config", "baton.agent", "dev-1");
  assert.match((await land()).said, /identity-mismatch/, "a name for all work trees");
  done(directory, "config", "--unset", "baton.agent");
  const marker = join(directory, ".git/ran");
  done(directory, "config", "filter.e.smudge", `touch '${marker}'; cat`);
  done(directory, "config", "branch.main.mergeOptions", "--squash");
  done(directory, "config", "core.worktree", treeOf("dev-2"));
  writeFileSync(join(directory, ".git/info/attributes"), "* filter=e\n");
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  done(directory, "config", "--unset", "core.worktree");
  assert.notEqual(main(), before);
  assert.equal(readFileSync(join(directory, ".env"), "utf8"), "theirs\n");
  assert.ok(!existsSync(marker), "a filter ran");
});

/** Waits for what a hub does by itself; the run's own limit ends it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.wait(100, new AbortController().signal);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a hub lands verified work by itself on Baton's branch, never in the person's tree, also after a squash and beside a crash", async () => {
  const { directory, add, does, land, main } = await shop("land:\n  when: auto\n");
  for (const [task, file] of Object.entries({ T1: "src/b.js", T2: "src/c.js", T3: "src/d.js" }))
    await add(`1-1-${task}`, file);
  writeFileSync(join(directory, "README.md"), "The shop, being written.\n");
  const before = main();
  const has = (file: string) => git(directory, ["cat-file", "-e", `baton/main:${file}`]).status === 0;
  const first = await startHub(directory);
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  await until(() => has("src/b.js"));
  await until(async () => (await called(directory, ["needs", "--json"])).said.includes('"landing:move"'));
  assert.deepEqual([main(), done(directory, "status", "--porcelain", "README.md", "src")], [before, " M README.md\n"]);
  await first.kill();

  // A pull request by squash, as its own commit; then what landed begins again from there.
  done(directory, "merge", "--quiet", "--squash", "baton/main");
  passes(commit(directory, null));
  const squashed = main();
  await startHub(directory);
  // Before any work waits, so that the next task begins there; what came so is not merged again.
  await until(() => done(directory, "rev-parse", "baton/main").trim() === squashed);
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  await until(() => has("src/c.js"));
  assert.equal(done(directory, "rev-parse", "baton/main^").trim(), squashed);
  // The person goes on beside it.
  stage(directory, "notes.txt", "mine");
  passes(commit(directory, null));
  await does("dev-3", "1-1-T3", "src/d.js", "d\n");
  await until(() => has("src/d.js"));
  assert.ok(has("notes.txt"));
  await until(async () => (await called(directory, ["log", "--limit", "200"])).said.includes("landed 1-1-T3"));
  const landed = await land();
  assert.equal(landed.code, 0, landed.said);
  assert.deepEqual(landed.found, [
    ["1-1-T2", "landed", null],
    ["1-1-T3", "landed", null],
  ]);
  assert.equal(main(), done(directory, "rev-parse", "baton/main").trim());
  assert.equal(done(directory, "status", "--porcelain", "README.md", "src"), " M README.md\n");
  const { said } = await called(directory, ["log", "--limit", "200"]);
  for (const task of ["T1", "T2", "T3"]) assert.equal(said.split(`landed 1-1-${task} on baton/main`).length, 2, said);
  assert.doesNotMatch((await called(directory, ["needs", "--json"])).said, /landing:/);
  done(directory, "fsck", "--strict");
});

test("the day ends in the middle of a landing: it is dropped with its check, and the next day's hub lands the work", async () => {
  const { directory, add, does } = await shop(
    'land: {when: auto}\nchecks:\n  commands: ["./waits"]\n  sandbox: none\n',
  );
  const [begun, go] = [join(directory, ".git/begun"), join(directory, ".git/go")];
  stage(directory, "waits", `#!/bin/sh\ntest -e '${go}' || { echo $$ >'${begun}'; exec sleep 600; }\n`);
  done(directory, "update-index", "--chmod=+x", "waits");
  passes(commit(directory, null));
  await add("1-1-T1", "src/b.js");
  await startHub(directory);
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  await until(() => existsSync(begun));
  const stopped = await calledWithCode(0, directory, ["stop"]);
  assert.match(stopped.stderr, /The hub at .* has ended/);
  assert.match(stopped.stdout, /\nwaiting to land +1-1-T1\n/);
  await until(() => !isAlive(Number(readFileSync(begun, "utf8"))));
  assert.equal(git(directory, ["rev-parse", "--verify", "--quiet", "baton/main"]).status, 1, "nothing has landed");
  writeFileSync(go, "");
  await startHub(directory);
  await until(async () => (await called(directory, ["log"])).said.includes("landed 1-1-T1"));
});

test("of several that land at once each task lands once, and nobody is told that somebody else moved the branch", async () => {
  const { directory, add, does, main } = await shop("land:\n  when: auto\n");
  await startHub(directory);
  for (let round = 1; round <= 3; round += 1) {
    await add(`1-1-T${round}`, `src/${round}.js`);
    await does(`dev-${round}`, `1-1-T${round}`, `src/${round}.js`, `${round}\n`);
    const runs = Array.from({ length: 3 }, async () => {
      const child = spawn(commandNode, [mainBundle, "land"], {
        cwd: directory,
        env: environment(),
        stdio: "pipe",
      });
      const said: string[] = [];
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => said.push(String(text)));
      await once(child, "close");
      assert.doesNotMatch(said.join(""), /Somebody else/);
    });
    await Promise.all(runs);
  }
  const log = async () => (await called(directory, ["log", "--limit", "300"])).said;
  await until(async () => (await log()).includes("landed 1-1-T3 on baton/main"));
  assert.equal((await called(directory, ["land"])).code, 0);
  assert.doesNotMatch((await called(directory, ["needs", "--json"])).said, /landing:/);
  const merges = done(directory, "log", "--first-parent", "--format=%s", main()).trim().split("\n");
  for (const task of ["1-1-T1", "1-1-T2", "1-1-T3"]) {
    assert.equal((await log()).split(`landed ${task} on baton/main`).length, 2, task);
    assert.equal(merges.filter((subject) => subject.startsWith(`Merge ${task} `)).length, 1, task);
  }
});

test("what another than Baton put on Baton's branch is not landed on, and a lost branch comes back with what had landed", async () => {
  const { directory, add, does, land, main, treeOf } = await shop("land:\n  when: auto\n");
  await add("1-1-T1", "src/b.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  stage(treeOf("dev-2"), "evil.txt");
  passes(commit(treeOf("dev-2"), "dev-2"));
  done(directory, "branch", "baton/main", "dev-2");
  const before = main();
  const refused = await land();
  assert.match(refused.said, /not-ready/);
  assert.match(refused.said, /Somebody else moved baton\/main.*git branch -m baton\/main OTHER/s);
  assert.equal(main(), before);
  done(directory, "branch", "-m", "baton/main", "other");
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  assert.equal(main(), done(directory, "rev-parse", "baton/main").trim());
});

test("a tree that is removed in the middle of its task, and a branch that is rebased and amended after it, lose nothing", async () => {
  const { directory, treeOf, add, does, land, states } = await shop("land:\n  when: auto\n");
  await startHub(directory);
  await add("1-1-T1", "src/b.js");
  await add("1-1-T2", "src/c.js");
  await calledWithCode(0, treeOf("dev-1"), ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  writeFileSync(join(treeOf("dev-1"), "half"), "done");
  rmSync(treeOf("dev-1"), { recursive: true });
  await calledWithCode(0, directory, ["status"]);
  assert.equal((await land()).code, 0);
  done(directory, "worktree", "add", "--quiet", "-f", treeOf("dev-1"), "dev-1");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  // A check holds nothing up here, so the hub is quick: what lands is the same, before or after.
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  stage(directory, "notes.txt", "mine");
  passes(commit(directory, null));
  done(treeOf("dev-2"), "rebase", "--quiet", "main");
  done(treeOf("dev-2"), "commit", "--quiet", "--amend", "-m", "in better words");
  await land();
  assert.deepEqual(await states(), [
    ["1-1-T1", "landed"],
    ["1-1-T2", "landed"],
  ]);
  assert.doesNotMatch((await called(directory, ["needs", "--json"])).said, /dispute:|gone:|held/);
});

test("where the person writes all of the main branch anew, the command that is named lets work land on it again", async () => {
  const { directory, treeOf, add, does, land, main } = await shop("land:\n  when: auto\n");
  await add("1-1-T1", "src/b.js");
  await add("1-1-T2", "src/c.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  await land();
  const anew = done(directory, "commit-tree", "main^{tree}", "-m", "without the secret").trim();
  done(directory, "reset", "--quiet", "--hard", anew);
  done(treeOf("dev-2"), "reset", "--quiet", "--hard", anew);
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  const held = await land();
  assert.match(held.said, /main was written anew: it shares no commit with baton\/main/);
  const [, command = ""] = /otherwise: git (branch -m baton\/main OTHER)/.exec(held.said) ?? [];
  done(directory, ...command.split(" "));
  assert.deepEqual((await land()).found, [["1-1-T2", "landed", null]]);
  assert.equal(done(directory, "rev-list", "--max-parents=0", main()).trim(), anew, "nothing old came back");
});

test("what keeps the person's branch from moving to what has landed is what needs the person, with what helps", async () => {
  const { directory, add, does, land } = await shop("land:\n  when: auto\n");
  await startHub(directory);
  const needs = async () => (await called(directory, ["needs"])).said;
  await add("1-1-T1", "src/a.js");
  writeFileSync(join(directory, "src/a.js"), "mine\n");
  await does("dev-1", "1-1-T1", "src/a.js", "one\nthree\n");
  await until(async () => (await needs()).includes("Your main branch cannot move to what has landed."));
  assert.match(
    await needs(),
    /not committed here: src\/a\.js\.[\s\S]*\n +Commit it, or put it away \(git stash -u -- src\/a\.js\)/,
  );
  assert.doesNotMatch(await needs(), /can move 1 task/);
  stage(directory, "src/a.js", "mine\n");
  passes(commit(directory, null));
  const conflict =
    /main does not merge with what has landed on baton\/main\. They conflict in src\/a\.js\.\n +In your work tree: git merge baton\/main\n/;
  await until(async () => conflict.test(await needs()));
  assert.doesNotMatch(await needs(), /cannot move/);
  git(directory, ["merge", "baton/main"]);
  const half = await called(directory, ["land"]);
  assert.match(half.said, /You have begun a merge on main[\s\S]*git merge --abort/);
  stage(directory, "src/a.js", "mine\nthree\n");
  done(directory, "commit", "--quiet", "--no-verify", "--no-edit");
  await until(async () => (await needs()).includes("Nothing needs you."));
  assert.deepEqual((await land()).found, []);
});

test("after a landing that a new file of the person's stopped, the next names what moves with it, and nothing else", async () => {
  const { directory, add, does, land } = await shop("land:\n  when: auto\n");
  await add("1-1-T1", "src/b.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  await startHub(directory);
  const needs = async () => (await called(directory, ["needs"])).said;
  await until(async () => (await needs()).includes("can move 1 task"));
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  writeFileSync(join(directory, "src/c.js"), "mine\n");
  await add("1-1-T2", "src/c.js");
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  await until(async () => (await needs()).includes("cannot move"));
  assert.match(await needs(), /not committed here: src\/c\.js\.[\s\S]*\(git stash -u -- src\/c\.js\)/);
  done(directory, "stash", "-u", "--", "src/c.js");
  // Before the hub has looked again.
  assert.deepEqual((await land()).found, [["1-1-T2", "landed", null]]);
  assert.deepEqual((await land()).found, []);
});

test("where landing asks, verified work is among what needs the person, and lands by the person's word", async () => {
  const { directory, add, does, land } = await shop("land:\n  when: ask\n");
  await add("1-1-T1", "src/b.js");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  const needs = async () => (await called(directory, ["needs"])).said;
  assert.match(await needs(), /1 task can land[\s\S]*baton land/);
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  assert.doesNotMatch(await needs(), /can land/);
});

test("a landed task is undone on the branch it landed on, told to who rests on it, and done again once it is claimed", async () => {
  const { directory, treeOf, add, does, land, main, states } = await shop("land:\n  when: auto\n");
  await add("1-1-T1", "src/b.js");
  await add("1-1-T2", "src/c.js", "--after", "1-1-T1");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  assert.match((await land("--undo", "1-1-T1")).said, /1-1-T1 has not landed/);
  assert.match((await land("--undo", "1-1-T9")).said, /unknown-task/);
  assert.match((await land("--undo", "1-1-T1", "1-1-T2")).said, /wrong-usage/);
  assert.equal((await land()).code, 0);
  done(treeOf("dev-2"), "merge", "--quiet", "main");
  await does("dev-2", "1-1-T2", "src/c.js", "c\n");
  assert.equal((await land()).code, 0);
  writeFileSync(join(directory, "README.md"), "The shop, being written.\n");
  const before = main();
  const dry = await land("--undo", "1-1-T1", "--dry-run");
  assert.deepEqual([dry.found, main()], [[["1-1-T1", "undone", null]], before]);
  const undone = await land("--undo", "1-1-T1");
  assert.equal(undone.code, 0, undone.said);
  assert.deepEqual(undone.found, dry.found);
  assert.match(undone.said, /an agent claims it: baton task claim 1-1-T1/);
  assert.equal(main(), done(directory, "rev-parse", "baton/main").trim());
  assert.deepEqual(done(directory, "ls-tree", "--name-only", "main", "src/").split("\n"), ["src/a.js", "src/c.js", ""]);
  assert.equal(done(directory, "status", "--porcelain", "README.md", "src"), " M README.md\n");
  assert.deepEqual(await states(), [
    ["1-1-T1", "reverted"],
    ["1-1-T2", "landed"],
  ]);
  assert.match((await called(directory, ["log"])).said, / owner .*took back what landed of 1-1-T1 on baton\/main\n/);
  assert.doesNotMatch((await called(directory, ["status"])).said, /gone +1-1-T1/, "nothing waits after it");
  for (const agent of ["dev-1", "dev-2"])
    assert.match(
      (await called(directory, ["inbox", "--as", agent])).said,
      /The work of 1-1-T1 had landed and was taken back[\s\S]*Rests on it: 1-1-T2/,
    );
  assert.match((await land("--undo", "1-1-T1")).said, /1-1-T1 is taken back already[\s\S]*baton task claim 1-1-T1/);
  assert.deepEqual((await land()).found, [], "it does not land again by itself");
  assert.equal((await called(directory, ["needs", "--json"])).said.includes("1-1-T1"), false);
  const next = await called(treeOf("dev-3"), ["task", "claim", "--as", "dev-3"]);
  assert.match(next.said, /task-blocked/, "nobody takes it up unasked");
  await does("dev-3", "1-1-T1", "src/b.js", "better\n");
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  assert.equal(done(directory, "show", "main:src/b.js"), "better\n");
});

test("what its author took out in a commit that is not reported is no part of the work that a later commit reports, and all lands", async () => {
  const { directory, treeOf, add, land, main } = await shop("land:\n  when: auto\n");
  const tree = treeOf("dev-1");
  await add("1-1-T1", "src/");
  const commits = async (name: string, ...more: string[]) => {
    done(tree, "add", "--all");
    done(tree, "commit", "--quiet", "-m", name, ...more);
    return done(tree, "rev-parse", "HEAD").trim();
  };
  const reports = async (id: string) =>
    await called(tree, ["task", "complete", "1-1-T1", "--commit", id, "--as", "dev-1"]);
  assert.equal((await called(tree, ["task", "claim", "1-1-T1", "--as", "dev-1"])).code, 0);
  for (const path of ["src/b.js", "src/b.test.js"]) stage(tree, path, `${path}\n`);
  assert.equal((await reports(await commits("First", "-m", "Baton-Task: 1-1-T1"))).code, 0);
  done(tree, "rm", "--quiet", "src/b.test.js");
  await commits("take the failing test out");
  stage(tree, "src/b.js", "const better = 1;\n");
  await commits("again");
  stage(tree, "src/c.js", "mended\n");
  const told = await reports(await commits("Mended"));
  assert.equal(told.code, 0, told.said);
  assert.deepEqual((await land()).found, [["1-1-T1", "landed", null]]);
  const files = done(directory, "ls-tree", "--name-only", main(), "src/").split("\n");
  assert.deepEqual(files, ["src/a.js", "src/b.js", "src/c.js", ""]);
});

test("work that a pull request brought by a squash is undone, also where Baton had landed it before", async () => {
  for (const settings of ["", "land:\n  when: auto\n"]) {
    const { directory, add, does, land, states, treeOf } = await shop(settings);
    await add("1-1-T1", "src/b.js");
    await add("1-1-T2", "src/c.js");
    await does("dev-1", "1-1-T1", "src/b.js", "b\n");
    await does("dev-1", "1-1-T2", "src/c.js", "c\n");
    const from = done(directory, "rev-parse", "main").trim();
    if (settings !== "") {
      assert.equal((await land()).code, 0);
      done(directory, "reset", "--quiet", "--keep", from);
    }
    done(directory, "merge", "--quiet", "--squash", settings === "" ? "dev-1" : "baton/main");
    passes(commit(directory, null));
    const undone = await land("--undo", "1-1-T1");
    assert.deepEqual(undone.found, [["1-1-T1", "undone", null]], undone.said);
    assert.deepEqual(done(directory, "ls-tree", "--name-only", "main", "src/").trim().split("\n"), [
      "src/a.js",
      "src/c.js",
    ]);
    assert.deepEqual(await states(), [
      ["1-1-T1", "reverted"],
      ["1-1-T2", "landed"],
    ]);
    assert.deepEqual((await land()).found, [], "it does not land again by itself");
    if (settings !== "") continue;
    done(directory, "worktree", "remove", "--force", treeOf("dev-1"));
    done(directory, "branch", "--quiet", "-D", "dev-1");
    done(directory, "reflog", "expire", "--expire=now", "--all");
    done(directory, "gc", "--quiet", "--prune=now");
    const squash = done(directory, "rev-parse", "main~1").trim();
    const { said } = await land("--undo", "1-1-T2");
    assert.ok(said.includes(`Undo what brought it (git show ${squash}) in your work tree by git revert.`), said);
  }
});

test("undo takes one task's own commits out of a merge that brought several, and names what it cannot take out", async () => {
  const { directory, add, does, land, main } = await shop(
    'checks:\n  commands: ["! ls src | grep -q needs || ls src | grep -q ^c"]\n  sandbox: none\n',
  );
  for (const [task, file] of Object.entries({ T1: "src/b.js", T3: "src/a.js", T4: "src/a.js", T5: "src/needs-c" }))
    await add(`1-1-${task}`, file);
  await add("1-1-T2", "src/c.js", "--priority", "high");
  await does("dev-1", "1-1-T1", "src/b.js", "b\n");
  await does("dev-1", "1-1-T2", "src/c.js", "c\n");
  await does("dev-2", "1-1-T3", "src/a.js", "one\nthree\n");
  await does("dev-2", "1-1-T4", "src/a.js", "one\nfour\n");
  await does("dev-3", "1-1-T5", "src/needs-c", "5\n");
  const all = await land();
  assert.equal(all.code, 0, all.said);
  const tangled = await land("--undo", "1-1-T3");
  assert.match(tangled.said, /Later work changed the same lines of src\/a\.js[\s\S]*git revert -m 1 [0-9a-f]{40}/);
  const before = main();
  assert.match((await land("--undo", "1-1-T2")).said, /Without the work of 1-1-T2 the checks do not pass/);
  assert.equal(main(), before);
  assert.deepEqual((await land("--undo", "1-1-T1")).found, [["1-1-T1", "undone", null]]);
  assert.deepEqual(done(directory, "ls-tree", "--name-only", "main", "src/").trim().split("\n"), [
    "src/a.js",
    "src/c.js",
    "src/needs-c",
  ]);
});

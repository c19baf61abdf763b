/** Two developers in a worktree each: what one learns of the other's work before it begins, and what the person sees. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { called, calledWithCode } from "./called.ts";
import { folder, jsonLines, team } from "./command.ts";
import { commit, done, passes, stage, write } from "./gate-place.ts";
import { hook, writing } from "./hook-call.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const lines = (...changed: readonly string[]) =>
  `${["one", "two", "three", "four"].map((line, at) => changed[at] ?? line).join("\n")}\n`;

/** T1 and T2 name the same file, and T2 depends on T1; dev-1 has done T1 on its branch. */
async function twoTrees(settings = "") {
  const directory = team();
  appendFileSync(join(directory, ".baton/team.yaml"), settings);
  writeFileSync(join(directory, ".baton/.gitignore"), "*\n");
  done(directory, "init", "--quiet", "-b", "main");
  stage(directory, "src/a.js", lines());
  passes(commit(directory, null));
  await calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]);
  const add = ["task", "add", "--plan", "1-1", "--files", "src/a.js"];
  await calledWithCode(0, directory, [...add, "1-1-T1"]);
  await calledWithCode(0, directory, [...add, "1-1-T2", "--after", "1-1-T1"]);
  const treeOf = (agent: string) => `${directory}-${agent}`;
  for (const agent of ["dev-1", "dev-2"]) done(directory, "worktree", "add", "--quiet", "-b", agent, treeOf(agent));
  const claim = async (agent: string, task: string) =>
    await called(treeOf(agent), ["task", "claim", task, "--as", agent]);
  const report = async (agent: string, task: string, text: string, variables = {}) => {
    stage(treeOf(agent), "src/a.js", text);
    passes(commit(treeOf(agent), agent));
    const id = done(treeOf(agent), "rev-parse", "HEAD").trim();
    const words = ["task", "complete", task, "--commit", id, "--as", agent];
    const told = await called(treeOf(agent), words, "", variables);
    assert.equal(told.code, 0, told.said);
    return told;
  };
  assert.doesNotMatch((await claim("dev-1", "1-1-T1")).said, /git merge/);
  await report("dev-1", "1-1-T1", lines("alpha beta gamma"));
  return { directory, tree: treeOf("dev-2"), claim: () => claim("dev-2", "1-1-T2"), report };
}

test("who begins in a file learns which work its work tree lacks, and claims what depends on it once it has it", async () => {
  const { tree, claim } = await twoTrees();
  const lacks = /does not have the work of 1-1-T1 \(dev-1\) in src\/a\.js\. First: git merge dev-1( \(.*\))?$/m;
  const edit = () => hook(tree, "PreToolUse", writing("src/a.js"), ["--as", "dev-2"]);
  assert.match((await edit()).context, lacks);
  assert.doesNotMatch((await edit()).context, lacks, "once");
  const refused = await claim();
  assert.deepEqual([refused.code, /task-blocked/.test(refused.said)], [2, true], refused.said);
  assert.match(refused.said, lacks);
  done(tree, "merge", "--quiet", "dev-1");
  const again = await claim();
  assert.equal(again.code, 0, again.said);
  assert.doesNotMatch(again.said, lacks);
});

test("verified work that does not merge is noted for the later task, and is what needs the person", async () => {
  const { directory, tree, report } = await twoTrees();
  const told = await report("dev-2", "1-1-T2", lines("delta epsilon zeta"));
  assert.match(
    told.stderr,
    /does not have the work of 1-1-T1, on which the task depends\. First: git merge [0-9a-f]{12}/,
  );
  const conflict = "Will conflict with 1-1-T1 (on dev-1) in src/a.js.";
  assert.ok(told.stderr.includes(conflict), told.stderr);
  const needs = async () =>
    jsonLines(await calledWithCode(0, directory, ["needs", "--json"])).flatMap(
      ({ needs: all }) => all as readonly { readonly id: string; readonly why: string }[], // as documented
    );
  assert.deepEqual(
    (await needs()).map(({ id, why }) => [id, why]),
    [["conflict:1-1-T2", conflict]],
  );
  const board = await calledWithCode(0, directory, ["task", "list", "--available"]);
  assert.ok(
    board.stdout.includes(`to merge (baton land): 1-1-T1 (on dev-1), 1-1-T2 (on dev-2)\n1-1-T2: ${conflict}\n`),
    board.stdout,
  );
  // The first one lands: now the main branch is what the other does not merge with.
  done(directory, "merge", "--quiet", "dev-1");
  const loose = done(directory, "count-objects");
  await called(directory, ["verify"]);
  assert.equal(done(directory, "count-objects"), loose, "looking leaves nothing behind");
  assert.deepEqual(
    (await needs()).map(({ why }) => why),
    ["Will conflict with main in src/a.js."],
  );
  done(tree, "merge", "--quiet", "-s", "ours", "-m", "mine", "main");
  await called(directory, ["verify"]);
  assert.deepEqual(await needs(), []);
});

test("a claim moves the agent's own tree to what has landed, and never what is not committed or has not landed", async () => {
  const { directory, claim, tree: elsewhere } = await twoTrees();
  const tree = join(directory, ".baton/trees/dev-2");
  done(directory, "worktree", "add", "--quiet", "-b", "baton/dev-2", tree);
  const at = (place: string, name = "HEAD") => done(place, "rev-parse", name).trim();
  const claims = async () => (await called(tree, ["task", "claim", "1-1-T2", "--as", "dev-2"])).said;
  const release = () => calledWithCode(0, directory, ["task", "release", "1-1-T2", "--as", "dev-2"]);
  const before = at(directory);
  // Landed on Baton's branch: the person's main has not moved.
  done(directory, "branch", "baton/main", "dev-1");
  write(join(tree, "src/a.js"), "mine\n");
  const hook = join(directory, ".git/hooks/post-merge");
  write(hook, `#!/bin/sh\ntouch ${directory}/ran\n`, 0o755);
  assert.match(await claims(), /is not moved to baton\/main: .*src\/a\.js.* then: git merge --ff-only baton\/main/s);
  assert.deepEqual([at(tree), readFileSync(join(tree, "src/a.js"), "utf8")], [before, "mine\n"]);
  // Whose it is decides nothing: the person sees what keeps the agent waiting.
  const needs = async () => (await calledWithCode(0, directory, ["needs"])).stdout;
  const waits =
    /dev-2 cannot begin 1-1-T2: its tree does not have[\s\S]*would be overwritten[\s\S]*git -C '(.*)' merge --ff-only/;
  assert.equal(waits.exec(await needs())?.[1], realpathSync(tree));
  // So does a task that could begin: what an earlier day left is in the way of what has landed.
  await calledWithCode(0, directory, ["task", "add", "1-1-T3", "--plan", "1-1", "--files", "src/z.js"]);
  await calledWithCode(0, tree, ["task", "claim", "1-1-T3", "--as", "dev-2"]);
  const begun =
    /dev-2 works on 1-1-T3 without all that has landed[\s\S]*would be overwritten[\s\S]*git -C '(.*)' merge --ff-only/;
  assert.equal(begun.exec(await needs())?.[1], realpathSync(tree));
  assert.match((await calledWithCode(0, directory, ["status"])).stdout, begun);
  await calledWithCode(0, directory, ["task", "release", "1-1-T3", "--as", "dev-2"]);
  assert.equal(await needs(), "Nothing needs you.\n");
  done(tree, "checkout", "--quiet", "src/a.js");
  write(join(tree, "notes.txt"), "open\n");
  await release();
  const moved = await claims();
  assert.match(moved, /Your tree has moved to baton\/main \([0-9a-f]{12}\)/);
  assert.equal(await needs(), "Nothing needs you.\n");
  assert.doesNotMatch(moved, /does not have the work/);
  assert.deepEqual([at(tree), at(directory)], [at(directory, "dev-1"), before]);
  assert.equal(readFileSync(join(tree, "src/a.js"), "utf8"), lines("alpha beta gamma"));
  assert.ok(existsSync(join(tree, "notes.txt")) && !existsSync(join(directory, "ran")));
  assert.doesNotMatch(await claims(), /Your tree/, "once");

  stage(tree, "src/b.js", "b");
  passes(commit(tree, "dev-2"));
  done(
    directory,
    "branch",
    "--force",
    "baton/main",
    done(directory, "commit-tree", "-p", "dev-1", "-m", "x", "dev-1^{tree}").trim(),
  );
  const own = at(tree);
  assert.match(await claims(), /has 1 commit that has not landed\. To have what has landed: git merge baton\/main/);
  // What git would refuse to overwrite is named with the command.
  stage(directory, "new.txt", "theirs");
  passes(commit(directory, null));
  done(directory, "branch", "--force", "baton/main", "main");
  write(join(tree, "new.txt"), "mine");
  assert.match(await claims(), /Commit or put away new\.txt first\. To have what has landed: git merge baton\/main/);
  rmSync(join(tree, "new.txt"));
  assert.equal(at(tree), own);
  // Another folder of the agent is left alone, and so is its tree while it claims from there.
  done(tree, "reset", "--quiet", "--hard", "dev-1");
  assert.doesNotMatch((await claim()).said, /Your tree/);
  assert.deepEqual([at(tree), at(elsewhere)], [at(directory, "dev-1"), before]);
});

test("where a hub lands work, a task begins once what it depends on has landed, in a tree that has it", async () => {
  const { directory } = await twoTrees("land:\n  when: auto\n");
  const tree = join(directory, ".baton/trees/dev-2");
  done(directory, "worktree", "add", "--quiet", "-b", "baton/dev-2", tree, "main");
  const claim = async (task: string) => await called(tree, ["task", "claim", task, "--as", "dev-2"]);
  for (const task of ["1-1-T2", "next"]) {
    const refused = await claim(task);
    assert.equal(refused.code, 2, refused.said);
    assert.match(refused.said, /1-1-T1 lands next: wait a moment, then claim again/);
    assert.doesNotMatch(refused.said, /git merge/);
  }
  assert.match((await called(directory, ["task", "list", "1-1-T2"])).said, /^blocked .*\n.*waits for {2}1-1-T1/);
  const hub = await startHub(directory);
  const landed = async () =>
    (await called(directory, ["task", "list", "1-1-T1"])).said.includes("landed on baton/main");
  while (!(await landed())) await systemClock.wait(100, new AbortController().signal);
  await hub.kill();
  const granted = await claim("next");
  assert.equal(granted.code, 0, granted.said);
  assert.match((await called(directory, ["log"])).said, /dev-2 +claimed 1-1-T2$/m);
  // Before its first edit.
  assert.match(readFileSync(join(tree, "src/a.js"), "utf8"), /alpha beta gamma/);
  // A pull request by squash: the merge with which Baton landed it is nobody's own work.
  await calledWithCode(0, tree, ["task", "release", "1-1-T2", "--as", "dev-2"]);
  done(directory, "merge", "--quiet", "--squash", "baton/main");
  passes(commit(directory, null));
  done(directory, "branch", "--force", "baton/main", "main");
  assert.match((await claim("next")).said, /Your tree has moved to baton\/main/);
});

test("a tree whose work landed by a squash begins on the main branch, and leaves its own commits behind", async () => {
  const { directory } = await twoTrees();
  const tree = join(directory, ".baton/trees/dev-2");
  done(directory, "worktree", "add", "--quiet", "-b", "baton/dev-2", tree, "dev-1");
  await calledWithCode(0, directory, ["task", "add", "1-1-T3"]);
  done(directory, "merge", "--quiet", "--squash", "dev-1");
  passes(commit(directory, null));
  const claims = async () => (await called(tree, ["task", "claim", "1-1-T3", "--as", "dev-2"])).said;
  // A commit that no report names, and that the squash does not have.
  stage(tree, "src/later.js", "later");
  passes(commit(tree, "dev-2"));
  assert.match(await claims(), /has 2 commits that have not landed/);
  // One that was reported before, or that only merges, leaves nothing that the squash lacks.
  done(tree, "reset", "--quiet", "--hard", "dev-1");
  done(tree, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", "an earlier report");
  assert.match(await claims(), /Your tree has moved to main/);
  assert.equal(done(tree, "rev-parse", "HEAD"), done(directory, "rev-parse", "main"));
});

test("a hub answers what the work tree of the caller lacks", async () => {
  const { directory, tree } = await twoTrees();
  const hub = await startHub(directory);
  const asDev = towards(hub, await tokenOf(directory, "dev-2"));
  assert.match((await called(tree, ["task", "claim", "1-1-T2"], "", asDev)).said, /1-1-T1 \(dev-1\).*git merge dev-1/);
});

test("a hub tells both agents within a moment that they change the same lines", async () => {
  const { directory } = await twoTrees();
  for (const agent of ["dev-1", "dev-2"]) {
    const tree = join(directory, ".baton/trees", agent);
    done(directory, "worktree", "add", "--quiet", "-b", `baton/${agent}`, tree, "main");
  }
  const hub = await startHub(directory);
  const asDev = towards(hub, await tokenOf(directory, "dev-2"));
  const write = (agent: string, text: string) =>
    writeFileSync(join(directory, ".baton/trees", agent, "src/a.js"), lines(text));
  write("dev-1", "mine");
  write("dev-2", "theirs");
  const told = await called(directory, ["inbox", "--wait", "60"], "", asDev);
  assert.match(told.said, /dev-1 and dev-2 both change the same lines of src\/a\.js/);
});

test("work has landed once it is on the branch that the team file names", async () => {
  const { directory } = await twoTrees("main: develop\n");
  done(directory, "branch", "develop");
  const place = async () => {
    await called(directory, ["verify"]);
    return (await calledWithCode(0, directory, ["task", "list", "1-1-T1"])).stdout;
  };
  done(directory, "merge", "--quiet", "dev-1");
  assert.match(await place(), /on (?:dev-1|main), to be merged/);
  done(directory, "branch", "--force", "develop", "dev-1");
  assert.match(await place(), /landed on develop/);
  const checks = jsonLines(await called(directory, ["doctor", "--json"]));
  const found = checks.find(({ check }) => check === "main branch");
  assert.deepEqual([found?.state, found?.finding], ["ok", "develop, as the team file says"]);
});

/** Why nobody foresees a conflict: what is prepared in the repository, and the variables of the command. */
const unforeseen: Readonly<Record<string, (directory: string) => Readonly<Record<string, string>>>> = {
  "git 2.34 foresees no conflicts": () => {
    const bin = folder();
    const script = `case " $* " in *" merge-tree "*) exit 129;; *" version "*) echo git version 2.34.1; exit;; esac`;
    write(join(bin, "git"), `#!/bin/sh\n${script}\nPATH="\${PATH#*:}" exec git "$@"\n`, 0o755);
    return { PATH: `${bin}:${process.env.PATH ?? ""}` };
  },
  "a program of the configuration merges": (directory) => {
    done(directory, "config", "merge.own.driver", `touch ${directory}/ran; exit 1`);
    write(join(directory, ".git/info/attributes"), "* merge=own\n");
    return {};
  },
};

for (const [why, prepare] of Object.entries(unforeseen))
  test(`work is verified without a word on conflicts where ${why}, and doctor says so`, async () => {
    const { directory, report } = await twoTrees();
    const variables = prepare(directory);
    const told = await report("dev-2", "1-1-T2", lines("delta epsilon zeta"), variables);
    assert.match(told.said, /Verified/);
    assert.doesNotMatch(told.said, /Will conflict/);
    assert.equal(existsSync(join(directory, "ran")), false, "nothing of the configuration runs");
    const checks = jsonLines(await called(directory, ["doctor", "--json"], "", variables));
    assert.match(String(checks.find(({ check }) => check === "git merge")?.finding), new RegExp(why));
  });

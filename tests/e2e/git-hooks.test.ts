/** The gate as people meet it: installed into real repositories, with real commits, and all of it taken back. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { baton, jsonLines, problemCodes } from "./command.ts";
import {
  commit,
  done,
  everything,
  gatedTeam,
  git,
  install,
  isStopped,
  isWarned,
  passes,
  stage,
  write,
} from "./gate-place.ts";

const message = (directory: string) => done(directory, "log", "-1", "--format=%B");

/** Another manager's hook, which notes under which name it ran. */
const noting = (more = "") => `#!/bin/sh\necho "$0 $*" >> "$(git rev-parse --show-toplevel)/ran"\n${more}`;

test("a commit inside claim and contract passes and names its task, one outside is stopped and says why", async () => {
  const directory = await gatedTeam();
  await install(directory);
  stage(directory, "src/feature.js");
  passes(commit(directory, "dev-1"));
  assert.equal(message(directory), "work\n\nBaton-Task: 1-1-T1\n\n");
  const file = join(directory, ".baton/team.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("dev-1: {role: dev", "dev-1: {role: dev, program: codex"));
  for (const _ of ["named", "once"]) {
    passes(commit(directory, "dev-1", "--amend"));
    assert.equal(message(directory), "work\n\nBaton-Task: 1-1-T1\nAssisted-by: codex (dev-1)\n\n");
  }
  stage(directory, "README.md");
  isStopped(commit(directory, "dev-1"), /outside-contract at README\.md.*baton task ask WHY --task/s);
  // A commit of named paths is made from a separate index.
  writeFileSync(join(directory, "src/feature.js"), "y");
  passes(commit(directory, "dev-1", "src/feature.js"));
  // A message without words ends the commit, also where a task would be named.
  writeFileSync(join(directory, "src/feature.js"), "z");
  const empty = git(directory, ["commit", "--quiet", "-m", "", "src/feature.js"], { BATON_AGENT: "dev-1" });
  assert.match(empty.stderr, /empty commit message/);
});

test("the person commits what an agent holds, and is warned, in each work tree; an agent and its program are stopped", async () => {
  const directory = await gatedTeam();
  await install(directory);
  stage(directory, "README.md");
  passes(commit(directory, null));
  assert.equal(message(directory), "work\n\n");
  const linked = `${directory}-linked`;
  done(directory, "worktree", "add", "--quiet", "-b", "side", linked);
  for (const place of [directory, linked]) {
    stage(place, "src/feature.js", place);
    isStopped(commit(place, "qa-1"), /outside-claim at src\/feature\.js\s+dev-1 holds this path/);
    const inProgram = git(place, ["commit", "--quiet", "-m", "work"], { GEMINI_CLI: "1" });
    isStopped(inProgram, /Nobody says who commits.*baton install git-hooks --as NAME.*BATON_AGENT=owner/s);
    isStopped(git(place, ["commit", "-m", "work"], { GEMINI_CLI: "1", BATON_AGENT: "owner" }), /dev-1 holds this path/);
    isWarned(commit(place, null), /^warning: src\/feature\.js: dev-1 holds this path for task 1-1-T1/m);
  }
});

test("the person merges and squashes what agents have committed, also where it conflicts", async () => {
  const directory = await gatedTeam();
  await install(directory);
  stage(directory, "README.md");
  passes(commit(directory, null));
  done(directory, "checkout", "--quiet", "-b", "dev-1");
  stage(directory, "src/feature.js");
  passes(commit(directory, "dev-1"));
  done(directory, "checkout", "--quiet", "main");
  stage(directory, "docs.md");
  passes(commit(directory, null));
  const merged = git(directory, ["merge", "--quiet", "dev-1"]);
  passes(merged);
  assert.doesNotMatch(merged.stderr, /warning/, "the commits of a branch answer for themselves");
  const again = () => done(directory, "reset", "--quiet", "--hard", "HEAD~1");
  again();
  passes(git(directory, ["merge", "--quiet", "--squash", "dev-1"]));
  isWarned(commit(directory, null), /dev-1 holds this path/);
  again();
  stage(directory, "src/feature.js", "mine");
  isWarned(commit(directory, null), /dev-1 holds this path/);
  assert.notEqual(git(directory, ["merge", "--quiet", "dev-1"]).status, 0, "a conflict");
  stage(directory, "src/feature.js", "both");
  isStopped(commit(directory, "qa-1"), /dev-1 holds this path/);
  isWarned(commit(directory, null), /dev-1 holds this path/);
});

/** Gives the repository an empty one to push to. */
function addRemote(directory: string): void {
  const remote = `${directory}-remote.git`;
  done(directory, "init", "--quiet", "--bare", remote);
  done(directory, "remote", "add", "origin", remote);
}

test("where the team cannot be asked the person goes on, warned, and who is named does not", async (t) => {
  const directory = await gatedTeam();
  addRemote(directory);
  await install(directory);
  stage(directory, "README.md");
  passes(commit(directory, null));
  const linked = `${directory}-linked`;
  done(directory, "worktree", "add", "--quiet", "-b", "dev-1", linked);
  await install(linked, "dev-1");
  const nowhere = "http://127.0.0.1:1";
  let pushes = 0;
  const asked = (variables: Readonly<Record<string, string>>, place = directory) => {
    stage(place, "README.md", JSON.stringify(variables));
    const made = git(place, ["commit", "--quiet", "-m", "work"], variables);
    const pushed = git(place, ["push", "--quiet", "origin", `HEAD:refs/heads/${pushes++}`], variables);
    return [made, pushed] as const;
  };
  const goOn = (runs: ReturnType<typeof asked>) => {
    for (const run of runs) isWarned(run, /could not judge this\. You are the person, so git goes on/);
  };
  const stop = (runs: ReturnType<typeof asked>, words: RegExp) => {
    for (const run of runs) isStopped(run, words);
  };
  goOn(asked({ BATON_HUB: nowhere }));
  goOn(asked({ BATON_HUB: nowhere, BATON_TOKEN: "baton_x", BATON_AGENT: "owner" }));
  // Whose token it is, only the hub knows.
  stop(asked({ BATON_HUB: nowhere, BATON_TOKEN: "baton_x" }), /hub-unreachable.*If it is yours: BATON_AGENT=owner/s);
  stop(asked({ BATON_HUB: nowhere, BATON_AGENT: "dev-1" }), /BATON_HUB|hub/);
  stop(asked({ BATON_HUB: nowhere, CLAUDECODE: "1" }), /hub/);
  stop(asked({ BATON_HUB: nowhere }, linked), /hub/);
  // A hub that takes the connection and says nothing; before, it held a commit for more than a minute.
  const silent = createServer().listen(0, "127.0.0.1");
  t.after(() => silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const start = performance.now();
  goOn(asked({ BATON_HUB: `http://127.0.0.1:${port}`, BATON_TOKEN: "baton_x", BATON_AGENT: "owner" }));
  assert.ok(performance.now() - start < 50_000, "both within a few seconds");
  const journal = join(directory, ".git/baton/journal.db");
  for (const name of [journal, `${journal}-wal`, `${journal}-shm`]) rmSync(name, { force: true });
  writeFileSync(journal, "this is no journal\n".repeat(1_000));
  goOn(asked({}));
  stop(asked({ BATON_AGENT: "dev-1" }), /journal/);
  stop(asked({ GEMINI_CLI: "1" }), /journal/);
  stop(asked({}, linked), /journal/);
});

test("the lead and the holder read once what the gate refuses, and a look tells nobody", async () => {
  const directory = await gatedTeam();
  await install(directory);
  stage(directory, "src/feature.js");
  const told = async () => {
    const counts: number[] = [];
    for (const agent of ["lead-1", "dev-1"]) {
      const read = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", agent, "--json"]));
      const refusals = read.filter(({ message: words }) => /Git refused a commit of qa-1.*src\/f/s.test(String(words)));
      counts.push(refusals.length);
    }
    return counts;
  };
  await called(directory, ["verify", "--staged", "--as", "qa-1"]);
  assert.deepEqual(await told(), [0, 0]);
  for (const _ of ["first", "second"]) isStopped(commit(directory, "qa-1"), /dev-1 holds this path/);
  assert.deepEqual(await told(), [1, 1]);
});

test("a push of what went past the gate is stopped and recorded, and the lead reads it once", async () => {
  const directory = await gatedTeam();
  addRemote(directory);
  await install(directory);
  stage(directory, "src/feature.js");
  passes(commit(directory, "dev-1"));
  passes(git(directory, ["push", "--quiet", "origin", "main"]));
  stage(directory, "README.md");
  passes(commit(directory, "dev-1", "--no-verify"));
  const push = (reference: string, agent = "dev-1") =>
    git(directory, ["push", "origin", reference], { BATON_AGENT: agent });
  isStopped(push("main"), /outside-contract at README\.md/);
  isStopped(push("main:refs/heads/new"), /outside-contract at README\.md/);
  const read = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"]));
  const refusals = /Git refused to push commits of dev-1.*README\.md/s;
  assert.equal(read.filter(({ message: words }) => refusals.test(String(words))).length, 1);
  assert.match((await calledWithCode(0, directory, ["log"])).stdout, /was refused a push by the gate: README\.md/);
  assert.doesNotMatch(push(":nothing").stderr, /stopped by the gate/);
  isStopped(git(directory, ["push", "origin", "main"], { GEMINI_CLI: "1" }), /Nobody says who commits/);
  isWarned(push("main", ""), /^warning: README\.md: .*outside the contract/m);
  stage(directory, "src/feature.js", "y");
  passes(commit(directory, "qa-1", "--no-verify"));
  isStopped(push("HEAD:refs/heads/other", "qa-1"), /outside-claim at src\/feature\.js\s+dev-1 holds this path/);
});

test("each work tree has a name of its own, and one for all of them is refused", async () => {
  const directory = await gatedTeam();
  await install(directory);
  stage(directory, "README.md");
  passes(commit(directory, null));
  const linked = `${directory}-linked`;
  done(directory, "worktree", "add", "--quiet", "-b", "dev-1", linked);
  await calledWithCode(0, linked, ["install", "git-hooks", "--as", "dev-1", "--dry-run"]);
  assert.equal(existsSync(join(directory, ".git/worktrees", "baton-agent")), false);
  await install(linked, "dev-1");
  stage(linked, "src/feature.js");
  passes(commit(linked, null));
  assert.match(message(linked), /Baton-Task: 1-1-T1/, "it is dev-1 who commits");
  stage(directory, "src/feature.js");
  isStopped(commit(directory, "qa-1"), /dev-1 holds this path/);
  done(directory, "config", "baton.agent", "dev-1");
  isStopped(commit(directory, null), /identity-mismatch at baton\.agent.*git config --unset baton\.agent/s);
  assert.match((await called(directory, ["install", "git-hooks"])).stderr, /identity-mismatch/);
  const other = baton(linked, ["install", "git-hooks", "--as", "lead-1"], "", { BATON_AGENT: "dev-1" });
  assert.match(other.stderr, /identity-mismatch at --as\s+This shell belongs to dev-1/);
});

test("in a worktree of an agent commands act as it, and its work is reported by the commit that names the task", async () => {
  const directory = await gatedTeam();
  await install(directory);
  stage(directory, "README.md");
  passes(commit(directory, null));
  const linked = `${directory}-linked`;
  done(directory, "worktree", "add", "--quiet", "-b", "dev-1", linked);
  await install(linked, "dev-1");
  const [here] = jsonLines(await calledWithCode(0, linked, ["whoami", "--json"]));
  assert.deepEqual([here?.agent, here?.by], ["dev-1", "tree"]);
  for (const [place, words, variables] of [
    [directory, [], {}],
    [linked, [], { BATON_AGENT: "owner" }],
  ] as const)
    assert.equal(jsonLines(baton(place, ["whoami", "--json", ...words], "", variables))[0]?.agent, "owner");
  // What only the person does is not done there by leaving --as out, nor by naming the owner.
  const journal = join(directory, ".git/baton/journal.db");
  const confirm = ["team", "confirm", "0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f"];
  for (const words of [confirm, [...confirm, "--journal", journal], ["whoami", "--as", "owner"]]) {
    const refused = baton(linked, [...words, "--json"]);
    assert.deepEqual([refused.code, problemCodes(refused)], [2, ["human-required"]], words.join(" "));
    assert.match(refused.stderr, /This work tree belongs to the agent dev-1.*BATON_AGENT=owner/s);
  }
  const early = baton(linked, ["task", "complete", "1-1-T1"]);
  assert.match(early.stderr, /Work that is complete names its commit/);
  stage(linked, "src/feature.js");
  passes(commit(linked, null));
  const id = done(linked, "rev-parse", "HEAD").trim();
  done(linked, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", "more");
  const reported = await calledWithCode(0, linked, ["task", "complete", "T1"]);
  assert.match(reported.stdout, new RegExp(`Verified.*commit ${id.slice(0, 12)}`));
  assert.match(
    reported.stderr,
    /the newest that names the task\. 1 commit above it names no task and is left out: if that is work of T1,/,
  );
});

test("the hook that was there runs first, by its own name and path, and the gate judges what it staged", async () => {
  for (const folder of [".githooks", ".git/hooks"]) {
    const directory = await gatedTeam();
    if (folder === ".githooks") done(directory, "config", "core.hooksPath", folder);
    const stages =
      "if [ -e format ]; then mkdir -p src; echo formatted > src/feature.js; git add --force src/feature.js; fi\n";
    write(join(directory, folder, "pre-commit"), noting(stages), 0o755);
    write(join(directory, folder, "helper"), "a file next to it\n");
    const before = everything(directory);
    await install(directory);
    await install(directory);
    stage(directory, "README.md");
    passes(commit(directory, null));
    const ran = readFileSync(join(directory, "ran"), "utf8");
    const place = folder === ".githooks" ? ".githooks/pre-commit" : `${directory}/.git/hooks.before-baton/pre-commit`;
    assert.equal(ran, `${place} \n`);
    assert.equal(readFileSync(join(directory, folder, "helper"), "utf8"), "a file next to it\n");
    writeFileSync(join(directory, "format"), "");
    stage(directory, "README.md", "y");
    isStopped(commit(directory, "qa-1"), /outside-claim at src\/feature\.js/);
    await calledWithCode(0, directory, ["uninstall", "git-hooks"]);
    assert.deepEqual(everything(directory), before);
  }
});

test("what is staged after the gate has looked is judged before the commit is made", async () => {
  const directory = await gatedTeam();
  write(join(directory, ".git/hooks/prepare-commit-msg"), "#!/bin/sh\ngit add --force src/feature.js\n", 0o755);
  await install(directory);
  write(join(directory, "src/feature.js"), "x");
  stage(directory, "README.md");
  isStopped(commit(directory, "qa-1"), /outside-claim at src\/feature\.js/);
});

test("a hook that takes the gate's place is found, called as before, and the gate is back with the next command", async () => {
  const directory = await gatedTeam();
  await install(directory);
  const hook = join(directory, ".git/hooks/pre-commit");
  rmSync(hook);
  write(hook, noting(), 0o755);
  const [found] = jsonLines(await called(directory, ["doctor", "--json"])).filter(({ check }) => check === "git gate");
  assert.equal(found?.state, "warn");
  assert.match(String(found?.finding), /git does not come to the gate/);
  const said = await calledWithCode(0, directory, ["status"]);
  assert.match(said.stderr, /the gate for git is back/);
  stage(directory, "src/feature.js");
  isStopped(commit(directory, "qa-1"), /outside-claim/);
  assert.equal(readFileSync(join(directory, "ran"), "utf8").split("\n").length, 2);
  const [after] = jsonLines(await called(directory, ["doctor", "--json"])).filter(({ check }) => check === "git gate");
  assert.equal(after?.state, "ok");
});

test("a new worktree has the gate as it is made, where a folder of hooks is configured too", async () => {
  const directory = await gatedTeam();
  done(directory, "config", "core.hooksPath", ".githooks");
  await install(directory);
  stage(directory, "README.md");
  passes(commit(directory, null));
  const linked = `${directory}-new`;
  done(directory, "worktree", "add", "--quiet", "-b", "side", linked);
  stage(linked, "src/feature.js");
  isStopped(commit(linked, "qa-1"), /outside-claim/);
});

test("installing says where git does not come to the gate after all", async () => {
  const directory = await gatedTeam();
  done(directory, "config", "extensions.worktreeConfig", "true");
  write(join(directory, ".git/config.worktree"), "[core]\n\thooksPath = .other\n[include]\n\tpath = more\n");
  write(join(directory, ".git/more"), "[core]\n\thooksPath = .githooks\n");
  const installed = await calledWithCode(1, directory, ["install", "git-hooks"]);
  assert.match(installed.stderr, /Git does not come to the gate in this work tree/);
});

test("where Baton is gone or crashes an agent is stopped, and the person goes on and reads how to take the gate away", async () => {
  const directory = await gatedTeam();
  const before = everything(directory);
  addRemote(directory);
  await install(directory);
  const script = join(directory, ".git/hooks/run");
  const installed = readFileSync(script, "utf8");
  const started = installed.match(/^.*command baton.*$/m)?.[0] ?? "";
  const ends = [
    ["command no-such-baton", "is not there any more"],
    // As on a Node that is too old, without dist/, out of memory.
    ["return 1", "has failed \\(exit 1\\)"],
    ["sh -c 'kill -9 $$'", "has failed \\(exit 137\\)"],
  ] as const;
  for (const [end, said] of ends) {
    writeFileSync(
      script,
      installed.replace(started, () => `  ${end}`),
    );
    stage(directory, "README.md", end);
    const words = new RegExp(`Baton ${said}.*sh '.*\\.git/hooks/run' uninstall`, "s");
    isStopped(commit(directory, "dev-1"), words);
    isStopped(git(directory, ["commit", "-m", "work"], { CLAUDECODE: "1" }), words);
    isWarned(commit(directory, null), words);
    const pushed = (variables: Readonly<Record<string, string>> = {}) =>
      git(directory, ["push", "--quiet", "origin", `HEAD:refs/heads/${String(end.length)}`], variables);
    isStopped(pushed({ BATON_AGENT: "dev-1" }), words);
    isWarned(pushed(), words);
  }
  done(directory, "remote", "remove", "origin");
  done(directory, "-c", "alias.x=!sh .git/hooks/run uninstall", "x");
  assert.deepEqual(everything(directory), before);
});

test("what the gate notes in git's own folder is written through no link", async () => {
  const directory = await gatedTeam();
  await install(directory);
  const victim = `${directory}-victim`;
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(directory, ".git/baton-judged"));
  stage(directory, "README.md");
  const index = { GIT_INDEX_FILE: join(directory, ".git/index") };
  assert.equal((await called(directory, ["verify", "--staged", "--as", "qa-1"], "", index)).code, 0);
  assert.equal(readFileSync(victim, "utf8"), "precious");
});

test("links, helpers and a folder with a hook's name are there again when the gate goes", async () => {
  const directory = await gatedTeam();
  mkdirSync(join(directory, ".git/hooks"), { recursive: true });
  symlinkSync("../../README.md", join(directory, ".git/hooks/post-merge"));
  symlinkSync("nowhere", join(directory, ".git/hooks/pre-push"));
  mkdirSync(join(directory, ".git/hooks/pre-commit"));
  appendFileSync(join(directory, ".git/hooks/query-watchman"), "#!/bin/sh\n");
  const before = everything(directory);
  await calledWithCode(0, directory, ["install", "git-hooks"]);
  assert.equal(existsSync(join(directory, ".git/hooks/query-watchman")), true, "a configuration may name it");
  await calledWithCode(0, directory, ["install", "git-hooks"]);
  await calledWithCode(0, directory, ["uninstall", "git-hooks"]);
  assert.deepEqual(everything(directory), before);
});

/** The gate as people meet it: hooks installed into real repositories, real commits and pushes, and all taken back. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { carryOut, planInstall } from "../../src/evidence/decide/git-hooks.ts";
import { withoutMaintenance } from "../evidence/history.ts";
import { opened } from "../evidence/place.ts";
import { called, calledWithCode } from "./called.ts";
import { baton, commandMsMax, contract, environment, expectCode, jsonLines, mainBundle, team } from "./command.ts";

const identity = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "dev-1",
  GIT_AUTHOR_EMAIL: "dev-1@example.invalid",
};

function git(directory: string, words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = environment({
    ...identity,
    GIT_COMMITTER_NAME: "x",
    GIT_COMMITTER_EMAIL: "x@example.invalid",
    ...variables,
  });
  return spawnSync("git", [...withoutMaintenance, ...words], {
    cwd: directory,
    encoding: "utf8",
    env,
    timeout: commandMsMax,
  });
}

function done(directory: string, ...words: readonly string[]): string {
  const run = git(directory, words);
  assert.equal(run.status, 0, `git ${words.join(" ")}\n${run.stderr}`);
  return run.stdout;
}

/** A team in a repository; dev-1 has claimed `src/`, which its contract allows. */
async function place(): Promise<string> {
  const directory = team();
  writeFileSync(join(directory, ".baton/.gitignore"), "*\n");
  done(directory, "init", "--quiet", "-b", "main");
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"]));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  return directory;
}

/** Installs the hooks so that they call this test's bundle. */
async function install(directory: string): Promise<void> {
  await using repository = await opened(directory);
  const plan = await planInstall(repository, [process.execPath, mainBundle]);
  assert.ok(plan.ok, JSON.stringify(plan));
  assert.ok(carryOut(plan.value).ok);
}

function stage(directory: string, path: string, text = "x"): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
  done(directory, "add", path);
}

function commit(directory: string, agent: string | null, ...words: readonly string[]) {
  return git(directory, ["commit", "--quiet", "-m", "work", ...words], agent === null ? {} : { BATON_AGENT: agent });
}

test("a commit inside claim and contract passes, one outside is stopped and says why", async () => {
  const directory = await place();
  await install(directory);
  stage(directory, "src/feature.js");
  assert.equal(commit(directory, "dev-1").status, 0);
  stage(directory, "README.md");
  const stopped = commit(directory, "dev-1");
  assert.notEqual(stopped.status, 0);
  for (const said of ["outside-contract at README.md", "scope_change", "the commit was stopped by the gate"])
    assert.ok(stopped.stderr.includes(said), `${said}\n${stopped.stderr}`);
  // A commit of named paths is made from a separate index.
  writeFileSync(join(directory, "src/feature.js"), "y");
  assert.equal(commit(directory, "dev-1", "src/feature.js").status, 0);
  const nameless = commit(directory, null);
  assert.ok(nameless.status !== 0 && nameless.stderr.includes("git config baton.agent"), nameless.stderr);
  done(directory, "config", "baton.agent", "owner");
  assert.equal(commit(directory, null).status, 0);
});

test("the lead and the holder read what the gate refuses, once; a look with --staged notifies nobody", async () => {
  const directory = await place();
  await install(directory);
  stage(directory, "src/feature.js");
  const told = async (agent: string) =>
    jsonLines(await calledWithCode(0, directory, ["inbox", "--as", agent, "--json"])).filter(({ message }) =>
      /Git refused a commit of qa-1.*src\/feature\.js/s.test(String(message)),
    );
  await called(directory, ["verify", "--staged", "--as", "qa-1"]);
  assert.deepEqual([await told("lead-1"), await told("dev-1")], [[], []]);
  done(directory, "config", "baton.agent", "qa-1");
  for (const agent of ["qa-1", null]) assert.notEqual(commit(directory, agent).status, 0);
  assert.deepEqual([(await told("lead-1")).length, (await told("dev-1")).length], [1, 1]);
});

test("the gate holds in a linked worktree, and where nobody can be asked", async () => {
  const directory = await place();
  stage(directory, "src/feature.js");
  assert.equal(commit(directory, null).status, 0);
  await install(directory);
  const linked = `${directory}-linked`;
  done(directory, "worktree", "add", "--quiet", "-b", "side", linked);
  stage(linked, "docs/x.md");
  assert.match(commit(linked, "dev-1").stderr, /outside-contract at docs\/x\.md/);
  done(linked, "reset", "--quiet", "--hard");
  stage(linked, "src/y.js");
  assert.equal(commit(linked, "dev-1").status, 0);
  renameSync(join(directory, ".baton"), join(directory, "away"));
  stage(directory, "docs/x.md");
  assert.match(commit(directory, "dev-1").stderr, /outside-contract at docs\/x\.md/, "the record is still there");
  done(directory, "reset", "--quiet", "--", "docs/x.md");
  renameSync(join(directory, ".git/baton"), join(directory, "away/state"));
  stage(directory, "src/z.js");
  const unanswered = commit(directory, "dev-1");
  assert.ok(unanswered.status !== 0 && unanswered.stderr.includes("baton init"), unanswered.stderr);
});

test("an existing hook is called after the gate, and is restored when the gate goes", async () => {
  const directory = await place();
  const hooks = join(directory, ".githooks");
  mkdirSync(hooks);
  done(directory, "config", "core.hooksPath", ".githooks");
  const own = '#!/bin/sh\necho "$0 $*" >> ran\n';
  writeFileSync(join(hooks, "pre-commit"), own);
  chmodSync(join(hooks, "pre-commit"), 0o755);
  await install(directory);
  await install(directory);
  stage(directory, "src/feature.js");
  assert.equal(commit(directory, "dev-1").status, 0);
  assert.equal(readFileSync(join(directory, "ran"), "utf8").split("\n").length, 2);
  stage(directory, "README.md");
  assert.notEqual(commit(directory, "dev-1").status, 0);
  assert.equal(readFileSync(join(directory, "ran"), "utf8").split("\n").length, 2, "a refused commit ends before it");
  const taken = jsonLines(expectCode(0, directory, ["uninstall", "git-hooks", "--json"]));
  assert.deepEqual(
    taken.map(({ hook, action }) => [hook, action]),
    [
      ["pre-commit", "restore"],
      ["pre-push", "remove"],
    ],
  );
  assert.equal(readFileSync(join(hooks, "pre-commit"), "utf8"), own);
  assert.equal(existsSync(join(hooks, "pre-push")), false);
  assert.equal(commit(directory, "dev-1").status, 0);
});

test("a push of what went past the gate is stopped", async () => {
  const directory = await place();
  const remote = join(directory, "remote.git");
  done(directory, "init", "--quiet", "--bare", remote);
  done(directory, "remote", "add", "origin", remote);
  await install(directory);
  stage(directory, "src/feature.js");
  assert.equal(commit(directory, "dev-1").status, 0);
  assert.equal(git(directory, ["push", "--quiet", "origin", "main"]).status, 0);
  stage(directory, "README.md");
  assert.equal(commit(directory, "dev-1", "--no-verify").status, 0);
  const stopped = git(directory, ["push", "origin", "main"]);
  assert.ok(stopped.status !== 0 && stopped.stderr.includes("outside-contract at README.md"), stopped.stderr);
  const told = async () =>
    jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"])).filter(({ message }) =>
      /Git refused to push commits of dev-1.*README\.md/s.test(String(message)),
    ).length;
  assert.equal(await told(), 1, "the lead reads it");
  assert.match((await calledWithCode(0, directory, ["log"])).stdout, /was refused a push by the gate: README\.md/);
  assert.notEqual(git(directory, ["push", "origin", "main"]).status, 0);
  await called(directory, ["verify", "--range", "origin/main..main"]);
  assert.equal(await told(), 1, "once");
  const branch = git(directory, ["push", "origin", "main:refs/heads/new"]);
  assert.notEqual(branch.status, 0, "a new branch brings what no remote has");
  assert.equal(git(directory, ["push", "origin", ":nothing"]).stderr.includes("stopped by the gate"), false);
});

test("a dry run writes nothing, and hooks of more than one repository are left alone", async () => {
  const directory = await place();
  const shown = expectCode(0, directory, ["install", "git-hooks", "--dry-run"]);
  assert.match(shown.stdout, /would write .*pre-commit/);
  assert.match(shown.stdout, /baton verify --staged/);
  assert.equal(existsSync(join(directory, ".git/hooks/pre-push")), false);
  const [first] = jsonLines(expectCode(0, directory, ["install", "git-hooks", "--json"]));
  assert.equal(first?.action, "write");
  assert.equal((await called(directory, ["install", "git-hooks", "--json"])).stdout.includes('"leave"'), true);
  done(directory, "config", "core.hooksPath", "/somewhere/else");
  const refused = baton(directory, ["install", "git-hooks"]);
  assert.equal(refused.code, 64);
  assert.match(refused.stderr, /more than this repository/);
});

/** The content of git's hook folder before the gate is installed, which must be there again when it is gone. */
const permissions: readonly (readonly [what: string, make: (directory: string) => void])[] = [
  ["no folder", (directory) => rmSync(join(directory, ".git/hooks"), { recursive: true, force: true })],
  ["no folder in two that are missing", (directory) => done(directory, "config", "core.hooksPath", "tools/hooks")],
  ["a hook that may not be run", (directory) => writeFileSync(hookAt(directory), "exit 1", { mode: 0o644 })],
  ["a link to a hook", (directory) => symlinkSync("../../README.md", hookAt(directory))],
  ["a link that leads nowhere", (directory) => symlinkSync("nowhere", hookAt(directory))],
  ["a folder with a hook's name", (directory) => mkdirSync(hookAt(directory))],
];

function hookAt(directory: string): string {
  mkdirSync(join(directory, ".git/hooks"), { recursive: true });
  return join(directory, ".git/hooks/pre-commit");
}

/** Everything below the places where hooks may be: paths, modes, and where links lead. */
function everything(directory: string): readonly string[] {
  const below = [".git/hooks", "tools"].flatMap((root) => {
    const path = join(directory, root);
    const inside = existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
    return existsSync(path) ? [path, ...inside.map((name) => join(path, name))] : [];
  });
  return below.toSorted().map((path) => {
    const stat = lstatSync(path);
    return `${path} ${stat.mode} ${stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? stat.size : ""}`;
  });
}

for (const [what, make] of permissions) {
  test(`taking the gate away gives back ${what}`, async () => {
    const directory = await place();
    make(directory);
    const before = everything(directory);
    await calledWithCode(0, directory, ["install", "git-hooks"]);
    await calledWithCode(0, directory, ["install", "git-hooks"]);
    assert.notDeepEqual(everything(directory), before);
    await calledWithCode(0, directory, ["uninstall", "git-hooks"]);
    assert.deepEqual(everything(directory), before);
  });
}

test("a file where a hook would be put aside is not taken for one", async () => {
  const directory = await place();
  const aside = `${hookAt(directory)}.before-baton`;
  writeFileSync(aside, "mine");
  assert.match((await called(directory, ["install", "git-hooks", "--json"])).stdout, /already-exists/);
  assert.equal(readFileSync(aside, "utf8"), "mine");
  assert.equal(existsSync(hookAt(directory)), false);
});

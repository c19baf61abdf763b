/**
 * A repository that wants to run something: every way that its configuration and attributes have to start a program is
 * laid with a wire, and judging work trips none. A plain `git log` and `git diff` in the same place do.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commitsOfRange, stagedChanges } from "../../src/evidence/decide/submission.ts";
import { uncommittedWork } from "../../src/evidence/decide/uncommitted.ts";
import { verifyCompletion } from "../../src/evidence/decide/verdict.ts";
import { hunksOf, isLineTouched, lineCounts, ownChanges } from "../../src/evidence/git/changes.ts";
import { moveFiles } from "../../src/evidence/git/checkout.ts";
import { look } from "../../src/evidence/git/questions.ts";
import { fetchRemote } from "../../src/evidence/git/remote-fetch.ts";
import { openRepository } from "../../src/evidence/git/repository.ts";
import { git, testEnvironment } from "./history.ts";
import { madeRepository, opened, tree } from "./place.ts";

const history = {
  commits: [
    { tree: tree({ "a.txt": "1", "b.bin": "x" }), parents: [] },
    { tree: tree({ "a.txt": "2", ".gitattributes": "* diff=wired filter=wired merge=wired\n" }), parents: [0] },
  ],
  references: { "refs/heads/main": 1 },
};

/** Lays the wires; each appends to `tripped`. */
function wire(directory: string, tripped: string): void {
  const program = join(directory, ".git", "wired.sh");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${tripped}\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  const hooks = join(directory, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const hook of ["pre-commit", "post-index-change", "reference-transaction", "post-checkout"]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\n${program} ${hook}\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  const settings = [
    ["core.fsmonitor", program],
    ["core.pager", program],
    ["core.sshCommand", program],
    ["core.editor", program],
    ["core.askPass", program],
    ["credential.helper", `!${program}`],
    ["gpg.program", program],
    ["log.showSignature", "true"],
    ["diff.external", program],
    ["diff.wired.textconv", program],
    ["diff.wired.command", program],
    ["filter.wired.clean", program],
    ["filter.wired.smudge", program],
    ["merge.wired.driver", program],
    ["alias.diff-tree", `!${program}`],
    ["alias.cat-file", `!${program}`],
    ["protocol.ext.allow", "always"],
    ["remote.origin.url", `ext::${program} %S`],
    ["remote.origin.promisor", "true"],
    ["extensions.partialClone", "origin"],
    ["core.repositoryFormatVersion", "1"],
    ["core.worktree", "/"],
  ] as const;
  for (const [key, value] of settings) git(directory, "config", key, value);
  writeFileSync(join(directory, "a.txt"), "changed");
}

test("judging work starts nothing that the repository names", async () => {
  await using made = await madeRepository(history);
  const tripped = join(made.folder, "tripped");
  wire(made.directory, tripped);
  // A lost object would be fetched by a promisor's remote.
  const blob = git(made.directory, "rev-parse", "main:a.txt").trim();
  git(made.directory, "-c", "core.fsmonitor=false", "unpack-file", blob);
  rmSync(tripped, { force: true });
  await using repository = await opened(made.directory, {
    environment: {
      ...testEnvironment,
      GIT_EXTERNAL_DIFF: "false",
      GIT_DIR: "/nowhere",
      GIT_SSH: "false",
      GIT_PAGER: "false",
    },
  });
  const commit = made.ids[1] ?? "";
  const verdict = await verifyCompletion(repository, {
    commits: [commit],
    filesModified: ["a.txt", "b.bin", ".gitattributes"],
    scope: null,
    claimed: null,
  });
  assert.deepEqual(verdict.problems, []);
  await verifyCompletion(repository, { commits: ["f".repeat(40)], filesModified: null, scope: null, claimed: null });
  const [base = ""] = made.ids;
  const read = await look(async () => {
    const [made_] = await commitsOfRange(repository, `${base}..main`);
    const changed = made_ === undefined ? [] : await ownChanges(repository, made_);
    await stagedChanges(repository);
    await lineCounts(repository, base, commit, changed);
    for (const each of changed) await hunksOf(repository, base, commit, each);
    return await isLineTouched(repository, { before: base, after: commit, file: "a.txt", line: 1 });
  });
  assert.deepEqual(read, { ok: true, value: true });
  assert.equal(existsSync(tripped), false);
});

test("a plain git trips the wires", async () => {
  await using made = await madeRepository(history);
  const tripped = join(made.folder, "tripped");
  wire(made.directory, tripped);
  rmSync(tripped, { force: true });
  spawnSync("git", ["show", "--ext-diff", "HEAD"], { cwd: made.directory, env: testEnvironment });
  assert.equal(existsSync(tripped), true);
});

test("replaced objects and grafts change nothing", async () => {
  await using made = await madeRepository({
    commits: [
      { tree: tree({ a: "1" }), parents: [] },
      { tree: tree({ a: "1", outside: "x" }), parents: [0] },
      { tree: tree({ a: "2" }), parents: [0] },
    ],
    references: { "refs/heads/main": 1 },
  });
  const [, lie = "", innocent = ""] = made.ids;
  git(made.directory, "replace", lie, innocent);
  mkdirSync(join(made.directory, ".git/info"), { recursive: true });
  writeFileSync(join(made.directory, ".git/info/grafts"), `${innocent} ${lie}\n`);
  const work = { commits: [lie], filesModified: ["a"], scope: { allowed: ["a"], forbidden: [] }, claimed: null };
  const verdict = await verifyCompletion(made.repository, work);
  assert.deepEqual(
    verdict.problems.map(({ code }) => code),
    ["outside-contract", "files-not-changed"],
  );
});

test("a program called git inside the repository is not started", async () => {
  await using made = await madeRepository(history);
  const tripped = join(made.folder, "tripped");
  writeFileSync(join(made.directory, ".git", "git"), `#!/bin/sh\ntouch ${tripped}\n`);
  chmodSync(join(made.directory, ".git", "git"), 0o755);
  await using repository = await opened(made.directory, { environment: { PATH: `.:${testEnvironment.PATH}` } });
  const work = { commits: [made.ids[1] ?? ""], filesModified: null, scope: null, claimed: null };
  assert.equal((await verifyCompletion(repository, work)).state, "verified");
  assert.equal(existsSync(tripped), false);
});

test("a few small trees that name billions of paths are given up", async () => {
  await using made = await madeRepository(history);
  let id = git(made.directory, "rev-parse", "main:a.txt").trim();
  for (let depth = 0; depth < 10; depth++) {
    const lines = Array.from(
      { length: 10 },
      (_, index) => `${depth === 0 ? "100644 blob" : "040000 tree"} ${id}\tf${index}\n`,
    );
    const made_ = spawnSync("git", ["mktree"], { cwd: made.directory, input: lines.join(""), env: testEnvironment });
    id = made_.stdout.toString().trim();
  }
  const commit = git(made.directory, "commit-tree", id, "-p", "main", "-m", "bomb").trim();
  git(made.directory, "update-ref", "refs/heads/main", commit);
  const verdict = await verifyCompletion(made.repository, {
    commits: [commit],
    filesModified: null,
    scope: null,
    claimed: null,
  });
  const [code] = verdict.problems.map((each) => each.code);
  // On a busy machine the time is over first.
  assert.deepEqual([verdict.state, code === "too-large" || code === "timed-out"], ["undecided", true]);
});

test("a list of cut-off commits hides no history that is here: older work is not taken for new", async () => {
  await using made = await madeRepository({
    commits: [
      { tree: tree({ a: "1" }), parents: [] },
      { tree: tree({ a: "2" }), parents: [0] },
      { tree: tree({ a: "2", b: "1" }), parents: [1] },
    ],
    references: { "refs/heads/main": 2 },
  });
  const [, work = "", tip = ""] = made.ids;
  const judged = async () => {
    await using repository = await opened(made.directory);
    const branches = { recorded: { ids: [tip], isCut: false }, isFinishedBefore: false };
    const report = { commits: [work], filesModified: null, scope: null, claimed: null, branches };
    const { state, problems } = await verifyCompletion(repository, report);
    return [state, ...problems.map(({ code }) => code)];
  };
  assert.deepEqual(await judged(), ["disputed", "commit-before-task"]);
  writeFileSync(join(made.directory, ".git/shallow"), `${tip}\n`);
  assert.deepEqual(await judged(), ["undecided", "shallow-clone"]);
});

test("work trees that lead elsewhere show nobody's files, and listing them starts nothing", async () => {
  await using made = await madeRepository(history);
  await using other = await madeRepository(history);
  for (const { directory } of [made, other]) git(directory, "checkout", "-q", "-f", "main");
  git(made.directory, "worktree", "add", "-q", "-b", "work/dev-1", join(made.folder, "dev-1"));
  writeFileSync(join(made.folder, "dev-1/mine.txt"), "x");
  writeFileSync(join(other.directory, "payroll.txt"), "x");
  // Two entries of the list: another repository, and a folder whose own `.git` says that it belongs to another one.
  const entries = join(made.directory, ".git/worktrees");
  for (const [name, place] of [
    ["planted", join(other.directory, ".git")],
    ["linked", join(other.folder, "linked/.git")],
  ] as const) {
    mkdirSync(join(entries, name), { recursive: true });
    writeFileSync(join(entries, name, "gitdir"), `${place}\n`);
    writeFileSync(join(entries, name, "HEAD"), "ref: refs/heads/dev-2\n");
    writeFileSync(join(entries, name, "commondir"), "../..\n");
  }
  git(other.directory, "worktree", "add", "-q", "-b", "side", join(other.folder, "linked"));
  writeFileSync(join(other.folder, "linked/payroll.txt"), "x");
  const tripped = join(made.folder, "tripped");
  wire(made.directory, tripped);
  // The whole folder above both would be listed.
  git(made.directory, "config", "core.worktree", join(made.folder, ".."));
  rmSync(tripped, { force: true });
  const trees = await uncommittedWork(made.directory, { environment: testEnvironment });
  assert.ok(trees.ok, JSON.stringify(trees));
  assert.deepEqual(
    trees.value.map(({ names, files }) => [names, files]),
    [
      [["repository", "main"], ["a.txt"]],
      [["dev-1", "dev-1"], ["mine.txt"]],
    ],
  );
  assert.equal(existsSync(tripped), false);
});

test("git is not what lies on the search path in a checkout, as npm puts it there, or in a relative folder", async () => {
  await using made = await madeRepository(history);
  const bin = join(made.directory, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  const tripped = join(made.folder, "tripped");
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho >> ${tripped}\n`, { mode: 0o755 });
  symlinkSync(bin, join(made.folder, "bin"));
  for (const first of [bin, join(made.folder, "bin"), "node_modules/.bin"]) {
    const PATH = `${first}:${testEnvironment.PATH}`;
    assert.equal(spawnSync("git", [], { cwd: made.directory, env: { PATH } }).status, 0);
    assert.equal(existsSync(tripped), true, "another program finds it there");
    rmSync(tripped);
    const repository = await openRepository(made.directory, { environment: { ...testEnvironment, PATH } });
    assert.ok(repository.ok, JSON.stringify(repository));
    await repository.value[Symbol.asyncDispose]();
    assert.equal(existsSync(tripped), false);
  }
});

test("a partial clone fetches nothing, whatever its remote's programs are: what it lacks is said, and then brought", async () => {
  await using made = await madeRepository(history);
  git(made.directory, "config", "uploadpack.allowFilter", "true");
  git(made.directory, "config", "uploadpack.allowAnySHA1InWant", "true");
  const work = { commits: [made.ids[1] ?? ""], filesModified: null, scope: null, claimed: null };
  const tripped = join(made.folder, "tripped");
  for (const url of [`file://${made.directory}`, "ssh://nobody@host.invalid/x"]) {
    const away = join(made.folder, `away-${url.length}`);
    git(made.folder, "clone", "-q", "--no-checkout", "--filter=tree:0", `file://${made.directory}`, away);
    const program = `sh -c 'echo "$0" >> ${tripped}; exec git-upload-pack "$@"'`;
    for (const name of ["remote.origin.uploadpack", "core.sshCommand"]) git(away, "config", name, program);
    git(away, "config", "remote.origin.url", url);
    const judged = async () => {
      await using repository = await opened(away);
      return await verifyCompletion(repository, work);
    };
    const verdict = await judged();
    assert.deepEqual([verdict.state, verdict.problems[0]?.code], ["undecided", "repository-unreadable"]);
    assert.match(verdict.problems[0]?.hint ?? "", /partial.*git fetch --refetch/);
    assert.doesNotMatch(verdict.problems[0]?.message ?? "", /hint:|warning:|grafts/);
    assert.equal(existsSync(tripped), false, "nothing was started");
    const env = { PATH: process.env.PATH ?? "", HOME: made.folder, GIT_CONFIG_NOSYSTEM: "1" };
    const plain = (...words: readonly string[]) => spawnSync("git", words, { cwd: away, env, encoding: "utf8" });
    plain("cat-file", "-p", "HEAD^{tree}");
    assert.equal(existsSync(tripped), true, "git itself starts it");
    rmSync(tripped);
    git(away, "config", "remote.origin.url", `file://${made.directory}`);
    git(away, "config", "--unset", "remote.origin.uploadpack");
    git(away, "config", "--unset", "remote.origin.partialclonefilter");
    const completed = plain("-c", "protocol.file.allow=always", "fetch", "-q", "--refetch");
    assert.equal(completed.status, 0, completed.stderr);
    assert.equal((await judged()).state, "verified");
  }
});

/** The settings of a remote that starts a program where git fetches from it by itself. */
const plants = (program: string): readonly (readonly (readonly [string, string])[])[] => [
  [["url", `ext::${program}`]],
  [
    ["url", "/x"],
    ["uploadpack", program],
  ],
  [["url", "ssh://host.invalid/x"]],
  [["url", "::x"]],
  [
    ["url", "x"],
    ["vcs", ""],
  ],
  [
    ["url", "x"],
    ["vcs", "/"],
  ],
];

test("a planted promisor starts no program, also with a git that knows no variable against it", async () => {
  await using made = await madeRepository(history);
  const { directory, folder } = made;
  const [tripped, program, older] = [join(folder, "tripped"), join(folder, "program"), join(folder, "older")];
  writeFileSync(program, `#!/bin/sh\ntouch ${tripped}\n`, { mode: 0o755 });
  mkdirSync(older);
  const script = `#!/bin/sh\nGIT_NO_LAZY_FETCH=0 PATH="\${PATH#*:}" exec git "$@"\n`;
  writeFileSync(join(older, "git"), script, { mode: 0o755 });
  const settings = ["extensions.partialClone=origin", "remote.origin.promisor=true", "core.repositoryFormatVersion=1"];
  const programs = [`core.sshCommand=${program}`, `alias.remote-=!${program}`, "protocol.ext.allow=always"];
  for (const setting of [...settings, ...programs])
    git(directory, "config", ...(setting.split(/=(.*)/s).slice(0, 2) as [string, string]));
  git(directory, "repack", "-q", "-a", "-d");
  const pack = readdirSync(join(directory, ".git/objects/pack")).find((name) => name.endsWith(".pack")) ?? "";
  writeFileSync(join(directory, ".git/objects/pack", pack.replace(/pack$/, "promisor")), "");
  const report = { commits: ["f".repeat(40)], filesModified: null, scope: null, claimed: null };
  for (const plant of plants(program)) {
    for (const [name, value] of plant) git(directory, "config", `remote.origin.${name}`, value);
    for (const PATH of [`${older}:${testEnvironment.PATH}`, testEnvironment.PATH ?? ""]) {
      await using repository = await opened(directory, { environment: { ...testEnvironment, PATH } });
      assert.notEqual((await verifyCompletion(repository, report)).state, "verified");
      assert.equal((await repository.git.run(["cat-file", "-p", "f".repeat(40)])).ok, false);
      assert.equal(existsSync(tripped), false, JSON.stringify(plant));
    }
    for (const [name] of plant) git(directory, "config", "--unset", `remote.origin.${name}`);
  }
  // It is the remote of a clone, and sends what it lacks.
  const input = `100644 blob ${"1".repeat(40)}\ta.txt\n`;
  const lacking = spawnSync("git", ["mktree", "--missing"], { cwd: directory, input }).stdout.toString().trim();
  git(directory, "update-ref", "refs/heads/main", git(directory, "commit-tree", lacking, "-m", "x").trim());
  git(directory, "config", "remote.origin.url", "/x");
  git(directory, "config", "remote.origin.uploadpack", program);
  const clone = join(folder, "clone");
  git(folder, "init", "--quiet", clone);
  for (const setting of [...settings, ...programs, `remote.origin.uploadpack=${program}`])
    git(clone, "config", ...(setting.split(/=(.*)/s).slice(0, 2) as [string, string]));
  git(clone, "config", "remote.origin.url", directory);
  const environment = { ...testEnvironment, PATH: `${older}:${testEnvironment.PATH}` };
  const fetched = await fetchRemote(clone, { environment, signal: new AbortController().signal });
  assert.equal(fetched.ok, false);
  assert.equal(existsSync(tripped), false, "the sender fetched");
});

test("a signature on what a tree is moved to is shown to no program", async () => {
  await using made = await madeRepository(history);
  const { directory, ids, repository } = made;
  const [from = "", to = ""] = ids;
  git(directory, "reset", "-q", "--hard", from);
  const tripped = join(made.folder, "tripped");
  const program = join(made.folder, "program");
  writeFileSync(program, `#!/bin/sh\ntouch ${tripped}\n`, { mode: 0o755 });
  git(directory, "config", "gpg.program", program);
  git(directory, "config", "merge.verifySignatures", "true");
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n";
  const input = git(directory, "cat-file", "commit", to).replace("\n\n", `\n${signature}`);
  const made_ = spawnSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], { cwd: directory, input });
  const signed = made_.stdout.toString().trim();
  const place = { directory, environment: testEnvironment };
  const moved = await moveFiles(repository, place, { from, to: signed });
  assert.deepEqual([moved, existsSync(tripped)], [{ ok: true, value: null }, false]);
  assert.equal(git(directory, "rev-parse", "main").trim(), signed);
});

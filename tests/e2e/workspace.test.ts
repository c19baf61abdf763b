/** Where a command works: `init`, the nearest `.baton/`, and linked worktrees of a real repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findWorkspace, mainWorktree } from "../../src/perform/workspace/workspace.ts";
import { withoutMaintenance } from "../evidence/history.ts";
import { calledWithCode } from "./called.ts";
import { contract, environment, folder, jsonLines } from "./command.ts";

function git(directory: string, ...words: string[]): string {
  const variables = environment({ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" });
  const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.invalid"];
  return execFileSync("git", [...withoutMaintenance, ...identity, ...words], {
    cwd: directory,
    encoding: "utf8",
    env: variables,
  });
}

test("init writes a team file that is valid, ignores the rest, and asks nothing", async () => {
  const place = join(folder(), "My Web App");
  mkdirSync(place);
  git(place, "init", "-q");
  const [answer] = jsonLines(
    await calledWithCode(0, place, ["init", "--dialect", "vbw/2", "--dialect", "yolo/2", "--yes", "--json"]),
  );
  assert.equal(answer?.team, "my-web-app");
  const text = readFileSync(join(place, ".baton/team.yaml"), "utf8");
  assert.match(text, /\$schema/);
  assert.match(text, /^#/m);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  const status = jsonLines(await calledWithCode(0, place, ["status", "--json"]))[0] as {
    definition: { dialects: string[] };
  }; // as documented
  assert.deepEqual(status.definition.dialects, ["vbw/2", "yolo/2"]);
  mkdirSync(join(place, ".baton/messages"), { recursive: true });
  writeFileSync(join(place, ".baton/messages/own.json"), "{}");
  git(place, "add", "-A");
  assert.deepEqual(git(place, "diff", "--cached", "--name-only").trim().split("\n"), [
    ".baton/.gitignore",
    ".baton/messages/own.json",
    ".baton/team.yaml",
  ]);
});

test("init a second time changes nothing, and with --force writes again", async () => {
  const place = folder();
  await calledWithCode(0, place, ["init", "--yes", "--team", "web"]);
  writeFileSync(join(place, ".baton/team.yaml"), "# mine\n");
  const again = await calledWithCode(2, place, ["init", "--yes"]);
  assert.match(again.stderr, /already-exists/);
  assert.match(again.stderr, /--force/);
  assert.equal(readFileSync(join(place, ".baton/team.yaml"), "utf8"), "# mine\n");
  await calledWithCode(0, place, ["init", "--yes", "--force", "--team", "web"]);
  assert.match(readFileSync(join(place, ".baton/team.yaml"), "utf8"), /team: "?web"?/);
  await calledWithCode(64, folder(), ["init", "--yes", "--team", "Not A Name"]);
});

test("init where the requested team exists already is done, and for another team it is not", async () => {
  const place = folder();
  await calledWithCode(0, place, ["init", "--yes", "--team", "web"]);
  const file = join(place, ".baton/team.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}# mine\n`);
  const written = readFileSync(file, "utf8");
  for (const words of [[], ["--team", "web"], ["--dialect", "vbw/2"], ["--team", "web", "--dialect", "vbw/2"]]) {
    const again = await calledWithCode(0, place, ["init", "--yes", ...words]);
    assert.match(again.stdout, /^Team web is there already \(vbw\/2\)/);
    const [told] = jsonLines(await calledWithCode(0, place, ["init", "--yes", "--json", ...words]));
    assert.deepEqual([told?.team, told?.isNew], ["web", false]);
  }
  for (const words of [
    ["--team", "shop"],
    ["--dialect", "yolo/2"],
  ]) {
    assert.match((await calledWithCode(2, place, ["init", "--yes", ...words])).stderr, /already-exists/);
  }
  assert.equal(readFileSync(file, "utf8"), written);
});

test("a command below the team's directory finds it, and the journal can be named from anywhere", async () => {
  const place = folder();
  await calledWithCode(0, place, ["init", "--yes", "--team", "web"]);
  const below = join(place, "src/deep");
  mkdirSync(below, { recursive: true });
  await calledWithCode(0, below, ["agent", "register", "lead-1", "--role", "lead"]);
  assert.equal(existsSync(join(below, ".baton")), false);
  const elsewhere = folder();
  const agents = jsonLines(
    await calledWithCode(0, elsewhere, ["agent", "list", "--json", "--journal", `sqlite:${place}/.baton/journal.db`]),
  );
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["lead-1"],
  );
});

test("a linked worktree uses the main worktree's team and journal, though it has a copy of the file", async () => {
  const parent = folder();
  const main = join(parent, "main");
  mkdirSync(join(main, "src"), { recursive: true });
  git(main, "init", "-q");
  await calledWithCode(0, main, ["init", "--yes", "--team", "web"]);
  writeFileSync(join(main, "src/a.ts"), "export {};\n");
  git(main, "add", "-A");
  git(main, "commit", "-q", "-m", "The team is defined");
  git(main, "worktree", "add", "-q", join(parent, "linked"), "-b", "other");
  const linked = join(parent, "linked");
  assert.ok(existsSync(join(linked, ".baton/team.yaml")), "git brought its copy");
  assert.equal(mainWorktree(linked), main);
  await calledWithCode(0, join(linked, "src"), ["agent", "register", "lead-1", "--role", "lead"]);
  await calledWithCode(0, linked, ["agent", "register", "dev-1", "--role", "dev"]);
  await calledWithCode(0, linked, ["send", "--as", "lead-1"], contract());
  assert.equal(existsSync(join(linked, ".baton/journal.db")), false);
  const inbox = jsonLines(await calledWithCode(0, main, ["inbox", "--as", "dev-1", "--json"]));
  assert.deepEqual(
    inbox.map(({ id }) => id),
    ["plan_contract-1"],
  );
  assert.match((await calledWithCode(0, linked, ["init", "--yes"])).stdout, /web is there already/);
});

test("a repository below a folder with a team is not of that team, a submodule of the team's repository is", async () => {
  const outer = folder();
  await calledWithCode(0, outer, ["init", "--yes", "--team", "outer"]);
  const plain = join(outer, "plain");
  const inner = join(outer, "inner");
  mkdirSync(plain);
  mkdirSync(join(inner, "src"), { recursive: true });
  git(inner, "init", "-q");
  await calledWithCode(0, plain, ["agent", "register", "lead-1", "--role", "lead"]);
  const refused = await calledWithCode(3, join(inner, "src"), ["agent", "register", "dev-1", "--role", "dev"]);
  assert.match(refused.stderr, /not-initialised/);
  assert.ok(refused.stderr.includes(`--journal sqlite:${outer}/.baton/journal.db`), refused.stderr);
  await calledWithCode(0, inner, ["init", "--yes"]);
  await calledWithCode(0, join(inner, "src"), ["agent", "register", "dev-1", "--role", "dev"]);
  const parts = join(inner, "parts/one");
  mkdirSync(parts, { recursive: true });
  writeFileSync(join(parts, ".git"), "gitdir: ../../.git/modules/one\n");
  const agents = jsonLines(await calledWithCode(0, parts, ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["dev-1"],
  );
});

test("a worktree of a bare repository, a submodule and broken links have no main worktree", async () => {
  const parent = folder();
  const seed = join(parent, "seed");
  mkdirSync(seed);
  git(seed, "init", "-q");
  git(seed, "commit", "-q", "--allow-empty", "-m", "Start");
  git(parent, "clone", "-q", "--bare", seed, "bare.git");
  git(join(parent, "bare.git"), "worktree", "add", "-q", join(parent, "tree"));
  assert.equal(mainWorktree(join(parent, "tree")), null);
  await calledWithCode(0, join(parent, "tree"), ["init", "--yes"]);
  assert.ok(existsSync(join(parent, "tree/.baton/team.yaml")));

  const broken = join(parent, "broken");
  mkdirSync(broken);
  for (const pointer of ["gitdir: ../nowhere/.git/modules/x\n", "nothing of the kind", "gitdir:", ""]) {
    writeFileSync(join(broken, ".git"), pointer);
    assert.equal(mainWorktree(broken), null, pointer);
  }
  rmSync(broken, { recursive: true });
  assert.equal(findWorkspace(join(parent, "tree"))?.root, join(parent, "tree"));
});

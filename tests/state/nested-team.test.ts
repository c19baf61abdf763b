/** A second `.baton/` below a team's, and repositories whose paths look like a submodule's. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";

async function teamOf(place: string): Promise<unknown> {
  return jsonLines(await calledWithCode(0, place, ["status", "--json"]))[0]?.team;
}

function repository(place: string): string {
  mkdirSync(place, { recursive: true });
  git(place, "init", "-q", "-b", "main");
  return place;
}

test("a .baton/ that a commit brings into a folder of the team takes nobody out of it", async () => {
  const place = repository(folder());
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  await calledWithCode(0, place, ["agent", "register", "lead-1", "--role", "lead"]);
  await calledWithCode(0, place, ["agent", "register", "dev-2", "--role", "dev"]);
  await calledWithCode(0, place, ["task", "add", "1-1-T1", "--files", "src/own.ts", "--as", "lead-1"]);
  const src = join(place, "src");
  mkdirSync(join(src, ".baton"), { recursive: true });
  writeFileSync(
    join(src, ".baton/team.yaml"),
    "version: 1\nteam: evil\ndialects: [vbw/2]\npolicy: observe\nagents:\n  dev-2: { role: lead }\n",
  );
  git(place, "add", "-A", "-f");
  git(place, "commit", "-q", "-m", "A team of our own");
  assert.equal(await teamOf(src), "shop");
  // The gate before an edit judges there by the team's claims as well.
  await calledWithCode(0, place, ["task", "claim", "1-1-T1", "--as", "lead-1"]);
  const edit = { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path: join(src, "own.ts") } };
  const words = ["hook", "PreToolUse", "--program", "claude-code", "--as", "dev-2"];
  for (const from of [place, src])
    await calledWithCode(2, from, words, JSON.stringify({ ...edit, cwd: from, session_id: "s-1" }));
  assert.match((await called(src, ["doctor"])).stdout, /src\/\.baton.*not used/s);
  // Who wants a team there says so.
  await calledWithCode(0, src, ["init", "--yes"]);
  assert.equal(await teamOf(src), "evil");
  assert.equal(await teamOf(place), "shop");
});

test("before any team has a journal, each folder's .baton/ counts", async () => {
  const place = repository(folder());
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  mkdirSync(join(place, "web"));
  await calledWithCode(0, join(place, "web"), ["init", "--yes", "--team", "web"]);
  assert.equal(await teamOf(join(place, "web")), "web");
});

test("a second team of a repository is made by its name alone, from below and from above, and both are told", async () => {
  const place = repository(folder());
  const web = join(place, "web/app");
  mkdirSync(web, { recursive: true });
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  const refused = await called(web, ["init", "--yes"]);
  assert.match(
    refused.stderr,
    /already-exists at .*what the agents of one hold does not count.*baton init --team NAME/s,
  );
  assert.equal(existsSync(join(web, ".baton")), false);
  assert.equal(await teamOf(web), "shop");
  const made = await calledWithCode(0, web, ["init", "--yes", "--team", "app"]);
  assert.match(made.stderr, /note: .* has another team/);
  // From above: the only team is that of a folder.
  const other = repository(folder());
  mkdirSync(join(other, "web"));
  const alone = await calledWithCode(0, join(other, "web"), ["init", "--yes"]);
  assert.match(alone.stderr, /note: this team is that of .*web alone; for the whole repository, init in /);
  assert.match((await called(other, ["init", "--yes"])).stderr, /already-exists at .*web/);
  // Again, and in a linked worktree: the same team.
  assert.match((await calledWithCode(0, join(other, "web"), ["init", "--yes"])).stdout, /there already/);
});

test("a repository in a folder called modules, and its worktrees, have one state in git's folder", async () => {
  const parent = join(folder(), "modules");
  const app = repository(join(parent, "app"));
  await calledWithCode(0, app, ["init", "--yes", "--team", "app"]);
  git(app, "add", "-A");
  git(app, "commit", "-q", "-m", "The team");
  await calledWithCode(0, app, ["agent", "register", "dev-1", "--role", "dev"]);
  git(app, "worktree", "add", "-q", join(parent, "tree"), "-b", "other");
  const agents = jsonLines(await calledWithCode(0, join(parent, "tree"), ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["dev-1"],
  );
  const apart = join(parent, "apart");
  git(parent, "init", "-q", "--separate-git-dir", join(parent, "apart.git"), apart);
  await calledWithCode(0, apart, ["init", "--yes"]);
  await calledWithCode(0, apart, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.ok(existsSync(join(parent, "apart.git/baton/journal.db")));
  assert.ok(!existsSync(join(apart, ".baton/journal.db")));
});

test("a real submodule belongs to the repository around it, in a linked worktree too", async () => {
  const parent = folder();
  const part = repository(join(parent, "part"));
  git(part, "commit", "-q", "--allow-empty", "-m", "Start");
  const main = repository(join(parent, "main"));
  await calledWithCode(0, main, ["init", "--yes", "--team", "main"]);
  await calledWithCode(0, main, ["agent", "register", "dev-1", "--role", "dev"]);
  git(main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "libs/part");
  git(main, "add", "-A");
  git(main, "commit", "-q", "-m", "With a part");
  assert.equal(await teamOf(join(main, "libs/part")), "main");
  const linked = join(parent, "linked");
  git(main, "worktree", "add", "-q", linked, "-b", "other");
  git(linked, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
  assert.equal(await teamOf(join(linked, "libs/part")), "main");
});

test("a worktree whose repository cannot be reached is refused, and gets no separate journal", async () => {
  const parent = folder();
  const main = repository(join(parent, "main"));
  await calledWithCode(0, main, ["init", "--yes", "--team", "shop"]);
  await calledWithCode(0, main, ["agent", "register", "dev-1", "--role", "dev"]);
  git(main, "add", "-A");
  git(main, "commit", "-q", "-m", "The team");
  const linked = join(parent, "linked");
  git(main, "worktree", "add", "-q", linked, "-b", "other");
  renameSync(main, `${main}.away`);
  for (const words of [["task", "list"], ["task", "add", "1-1-T1"], ["status"], ["up", "--port", "0"]]) {
    const { stderr } = await calledWithCode(1, linked, words);
    assert.match(stderr, /cannot be reached/, words.join(" "));
  }
  assert.deepEqual(readdirSync(join(linked, ".baton")).toSorted(), [".gitignore", "team.yaml"]);
  renameSync(`${main}.away`, main);
  assert.equal(await teamOf(linked), "shop");
});

test("while the HEAD of the repository is away no second journal is begun, and the first is used again after it", async () => {
  const place = repository(folder());
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  const head = join(place, ".git/HEAD");
  renameSync(head, `${head}.away`);
  for (const words of [
    ["status", "--json"],
    ["agent", "register", "dev-2", "--role", "dev", "--json"],
  ]) {
    const done = await called(place, words);
    assert.ok(done.code !== 0 && done.said.includes("journal-cannot-open"), `${words.join(" ")}: ${done.said}`);
  }
  assert.equal(existsSync(join(place, ".baton/journal.db")), false);
  renameSync(`${head}.away`, head);
  const agents = jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent }) => agent),
    ["dev-1"],
  );
});

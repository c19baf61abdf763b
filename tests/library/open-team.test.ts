/** Opening and creating teams in a program: the command's rules, and nobody acts as the owner without saying so. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connectHub, createTeam, openTeam, type Problem, type Result, type Team } from "../../src/index.ts";
import { testHub } from "../http/hub.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "baton-library-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
] as const;

/** A repository with a team of two. */
async function project(name: string): Promise<string> {
  const folder = join(scratch, name);
  mkdirSync(join(folder, "src"), { recursive: true });
  assert.equal(spawnSync("git", ["init", "-q", folder]).status, 0);
  const created = await createTeam({ folder, name: "web", agents });
  assert.ok(created.ok, JSON.stringify(created));
  return folder;
}

function opened(result: Result<Team, readonly Problem[]>): Team {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function problemOf(result: Result<unknown, readonly Problem[]>): Problem {
  assert.ok(!result.ok);
  const [first] = result.error;
  assert.ok(first);
  return first;
}

test("the team is found from a folder below, its journal is git's, and no hub is needed", async () => {
  const folder = await project("below");
  await using team = opened(await openTeam({ folder: join(folder, "src"), agent: "lead-1" }));
  assert.deepEqual([team.name, team.agent], ["web", "lead-1"]);
  assert.equal((await team.addTask({ task: "1-1-T1", files: ["src/a.ts"] })).outcome, "accepted");
  assert.ok(existsSync(join(folder, ".git/baton/journal.db")));
  await using named = opened(await openTeam({ folder, agent: "dev-1", journal: ".git/baton/journal.db" }));
  const tasks = await named.tasks();
  assert.deepEqual(tasks.ok && tasks.value.map(({ task }) => task), ["1-1-T1"]);
});

test("a caller that names nobody opens nothing, and a stranger learns who is there", async () => {
  const folder = await project("nobody");
  // As plain JavaScript may call it.
  for (const options of [{ folder }, { folder, agent: undefined }] as never[]) {
    const { code, path, hint = "" } = problemOf(await openTeam(options));
    assert.deepEqual([code, path], ["missing-field", "arguments.agent"]);
    assert.match(hint, /owner/);
  }
  const stranger = problemOf(await openTeam({ folder, agent: "dev1" }));
  assert.deepEqual(
    [stranger.code, stranger.hint],
    ["unknown-agent", 'did you mean "dev-1"? `team.agents(…)` shows the agents; `team.register(…)` adds one.'],
  );
  assert.equal(problemOf(await openTeam({ folder, agent: "baton" })).code, "sender-not-authorised");
  await using owner = opened(await openTeam({ folder, agent: "owner" }));
  assert.equal((await owner.register({ agent: "qa-1", role: "qa" })).outcome, "accepted");
});

test("what cannot be opened is refused in words of the library", async () => {
  const folder = join(scratch, "empty");
  mkdirSync(folder);
  const none = problemOf(await openTeam({ folder, agent: "dev-1" }));
  assert.equal(none.code, "not-initialised");
  assert.match(none.hint ?? "", /createTeam.*arguments\.journal/);
  assert.equal(problemOf(await openTeam({ folder: join(folder, "gone"), agent: "dev-1" })).path, "arguments.folder");
  const strange = problemOf(await openTeam({ folder, agent: "dev-1", journal: "redis://elsewhere" }));
  assert.deepEqual([strange.code, strange.path], ["wrong-usage", "arguments.journal"]);
});

test("a copied project is read, not written, and says so", async () => {
  const folder = await project("original");
  await using original = opened(await openTeam({ folder, agent: "lead-1" }));
  await original.addTask({ task: "1-1-T1" });
  await using dev = opened(await openTeam({ folder, agent: "dev-1" }));
  assert.equal((await dev.send("Look at the cart.", { to: "lead-1" })).outcome, "accepted");
  const copy = join(scratch, "copy");
  cpSync(folder, copy, { recursive: true });
  const notices: string[] = [];
  await using team = opened(
    await openTeam({ folder: copy, agent: "lead-1", onNotice: (words) => void notices.push(words) }),
  );
  assert.match(notices.join(), /copied/);
  const added = await team.addTask({ task: "1-1-T2" });
  assert.notEqual(added.outcome, "accepted");
  assert.match(JSON.stringify(added), /journal-copied/);
  const tasks = await team.tasks();
  assert.ok(tasks.ok, JSON.stringify(tasks));
  const mail = await team.inbox();
  assert.ok(mail.ok && mail.value.unread === 1, JSON.stringify(mail));
});

test("the same team again changes nothing, and another one is never written over it", async () => {
  const folder = await project("again");
  const file = join(folder, ".baton/team.yaml");
  const text = readFileSync(file, "utf8");
  const again = await createTeam({ folder, name: "web", agents });
  assert.ok(again.ok && !again.value.isNew);
  assert.equal(problemOf(await createTeam({ folder, agents: [{ agent: "qa-1", role: "qa" }] })).code, "already-exists");
  assert.equal(readFileSync(file, "utf8"), text);
});

test("a team that its file would be refused for is not created", async () => {
  const folder = join(scratch, "faults");
  mkdirSync(folder);
  const dev = { agent: "dev-1", role: "dev" };
  const cases: readonly (readonly [object, string])[] = [
    [{ name: "My Team" }, "arguments.name"],
    [{ dialects: ["vbw/9"] }, "arguments.dialects[0]"],
    [{ agents: [dev, { agent: "owner", role: "lead" }] }, "arguments.agents[1].agent"],
    [{ agents: [dev, { agent: "Dev-1", role: "dev" }] }, "arguments.agents[1].agent"],
    [{ agents: [dev, dev] }, "arguments.agents[1].agent"],
    [{ agents: [{ ...dev, role: "boss" }] }, "arguments.agents[0].role"],
    [{ agents: [{ ...dev, dialect: "yolo/1" }] }, "arguments.agents[0].dialect"],
    [{ kind: "vbw", agents: [dev] }, "arguments.kind"],
    [{ folder: join(folder, "gone") }, "arguments.folder"],
    [{ roles: [] }, "arguments.roles"],
  ];
  for (const [options, path] of cases) assert.equal(problemOf(await createTeam({ folder, ...options })).path, path);
  assert.ok(!existsSync(join(folder, ".baton")));
  writeFileSync(join(folder, "note"), "");
  assert.ok((await createTeam({ folder, kind: "solo" })).ok);
});

test("a program of an agent does not become the owner", async (t) => {
  const folder = await project("agents-own");
  const hub = await testHub(t);
  const before = process.env.BATON_AGENT;
  t.after(() => {
    if (before === undefined) delete process.env.BATON_AGENT;
    else process.env.BATON_AGENT = before;
  });
  process.env.BATON_AGENT = "dev-1";
  assert.equal(problemOf(await openTeam({ folder, agent: "owner" })).code, "human-required");
  assert.equal(problemOf(await createTeam({ folder: scratch, agents })).code, "human-required");
  const token = await hub.token("owner");
  assert.equal(problemOf(await connectHub({ url: hub.url, token })).code, "identity-mismatch");
  await using other = opened(await openTeam({ folder, agent: "lead-1" }));
  assert.equal(other.agent, "lead-1");
  process.env.BATON_AGENT = "owner";
  await using owner = opened(await openTeam({ folder, agent: "owner" }));
  assert.equal(owner.agent, "owner");
});

/** Changes of the team's definition that come by git: an agent commits, the owner pulls, the hub sees the file. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { environment } from "../e2e/command.ts";
import { ask } from "./hub.ts";
import { type HubProcess, runBaton, startUp, teamFolder } from "./process.ts";

const git = (folder: string, ...words: readonly string[]) => {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
  const done = spawnSync("git", [...who, ...words], { cwd: folder, env: environment(), encoding: "utf8" });
  assert.equal(done.status, 0, `git ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
};

/** The owner's repository with a running hub, and an agent's clone of it. */
async function company(t: Parameters<typeof teamFolder>[0]) {
  const owner = teamFolder(t);
  const clone = join(teamFolder(t), "clone");
  const file = join(owner, ".baton/team.yaml");
  writeFileSync(join(owner, ".baton/.gitignore"), "*\n!.gitignore\n!team.yaml\n!messages/\n!messages/**\n");
  git(owner, "init", "-q", "-b", "main");
  git(owner, "add", ".");
  git(owner, "commit", "-qm", "The team");
  git(owner, "clone", "-q", owner, clone);
  const hub = await startUp(t, owner, ["--port", "0", "--log-level", "info"]);
  return {
    owner,
    hub,
    text: readFileSync(file, "utf8"),
    /** The agent commits files of `.baton/` in its clone, and the owner pulls. */
    pull(files: Readonly<Record<string, string>>) {
      mkdirSync(join(clone, ".baton/messages"), { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, ".baton", name), text);
      git(clone, "add", "-A", "-f");
      git(clone, "commit", "-qm", "Work");
      git(owner, "pull", "-q", clone, "main");
    },
  };
}

const statusOf = async (hub: HubProcess) => (await ask(hub.url, "/api/teams/web/status", { as: hub.session })).body;
const roleOf = (status: { readonly agents: readonly { agent: string; role: string }[] }, name: string) =>
  status.agents.find(({ agent }) => agent === name)?.role;

test("an agent that commits its own promotion has no new right until the owner confirms", async (t) => {
  const { hub, text, pull } = await company(t);
  const dev = await hub.token("dev-1");
  const contract = (id: string) =>
    ask(hub.url, "/api/teams/web/messages", {
      as: dev,
      body: { message: JSON.stringify(typedMessage("plan_contract", {}, { id, author_role: "lead" })) },
    });
  pull({ "team.yaml": text.replace("dev-1: { role: dev }", "dev-1: { role: lead }").replace("enforce", "observe") });
  await hub.said(/the owner must confirm/);

  const status = await statusOf(hub);
  assert.deepEqual([status.revision, roleOf(status, "dev-1"), status.definition.policy], [1, "dev", "enforce"]);
  assert.deepEqual(
    status.proposal.changes.map(
      ({ place, before, after }: Record<string, string>) => `${place}: ${before} -> ${after}`,
    ),
    ["policy: enforce -> observe", "agents.dev-1.role: dev -> lead"],
  );
  assert.equal((await contract("early")).status, 403, "it is a developer still");

  // Nobody but the owner confirms, and the owner only what was shown.
  const path = "/api/teams/web/revision/confirm";
  const { id } = status.proposal;
  for (const agent of ["dev-1", "lead-1"]) {
    const refused = await ask(hub.url, path, {
      as: agent === "dev-1" ? dev : await hub.token(agent),
      body: { proposal: id },
    });
    assert.deepEqual([refused.status, refused.body.code], [403, "human-required"], agent);
  }
  pull({ "team.yaml": `${text.replace("dev-1: { role: dev }", "dev-1: { role: lead }")}  evil-1: { role: lead }\n` });
  await hub.said(/agents\.evil-1/);
  const stale = await ask(hub.url, path, { as: hub.session, body: { proposal: id } });
  assert.deepEqual([stale.status, stale.body.code], [404, "not-found"]);
  assert.equal((await statusOf(hub)).revision, 1);

  const next = (await statusOf(hub)).proposal.id;
  const declined = await ask(hub.url, "/api/teams/web/revision/decline", {
    as: hub.session,
    body: { proposal: next, reason: "dev-1 develops" },
  });
  assert.equal(declined.status, 201);
  const after = await statusOf(hub);
  assert.deepEqual([after.revision, after.proposal.status, after.proposal.reason], [1, "declined", "dev-1 develops"]);
  const confirmed = await ask(hub.url, path, { as: hub.session, body: { proposal: next } });
  assert.equal(confirmed.status, 201, "the owner may think again");
  assert.equal(roleOf(await statusOf(hub), "evil-1"), "lead");
  assert.equal((await contract("late")).status, 201);
});

test("a committed message definition has no effect before it is confirmed, nor do more senders of a known one", async (t) => {
  const { hub, owner, pull } = await company(t);
  const definition = (senders: readonly string[]) =>
    JSON.stringify({
      senders,
      receivers: ["lead"],
      schema: { type: "object", properties: { risk: { type: "string" } }, additionalProperties: false },
    });
  const dev = await hub.token("dev-1");
  const qa = await hub.token("qa-1");
  const report = (id: string, role: string) =>
    JSON.stringify({
      ...typedMessage("execution_update", {}, { id, author_role: role }),
      type: "risk_report",
      payload: { risk: "x" },
    });
  const send = (as: string, message: string) => ask(hub.url, "/api/teams/web/messages", { as, body: { message } });

  pull({ "messages/risk_report.json": definition(["dev"]) });
  await hub.said(/messages\.risk_report"/);
  assert.notEqual((await send(dev, report("r-1", "dev"))).status, 201);
  await runBaton(owner, ["status"]);
  await runBaton(owner, ["inbox", "--as", "dev-1"]);
  assert.equal((await statusOf(hub)).revision, 1, "a command that finds the change does not confirm it");

  // The command shows what waits, and confirms by the id that it shows.
  const shown = await runBaton(owner, ["team"]);
  assert.match(shown.stdout, /messages\.risk_report +none -> dev to lead/);
  const id = /team confirm ([0-9a-f]{32})/.exec(shown.stdout)?.[1] ?? "";
  const byAgent = await runBaton(owner, ["team", "confirm", id, "--as", "lead-1"]);
  assert.deepEqual([byAgent.code, /human-required/.test(byAgent.stderr)], [2, true], byAgent.stderr);
  const byOwner = await runBaton(owner, ["team", "confirm", id]);
  assert.equal(byOwner.code, 0, byOwner.stderr);
  assert.equal((await send(dev, report("r-2", "dev"))).status, 201);

  pull({ "messages/risk_report.json": definition(["dev", "qa"]) });
  await hub.said(/messages\.risk_report\.senders/);
  assert.notEqual((await send(qa, report("r-3", "qa"))).status, 201);
  assert.equal((await send(dev, report("r-4", "dev"))).status, 201, "who could send it still can");
});

test("a team file that names another team begins none, and says how to go on", async (t) => {
  const { owner, hub, text } = await company(t);
  const file = join(owner, ".baton/team.yaml");
  writeFileSync(file, text.replace("team: web", "team: shop"));
  await hub.said(/names the team \\"shop\\"/);
  const found = await runBaton(owner, ["status"]);
  assert.match(found.stderr, /names the team "shop", but the journal holds the team web/);
  assert.match(found.stderr, /Write `team: web` in the file again/);
  assert.match(found.stdout, /team web /, "the team of the journal goes on");
  await hub.end("SIGTERM");
  const up = await runBaton(owner, ["up", "--port", "0"]);
  assert.deepEqual([up.code === 0, /baton team start/.test(up.stderr)], [false, true], up.stderr);
  const started = await runBaton(owner, ["team", "start"]);
  assert.equal(started.code, 0, started.stderr);
  assert.match((await runBaton(owner, ["status"])).stdout, /team shop /);
  assert.match((await runBaton(owner, ["status", "--team", "web"])).stdout, /team web /);
});

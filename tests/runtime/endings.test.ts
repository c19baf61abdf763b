/**
 * Shutdown rounds and escalations where things cross: other dialects, strangers, two rounds, restarts, new sessions,
 * lost claims.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import type { DialectId } from "../../src/messages/message.ts";
import type { Department, Role } from "../../src/messages/role.ts";
import { manualClock, typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { ask, testHub } from "../http/hub.ts";

type Agent = {
  readonly agent: string;
  readonly role: Role;
  readonly dialect?: DialectId;
  readonly department?: Department;
};
type Fields = { readonly [field: string]: Json };

const deadlineMs = 2_000;
const yes = (id = "yes", request = "shut-1") => typedMessage("shutdown_response", { request_id: request }, { id });

async function place(agents: readonly Agent[], dialects: readonly DialectId[] = ["vbw/2"]) {
  const clock = manualClock();
  const team = await testTeam({ clock, dialects, agents: [{ agent: "lead-1", role: "lead" }, ...agents] });
  return { clock, team };
}

async function start(team: TestTeam, as: string, id: string, agents?: readonly string[]) {
  const named = agents === undefined ? {} : { agents };
  const reply = await team.as(as).startShutdown({ reason: "phase_complete", deadlineMs, ...named }, { id });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
}

async function say(team: TestTeam, agent: string, message: Fields, to?: readonly string[]) {
  return await team.as(agent).send(JSON.stringify(message), to === undefined ? {} : { to });
}

async function round(team: TestTeam, id: string) {
  const found = await team.as("owner").shutdowns({ round: id });
  assert.ok(found.ok);
  return found.value[0] ?? assert.fail("no round");
}

async function outcomes(team: TestTeam, id: string) {
  const { outcome, agents } = await round(team, id);
  return [outcome, ...agents.map((each) => `${each.agent} ${each.outcome}`)];
}

test("an answer counts where its sender's own dialect reads it, in any form; another dialect's form is refused", async () => {
  const agents: readonly Agent[] = [
    { agent: "dev-1", role: "dev", dialect: "yolo/1" },
    { agent: "dev-2", role: "dev", dialect: "yolo/2" },
    { agent: "dev-3", role: "dev", dialect: "vbw/2" },
  ];
  const { team } = await place(agents, ["vbw/2", "yolo/2", "yolo/1"]);
  await using _ = team;
  await start(team, "lead-1", "shut-1");
  const { payload: _payload, ...envelope } = yes("two");
  const second = { ...envelope, payload: { request_id: "shut-1", approved: true, final_status: "complete" } };
  const flat = { type: "shutdown_response", request_id: "shut-1", approve: true, final_status: "complete" };
  const first = { type: "shutdown_response", status: "clean", pending_work: [], artifacts_committed: true };
  const refused = await say(team, "dev-3", first, ["lead-1"]);
  assert.ok(refused.outcome === "refused");
  assert.deepEqual([refused.problems[0]?.code, refused.problems[0]?.path], ["missing-field", "$.request_id"]);
  // yolo/1 does not know the envelope, and yolo/2 knows "approve" as a drifted "approved".
  for (const [agent, message] of [
    ["dev-1", second],
    ["dev-2", yes()],
    ["dev-3", flat],
  ] as const) {
    assert.equal((await say(team, agent, message, ["lead-1"])).outcome, "accepted");
  }
  assert.deepEqual(await outcomes(team, "shut-1"), ["complete", "dev-1 clean", "dev-2 clean", "dev-3 clean"]);
});

test("an agent that is registered again while its round goes on is asked no more, and its new session works", async () => {
  const { team, clock } = await place([{ agent: "dev-1", role: "dev" }]);
  await using _ = team;
  await start(team, "lead-1", "shut-1");
  assert.equal((await team.as("owner").retire({ agent: "dev-1", reason: "restarted" })).outcome, "accepted");
  assert.equal((await team.as("owner").register({ agent: "dev-1", role: "dev" })).outcome, "accepted");
  assert.deepEqual(await outcomes(team, "shut-1"), ["incomplete", "dev-1 forced"]);
  clock.advance(10 * deadlineMs);
  assert.equal((await team.as("dev-1").send("Here again", { to: ["lead-1"], id: "again" })).outcome, "accepted");
  assert.deepEqual(await outcomes(team, "shut-1"), ["incomplete", "dev-1 forced"], "the certificate stands");
});

test("a hub that is stopped during a round and started again goes on with it; a forced agent's token proves nobody", async (t) => {
  const before = await testHub(t);
  const dev = await before.token("dev-1");
  const lead = await before.token("lead-1");
  const body = { reason: "error", deadlineMs: 400, agents: ["dev-1"], id: "stop-1" };
  // A round of the person would not wait for an agent that was never seen.
  const started = await ask(before.url, "/api/teams/web/shutdowns", { as: lead, body });
  assert.equal(started.status, 201);
  await before.hub.stop();
  const after = await testHub(t, { folder: before.folder });
  const path = "/api/teams/web/shutdowns?round=stop-1";
  const seen = async () => (await ask(after.url, path, { as: after.session })).body.shutdowns[0];
  let certificate = await seen();
  // Each answer waits for the deadlines that have passed; the hub passes them too.
  while (certificate.outcome === "open") certificate = await seen();
  assert.deepEqual(
    [certificate.outcome, certificate.asked, certificate.agents[0].outcome],
    ["incomplete", 1, "forced"],
  );
  const used = await ask(after.url, "/api/teams/web/status", { as: dev });
  assert.deepEqual([used.status, used.body.code], [401, "token-revoked"]);
});

const departments: readonly Agent[] = [
  { agent: "dev-1", role: "dev", department: "backend", dialect: "vbw/1" },
  { agent: "lead-2", role: "lead", department: "backend", dialect: "vbw/1" },
  { agent: "dev-3", role: "dev", department: "frontend", dialect: "vbw/1" },
  { agent: "lead-3", role: "lead", department: "frontend", dialect: "vbw/1" },
];
const blocker = (task: string) => ({
  type: "dev_blocker",
  task,
  plan_id: "1-1",
  blocker: "The module is missing",
  needs: "1-0",
  attempted: ["git log"],
});

async function open(team: TestTeam) {
  const found = await team.as("owner").escalations({ all: true });
  assert.ok(found.ok);
  return found.value;
}

test("a dev_blocker of vbw/1 in a team with departments waits at its own department's lead, then at the owner", async () => {
  const { team, clock } = await place(departments, ["vbw/1"]);
  await using _ = team;
  const said = await say(team, "dev-1", blocker("1-1/T1"));
  assert.equal(said.outcome, "accepted", JSON.stringify(said));
  const [only] = await open(team);
  assert.deepEqual([only?.id, only?.level, only?.chain], ["ESC-01-01-T1", "lead", ["lead", "owner", "user"]]);
  const foreign = await team.as("lead-3").resolve({ escalation: "ESC-01-01-T1", decision: "Mine" });
  assert.ok(foreign.outcome === "refused" && foreign.problems[0]?.code === "sender-not-authorised");
  clock.advance(300_000);
  assert.equal((await open(team))[0]?.level, "owner");
});

test("two open blockers of one agent are two escalations, each decided for itself", async () => {
  const { team } = await place([{ agent: "dev-1", role: "dev", dialect: "vbw/1" }], ["vbw/1"]);
  await using _ = team;
  for (const task of ["1-1/T1", "1-1/T2"]) assert.equal((await say(team, "dev-1", blocker(task))).outcome, "accepted");
  assert.equal(
    (await team.as("lead-1").resolve({ escalation: "ESC-01-01-T2", decision: "Stub it" })).outcome,
    "accepted",
  );
  assert.deepEqual(
    (await open(team)).map(({ id, status }) => [id, status]),
    [
      ["ESC-01-01-T1", "open"],
      ["ESC-01-01-T2", "resolved"],
    ],
  );
});

test("a decision that comes after its agent lost the claim is reported all the same, and gives nothing back", async () => {
  const { team } = await place([
    { agent: "dev-1", role: "dev" },
    { agent: "dev-2", role: "dev" },
  ]);
  await using _ = team;
  await team.as("lead-1").addTask({ task: "1-1-T1", plan: "1-1", files: ["src/a.ts"] });
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await say(team, "dev-1", typedMessage("blocker_report"))).outcome, "accepted");
  assert.equal((await team.as("lead-1").release({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal(
    (await team.as("lead-1").resolve({ escalation: "ESC-01-01-T1", decision: "Go on" })).outcome,
    "accepted",
  );
  const mail = await team.as("dev-1").inbox();
  assert.ok(mail.ok && JSON.stringify(mail.value.deliveries.at(-1)).includes("Go on"));
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  assert.equal(tasks.value[0]?.holder, "dev-2");
});

/** What a changed team file may do before and after the owner's word: rules for names, speakers, and who confirms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../perform/operations/reply.ts";
import type { Registration } from "../../perform/team.ts";
import { manualClock } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";
import type { AgentDefinition, TeamDefinition } from "../state/definition.ts";
import { reviseTeam } from "./revision.ts";

const agents: readonly AgentDefinition[] = [
  { agent: "lead-1", role: "lead" },
  { agent: "senior-1", role: "senior" },
  { agent: "dev-1", role: "dev" },
  { agent: "orchestrator-1", role: "orchestrator" },
];

const codeOf = (reply: Reply): string =>
  reply.outcome === "refused" ? (reply.problems[0]?.code ?? "") : reply.outcome;

/** The file changes by `part`; the id of what waits then. */
async function change(team: TestTeam, part: Partial<TeamDefinition>): Promise<string | undefined> {
  const status = await team.as("owner").status();
  assert.ok(status.ok && status.value.definition);
  const revised = await reviseTeam(team.context, { ...status.value.definition, ...part });
  assert.ok(revised.ok, JSON.stringify(revised));
  return revised.value.proposal?.id;
}

async function confirm(team: TestTeam, proposal: string | undefined): Promise<void> {
  assert.ok(proposal, "something waits");
  assert.equal(codeOf(await team.as("owner").confirmRevision({ proposal })), "accepted");
}

/** `dev file active`: what the roster says of an agent, with its own mode where it has one. */
async function placeOf(team: TestTeam, name: string): Promise<string> {
  const status = await team.as("owner").status();
  const member = status.ok ? status.value.agents.find(({ agent }) => agent === name) : undefined;
  return [member?.role, member?.source, member?.status, member?.mode].filter((word) => word !== undefined).join(" ");
}

test("nobody but the owner confirms or declines, and each decision happens once", async () => {
  await using team = await testTeam({ agents });
  const id = (await change(team, { policy: "observe" })) ?? "";
  for (const { agent } of agents) {
    assert.equal(codeOf(await team.as(agent).confirmRevision({ proposal: id })), "human-required", agent);
    assert.equal(codeOf(await team.as(agent).declineRevision({ proposal: id })), "human-required", agent);
  }
  assert.equal(codeOf(await team.as("owner").confirmRevision({ proposal: "0".repeat(32) })), "not-found");
  assert.equal(codeOf(await team.as("owner").declineRevision({ proposal: id, reason: "no" })), "accepted");
  const again = await team.as("owner").declineRevision({ proposal: id });
  assert.ok(again.outcome === "accepted" && again.notes[0]?.code === "already-so");
  assert.equal(await change(team, { policy: "observe" }), id, "the same file is proposed once");
  await change(team, { policy: "enforce" });
  const status = await team.as("owner").status();
  assert.deepEqual(status.ok && [status.value.proposal, status.value.revision], [null, 1], "the file is as it was");
  assert.equal(
    codeOf(await team.as("owner").confirmRevision({ proposal: id })),
    "not-found",
    "what was withdrawn is gone",
  );
});

test("what the file says of an agent of a command is shown as it differs, and takes effect when it is confirmed", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  assert.equal(codeOf(await owner.register({ agent: "dev-9", role: "dev" })), "accepted");
  const id = await change(team, { agents: [...agents, { agent: "dev-9", role: "lead" }] });
  const waiting = await owner.status();
  assert.ok(waiting.ok);
  assert.deepEqual(waiting.value.proposal?.changes, [
    { place: "agents.dev-9.role", before: "dev", after: "lead", waits: true },
  ]);
  assert.equal(await placeOf(team, "dev-9"), "dev command active");
  await confirm(team, id);
  assert.equal(await placeOf(team, "dev-9"), "lead file active", "from here on the file says who it is");
  await change(team, { agents: [...agents, { agent: "dev-9", role: "dev" }] });
  assert.equal(await placeOf(team, "dev-9"), "dev file active", "a lower role holds at once");
});

test("an agent of a command that the file names as it is becomes the file's at once, and gains nothing", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  assert.equal(codeOf(await owner.register({ agent: "dev-9", role: "dev", mode: "task" })), "accepted");
  assert.equal(await change(team, { agents: [...agents, { agent: "dev-9", role: "dev" }] }), undefined);
  assert.equal(await placeOf(team, "dev-9"), "dev file active task");
  await change(team, { agents });
  assert.equal(await placeOf(team, "dev-9"), "dev file retired task");
});

test("a command's word on an agent of the file holds until the file says something else of it", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  for (const reply of [
    await owner.retire({ agent: "dev-1" }),
    await owner.register({ agent: "dev-1", role: "senior" }),
  ])
    assert.equal(codeOf(reply), "accepted");
  await change(team, { policy: "enforce", limits: { messageBytes: 5_000 } });
  assert.equal(await placeOf(team, "dev-1"), "senior command active");
  await change(team, { agents: agents.filter(({ agent }) => agent !== "dev-1") });
  assert.equal(await placeOf(team, "dev-1"), "senior file retired");
});

test("a new session leaves an agent of the file the file's, so who is taken out of the file leaves", async () => {
  await using team = await testTeam({ agents });
  const lead = team.as("lead-1");
  const without = agents.filter(({ agent }) => agent !== "dev-1");
  assert.equal(codeOf(await lead.register({ agent: "dev-1", role: "dev", newSession: true })), "accepted");
  assert.equal(await placeOf(team, "dev-1"), "dev file active");
  for (const reply of [await lead.retire({ agent: "dev-1" }), await lead.register({ agent: "dev-1", role: "dev" })])
    assert.equal(codeOf(reply), "accepted");
  assert.equal(await placeOf(team, "dev-1"), "dev file active");
  await change(team, { agents: without });
  assert.equal(await placeOf(team, "dev-1"), "dev file retired");
  assert.equal(codeOf(await lead.register({ agent: "dev-1", role: "dev" })), "sender-not-authorised", "nor undone");
});

test("an agent that a lead took out and the owner then leaves out of the file is taken out by the owner", async () => {
  await using team = await testTeam({ agents });
  const lead = team.as("lead-1");
  for (const reply of [
    await lead.retire({ agent: "dev-1" }),
    await lead.register({ agent: "dev-1", role: "tester" }),
    await lead.retire({ agent: "dev-1" }),
  ])
    assert.equal(codeOf(reply), "accepted");
  await change(team, { agents: agents.filter(({ agent }) => agent !== "dev-1") });
  assert.equal(codeOf(await lead.register({ agent: "dev-1", role: "dev" })), "sender-not-authorised");
});

test("what Baton records of a file by itself is Baton's own act", async () => {
  await using team = await testTeam({ agents });
  await change(team, { policy: "observe", limits: { messageBytes: 5_000 } });
  const lines: (readonly string[])[] = [];
  for await (const line of team.as("owner").log({ kinds: ["team"] }))
    if (line.ok) lines.push([line.value.sender, line.value.summary]);
  assert.deepEqual(lines, [
    ["owner", "recorded team revision 1"],
    ["baton", "recorded team revision 2, the team file has changed: the owner must confirm it"],
  ]);
});

test("agents join by a confirmed rule for names: as its role, so many, and nobody who has left", async () => {
  await using team = await testTeam({ agents });
  const join = (agent: string, more: Partial<Registration> = {}, by = agent) =>
    team.as(by).register({ agent, role: "dev", ...more });
  const names = [{ pattern: "vbw-dev-*", role: "dev", max: 2 }] as const;
  const id = await change(team, { names });
  assert.equal(codeOf(await join("vbw-dev-1")), "sender-not-authorised", "the rule waits for the owner");
  await confirm(team, id);

  const cases: readonly (readonly [agent: string, more: Partial<Registration>, by: string, expected: string])[] = [
    ["vbw-dev-1", { role: "lead" }, "vbw-dev-1", "sender-not-authorised"],
    ["vbw-dev-1", { role: "qa" }, "dev-1", "sender-not-authorised"],
    ["vbw-dev-1", { department: "backend" }, "dev-1", "sender-not-authorised"],
    ["vbw-dev-1", { mode: "task" }, "dev-1", "sender-not-authorised"],
    ["vbw-dev-", {}, "dev-1", "sender-not-authorised"],
    ["xvbw-dev-1", {}, "dev-1", "sender-not-authorised"],
    ["vbw-dev-1", {}, "vbw-dev-2", "sender-not-authorised"],
    ["vbw-dev-1", {}, "vbw-dev-1", "accepted"],
    ["vbw-dev-1", {}, "dev-1", "accepted"],
    ["vbw-dev-1", { newSession: true }, "dev-1", "sender-not-authorised"],
    ["vbw-dev-2", {}, "dev-1", "accepted"],
    ["vbw-dev-3", {}, "dev-1", "sender-not-authorised"],
  ];
  for (const [agent, more, by, expected] of cases)
    assert.equal(codeOf(await join(agent, more, by)), expected, `${agent} ${JSON.stringify(more)} by ${by}`);
  assert.equal(codeOf(await team.as("owner").retire({ agent: "vbw-dev-1" })), "accepted");
  assert.equal(codeOf(await join("vbw-dev-1")), "retired-agent", "who left does not come back by a rule");
  assert.equal(codeOf(await join("vbw-dev-1", {}, "dev-1")), "sender-not-authorised");
  assert.equal(codeOf(await join("vbw-dev-3", {}, "dev-1")), "accepted", "its place is free");
  await change(team, { names: [] });
  assert.equal(codeOf(await team.as("owner").retire({ agent: "vbw-dev-2" })), "accepted");
  assert.equal(codeOf(await join("vbw-dev-4", {}, "dev-1")), "sender-not-authorised", "the rule is gone at once");
});

const blocker = {
  type: "dev_blocker",
  task: "01-02/T1",
  plan_id: "01-02",
  blocker: "Missing",
  needs: "01-01",
  attempted: [],
};
const escalation = "ESC-01-02-T1";
const resolution = {
  type: "escalation_resolution",
  original_escalation: escalation,
  decision: "Use A",
  rationale: "Support",
  action_items: ["Update"],
  resolved_by: "user",
};

test("a confirmed speaker passes on what the user decided, under its own name, and does nothing else of the owner's", async () => {
  await using team = await testTeam({ agents, dialects: ["yolo/1"], clock: manualClock() });
  assert.equal(codeOf(await team.as("dev-1").send(JSON.stringify(blocker))), "accepted");
  const say = (by: string, more: object = {}) => team.as(by).send(JSON.stringify({ ...resolution, ...more }));
  const id = await change(team, { speakers: ["orchestrator-1", "dev-1"] });
  const early = await say("orchestrator-1");
  assert.equal(codeOf(early), "identity-mismatch", "it waits for the owner");
  assert.match(JSON.stringify(early), /decides with `baton escalation resolve`\. Agents in `speakers`/);
  await confirm(team, id);

  assert.equal(codeOf(await say("lead-1")), "identity-mismatch", "no other agent speaks for the user");
  assert.equal(codeOf(await say("orchestrator-1", { resolved_by: "owner" })), "identity-mismatch");
  assert.equal(codeOf(await say("dev-1")), "own-request", "nobody decides its own matter in the user's name");
  assert.equal(codeOf(await say("orchestrator-1")), "accepted");
  const all = await team.as("owner").escalations({ all: true });
  assert.ok(all.ok);
  const [known] = all.value;
  assert.deepEqual([known?.decision?.level, known?.decision?.decidedBy], ["user", "orchestrator-1"], "through whom");
  const inbox = await team.as("dev-1").inbox();
  assert.ok(inbox.ok && inbox.value.deliveries.some(({ sender }) => sender === "orchestrator-1"));

  const speaker = team.as("orchestrator-1");
  const next = (await change(team, { policy: "observe" })) ?? "";
  assert.deepEqual(
    [codeOf(await speaker.confirmRevision({ proposal: next })), codeOf(await speaker.issueToken({ agent: "dev-1" }))],
    ["human-required", "sender-not-authorised"],
  );
  await change(team, { speakers: [] });
  assert.equal(codeOf(await say("orchestrator-1", { decision: "Use B" })), "identity-mismatch", "it is none at once");

  // A lead that may speak for the user still decides in its own name as a lead.
  await confirm(team, await change(team, { speakers: ["lead-1"] }));
  await team.as("dev-1").send(JSON.stringify({ ...blocker, task: "01-02/T2" }));
  const own = { original_escalation: "ESC-01-02-T2", resolved_by: "lead" };
  assert.equal(codeOf(await say("lead-1", own)), "accepted");
  const [, second] = await team
    .as("owner")
    .escalations({ all: true })
    .then((found) => (found.ok ? found.value : []));
  assert.equal(second?.decision?.level, "lead");
});

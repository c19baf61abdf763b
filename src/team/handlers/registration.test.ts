/** What a lead may give and take by registering and retiring, and what a token proves afterwards. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../perform/operations/reply.ts";
import { testTeam } from "../../testing/test-team.ts";
import { teamKinds } from "../state/kinds.ts";
import { identifyToken } from "./credentials.ts";

const departments = { agents: teamKinds["yolo-departments"].agents, dialects: teamKinds["yolo-departments"].dialects };

const codeOf = (reply: Reply) => (reply.outcome === "refused" ? reply.problems[0]?.code : reply.outcome);

test("a department's lead makes itself neither the owner nor another department's lead", async () => {
  await using team = await testTeam(departments);
  const lead = team.as("backend-lead-1");
  const asked = [
    lead.register({ agent: "fl", role: "lead", department: "frontend" }),
    lead.register({ agent: "boss", role: "owner", department: "owner" }),
    lead.register({ agent: "spy", role: "dev", department: "frontend" }),
    lead.register({ agent: "roamer", role: "dev" }),
    lead.register({ agent: "audit", role: "security", department: "backend" }),
    lead.retire({ agent: "owner-1" }),
    lead.retire({ agent: "backend-architect-1" }),
    lead.retire({ agent: "security-1" }),
    lead.retire({ agent: "critic-1" }),
    lead.retire({ agent: "frontend-dev-1" }),
    lead.retire({ agent: "backend-lead-1" }),
    team.as("owner-1").register({ agent: "boss", role: "dev", department: "backend" }),
  ];
  for (const reply of await Promise.all(asked)) assert.equal(codeOf(reply), "sender-not-authorised");
  const status = await team.as("owner").status();
  assert.ok(status.ok);
  assert.equal(status.value.agents.length, departments.agents.length);
  assert.ok(status.value.agents.every((agent) => agent.status === "active"));
});

test("a lead brings agents of its department in and out, and the record says who did", async () => {
  await using team = await testTeam(departments);
  const lead = team.as("backend-lead-1");
  assert.equal(codeOf(await lead.register({ agent: "b2", role: "dev", department: "backend" })), "accepted");
  assert.equal(codeOf(await lead.retire({ agent: "b2" })), "accepted");
  assert.equal(codeOf(await lead.register({ agent: "b2", role: "senior", department: "backend" })), "accepted");
  const status = await team.as("owner").status();
  const member = status.ok ? status.value.agents.find(({ agent }) => agent === "b2") : undefined;
  assert.deepEqual([member?.role, member?.session, member?.registrars], ["senior", 2, ["backend-lead-1"]]);
  // Its name stays its department's, for later members too.
  const other = await team.as("frontend-lead-1").register({ agent: "b2", role: "dev", department: "frontend" });
  assert.equal(codeOf(other), "sender-not-authorised");
});

test("whom the person took out comes back by the person's word only", async () => {
  await using team = await testTeam(departments);
  const owner = team.as("owner");
  const lead = team.as("backend-lead-1");
  const agent = "backend-dev-1";
  const back = { agent, role: "dev", department: "backend" } as const;
  assert.equal(codeOf(await owner.retire({ agent })), "accepted");
  const refused = await lead.register(back);
  assert.equal(codeOf(refused), "sender-not-authorised");
  assert.match(JSON.stringify(refused), /taken out by the person.*agent register backend-dev-1 --role dev/);
  assert.equal(codeOf(await lead.retire({ agent })), "accepted", "saying it again changes nothing");
  assert.equal(codeOf(await lead.register(back)), "sender-not-authorised", "an agent's word does not replace it");
  assert.equal(codeOf(await owner.register(back)), "accepted");
  assert.equal(codeOf(await lead.retire({ agent })), "accepted");
  assert.equal(codeOf(await lead.register(back)), "accepted", "what the lead took out the lead brings back");
  assert.equal(codeOf(await lead.retire({ agent })), "accepted");
  assert.equal(codeOf(await owner.retire({ agent })), "accepted");
  assert.equal(codeOf(await lead.register(back)), "sender-not-authorised", "the person's word is the last");
});

test("the token of an agent that was retired, or registered again, proves nobody", async () => {
  await using team = await testTeam(departments);
  const issued = await team.as("owner").issueToken({ agent: "backend-dev-1" });
  assert.ok(issued.outcome === "accepted" && issued.token !== null);
  const { token } = issued;
  const proves = async () => {
    const known = await identifyToken(team.context, token);
    return known.ok ? known.value.agent : known.error.code;
  };
  assert.equal(await proves(), "backend-dev-1");
  await team.as("backend-lead-1").retire({ agent: "backend-dev-1" });
  assert.equal(await proves(), "retired-agent");
  await team.as("backend-lead-1").register({ agent: "backend-dev-1", role: "dev", department: "backend" });
  assert.equal(await proves(), "token-revoked");
  await team.as("backend-lead-1").retire({ agent: "backend-dev-1" });
  assert.equal(await proves(), "token-revoked");
});

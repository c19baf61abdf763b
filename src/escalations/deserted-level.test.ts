/**
 * A level that everybody leaves while an escalation waits there holds nobody up. Source: docs/protocol/asking.md,
 * sections 5 to 10.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "../messages/role.ts";
import { reviseTeam } from "../team/handlers/revision.ts";
import { levelSilentMsOf, unseenMsOf } from "../team/state/definition.ts";
import { manualClock } from "../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../testing/test-team.ts";

const id = "ESC-01-02-T1";
const blocker = {
  type: "dev_blocker",
  task: "01-02/T1",
  plan_id: "01-02",
  blocker: "Missing",
  needs: "01-01",
  attempted: [],
};

type Agent = readonly [agent: string, role: Role];

const dev: Agent = ["dev-1", "dev"];
const all: readonly Agent[] = [dev, ["senior-1", "senior"], ["lead-1", "lead"], ["architect-1", "architect"]];

async function heldUp(agents: readonly Agent[], clock = manualClock()): Promise<TestTeam> {
  const team = await testTeam({
    agents: agents.map(([agent, role]) => ({ agent, role })),
    dialects: ["yolo/1"],
    clock,
  });
  const sent = await team.as("dev-1").send(JSON.stringify(blocker));
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  return team;
}

async function retire(team: TestTeam, ...agents: readonly string[]): Promise<void> {
  for (const agent of agents) assert.equal((await team.as("owner").retire({ agent })).outcome, "accepted");
}

/** Where it waits, and how it came there. */
async function waits(team: TestTeam): Promise<readonly string[]> {
  const found = await team.as("owner").escalations();
  assert.ok(found.ok);
  const [known] = found.value;
  return [known?.level ?? "", ...(known?.steps.map(({ level, how }) => `${level} ${how}`) ?? [])];
}

async function told(team: TestTeam, agent: string): Promise<readonly string[]> {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok);
  return page.value.deliveries.flatMap(({ message, sender }) =>
    sender === "baton" && typeof message === "string" ? message.split("\n", 1) : [],
  );
}

test("where the last agent of a level is retired the next level is notified at once, with its whole time", async () => {
  const clock = manualClock();
  await using team = await heldUp([...all, ["senior-2", "senior"]], clock);
  await retire(team, "senior-1");
  assert.deepEqual(await waits(team), ["senior", "senior opened"], "somebody is left");
  clock.advance(1_000);
  await retire(team, "senior-2");
  assert.deepEqual(await waits(team), ["lead", "senior opened", "lead left"]);
  assert.deepEqual(await told(team, "lead-1"), [
    `Escalation ${id} has come to the lead: nobody is left at senior who could answer.`,
  ]);
  clock.advance(levelSilentMsOf(null) - 1);
  assert.equal((await waits(team))[0], "lead");
  clock.advance(1);
  assert.equal((await waits(team))[0], "architect");
});

test("deserted levels are skipped one after the other, up to the person, who is notified", async () => {
  await using team = await heldUp(all);
  await retire(team, "architect-1", "lead-1");
  assert.equal((await waits(team))[0], "senior", "those above may leave");
  await retire(team, "senior-1");
  assert.deepEqual(await waits(team), ["user", "senior opened", "lead left", "architect left", "user left"]);
  assert.equal((await told(team, "owner")).length, 1);
  const summaries: string[] = [];
  for await (const line of team.as("owner").log({ kinds: ["timer"] })) if (line.ok) summaries.push(line.value.summary);
  assert.deepEqual(summaries, [
    `${id} goes up to the lead, because nobody is left below`,
    `${id} goes up to the architect, because nobody is left below`,
    `Escalation ${id} has come to the user: nobody is left at architect who could answer.`,
  ]);
});

test("a level is deserted by a revision of the team's file, by another role, and by an answer to a shutdown", async () => {
  const others = all.filter(([agent]) => agent !== "senior-1");
  for (const agents of [others, [...others, ["senior-1", "dev"] as const]]) {
    await using team = await heldUp(all);
    const definition = { name: team.context.team, dialects: ["yolo/1"] as const, policy: "enforce" as const };
    const listed = agents.map(([agent, role]) => ({ agent, role }));
    const revised = await reviseTeam(team.context, { ...definition, agents: listed, routing: [], limits: {} });
    assert.ok(revised.ok);
    assert.deepEqual(await waits(team), ["senior", "senior opened"], "the last senior stays until the owner confirms");
    const confirmed = await team.as("owner").confirmRevision({ proposal: revised.value.proposal?.id ?? "" });
    assert.equal(confirmed.outcome, "accepted", JSON.stringify(confirmed));
    assert.deepEqual(await waits(team), ["lead", "senior opened", "lead left"]);
  }
  await using team = await heldUp(all);
  const started = await team
    .as("owner")
    .startShutdown({ reason: "plan_complete", agents: ["senior-1"] }, { id: "s-1" });
  assert.equal(started.outcome, "accepted", JSON.stringify(started));
  assert.equal((await waits(team))[0], "senior");
  const answer = {
    type: "shutdown_response",
    request_id: "s-1",
    approved: true,
    final_status: "clean",
    artifacts_committed: true,
  };
  const stopped = await team.as("senior-1").send(JSON.stringify(answer));
  assert.equal(stopped.outcome, "accepted", JSON.stringify(stopped));
  assert.deepEqual(await waits(team), ["lead", "senior opened", "lead left"]);
});

test("who has disappeared is not waited for, also where a blocker comes later, and who came back is", async () => {
  const clock = manualClock();
  await using team = await heldUp(all, clock);
  assert.ok((await team.as("senior-1", "p-1").attend()).ok);
  clock.advance(unseenMsOf(null) + 30_000);
  assert.deepEqual(await waits(team), ["lead", "senior opened", "lead left"]);
  const again = { ...blocker, task: "01-02/T2" };
  assert.equal((await team.as("dev-1").send(JSON.stringify(again))).outcome, "accepted");
  const levels = async () => {
    const found = await team.as("owner").escalations();
    return found.ok ? found.value.map(({ level }) => level) : [];
  };
  assert.deepEqual(await levels(), ["lead", "lead"]);
  assert.ok((await team.as("senior-1", "p-1").attend()).ok);
  assert.equal((await team.as("dev-1").send(JSON.stringify({ ...blocker, task: "01-02/T3" }))).outcome, "accepted");
  assert.deepEqual(await levels(), ["lead", "lead", "senior"]);
});

test("what is decided, and what has come to the person, goes nowhere when agents leave", async () => {
  await using team = await heldUp(all);
  assert.equal((await team.as("senior-1").resolve({ escalation: id, decision: "Stub it" })).outcome, "accepted");
  await retire(team, "senior-1");
  const found = await team.as("owner").escalations({ all: true });
  assert.deepEqual(found.ok && found.value.map(({ level, status }) => [level, status]), [["senior", "resolved"]]);
  // What was decided did not help: it comes back to a level where nobody is by now.
  assert.equal((await team.as("dev-1").send(JSON.stringify({ ...blocker, blocker: "Still" }))).outcome, "accepted");
  assert.deepEqual(await waits(team), ["lead", "senior opened", "senior again", "lead left"]);
});

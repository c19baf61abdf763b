/** A folder whose team file is older than the team's changes nothing; a folder that had the newer file may go back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenFile } from "../../perform/context.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";
import type { AgentDefinition, TeamDefinition } from "../state/definition.ts";
import { type Revised, reviseTeam } from "./revision.ts";

const lead: AgentDefinition = { agent: "lead-1", role: "lead" };
const first: AgentDefinition = { agent: "dev-1", role: "dev" };
const second: AgentDefinition = { agent: "dev-2", role: "dev" };
const older = [lead, first];
const newer = [lead, first, second];

/** A folder with a team file of the team, and what it remembers. */
interface Clone {
  look(agents: readonly AgentDefinition[], part?: Partial<TeamDefinition>): Promise<Revised>;
}

function cloneOf(team: TestTeam, definition: TeamDefinition): Clone {
  let kept: string | null = null;
  const seenFile: SeenFile = {
    mark: () => kept,
    keep(mark) {
      kept = mark;
    },
  };
  return {
    async look(agents, part = {}) {
      const revised = await reviseTeam({ ...team.context, seenFile }, { ...definition, ...part, agents });
      assert.ok(revised.ok, JSON.stringify(revised));
      return revised.value;
    },
  };
}

async function opened(team: TestTeam): Promise<TeamDefinition> {
  const status = await team.as("owner").status();
  assert.ok(status.ok && status.value.definition);
  return status.value.definition;
}

async function confirm(team: TestTeam, { proposal }: Revised): Promise<void> {
  assert.ok(proposal);
  const reply = await team.as("owner").confirmRevision({ proposal: proposal.id });
  assert.equal(reply.outcome, "accepted");
}

const activeIn = async (team: TestTeam): Promise<readonly string[]> => {
  const agents = await team.as("owner").agents();
  assert.ok(agents.ok);
  return agents.value.filter(({ status }) => status === "active").map(({ agent }) => agent);
};

test("a clone that lacks the newer file takes nothing back, before and after the owner confirmed it", async () => {
  await using team = await testTeam({ agents: older });
  const definition = await opened(team);
  const [one, other] = [cloneOf(team, definition), cloneOf(team, definition)];
  await other.look(older);
  const proposed = await one.look(newer);
  const early = await other.look(older);
  assert.deepEqual([early.isRecorded, early.proposal?.id], [false, proposed.proposal?.id], "it still waits");
  assert.match(early.older?.message ?? "", /older than the one whose change the owner decides/);
  await confirm(team, proposed);
  const late = await other.look(older);
  assert.equal(late.isRecorded, false);
  assert.match(late.older?.message ?? "", /older than the one of revision 2/);
  assert.deepEqual(await activeIn(team), ["lead-1", "dev-1", "dev-2"]);
  const pulled = await other.look(newer);
  assert.deepEqual([pulled.isRecorded, pulled.older], [false, null]);
});

test("a folder that had the newer file goes back, and then the other clone is behind", async () => {
  await using team = await testTeam({ agents: older });
  const definition = await opened(team);
  const [one, other] = [cloneOf(team, definition), cloneOf(team, definition)];
  await confirm(team, await one.look(newer));
  await other.look(newer);
  assert.deepEqual(await one.look(older), { isRecorded: true, proposal: null, older: null });
  assert.deepEqual(await activeIn(team), ["lead-1", "dev-1"]);
  const behind = await other.look(newer);
  assert.deepEqual([behind.isRecorded, behind.proposal], [false, null], "what was taken back is not proposed again");
  assert.ok(behind.older);
  await other.look(older);
  // Once more there and back, as one folder does: nothing of it is old.
  await confirm(team, await one.look(newer));
  assert.equal((await one.look(older)).isRecorded, true);
  assert.equal((await one.look(newer)).older, null);
});

test("a clone that never had the newest file is behind, although it went back and forth before", async () => {
  await using team = await testTeam({ agents: older });
  const definition = await opened(team);
  const [one, other] = [cloneOf(team, definition), cloneOf(team, definition)];
  await confirm(team, await one.look(newer));
  await other.look(newer);
  await one.look(older);
  await confirm(team, await one.look(newer));
  assert.ok((await other.look(older)).older, "it had an earlier revision of the same words");
  assert.deepEqual(await activeIn(team), ["lead-1", "dev-1", "dev-2"]);
});

test("a file that the team never had is a change in every folder, and one that remembers nothing takes all", async () => {
  await using team = await testTeam({ agents: newer });
  const definition = await opened(team);
  const other = cloneOf(team, definition);
  await cloneOf(team, definition).look(newer, { policy: "enforce", limits: { messageBytes: 5_000 } });
  assert.equal((await other.look(older)).isRecorded, true);
  const revised = await reviseTeam(team.context, { ...definition, agents: newer });
  assert.ok(revised.ok && revised.value.older === null && revised.value.proposal !== null);
});

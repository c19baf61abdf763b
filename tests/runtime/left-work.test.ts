/**
 * What agents leave when they stop or leave: the certificate says it, calls nothing clean, and the leads are notified
 * of it.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { git, testEnvironment } from "../evidence/history.ts";
import { type Made, madeRepository, tree } from "../evidence/place.ts";

async function place(): Promise<Made> {
  const made = await madeRepository({
    commits: [{ tree: tree({ "src/a.ts": "a\n" }), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  git(made.directory, "checkout", "-q", "-f", "main");
  return made;
}

/** A team whose dev-1 has a disputed report, an open claim's files changed and unread mail. */
async function crew(made: Made): Promise<TestTeam> {
  const agents = [
    { agent: "lead-1", role: "lead" as const },
    { agent: "dev-1", role: "dev" as const },
    { agent: "dev-2", role: "dev" as const },
  ];
  const team = await testTeam({ agents, hasRepository: true });
  assert.equal((await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  await team.as("dev-1").claim({ task: "1-1-T1", files: ["src/"] });
  assert.equal((await team.as("dev-1").complete({ task: "1-1-T1", commit: "deadbeef" })).outcome, "accepted");
  const looked = { directory: made.directory, environment: testEnvironment };
  assert.ok((await team.as("owner").verify(looked)).ok);
  writeFileSync(join(made.directory, "src/a.ts"), "A\n");
  return team;
}

/** Messages of Baton to an agent, their first lines and those after them. */
async function toldTo(team: TestTeam, agent: string) {
  const inbox = await team.as(agent).inbox();
  assert.ok(inbox.ok);
  return inbox.value.deliveries.flatMap(({ sender, message }) =>
    sender === "baton" || sender === "owner" ? [typeof message === "string" ? message : ""] : [],
  );
}

const answer = (id: string) =>
  JSON.stringify(
    typedMessage("shutdown_response", { request_id: "stop-1", approve: true, final_status: "complete" }, { id }),
  );

test("a disputed task, unread mail and an uncommitted file are in the certificate, and it is not clean", async () => {
  await using made = await place();
  await using team = await crew(made);
  const started = await team
    .as("owner")
    .startShutdown({ reason: "phase_complete", agents: ["dev-1", "dev-2"] }, { id: "stop-1" });
  assert.equal(started.outcome, "accepted", JSON.stringify(started));
  const handedUp = await team.as("dev-2").inbox();
  assert.ok(handedUp.ok);
  await team.as("dev-2").acknowledge(handedUp.value.deliveries.at(-1)?.seq ?? 0);
  for (const agent of ["dev-1", "dev-2"])
    assert.equal((await team.as(agent).send(answer(`bye-${agent}`))).outcome, "accepted");
  const looked = { directory: made.directory, environment: testEnvironment };
  assert.ok((await team.as("owner").inspectRounds(looked)).ok);
  const rounds = await team.as("owner").shutdowns();
  assert.ok(rounds.ok);
  const [round] = rounds.value;
  assert.equal(round?.outcome, "incomplete");
  assert.deepEqual(
    round?.agents
      .filter(({ agent }) => agent !== "lead-1")
      .map(({ agent, outcome, disputed, unverified, unread, uncommitted }) => [
        agent,
        outcome,
        disputed,
        unverified,
        unread > 0,
        uncommitted?.files,
      ]),
    [
      ["dev-1", "left-work", ["1-1-T1"], [], true, ["src/a.ts"]],
      ["dev-2", "clean", [], [], false, []],
    ],
  );
  const [told = ""] = (await toldTo(team, "lead-1")).slice(-1);
  assert.match(
    told,
    /^Shutdown "stop-1" is over, and not everything is done\.\ndev-1: stopped, and left behind: disputed: 1-1-T1; \d unread messages?; 1 uncommitted file: src\/a\.ts/,
  );
  const board = await team.as("lead-1").board();
  assert.ok(board.ok && board.value.available.includes("1-1-T1"), "it is free for others");
});

test("an agent that joins during the round works on: it makes the round neither incomplete nor a message", async () => {
  await using made = await place();
  await using team = await crew(made);
  await team.as("lead-1").startShutdown({ reason: "phase_complete" }, { id: "stop-1" });
  assert.equal((await team.as("owner").register({ agent: "dev-9", role: "dev" })).outcome, "accepted");
  await team.as("lead-1").send("Welcome", { to: ["dev-9"] });
  assert.equal((await team.as("dev-9").claim({ task: "1-1-T1", files: ["src/"] })).outcome, "accepted");
  for (const agent of ["dev-2", "dev-1"]) {
    const mail = await team.as(agent).inbox();
    assert.ok(mail.ok);
    await team.as(agent).acknowledge(mail.value.deliveries.at(-1)?.seq ?? 0);
    assert.equal((await team.as(agent).send(answer(`bye-${agent}`))).outcome, "accepted");
  }
  assert.ok((await team.as("owner").inspectRounds({ directory: made.directory, environment: testEnvironment })).ok);
  const rounds = await team.as("owner").shutdowns({ round: "stop-1" });
  assert.ok(rounds.ok);
  const [round] = rounds.value;
  assert.equal(round?.outcome, "complete", JSON.stringify(round));
  const joined = round?.agents.find(({ agent }) => agent === "dev-9");
  assert.deepEqual([joined?.outcome, joined?.uncommitted?.files], ["not_addressed", ["src/a.ts"]]);
  assert.deepEqual(
    (await toldTo(team, "lead-1")).filter((each) => each.includes("not everything")),
    [],
  );
});

test("the message names as free only what nobody has claimed since", async () => {
  await using made = await place();
  await using team = await crew(made);
  await team.as("owner").startShutdown({ reason: "phase_complete", agents: ["dev-1"] }, { id: "stop-1" });
  assert.equal((await team.as("dev-1").send(answer("bye"))).outcome, "accepted");
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T1", files: ["src/"] })).outcome, "accepted");
  assert.ok((await team.as("owner").inspectRounds({ directory: made.directory, environment: testEnvironment })).ok);
  const [told = ""] = (await toldTo(team, "lead-1")).slice(-1);
  assert.match(told, /disputed: 1-1-T1/);
  assert.doesNotMatch(told, /can claim|free/);
});

test("a certificate stays as it was at the end: what is read, done or judged again later does not change it", async () => {
  await using made = await place();
  await using team = await crew(made);
  const agents = ["dev-1", "dev-2"];
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T2", files: ["src/"] })).outcome, "accepted");
  assert.equal((await team.as("dev-2").complete({ task: "1-1-T2", commit: "deadbeef" })).outcome, "accepted");
  await team.as("owner").startShutdown({ reason: "phase_complete", agents }, { id: "stop-1" });
  for (const agent of agents) assert.equal((await team.as(agent).send(answer(`bye-${agent}`))).outcome, "accepted");
  const parts = async () => {
    const rounds = await team.as("owner").shutdowns({ round: "stop-1" });
    assert.ok(rounds.ok);
    return rounds.value.flatMap((round) =>
      round.agents.map(({ agent, outcome, disputed, unverified, unread }) =>
        [round.outcome, agent, outcome, disputed, unverified, unread > 0].join(" "),
      ),
    );
  };
  const atTheEnd = ["incomplete dev-1 left-work 1-1-T1  true", "incomplete dev-2 left-work  1-1-T2 true"];
  assert.deepEqual(await parts(), atTheEnd);
  // The verdict that was still to come is added; a new session's reading and reporting is not.
  assert.ok((await team.as("owner").verify({ directory: made.directory, environment: testEnvironment })).ok);
  for (const agent of agents) {
    assert.equal((await team.as("owner").register({ agent, role: "dev" })).outcome, "accepted");
    const mail = await team.as(agent).inbox();
    assert.ok(mail.ok);
    await team.as(agent).acknowledge(mail.value.deliveries.at(-1)?.seq ?? 0);
  }
  const claimed = await team.as("dev-2").claim({ task: "1-1-T1", files: ["src/"] });
  assert.equal(claimed.outcome, "accepted");
  const judged = ["incomplete dev-1 left-work 1-1-T1  true", "incomplete dev-2 left-work 1-1-T2  true"];
  assert.deepEqual(await parts(), judged);
});

test("the lead hears which work of an agent that leaves is back on the board", async () => {
  await using made = await place();
  await using team = await crew(made);
  await team.as("dev-1").claim({ task: "1-1-T2", files: ["src/"] });
  assert.equal((await team.as("owner").retire({ agent: "dev-1" })).outcome, "accepted");
  const [told] = (await toldTo(team, "lead-1")).slice(-1);
  assert.equal(told, "dev-1 left the team. Back on the board, for others to claim: 1-1-T2, 1-1-T1. Disputed: 1-1-T1.");
});

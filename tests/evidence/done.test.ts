/** What counts as done: where there is a repository, only what it confirms; without one, what is reported. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BranchTips } from "../../src/tasks/state/branches.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";
import { work } from "./reporting.ts";

/** A plan of one task, and a second one that waits for it, in a team that knows whether it has a repository. */
async function crew(hasRepository: boolean, readBranches?: () => Promise<BranchTips>): Promise<TestTeam> {
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
    ],
    hasRepository,
    ...(readBranches === undefined ? {} : { readBranches }),
  });
  assert.equal(
    (await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract", { tasks: ["1-1-T1"] })))).outcome,
    "accepted",
  );
  const second = { task: "2-1-T1", plan: "2-1", dependsOn: ["1-1-T1"] };
  assert.equal((await team.as("owner").addTask(second)).outcome, "accepted");
  return team;
}

/** The two tasks, what the summary of the first one's plan says, the counts of the status, and the phase's percent. */
async function shown(team: TestTeam) {
  const owner = team.as("owner");
  const [tasks, summary, status, phases] = [
    await owner.tasks(),
    await owner.summary({ plan: "1-1" }),
    await owner.status(),
    await owner.phases(),
  ];
  assert.ok(tasks.ok && summary.ok && status.ok && phases.ok);
  const { tasksCompleted, unverified, disputed, seq } = summary.value;
  const phase = phases.value.find(({ phase }) => phase === "1");
  return {
    tasks: tasks.value.map(({ state, verdict }) => [state, verdict]),
    summary: [tasksCompleted, unverified, disputed, seq !== null],
    status: status.value.unverified,
    phase: [phase?.percentComplete, phase?.unverified],
  };
}

const claimOf = async (team: TestTeam, agent: string, task: string) => {
  const reply = await team.as(agent).claim({ task });
  return reply.outcome === "refused" ? reply.problems[0]?.code : reply.outcome;
};

test("a report waits for its verdict, and what depends on it waits too", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  await using team = await crew(true);
  const report = async (commit: string) => {
    assert.equal(await claimOf(team, "dev-1", "1-1-T1"), "accepted");
    assert.equal((await team.as("dev-1").complete({ task: "1-1-T1", commit })).outcome, "accepted");
  };
  await report("deadbeef");
  assert.deepEqual(await shown(team), {
    tasks: [
      ["reported", "awaited"],
      ["blocked", null],
    ],
    summary: [0, ["1-1-T1"], [], false],
    status: { awaited: 1, unavailable: 0 },
    phase: [0, 1],
  });
  assert.equal(await claimOf(team, "dev-2", "2-1-T1"), "task-blocked");
  assert.equal(await claimOf(team, "dev-2", "1-1-T1"), "task-done", "a report that waits is nobody else's to take");

  assert.ok((await team.as("owner").verify(place)).ok);
  assert.deepEqual(await shown(team), {
    tasks: [
      ["disputed", "disputed"],
      ["blocked", null],
    ],
    summary: [0, [], ["1-1-T1"], false],
    status: { awaited: 0, unavailable: 0 },
    phase: [0, 0],
  });

  const again = await team.as("dev-1").claim({ task: "1-1-T1" });
  assert.ok(again.outcome === "accepted");
  const back = again.notes.find(({ code }) => code === "came-back");
  assert.match(back?.message ?? "", /^Its last report does not hold: The commit is not in this repository/);
  await report(made.ids[1] ?? "");
  assert.ok((await team.as("owner").verify(place)).ok);
  assert.deepEqual(await shown(team), {
    tasks: [
      ["complete", "verified"],
      ["available", null],
    ],
    summary: [1, [], [], true],
    status: { awaited: 0, unavailable: 0 },
    phase: [100, 0],
  });
  assert.equal(await claimOf(team, "dev-2", "2-1-T1"), "accepted");
});

test("without a repository a report is all there is: done, and shown as not verified", async () => {
  await using team = await crew(false);
  assert.equal(await claimOf(team, "dev-1", "1-1-T1"), "accepted");
  assert.equal((await team.as("dev-1").complete({ task: "1-1-T1", commit: "deadbeef" })).outcome, "accepted");
  assert.deepEqual(await shown(team), {
    tasks: [
      ["complete", "unavailable"],
      ["available", null],
    ],
    summary: [1, ["1-1-T1"], [], true],
    status: { awaited: 0, unavailable: 1 },
    phase: [100, 1],
  });
});

test("a process without a repository waits for the verdict where another one of the team has read the branches", async () => {
  await using team = await crew(false, () => Promise.resolve({ ids: ["a".repeat(40)], isCut: false }));
  assert.equal(await claimOf(team, "dev-1", "1-1-T1"), "accepted");
  assert.equal((await team.as("dev-1").complete({ task: "1-1-T1", commit: "deadbeef" })).outcome, "accepted");
  assert.deepEqual((await shown(team)).tasks, [
    ["reported", "awaited"],
    ["blocked", null],
  ]);
});

test("the must-haves without evidence are named with the plan's last report, though its verdict is still to come", async () => {
  await using team = await crew(true);
  assert.equal(await claimOf(team, "dev-1", "1-1-T1"), "accepted");
  const reply = await team.as("dev-1").complete({ task: "1-1-T1", commit: "deadbeef" });
  assert.deepEqual(reply.outcome === "accepted" && reply.notes.map(({ code }) => code), ["no-evidence"]);
});

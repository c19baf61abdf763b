/** What approves a code review: a fix that the repository confirms, or the reviewer, also once the rounds are used up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { file, git, testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";

const files = (a: string, b: string) =>
  new Map([
    ["src/a.js", file(a)],
    ["src/b.js", file(b)],
  ]);

/** Commits: the code, a change of another file, a change of the file that the review names. */
const order = {
  commits: [
    { tree: files("1", "1"), parents: [] },
    { tree: files("1", "2"), parents: [0] },
    { tree: files("2", "2"), parents: [1] },
  ],
  references: { "refs/heads/main": 2 },
};

async function crew(tasks: readonly string[]): Promise<TestTeam> {
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "senior-1", role: "senior" },
      { agent: "dev-1", role: "dev" },
    ],
    dialects: ["vbw/2", "yolo/1"],
    hasRepository: true,
  });
  const contract = typedMessage("plan_contract", { tasks: [...tasks] });
  assert.equal((await team.as("lead-1").send(JSON.stringify(contract))).outcome, "accepted");
  return team;
}

async function ask(team: TestTeam, cycle: number, mustFix: readonly string[] = []) {
  const changes = [{ f: "src/a.js", ln: 1, issue: "Unclear name", fix: "Rename it" }];
  const asked = { type: "code_review_changes", plan_id: "01-01", cycle, changes, must_fix: mustFix, rerun_tests: true };
  return await team.as("senior-1").send(JSON.stringify(asked), { to: ["dev-1"] });
}

/** The state of the review after the report of a task at a commit, and after Baton looked. */
async function reported(team: TestTeam, directory: string, task: string, commit: string) {
  const reply = await team.as("dev-1").complete({ task, commit });
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  const before = await review(team);
  return [before, await look(team, directory)];
}

async function look(team: TestTeam, directory: string) {
  assert.ok((await team.as("owner").verify({ directory, environment: testEnvironment })).ok);
  return await review(team);
}

async function review(team: TestTeam) {
  const phases = await team.as("owner").phases();
  assert.ok(phases.ok);
  return phases.value.flatMap(({ departments }) => departments.flatMap(({ plans }) => plans))[0]?.review;
}

test("a minor review is approved by no missing, unrelated or unverified fix, and work that is gone does not open it again", async () => {
  await using made = await madeRepository(order);
  await using team = await crew(["1-1-T1", "1-1-T2"]);
  const [, unrelated = "", asked = ""] = made.ids;
  assert.equal((await ask(team, 1)).outcome, "accepted");
  assert.deepEqual(await reported(team, made.directory, "1-1-T1", "deadbeef"), ["fix-reported", "changes-requested"]);
  assert.deepEqual(await reported(team, made.directory, "1-1-T2", unrelated), ["fix-reported", "fix-reported"]);
  assert.deepEqual(await reported(team, made.directory, "1-1-T1", asked), ["fix-reported", "approved"]);
  git(made.directory, "update-ref", "refs/heads/main", unrelated);
  assert.equal(await look(team, made.directory), "approved", "work that is gone takes no approval back");
});

test("once the rounds of review are used up the lead is asked, and an approval by the reviewer settles it", async () => {
  await using team = await crew(["1-1-T1"]);
  const asked = async () => {
    const escalations = await team.as("owner").escalations();
    return escalations.ok ? escalations.value.map(({ level }) => level) : null;
  };
  for (const [at, commit] of ["aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd"].entries()) {
    assert.deepEqual(await asked(), at < 3 ? [] : ["lead"]);
    assert.equal((await ask(team, at + 1, ["src/a.js:1"])).outcome, "accepted");
    await team.as("dev-1").complete({ task: "1-1-T1", commit });
  }
  const approve = {
    type: "code_review_result",
    plan_id: "01-01",
    result: "approve",
    cycle: 4,
    findings_count: 0,
    critical: 0,
  };
  const approved = await team.as("senior-1").send(JSON.stringify(approve), { to: ["lead-1"] });
  assert.equal(approved.outcome, "accepted", JSON.stringify(approved));
  assert.deepEqual(await asked(), []);
  assert.equal(await review(team), "approved");
});

/** A team with one task whose work was reported, for tests of what becomes of the report. */
import assert from "node:assert/strict";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../../src/testing/test-team.ts";
import { file } from "./history.ts";

/** A team with a contract for `src/`, whose dev-1 reported task 1-1-T1 at `commit`. */
export async function reporting(
  commit: string,
  files: readonly string[],
  { check, ...options }: Pick<TestTeamOptions, "checks" | "clock" | "land"> & { readonly check?: string } = {},
): Promise<TestTeam> {
  const team = await testTeam({
    ...options,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const contract = typedMessage("plan_contract", { verification_checks: check === undefined ? [] : [check] });
  assert.equal((await team.as("lead-1").send(JSON.stringify(contract))).outcome, "accepted");
  await report(team, commit, files);
  return team;
}

/** Claims the task and reports it done. */
export async function report(team: TestTeam, commit: string, files: readonly string[]): Promise<void> {
  const dev = team.as("dev-1");
  await dev.claim({ task: "1-1-T1", files: ["src/"] });
  assert.equal((await dev.complete({ task: "1-1-T1", commit, files })).outcome, "accepted");
}

/** The tasks as the owner sees them. */
export async function tasksOf(team: TestTeam) {
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  return tasks.value;
}

/** State of the one task, and the codes of what is wrong with it. */
export async function state(team: TestTeam) {
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  const [first] = tasks.value;
  return [first?.state, ...(first?.problems.map(({ code }) => code) ?? [])];
}

/** A repository with three states of one file; the branch is at the second. */
export const work = {
  commits: [
    { tree: new Map([["src/a.js", file("1")]]), parents: [] },
    { tree: new Map([["src/a.js", file("2")]]), parents: [0] },
    { tree: new Map([["src/a.js", file("3")]]), parents: [1] },
  ],
  references: { "refs/heads/main": 1 },
};

/** What Baton told an agent of evidence, oldest first. */
export async function toldTo(team: TestTeam, agent: string): Promise<readonly string[]> {
  const inbox = await team.as(agent).inbox();
  assert.ok(inbox.ok, JSON.stringify(inbox));
  return inbox.value.deliveries.flatMap(({ message }) => (typeof message === "string" ? [message] : []));
}

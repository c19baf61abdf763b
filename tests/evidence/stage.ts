/**
 * A team of a lead and two developers in front of a repository made to order: tasks are added, commits put on branches, and
 * work is claimed, reported and verified.
 */
import assert from "node:assert/strict";
import { readTips } from "../../src/evidence/git/tips.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { git, type HistoryOrder, testEnvironment } from "./history.ts";
import { type Made, madeRepository, tree } from "./place.ts";
import { tasksOf } from "./reporting.ts";

export interface Stage extends AsyncDisposable {
  readonly made: Made;
  readonly team: TestTeam;
  readonly ids: readonly string[];
  /** Adds a task, its files, or `none`. */
  add(task: string, files?: readonly string[] | "none"): Promise<void>;
  /** Puts a commit on a branch. */
  put(commit: number, branch?: string): void;
  /** Claims (unless `files` is null) and reports; answers the state and the codes after verifying. */
  work(
    agent: string,
    task: string,
    commits: readonly number[],
    files?: readonly string[] | null,
  ): Promise<readonly string[]>;
  /** Verifies everything, and answers the states by task. */
  verify(): Promise<Readonly<Record<string, string>>>;
}

export async function stageOf(order: Omit<HistoryOrder, "references">, isAdvisory = false): Promise<Stage> {
  const made = await madeRepository({ ...order, references: { "refs/heads/main": 0 } });
  const place = { directory: made.directory, environment: testEnvironment };
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
    ],
    // The files of a task bind here; what a forecast means is in tests/runtime/edit-claims.test.ts.
    claims: isAdvisory ? "edits" : "declared",
    scope: isAdvisory ? "advisory" : "strict",
    readBranches: () => readTips(made.directory, { environment: testEnvironment }),
  });
  const owner = team.as("owner");
  const verify = async () => {
    assert.ok((await owner.verify(place, { onlyNew: true })).ok);
    return Object.fromEntries(
      (await tasksOf(team)).map(({ task, state, problems }) => [
        task,
        [state, ...problems.map(({ code }) => code)].join(),
      ]),
    );
  };
  return {
    made,
    team,
    ids: made.ids,
    verify,
    add: async (task, files) => {
      const added = await team.as("lead-1").addTask({ task, ...(files === undefined ? {} : { files }) });
      assert.equal(added.outcome, "accepted");
    },
    put: (commit, branch = "main") => git(made.directory, "update-ref", `refs/heads/${branch}`, made.ids[commit] ?? ""),
    work: async (agent, task, commits, files) => {
      if (files !== null) {
        const claimed = await team.as(agent).claim({ task, ...(files === undefined ? {} : { files }) });
        assert.ok(claimed.outcome === "accepted", JSON.stringify(claimed));
      }
      const commit = commits.map((index) => made.ids[index] ?? "");
      assert.equal((await team.as(agent).complete({ task, commit })).outcome, "accepted");
      return ((await verify())[task] ?? "").split(",");
    },
    [Symbol.asyncDispose]: async () => {
      await team[Symbol.asyncDispose]();
      await made[Symbol.asyncDispose]();
    },
  };
}

export const base = {
  "src/a": "0",
  "src/b": "0",
  "src/c": "0",
  long: Array.from({ length: 40 }, (_, line) => line).join("\n"),
};
export const with_ = (changes: Readonly<Record<string, string>>) => tree({ ...base, ...changes });

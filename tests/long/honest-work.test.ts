/** The long campaign of honest work, which must raise no alarm. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../src/testing/test-team.ts";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { tellArtifacts } from "../evidence/artifact-lies.ts";
import { lonely, tellHonest } from "../evidence/campaign.ts";
import { record } from "./record.ts";

const repositories = 400;
const controlRepositories = 64;
const researchTasks = 40;
const artifactRepositories = 60;

test("honest work is believed in every shape and place", async () => {
  const seed = chosenSeed(607);
  using folder = temporaryFolder("memory");
  const honest = await tellHonest(folder.path, seed, repositories);
  const control = await tellHonest(folder.path, seed, controlRepositories, lonely);
  const research = await researchDone(researchTasks);
  const artifacts = await tellArtifacts(folder.path, seed, artifactRepositories, true);
  const shapes = [...honest.kinds].map(([shape, { told }]) => `${shape} ${told}`).join(", ");
  record(
    "honest-work",
    "The same repositories without a lie: plain, earlier and root commits, merges in both directions and of three branches, " +
      "renames, links, modes, deletions and names in many scripts; seen from the tree, a folder of it, a linked worktree, a " +
      "bare repository, with SHA-256, packed, and only as remote-tracking branches. Half of them are reported in an odd way: " +
      "claimed late, rebased, amended or squashed and reported again, two tasks in one commit, several commits. The control is " +
      "a verifier that does not know what other tasks reported.",
    [
      ["repositories, believed", `${repositories}, ${repositories - honest.wrong.length}`],
      ["of which", shapes],
      ["tasks without files, done when reported", `${researchTasks}, ${research}`],
      ["control: honest work, doubted", `${controlRepositories}, ${control.wrong.length}`],
      [
        "messages about artifacts, believed",
        `${artifactRepositories}, ${artifactRepositories - artifacts.wrong.length}`,
      ],
      ["seed", seed],
    ],
  );
  assert.deepEqual([...honest.wrong, ...artifacts.wrong], []);
  assert.equal(research, researchTasks);
  assert.ok(control.wrong.length >= controlRepositories / 16);
});

/** How many of so many research tasks a team of two finishes without a commit, and sees as done. */
async function researchDone(count: number): Promise<number> {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const tasks = Array.from({ length: count }, (_, index) => `1-1-T${index + 1}`);
  for (const [index, task] of tasks.entries()) {
    const waits = index === 0 ? {} : { dependsOn: [tasks[index - 1] ?? ""] };
    assert.equal((await team.as("lead-1").addTask({ task, files: "none", ...waits })).outcome, "accepted");
  }
  let done = 0;
  for (const task of tasks) {
    // Each waits for the one before, so a claim is granted only where that one counts as done.
    const claimed = await team.as("dev-1").claim({ task });
    if (claimed.outcome === "accepted" && (await team.as("dev-1").complete({ task })).outcome === "accepted") done++;
  }
  return done;
}

/** The long campaign of honest work, which must raise no alarm. Results go to docs/verification.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { tellArtifacts } from "../evidence/artifact-lies.ts";
import { tellHonest } from "../evidence/campaign.ts";
import { record } from "./record.ts";

const repositories = 300;
const artifactRepositories = 60;

test("honest work is believed in every shape and place", async () => {
  const seed = chosenSeed(607);
  using folder = temporaryFolder("memory");
  const honest = await tellHonest(folder.path, seed, repositories);
  const artifacts = await tellArtifacts(folder.path, seed, artifactRepositories, true);
  const shapes = [...honest.kinds].map(([shape, { told }]) => `${shape} ${told}`).join(", ");
  record(
    "honest-work",
    "The same repositories without a lie: plain, earlier and root commits, merges in both directions and of three branches, " +
      "renames, links, modes, deletions and names in many scripts; seen from the tree, a folder of it, a linked worktree, a " +
      "bare repository, with SHA-256, packed, and only as remote-tracking branches.",
    [
      ["repositories, believed", `${repositories}, ${repositories - honest.wrong.length}`],
      ["of which", shapes],
      [
        "messages about artifacts, believed",
        `${artifactRepositories}, ${artifactRepositories - artifacts.wrong.length}`,
      ],
      ["seed", seed],
    ],
  );
  assert.deepEqual([...honest.wrong, ...artifacts.wrong], []);
});

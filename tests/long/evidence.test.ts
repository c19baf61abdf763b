/** The long campaign of lies about work. Results go to docs/verification.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { tellArtifacts } from "../evidence/artifact-lies.ts";
import { script, tellHonest, tellLies } from "../evidence/campaign.ts";
import { lies } from "../evidence/lies.ts";
import { record } from "./record.ts";

const lieRepositories = 300;
const honestRepositories = 300;
const artifactRepositories = 60;

test("every lie about work is told by its code, honest work is believed", async () => {
  const seed = chosenSeed(606);
  using folder = temporaryFolder("memory");
  const lying = await tellLies(folder.path, seed, lieRepositories);
  const honest = await tellHonest(folder.path, seed, honestRepositories);
  const lyingArtifacts = await tellArtifacts(folder.path, seed, artifactRepositories, false);
  const honestArtifacts = await tellArtifacts(folder.path, seed, artifactRepositories, true);
  const control = await tellLies(folder.path, seed, lieRepositories, script);
  const missed = [...control.kinds.values()].filter(({ caught }) => caught === 0).length;
  record(
    "evidence",
    "Generated repositories: a tree, a contract, a claim, and changes inside both, as plain, earlier and root commits, merges " +
      "in both directions and of three branches; seen from the tree, a folder of it, a linked worktree, a bare repository, " +
      "with SHA-256, packed, and only as remote-tracking branches. Lies change what was done or what is said of it. The " +
      "control is a script that asks git whether the commit is there and which names it shows.",
    [
      ["repositories with a lie, told by its code", `${lieRepositories}, ${lieRepositories - lying.wrong.length}`],
      ["kinds of lie", Object.keys(lies).length],
      ["repositories with honest work, believed", `${honestRepositories}, ${honestRepositories - honest.wrong.length}`],
      [
        "messages that lie about artifacts, told",
        `${artifactRepositories}, ${artifactRepositories - lyingArtifacts.wrong.length}`,
      ],
      [
        "messages that are honest about them, believed",
        `${artifactRepositories}, ${artifactRepositories - honestArtifacts.wrong.length}`,
      ],
      ["control: lies that the script believes, kinds it never tells", `${control.wrong.length}, ${missed}`],
      ["seed", seed],
    ],
  );
  assert.deepEqual([...lying.wrong, ...honest.wrong, ...lyingArtifacts.wrong, ...honestArtifacts.wrong], []);
  assert.ok(control.wrong.length > lieRepositories / 2 && missed > 5);
});

/** The long campaign of lies about work; honest work has its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { tellArtifacts } from "../evidence/artifact-lies.ts";
import { script, tellFates, tellForecasts, tellLies } from "../evidence/campaign.ts";
import { fates } from "../evidence/fates.ts";
import { lies } from "../evidence/lies.ts";
import { record } from "./record.ts";

const timesEach = 10;
const lieRepositories = timesEach * Object.keys(lies).length;
const controlRepositories = 100;
const artifactRepositories = 60;

test("every lie about work is reported by its code, and a script believes most of them", async () => {
  const seed = chosenSeed(606);
  using folder = temporaryFolder("memory");
  const lying = await tellLies(folder.path, seed, lieRepositories);
  const fated = await tellFates(folder.path, seed, timesEach);
  const forecasts = await tellForecasts(folder.path, seed, timesEach);
  const artifacts = await tellArtifacts(folder.path, seed, artifactRepositories, false);
  const control = await tellLies(folder.path, seed, controlRepositories, script);
  const missed = [...control.kinds.values()].filter(({ caught }) => caught === 0).length;
  record(
    "lies",
    "Generated repositories: a tree, a contract, a claim, and changes inside both; a lie changes what was done, what is said " +
      "of it, what is credited to whom, how commits were rewritten, or the objects while Baton looks; each kind ten times. The control is a script that asks git whether the commit is there and which names it shows.",
    [
      ["repositories with a lie, told by its code", `${lieRepositories}, ${lieRepositories - lying.wrong.length}`],
      ["kinds of lie", Object.keys(lies).length],
      [
        `verified work that was ${Object.keys(fates).join(", ")}; found where it is, or seen gone`,
        `${fated.judged}, ${fated.judged - fated.wrong.length}`,
      ],
      [
        "tasks of whose forecast nothing was changed, verified with a note; the same files claimed, told",
        `${timesEach}, ${forecasts.kinds.get("a forecast of which nothing was changed")?.caught ?? 0}; ${timesEach}, ${forecasts.kinds.get("a claim of which nothing was changed")?.caught ?? 0}`,
      ],
      [
        "messages that lie about artifacts, told",
        `${artifactRepositories}, ${artifactRepositories - artifacts.wrong.length}`,
      ],
      [
        "control: lies told to the script, believed; kinds it never tells",
        `${controlRepositories}, ${control.wrong.length}; ${missed}`,
      ],
      ["seed", seed],
    ],
  );
  assert.deepEqual([...lying.wrong, ...fated.wrong, ...forecasts.wrong, ...artifacts.wrong], []);
  assert.ok(control.wrong.length > controlRepositories / 2 && missed > 5);
});

/** The long campaign of errors in handed-over files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../crash/folder.ts";
import { chosenSeed } from "../crash/seed.ts";
import { script, tellProblems } from "../handoffs/campaign.ts";
import { harmless, problems } from "../handoffs/faults.ts";
import { record } from "./record.ts";

const cases = 1_000;
const controls = 200;

test("tampered, missing, escaping and renamed files of handoffs are all reported", async () => {
  const seed = chosenSeed(71);
  using folder = temporaryFolder("memory");
  const told = await tellProblems(folder.path, seed, cases);
  const without = ["a pipe in its place", "a link to a device"];
  const control = await tellProblems(folder.path, seed, controls, { judge: script, without });
  record(
    "handoff-files",
    "Handoff documents of two to six files; something befalls one of them: changed, cut, deleted, renamed, moved, replaced " +
      "by a link, a folder or a pipe, or named by a path that leads out. What is said of every file is compared. The control " +
      "is a script that joins paths and compares sums.",
    [
      ["handoffs, reported as they must", `${cases}, ${cases - told.wrong.length}`],
      [
        "kinds of fault, and of what only looks like one",
        `${Object.keys(problems).length}, ${Object.keys(harmless).length}`,
      ],
      ["files looked at", told.files],
      ["control: handoffs judged by the script, wrong", `${controls}, ${control.wrong.length}`],
      ["seed", seed],
    ],
  );
  assert.deepEqual(told.wrong, []);
  assert.ok(control.wrong.length > controls / 5);
});

/** Reports that cannot be judged: tried again when something is new, else more and more rarely, and told once. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { undecidedReports } from "../../src/evidence/services/undecided-reports.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { git, testEnvironment } from "./history.ts";
import { madeRepository, tree } from "./place.ts";
import { report, reporting, state, tasksOf, toldTo, work } from "./reporting.ts";

const placeAt = (directory: string) => ({ directory, environment: testEnvironment });

test("a report that cannot be judged is tried at growing distances, and at once when something is new", async () => {
  await using made = await madeRepository({ ...work, references: { "refs/heads/main": 2 } });
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js", "src/b.js"]);
  const shallow = join(made.folder, "shallow");
  git(made.folder, "clone", "--quiet", "--depth", "1", `file://${made.directory}`, shallow);
  const clock = manualClock();
  let undecided = undecidedReports(clock);
  const tries = async (options: { readonly onlyNew: boolean } = { onlyNew: true }) => {
    const judged = await team.as("owner").verify(placeAt(shallow), { ...options, undecided });
    assert.ok(judged.ok);
    return judged.value.length;
  };
  /** Tries just before so many seconds have passed, and then. */
  const after = async (seconds: number) => {
    clock.advance(seconds * 1_000 - 1);
    const early = await tries();
    clock.advance(1);
    return [early, await tries()];
  };
  assert.deepEqual([await tries(), await tries(), await tries({ onlyNew: false })], [1, 0, 0]);
  assert.deepEqual([await after(5), await toldTo(team, "dev-1")], [[0, 1], []]);
  const head = async () => {
    const status = await team.as("owner").status();
    return status.ok && status.value.head.seq;
  };
  const before = await head();
  for (const seconds of [10, 20, 40, 80, 160, 300, 300])
    assert.deepEqual(await after(seconds), [0, 1], `after ${seconds} s`);
  const [said = "", ...more] = await toldTo(team, "dev-1");
  assert.match(said, /^dev-1's report of 1-1-T1 \(entry \d+\) could not be judged: .*\n.*\nFound: shallow-clone at /);
  assert.deepEqual([more, await toldTo(team, "lead-1"), await head()], [[], [said], Number(before) + 1], "told once");
  assert.deepEqual(await state(team), ["reported"]);

  git(shallow, "update-ref", "refs/heads/other", "HEAD");
  assert.equal(await tries(), 0, "a second name of the same commit shows nothing new");
  git(shallow, "update-ref", "refs/heads/other", git(shallow, "commit-tree", "HEAD^{tree}", "-m", "x").trim());
  assert.deepEqual([await tries(), await tries(), await after(5)], [1, 0, [0, 1]], "a branch moved");
  await report(team, made.ids[1] ?? "", ["src/a.js"]);
  assert.deepEqual([await tries(), await tries()], [1, 0], "it was reported again");
  // Another process, or the same one after a start, tells nothing that was told.
  for (let round = 0; round < 2; round++) {
    undecided = undecidedReports(clock);
    assert.deepEqual([await tries(), await after(5), await after(10)], [1, [0, 1], [0, 1]]);
    assert.equal((await toldTo(team, "dev-1")).length, 2, "once for each report");
  }
  git(shallow, "fetch", "--quiet", "--unshallow");
  assert.equal(await tries(), 1, "the branches are where they were, and their history is there");
  assert.deepEqual(await state(team), ["disputed", "work-reverted"]);
});

/** The same change on two branches, reported for two tasks. */
async function copied() {
  const made = await madeRepository({
    commits: [
      { tree: tree({ "src/a": "1\n", b: "1" }), parents: [] },
      { tree: tree({ "src/a": "1\nmore\n", b: "1" }), parents: [0] },
      { tree: tree({ "src/a": "1\n", b: "2" }), parents: [0] },
      { tree: tree({ "src/a": "1\nmore\n", b: "2" }), parents: [2] },
    ],
    references: { "refs/heads/main": 1, "refs/heads/release": 3 },
  });
  const team = await reporting(made.ids[1] ?? "", ["src/a"]);
  assert.equal((await team.as("lead-1").addTask({ task: "1-1-T2", files: ["src/a"] })).outcome, "accepted");
  assert.ok((await team.as("dev-1").claim({ task: "1-1-T2" })).outcome === "accepted");
  assert.equal((await team.as("dev-1").complete({ task: "1-1-T2", commit: made.ids[3] ?? "" })).outcome, "accepted");
  return { made, team };
}

const alike =
  /\nFound: same-change at [0-9a-f]+: 1-1-T1 made the same change in another commit\. .* settle TASK verified`\.\n/;

test("agents get a message at once of a report that a person has to decide, and the decision ends it", async () => {
  const { made, team } = await copied();
  await using _ = made;
  await using __ = team;
  const undecided = undecidedReports(manualClock());
  const look = () => team.as("owner").verify(placeAt(made.directory), { undecided });
  assert.ok((await look()).ok && (await look()).ok);
  const [said = "", ...more] = await toldTo(team, "dev-1");
  assert.match(said, alike);
  assert.deepEqual(more, []);
  const settled = await team.as("lead-1").settle({ task: "1-1-T2", as: "verified", reason: "A backport" });
  assert.equal(settled.outcome, "accepted", JSON.stringify(settled));
  assert.ok((await look()).ok);
  assert.deepEqual(
    (await tasksOf(team)).map(({ state: shown }) => shown),
    ["complete", "complete"],
  );
});

/** What a team's record says of its work, checked against a repository by the runtime. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { file, git, testEnvironment } from "./history.ts";
import { madeRepository } from "./place.ts";
import { report, reporting, state, work } from "./reporting.ts";

test("a verdict is recorded once, and changes when the repository does", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
  const owner = team.as("owner");
  assert.deepEqual(await state(team), ["reported"]);
  assert.ok((await team.as("dev-1").verify(place)).ok);
  assert.deepEqual(await state(team), ["reported"], "a dev looks, and others judge");
  assert.ok((await owner.verify(place)).ok);
  assert.deepEqual(await state(team), ["verified"]);
  const recorded = await owner.status();
  assert.ok((await owner.verify(place)).ok);
  const again = await owner.status();
  assert.ok(recorded.ok && again.ok);
  assert.equal(again.value.head.seq, recorded.value.head.seq, "nothing new is nothing to record");
  git(made.directory, "update-ref", "refs/heads/main", made.ids[0] ?? "");
  assert.ok((await owner.verify(place)).ok);
  assert.deepEqual(await state(team), ["gone", "work-reverted"]);
  const phases = await team.as("owner").phases();
  assert.ok(phases.ok);
  const [part] = phases.value[0]?.departments ?? [];
  assert.deepEqual([part?.plans[0]?.gone, part?.plans[0]?.disputed], [["1-1-T1"], []], "the phase tells them apart");
  assert.ok(part?.blockers.includes("1-1-T1 is gone"));
  git(made.directory, "update-ref", "refs/heads/main", made.ids[1] ?? "");
  assert.ok((await owner.verify(place)).ok);
  assert.deepEqual(await state(team), ["verified"]);
});

test("a lie is disputed, and the repaired report is judged again", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js", "src/b.js"]);
  const judged = await team.as("lead-1").verify(place, { onlyNew: true });
  assert.deepEqual(judged.ok && judged.value.map((each) => [each.task, each.state]), [["1-1-T1", "disputed"]]);
  assert.deepEqual(await state(team), ["disputed", "files-not-changed"]);
  assert.deepEqual(await team.as("lead-1").verify(place, { onlyNew: true }), { ok: true, value: [] });
  const owner = team.as("owner");
  await report(team, made.ids[1] ?? "", ["src/a.js"]);
  assert.ok((await team.as("lead-1").verify(place, { onlyNew: true })).ok);
  assert.deepEqual(await state(team), ["verified"]);
  // What was disputed stays known: in the task, its story, the lines and the lanes.
  const [story, lanes, page] = [
    await owner.task({ task: "1-1-T1" }),
    await owner.lanes({}),
    await owner.logPage({ outcomes: ["repaired"] }),
  ];
  assert.ok(story.ok && lanes.ok && page.ok);
  const [first, last] = story.value.reports;
  const { disputes } = story.value;
  assert.deepEqual(
    disputes.map((each) => [each.report, each.reporter, each.state, each.problems[0]?.code, each.repair?.report]),
    [[first?.seq, "dev-1", "disputed", "files-not-changed", last?.seq]],
  );
  assert.ok(disputes[0]?.at !== null && disputes[0]?.reportedAt !== null && disputes[0]?.repair?.at !== null);
  assert.deepEqual([story.value.task.disputes, first?.outcome, last?.outcome], [1, "repaired", "verified"]);
  assert.ok(lanes.value.outcomes.includes("repaired"));
  const [verdict, reported] = [disputes[0]?.seq, first?.seq];
  assert.deepEqual(
    page.value.entries.map(({ seq, supersededBy }) => [seq, supersededBy]),
    [
      [verdict, disputes[0]?.repair?.seq],
      [reported, last?.seq],
    ].toSorted((one, other) => Number(one[0]) - Number(other[0])),
  );
});

test("many that look at once record what they find once", async () => {
  await using made = await madeRepository({
    commits: [{ tree: new Map([["src/a.js", file("1")]]), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  await using team = await reporting(made.ids[0] ?? "", ["src/a.js"]);
  const place = { directory: made.directory, environment: testEnvironment };
  const looks = ["owner", "lead-1", "owner", "lead-1"].map((agent) => team.as(agent).verify(place));
  for (const judged of await Promise.all(looks)) assert.equal(judged.ok && judged.value[0]?.state, "verified");
  const said: string[] = [];
  for await (const line of team.as("owner").log({ kinds: ["command"] })) said.push(line.ok ? line.value.summary : "");
  assert.equal(said.filter((each) => each === "found 1-1-T1 verified").length, 1);
});

test("a verdict about a report that was followed by another is dropped", async () => {
  await using made = await madeRepository(work);
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js", "src/b.js"]);
  const place = { directory: made.directory, environment: testEnvironment };
  // Judged as the report was; while git is asked, the agent reports again.
  const judging = team.as("owner").verify(place);
  await report(team, made.ids[1] ?? "", ["src/a.js"]);
  assert.ok((await judging).ok);
  assert.deepEqual(await state(team), ["reported"]);
});

test("without a repository, and in a shallow clone that ends too early, a task stays reported", async () => {
  await using made = await madeRepository({ ...work, references: { "refs/heads/main": 2 } });
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
  const shallow = join(made.folder, "shallow");
  git(made.folder, "clone", "--quiet", "--depth", "1", `file://${made.directory}`, shallow);
  for (const [directory, code] of [
    [made.folder, "repository-missing"],
    [shallow, "shallow-clone"],
  ] as const) {
    const judged = await team.as("owner").verify({ directory, environment: testEnvironment });
    assert.deepEqual(
      judged.ok && judged.value.map((each) => [each.state, ...each.problems.map((problem) => problem.code)]),
      [["reported", code]],
    );
  }
  git(shallow, "fetch", "--quiet", "--depth", "2");
  // The commit is there now, and its parent is not: that is no lie.
  const judged = await team.as("owner").verify({ directory: shallow, environment: testEnvironment });
  assert.deepEqual(judged.ok && judged.value.map((each) => each.problems.map((problem) => problem.code)), [
    ["shallow-clone"],
  ]);
  assert.deepEqual(await state(team), ["reported"]);
});

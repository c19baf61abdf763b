/** Reported, verified, disputed and gone are the same tasks wherever they are shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { paintFor } from "../../src/doors/cli/terminal/output.ts";
import { leftBehind } from "../../src/shutdown/view/shutdown-status.ts";
import { summaryText } from "../../src/team/text/summary.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { git, testEnvironment } from "./history.ts";
import { madeRepository, tree } from "./place.ts";

test("a journal with one task of each kind has the same ones in board, status, phase, summary and certificate", async () => {
  await using made = await madeRepository({
    commits: [
      { tree: tree({ a: "0", b: "0" }), parents: [] },
      { tree: tree({ a: "1", b: "0" }), parents: [0] },
      { tree: tree({ a: "0", b: "1" }), parents: [0] },
    ],
    references: { "refs/heads/main": 1, "refs/heads/other": 2 },
  });
  const place = { directory: made.directory, environment: testEnvironment };
  const agents = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
  ] as const;
  await using team = await testTeam({ agents, hasRepository: true });
  const [owner, dev] = [team.as("owner"), team.as("dev-1")];
  const report = async (task: string, file: string, commit: string) => {
    assert.equal((await owner.addTask({ task, plan: "1-1", files: [file] })).outcome, "accepted");
    assert.equal((await dev.claim({ task })).outcome, "accepted");
    assert.equal((await dev.complete({ task, commit })).outcome, "accepted");
  };
  await report("1-1-T1", "a", made.ids[1] ?? "");
  await report("1-1-T2", "b", made.ids[2] ?? "");
  await report("1-1-T3", "c", "deadbeef");
  assert.ok((await owner.verify(place)).ok);
  git(made.directory, "update-ref", "-d", "refs/heads/other");
  assert.ok((await owner.verify(place)).ok);
  await report("1-1-T4", "d", made.ids[1] ?? "");
  assert.equal(
    (await team.as("lead-1").startShutdown({ reason: "plan_complete" }, { id: "stop-1" })).outcome,
    "accepted",
  );

  const [tasks, status, phases, summary, rounds] = [
    await owner.tasks(),
    await owner.status(),
    await owner.phases(),
    await owner.summary({ plan: "1-1" }),
    await owner.shutdowns({ round: "stop-1" }),
  ];
  assert.ok(tasks.ok && status.ok && phases.ok && summary.ok && rounds.ok);
  assert.deepEqual(
    tasks.value.map(({ task, state, verdict }) => [task, state, verdict]),
    [
      ["1-1-T1", "verified", "verified"],
      ["1-1-T2", "gone", "gone"],
      ["1-1-T3", "disputed", "disputed"],
      ["1-1-T4", "reported", "awaited"],
    ],
  );
  const { reported, verified, disputed, gone } = status.value.tasks;
  assert.deepEqual({ reported, verified, disputed, gone }, { reported: 1, verified: 1, disputed: 1, gone: 1 });
  const plans = phases.value.flatMap(({ departments }) => departments.flatMap((part) => part.plans));
  const part = rounds.value[0]?.agents.find(({ agent }) => agent === "dev-1");
  assert.ok(part !== undefined);
  for (const shown of [...plans, summary.value, part])
    assert.deepEqual(
      { unverified: shown.unverified, disputed: shown.disputed, gone: shown.gone },
      { unverified: ["1-1-T4"], disputed: ["1-1-T3"], gone: ["1-1-T2"] },
    );
  assert.equal(plans.length, 1);
  assert.match(summaryText(summary.value, paintFor(false)), /disputed +1-1-T3\n +gone +1-1-T2/);
  const left = leftBehind(part).filter((line) => /^(disputed|gone|not verified)/.test(line));
  assert.deepEqual(left, ["disputed: 1-1-T3", "gone: 1-1-T2", "not verified: 1-1-T4"]);
});

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { git, testEnvironment } from "../../../tests/evidence/history.ts";
import { madeRepository, tree } from "../../../tests/evidence/place.ts";
import { teamHandle } from "../../perform/handle.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { manualClock } from "../../testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../../testing/test-team.ts";

const codeOf = (reply: Reply) => (reply.outcome === "refused" ? reply.problems[0]?.code : reply.outcome);

/** A team in which dev-1 holds 1-1-T1. */
async function crew(more: Partial<TestTeamOptions> = {}): Promise<TestTeam> {
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
      { agent: "dev-y", role: "dev", dialect: "yolo/1" },
    ],
    dialects: ["vbw/2", "yolo/1"],
    ...more,
  });
  await team.as("owner").addTask({ task: "1-1-T1", plan: "1-1", files: ["src/a.ts"] });
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  return team;
}

async function mailOf(team: TestTeam, agent: string): Promise<readonly unknown[]> {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok);
  return page.value.deliveries.map(({ message }) => message);
}

test("both agents read who reassigned the task and why, and what each has to do", async () => {
  await using team = await crew();
  const moved = await team.as("lead-1").reassign({ task: "T1", plan: "1-1", to: "dev-y", reason: "dev-1 is\naway" });
  assert.ok(moved.outcome === "accepted", JSON.stringify(moved));
  const told = [
    "lead-1 reassigned 1-1-T1 from dev-1 to dev-y.",
    "Reason: dev-1 is␊away",
    "Files: src/a.ts",
    `What to do, dev-y: you hold the task now, with token ${moved.receipt.seq}. The claim expires 300 seconds after your last heartbeat. If you do not want the task, release it.`,
    "What to do, dev-1: your claim has ended and your token no longer counts. Stop work on this task and leave its files to dev-y.",
  ].join("\n");
  assert.deepEqual(await mailOf(team, "dev-1"), [told]);
  assert.deepEqual(await mailOf(team, "dev-y"), [told]);
  assert.deepEqual(await mailOf(team, "lead-1"), []);
  assert.equal(codeOf(await team.as("dev-1").complete({ task: "1-1-T1", commit: "abc1234" })), "fenced-claim");
  const done = { task: "1-1-T1", token: moved.receipt.seq, commit: "abc1234" };
  assert.equal(codeOf(await team.as("dev-y").complete(done)), "accepted");
  assert.equal(codeOf(await team.as("owner").reassign({ task: "1-1-T1", to: "dev-2" })), "task-done");
});

test("a lead takes a task itself, and the claim ends with the lease of its new holder", async () => {
  const clock = manualClock();
  await using team = await crew({ clock });
  assert.equal(codeOf(await team.as("lead-1").reassign({ task: "1-1-T1", to: "lead-1" })), "accepted");
  assert.deepEqual(await mailOf(team, "lead-1"), []);
  assert.equal((await mailOf(team, "dev-1")).length, 1);
  clock.advance(310_000);
  assert.equal(codeOf(await team.as("owner").reassign({ task: "1-1-T1", to: "dev-2" })), "accepted");
  assert.match(String((await mailOf(team, "dev-2"))[0]), /^owner gave 1-1-T1 to dev-2\.\nFiles: src\/a\.ts\n/);
  assert.equal((await mailOf(team, "lead-1")).length, 0, "its claim has ended before");
});

test("who may not hold tasks gets none, and the same id again is the same reassignment", async () => {
  await using team = await crew();
  const owner = team.as("owner");
  for (const to of ["nobody-1", "owner", ""])
    assert.equal(codeOf(await owner.reassign({ task: "1-1-T1", to })), "unknown-agent", to);
  await owner.retire({ agent: "dev-2" });
  assert.equal(codeOf(await owner.reassign({ task: "1-1-T1", to: "dev-2" })), "retired-agent");
  const [first, second] = [
    await owner.reassign({ task: "1-1-T1", to: "dev-y" }, { id: "move-1" }),
    await owner.reassign({ task: "1-1-T1", to: "dev-y" }, { id: "move-1" }),
  ];
  assert.ok(first.outcome === "accepted" && second.outcome === "accepted");
  assert.deepEqual([second.receipt.duplicate, second.receipt.seq], [true, first.receipt.seq]);
  const again = await owner.reassign({ task: "1-1-T1", to: "dev-y" });
  assert.deepEqual(again.outcome === "accepted" && again.notes.map(({ code }) => code), ["already-so"]);
  assert.equal((await mailOf(team, "dev-1")).length, 1);
});

test("while several departments are at work, a lead of one moves and takes tasks of its members only", async () => {
  await using team = await crew({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "lead-b", role: "lead", department: "backend" },
      { agent: "lead-f", role: "lead", department: "frontend" },
      { agent: "dev-1", role: "dev", department: "backend" },
      { agent: "dev-2", role: "dev", department: "backend" },
      { agent: "dev-f", role: "dev", department: "frontend" },
    ],
    dialects: ["yolo/1"],
  });
  const reassign = async (by: string, to: string) => codeOf(await team.as(by).reassign({ task: "1-1-T1", to }));
  assert.equal(await reassign("lead-f", "dev-f"), "sender-not-authorised", "it takes nothing from another department");
  assert.equal(await reassign("lead-b", "dev-f"), "sender-not-authorised", "it gives nothing to another department");
  const release = async (by: string) => codeOf(await team.as(by).release({ task: "1-1-T1" }));
  assert.equal(await release("lead-f"), "sender-not-authorised", "nor does it release one of another department");
  assert.equal(await release("lead-b"), "accepted");
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal(await reassign("lead-b", "dev-2"), "accepted");
  assert.equal(await reassign("lead-1", "dev-f"), "accepted", "a lead without a department leads everybody");
});

test("what the old holder left uncommitted is named; another agent's work tree is not", async () => {
  await using team = await crew();
  const files = tree({ "src/a.ts": "a\n", "docs/c.md": "c\n" });
  await using made = await madeRepository({
    commits: [{ tree: files, parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  git(made.directory, "checkout", "-q", "-f", "main");
  git(made.directory, "worktree", "add", "-q", "-b", "work/dev-2", join(made.folder, "elsewhere"));
  const repository = { directory: made.directory, environment: testEnvironment };
  const owner = { agent: "owner", via: "launcher" } as const;
  const handle = teamHandle({ ...team.context, repository }, owner, () => Promise.resolve());
  writeFileSync(join(made.directory, "src/a.ts"), "A\n");
  writeFileSync(join(made.directory, "docs/c.md"), "C\n");
  writeFileSync(join(made.folder, "elsewhere/src/a.ts"), "B\n");
  const moved = await handle.reassign({ task: "1-1-T1", to: "dev-2" });
  assert.ok(moved.outcome === "accepted", JSON.stringify(moved));
  const note = "dev-1 left 1 uncommitted file: src/a.ts. Agree on what becomes of it before anybody edits there.";
  assert.deepEqual(moved.notes, [{ code: "uncommitted-work", path: "task", message: note }]);
  assert.match(String((await mailOf(team, "dev-2"))[0]), new RegExp(`\\nNote: ${note}\\n`));
  git(made.directory, "checkout", "-q", "-f", "main");
  const back = await handle.reassign({ task: "1-1-T1", to: "dev-1" });
  assert.ok(back.outcome === "accepted");
  assert.match(back.notes[0]?.message ?? "", /^dev-2 left 1 uncommitted file: elsewhere:src\/a\.ts\./);
});

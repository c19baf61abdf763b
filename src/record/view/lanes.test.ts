/** Lanes are the lines of the record as columns: reading them back gives the entries, and claims have their ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";

test("columns read back are the lines of the log, in any part of its time, and claims say how they ended", async () => {
  const clock = manualClock();
  await using team = await testTeam({
    clock,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const [owner, lead, dev] = [team.as("owner"), team.as("lead-1"), team.as("dev-1")];
  assert.equal((await lead.send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  assert.equal((await dev.claim({ task: "1-1-T1", files: ["src/greet.js"] })).outcome, "accepted");
  clock.advance(60_000);
  const from = new Date(clock.now()).toISOString();
  assert.equal(
    (await dev.complete({ task: "1-1-T1", commit: "abc1234", files: ["src/greet.js"] })).outcome,
    "accepted",
  );
  assert.equal((await dev.send("What a day", { to: ["lead-1"] })).outcome, "accepted");
  assert.equal((await dev.claim({ task: "1-1-T1", files: ["src/greet.js"] })).outcome, "refused");
  clock.advance(60_000);
  assert.equal((await lead.acknowledge(5)).outcome, "accepted");
  assert.equal((await dev.claim({ task: "1-1-T2", files: ["src/b.js"] })).outcome, "accepted");

  const linesOf = async (range: { from?: string; to?: string }) => {
    const found = await owner.lanes(range);
    assert.ok(found.ok, JSON.stringify(found));
    const { agents, kinds, outcomes, tasks, entries } = found.value;
    let [seq, at] = [0, 0];
    return entries.seq.map((step, index) => {
      seq += step;
      at += entries.at[index] ?? 0;
      const task = entries.task[index] ?? -1;
      return [
        seq,
        new Date(at).toISOString(),
        agents[entries.sender[index] ?? -1],
        entries.receivers[index]?.map((place) => agents[place]),
        kinds[entries.kind[index] ?? -1],
        outcomes[entries.outcome[index] ?? -1] ?? null,
        task === -1 ? null : tasks[task],
        entries.thread[index] === 0 ? null : entries.thread[index],
      ];
    });
  };
  const page = await owner.logPage();
  assert.ok(page.ok);
  const expected = page.value.entries.map((line) => [
    line.seq,
    line.recordedAt,
    line.sender,
    line.receivers,
    line.fact ?? (line.kind === "command" ? line.type : line.kind),
    line.outcome,
    line.kind === "refusal" || line.fact === "contract" ? null : line.task,
    line.thread,
  ]);
  const seen = await linesOf({});
  assert.deepEqual(
    seen.map((line) => [...line.slice(0, 6), line[4] === "contract" ? null : line[6], line[7]]),
    expected,
  );
  assert.deepEqual(
    (await linesOf({ from })).map(([seq]) => seq),
    [4, 5, 6, 7, 8],
  );
  assert.deepEqual(
    (await linesOf({ to: from })).map(([seq]) => seq),
    [1, 2, 3],
  );
  const all = await owner.lanes();
  assert.ok(all.ok);
  const { agents, tasks, claims, acknowledged, outcomes } = all.value;
  assert.deepEqual(
    claims.map((claim) => [
      agents[claim.agent],
      tasks[claim.task],
      claim.end,
      outcomes[claim.outcome],
      claim.to !== null,
    ]),
    [
      ["dev-1", "1-1-T1", "reported", "reported", true],
      ["dev-1", "1-1-T2", "held", null, false],
    ],
  );
  assert.deepEqual(
    acknowledged.map(({ agent, seq }) => [agents[agent], seq]),
    [["lead-1", 5]],
  );
  const wrong = await owner.lanes({ from: "yesterday" });
  assert.ok(!wrong.ok && wrong.error.code === "wrong-format");
});

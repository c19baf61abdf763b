/** The past is what was answered then, whatever was recorded since, and nothing is recorded by looking at it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import { entriesOf } from "../handlers/record.ts";
import { replay, stateAt } from "./time-travel.ts";

test("each look at an entry is what was answered at that entry, also far behind it and in any order", async () => {
  const clock = manualClock();
  await using team = await testTeam({
    clock,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const [owner, lead, dev] = [team.as("owner"), team.as("lead-1"), team.as("dev-1")];
  const then = new Map<number, unknown>();
  const look = async () => {
    const [tasks, needs, approvals] = [await owner.tasks(), await owner.needs(), await owner.approvals()];
    const [story, recent] = [
      await owner.task({ task: "1-1-T1" }),
      await owner.logPage({ view: "messages", newestFirst: true, limit: 8 }),
    ];
    assert.ok(tasks.ok && needs.ok && approvals.ok && story.ok && recent.ok);
    // Leases of today count heartbeats that no entry has.
    return structuredClone([
      tasks.value.map((task) => ({ ...task, expiresAt: null })),
      needs.value.counts,
      approvals.value,
      { ...story.value, task: { ...story.value.task, expiresAt: null } },
      recent.value.entries,
    ]);
  };
  const keep = async () => {
    const status = await owner.status();
    assert.ok(status.ok);
    then.set(status.value.head.seq, await look());
  };
  assert.equal((await lead.send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  await keep();
  assert.equal((await dev.claim({ task: "1-1-T1", files: ["src/greet.js"] })).outcome, "accepted");
  await keep();
  for (let n = 0; n < 1_200; n += 1) await owner.register({ agent: `helper-${n}`, role: "dev" });
  assert.equal((await dev.send(JSON.stringify(typedMessage("approval_request")))).outcome, "accepted");
  clock.advance(1_000);
  await keep();
  const request = { request: "approval_request-1", approved: true, reason: "yes" };
  assert.equal((await owner.answer(request)).outcome, "accepted");
  assert.equal(
    (await dev.complete({ task: "1-1-T1", commit: "abc1234", files: ["src/greet.js"] })).outcome,
    "accepted",
  );
  await keep();
  const before = await owner.status();
  assert.ok(before.ok);
  for (const seq of [...then.keys()].toReversed().concat([...then.keys()])) {
    const at = async (view: string) => {
      const past = await owner.past({ seq: String(seq), view });
      assert.ok(past.ok, JSON.stringify(past));
      assert.deepEqual([past.value.seq, past.value.view], [seq, view]);
      return past.value.value as ReturnType<typeof JSON.parse>; // as the view of that name
    };
    const tasks = (await at("tasks")).map((task: object) => ({ ...task, expiresAt: null }));
    const story = await owner.task({ task: "1-1-T1", at: String(seq) });
    assert.ok(story.ok, JSON.stringify(story));
    const told = { ...story.value, task: { ...story.value.task, expiresAt: null } };
    assert.deepEqual(
      [tasks, (await at("needs")).counts, await at("approvals"), told, await at("recent")],
      then.get(seq),
      `at ${seq}`,
    );
  }
  const record = { entries: () => entriesOf(team.context.journal, team.context.team) };
  for (const seq of [1, 3, 1_002, 1_150]) {
    const [folded, replayed] = [await stateAt(team.context, seq), await replay(record, team.context.team, seq)];
    assert.ok(folded.ok && replayed.ok);
    assert.equal(folded.value.head.hash, replayed.value.head.hash);
    assert.equal(
      folded.value.state.counts.command,
      (replayed.value.state as { counts: { command: number } }).counts.command,
    );
  }
  const after = await owner.status();
  assert.ok(after.ok && after.value.head.seq === before.value.head.seq, "looking back records nothing");
});

test("what is no entry, no view or no time is refused; a time leads to the last entry before it", async () => {
  const clock = manualClock();
  await using team = await testTeam({ clock, agents: [{ agent: "dev-1", role: "dev" }] });
  const owner = team.as("owner");
  const codes = [
    await owner.past({ seq: "99", view: "tasks" }),
    await owner.past({ seq: "-1", view: "tasks" }),
    await owner.past({ seq: "1", view: "constructor" }),
    await owner.past({ seq: "0", view: "tasks" }),
    await owner.task({ task: "1-1-T1", at: "later" }),
    await owner.seqAt({ time: "noon" }),
  ].map((found) => (found.ok ? "shown" : found.error.code));
  assert.deepEqual(codes, ["not-found", "wrong-value", "wrong-value", "not-found", "wrong-value", "wrong-format"]);
  const first = new Date(clock.now()).toISOString();
  clock.advance(60_000);
  await owner.register({ agent: "dev-2", role: "dev" });
  const seqs = [];
  for (const time of ["2000-01-01T00:00:00Z", first, new Date(clock.now()).toISOString()]) {
    const found = await owner.seqAt({ time });
    assert.ok(found.ok);
    seqs.push(found.value.seq);
  }
  assert.deepEqual(seqs, [0, 1, 2]);
});

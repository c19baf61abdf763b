import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { nextTurn } from "../../base/clock.ts";
import { openSqliteJournal } from "../../journal/sqlite/index.ts";
import { teamProjection } from "../../perform/projection.ts";
import { fireDue } from "../../perform/timers.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
  { agent: "dev-2", role: "dev" },
] as const;

async function working(clock = manualClock(), leaseSeconds?: number): Promise<TestTeam> {
  const limits = leaseSeconds === undefined ? {} : { leaseSeconds };
  const team = await testTeam({ agents, clock, limits });
  await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")));
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  return team;
}

async function holder(team: TestTeam): Promise<string | null | undefined> {
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  return tasks.value[0]?.holder;
}

async function timers(team: TestTeam): Promise<number> {
  const page = await team.context.journal.read(team.context.team);
  assert.ok(page.ok);
  return page.value.entries.filter(({ kind }) => kind === "timer").length;
}

test("a claim outlives its promised end by what signs lie apart, and then it is free, by one entry", async () => {
  const clock = manualClock();
  await using team = await working(clock);
  clock.advance(309_999);
  assert.equal(await holder(team), "dev-1");
  clock.advance(1);
  assert.equal(await holder(team), null);
  assert.equal(await holder(team), null);
  assert.equal(await timers(team), 1);
});

test("every heartbeat keeps it alive: mail, a look, a refused operation, a renewal, a heartbeat of its program", async () => {
  const clock = manualClock();
  await using team = await working(clock);
  const dev = team.as("dev-1");
  const signs: readonly (() => Promise<unknown>)[] = [
    () => dev.inbox(),
    () => dev.tasks(),
    () => dev.claim({ task: "1-1-T9" }),
    () => dev.renew({ task: "1-1-T1" }),
    () => dev.heartbeat(),
    () => dev.send("Still at it", { to: ["lead-1"] }),
  ];
  for (const sign of signs) {
    clock.advance(305_000);
    await sign();
    assert.equal(await holder(team), "dev-1", sign.toString());
  }
  // Signs outside the record are recorded once they matter, not each time that somebody looks.
  const recorded = await timers(team);
  for (let looks = 0; looks < 5; looks += 1) await holder(team);
  assert.equal(await timers(team), recorded);
});

/** A clock that moves only when it is reported to, and then wakes who waited for that long. */
function steppedClock() {
  let nowMs = Date.UTC(2026, 1, 12, 10);
  let waiting: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    wait: (durationMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted === true) return resolve();
        waiting.push({ atMs: nowMs + durationMs, wake: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
    async advance(durationMs: number) {
      nowMs += durationMs;
      const due = waiting.filter(({ atMs }) => atMs <= nowMs);
      waiting = waiting.filter(({ atMs }) => atMs > nowMs);
      for (const { wake } of due) wake();
      for (let turns = 0; turns < 20; turns += 1) await nextTurn();
    },
  };
}

test("who waits for mail is there for as long as it waits, and no longer", async () => {
  const clock = steppedClock();
  await using team = await testTeam({ agents, clock });
  await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")));
  await team.as("dev-1").inbox();
  await team.as("dev-1").acknowledge(2);
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  const stop = new AbortController();
  const waited = team.as("dev-1").inbox({ waitMs: 10_000_000, signal: stop.signal });
  for (let beats = 0; beats < 30; beats += 1) await clock.advance(30_000);
  assert.equal(await holder(team), "dev-1");
  stop.abort();
  await waited;
  await clock.advance(310_000);
  assert.equal(await holder(team), null);
});

test("renewing says until when, and is refused for what has ended or is another's", async () => {
  const clock = manualClock();
  await using team = await working(clock, 60);
  clock.advance(30_000);
  const renewed = await team.as("dev-1").renew({ task: "1-1-T1" });
  assert.ok(renewed.outcome === "accepted");
  assert.equal(renewed.expiresAt, "2026-02-12T10:01:30.000Z");
  const other = await team.as("dev-2").renew({ task: "1-1-T1" });
  assert.equal(other.outcome === "refused" && other.problems[0]?.code, "not-holder");
  clock.advance(66_000);
  const ended = await team.as("dev-1").renew({ task: "1-1-T1" });
  assert.equal(ended.outcome === "refused" && ended.problems[0]?.code, "not-holder");
});

test("an expired claim is granted to another, whose token fences the first", async () => {
  const clock = manualClock();
  await using team = await working(clock);
  clock.advance(400_000);
  const granted = await team.as("dev-2").claim({ task: "1-1-T1" });
  assert.ok(granted.outcome === "accepted");
  const late = await team.as("dev-1").complete({ task: "1-1-T1", commit: "abc1234" });
  assert.ok(late.outcome === "refused" && late.problems[0]?.code === "fenced-claim");
  assert.match(late.problems[0].message, /dev-2/);
});

test("an expired claim that nobody took may still be completed", async () => {
  const clock = manualClock();
  await using team = await working(clock);
  clock.advance(400_000);
  assert.equal((await team.as("dev-1").complete({ task: "1-1-T1", commit: "abc1234" })).outcome, "accepted");
});

test("a deadline is recorded once it has surely passed, and none while nobody knows the time", async () => {
  const manual = manualClock();
  let doubtMs = 1_000;
  const clock = { ...manual, steady: manual.now, surely: () => manual.now() - doubtMs };
  await using team = await working(clock);
  manual.advance(300_500);
  assert.ok((await fireDue(team.context)).ok);
  assert.deepEqual([await timers(team), await holder(team)], [0, "dev-1"], "it may be half a second less");
  doubtMs = Number.POSITIVE_INFINITY;
  manual.advance(3_600_000);
  assert.ok((await fireDue(team.context)).ok);
  assert.equal((await team.as("lead-1").send("Still here.", { to: ["dev-1"] })).outcome, "accepted");
  assert.equal(await holder(team), "dev-1");
  doubtMs = 1_000;
  assert.ok((await fireDue(team.context)).ok);
  assert.equal(await holder(team), null);
});

test("many who fire at once end a lease once, on a sign that one of them kept last", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-leases-"));
  const clock = manualClock();
  const open = async () => {
    const opened = await openSqliteJournal(join(folder, "journal.db"), teamProjection, { clock });
    assert.ok(opened.ok);
    return opened.value;
  };
  const journal = await open();
  const others = await Promise.all([open(), open(), open()]);
  try {
    await using team = await testTeam({ agents, clock, journal });
    await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")));
    assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
    clock.advance(305_000);
    await team.as("dev-1").heartbeat();
    clock.advance(10_000);
    const contexts = others.map((each) => ({ ...team.context, journal: each }));
    for (const fired of await Promise.all(contexts.map(fireDue))) assert.ok(fired.ok);
    assert.deepEqual([await timers(team), await holder(team)], [1, "dev-1"]);
    clock.advance(310_000);
    for (const fired of await Promise.all(contexts.map(fireDue))) assert.ok(fired.ok);
    assert.deepEqual([await timers(team), await holder(team)], [2, null]);
  } finally {
    await Promise.all(others.map((each) => each.close()));
    rmSync(folder, { recursive: true });
  }
});

/** The model and the simulation of the scale agree with what can be worked out by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Inputs, percentile, sizingOf } from "../../bench/scale/model.ts";
import { type Simulated, seeded, simulate } from "../../bench/scale/simulation.ts";

const inputs: Inputs = {
  engine: "an engine",
  copies: 3,
  messagesPerSecond: 500,
  latenciesMs: [2],
  hubProcessorMs: 1,
  bytesPerMessage: 1_000,
  bytesPerAcknowledgedMessage: 2_000,
  hubBytes: 100_000_000,
  hubBytesPerTeam: 10_000,
  hubBytesPerMessage: 10,
  firstLookMs: 5,
  deadlines: { teams: 10_000, lookMs: 3 },
  tokenMs: 1,
  sessions: { teams: 1_000, lookMs: 100 },
  connections: 9,
};

test("a demand is shared out over journals that are busy for as long as they may be, at most", () => {
  const sizing = sizingOf(inputs, { teams: 10_000, messagesPerSecond: 1_000, busyMax: 0.5 });
  assert.deepEqual(sizing, {
    journals: 4,
    teamsPerJournal: 2_500,
    busy: 0.5,
    hubsPerJournal: 2,
    hubs: 8,
    bytesPerDay: 172_800_000_000,
    bytesPerDayInAllCopies: 518_400_000_000,
    hubBytes: 125_000_000,
    hubBytesPerHour: 9_000_000,
    takeOverSeconds: 12.5,
    connectionsPerJournal: 18,
    sessionMs: 250,
  });
});

test("a hub more is needed where its processor would be busy for too long", () => {
  const slow = { ...inputs, hubProcessorMs: 5 };
  const { hubsPerJournal } = sizingOf(slow, { teams: 10_000, messagesPerSecond: 1_000, busyMax: 0.5 });
  assert.equal(hubsPerJournal, 3);
});

const base: Simulated = {
  teams: 100_000,
  messagesPerSecond: 500,
  capacityPerSecond: 1_000,
  latenciesMs: [5],
  messages: 40_000,
  seed: 17,
};

test("a constant service time gives the waiting of an M/D/1 queue", () => {
  // With a load of one half the mean waiting is half a service time: (0.5 / (2 * 0.5)) * 1 ms.
  const waited = simulate(base);
  assert.ok(Math.abs(waited.busy - 0.5) < 0.01, `${waited.busy}`);
  const light = simulate({ ...base, messagesPerSecond: 1, messages: 2_000 });
  assert.equal(light.waitedMedian, 0);
  assert.equal(light.median.toFixed(3), "5.000");
  // Half of the messages find it idle; of the others nearly all wait for less than 4 service times.
  assert.ok(waited.waitedMedian < 0.05, `${waited.waitedMedian}`);
  assert.ok(waited.waitedP99 > 2 && waited.waitedP99 < 4, `${waited.waitedP99}`);
});

test("messages of one team that come together share a transaction", () => {
  const one = simulate({ ...base, teams: 1, messagesPerSecond: 5_000, messages: 20_000 });
  assert.ok(one.perTransaction > 15, `${one.perTransaction}`);
  assert.ok(one.p99 < 11, `two transactions at most: ${one.p99}`);
});

test("above the capacity waiting grows with the time", () => {
  const short = simulate({ ...base, messagesPerSecond: 2_000, messages: 10_000 });
  const long = simulate({ ...base, messagesPerSecond: 2_000, messages: 20_000 });
  assert.ok(long.p99 > 1.8 * short.p99);
});

test("equal seeds give equal results, others do not", () => {
  assert.deepEqual(simulate({ ...base, messages: 1_000 }), simulate({ ...base, messages: 1_000 }));
  assert.notDeepEqual(simulate({ ...base, messages: 1_000 }), simulate({ ...base, messages: 1_000, seed: 18 }));
  const random = seeded(1);
  const drawn = Array.from({ length: 10_000 }, random);
  assert.ok(Math.abs(percentile(drawn, 0.5) - 0.5) < 0.02);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf } from "../../doors/page/shown/time-axis.ts";
import { cutTo, shifted, ticksOf, zoomed } from "../../doors/page/shown/time-span.ts";
import type { Lanes } from "../operations/lanes.ts";
import { hatchesIn } from "./lanes-drawing.ts";
import { activityIn, isShown, modelOf, nextShown, placeOfSeq, within } from "./lanes-model.ts";

const answer: Lanes = {
  seq: 9,
  from: "2026-02-12T10:00:00.000Z",
  to: "2026-02-12T10:00:03.000Z",
  agents: ["owner", "dev-1", "lead-1"],
  kinds: ["team", "claim", "completion"],
  outcomes: [null, "disputed", "refused"],
  tasks: ["1-1-T1"],
  entries: {
    seq: [2, 2, 1, 4],
    at: [1_000, 500, -200, 700],
    sender: [0, 1, 1, 2],
    receivers: [[], [2], [2], []],
    kind: [0, 1, 2, 2],
    outcome: [0, 0, 1, 2],
    task: [-1, 0, 0, -1],
    thread: [0, 4, 4, 0],
  },
  claims: [
    { agent: 1, task: 0, seq: 4, from: 1_500, to: 1_800, end: "reported", outcome: 1 },
    { agent: 1, task: 0, seq: 9, from: 1_900, to: 1_950, end: "disappeared", outcome: 0 },
  ],
  acknowledged: [{ agent: 2, seq: 4, at: 1_900 }],
};
const model = modelOf(answer, ["lead-1", "dev-1", "nobody"]);
const everything = { outcome: "", agent: "" };

test("distances become numbers and times, and lanes are in the order of the page", () => {
  assert.deepEqual([...model.seqs], [2, 5, 4, 9]);
  assert.deepEqual([...model.times], [1_000, 1_300, 1_500, 2_000]);
  assert.deepEqual(
    model.lanes.map(({ agent, sent }) => [agent, [...sent]]),
    [
      ["lead-1", [3]],
      ["dev-1", [1, 2]],
      ["owner", [0]],
    ],
  );
  assert.deepEqual(
    model.lanes[1]?.claims.map(({ task, tone, word }) => [task, tone, word]),
    [
      ["1-1-T1", "bad", "disputed"],
      ["1-1-T1", "warn", "disappeared"],
    ],
  );
});

test("an entry is acknowledged by an agent that read up to it", () => {
  assert.equal(model.acknowledgedAt(0, 2), 1_900);
  assert.equal(model.acknowledgedAt(0, 1), null);
  assert.equal(model.acknowledgedAt(1, 2), null);
});

test("what is narrowed by outcome and agent is stepped through in either direction", () => {
  assert.equal(isShown(model, 1, { outcome: "disputed", agent: "lead-1" }), true);
  assert.equal(isShown(model, 1, { outcome: "disputed", agent: "owner" }), false);
  assert.equal(nextShown(model, -1, 1, { outcome: "refused", agent: "" }), 3);
  assert.equal(nextShown(model, 3, -1, { outcome: "", agent: "owner" }), 0);
  assert.equal(nextShown(model, 3, 1, everything), null);
  assert.deepEqual(within(model.times, 1_200, 1_999), [1, 3]);
  assert.deepEqual(
    [1, 2, 4, 8, 99].map((seq) => placeOfSeq(model, seq)),
    [-1, 0, 2, 1, 3],
  );
});

test("an entry of a machine whose clock is ahead moves none of the others: each stands at its own time", () => {
  const ahead: Lanes = { ...answer, entries: { ...answer.entries, at: [1_000, 120_500, -120_400, 300] } };
  const read = modelOf(ahead, []);
  assert.deepEqual([...read.times], [1_000, 1_100, 1_400, 121_500]);
  assert.deepEqual(
    [...read.times.keys()].map((place) => [read.kindOf(place), read.outcomeOf(place)]),
    [
      ["team", null],
      ["completion", "disputed"],
      ["completion", "refused"],
      ["claim", null],
    ],
  );
  assert.deepEqual(
    read.lanes.map(({ sent }) => [...sent]),
    [[0], [1, 3], [2]],
  );
});

test("a zoom keeps what is under the pointer, and neither it nor a shift leaves the bounds", () => {
  const bounds = { from: 0, to: 1_000 };
  assert.deepEqual(zoomed({ from: 0, to: 1_000 }, 0.5, 500, bounds), { from: 250, to: 750 });
  assert.deepEqual(zoomed({ from: 250, to: 750 }, 4, 500, bounds), bounds);
  assert.deepEqual(shifted({ from: 250, to: 750 }, 900, bounds), { from: 500, to: 1_000 });
  assert.equal(zoomed({ from: 0, to: 60 }, 0.001, 30, bounds).to, 55);
});

test("ticks are round times, few and within the span", () => {
  const minute = 60_000;
  assert.deepEqual(
    ticksOf({ from: 10 * minute + 1, to: 40 * minute }, 6),
    [15, 20, 25, 30, 35, 40].map((n) => n * minute),
  );
  assert.deepEqual(ticksOf({ from: 5, to: 5 }, 8).length <= 1, true);
});

test("who sent or held something in a part of the time is told from who was only written to, and from the others", () => {
  // The lanes are lead-1, dev-1 and owner.
  assert.deepEqual([...activityIn(model, { from: 1_400, to: 1_600 })], [1, 2, 0]);
  assert.deepEqual([...activityIn(model, { from: 1_700, to: 1_750 })], [0, 2, 0], "it holds a claim");
  assert.deepEqual([...activityIn(model, { from: 1_960, to: 3_000 })], [2, 0, 0]);
});

test("a day is drawn from its first entry on, in order, and no entry lies in a pause that is cut", () => {
  const minute = 60_000;
  // A message every ten minutes, a night, and a burst.
  const evening = Array.from({ length: 15 }, (_, at) => (820 + at * 10) * minute);
  const times = [...evening, ...Array.from({ length: 300 }, (_, at) => 1_711 * minute + at * 1_000)];
  const whole = { from: times[0] ?? 0, to: times.at(-1) ?? 0 };
  const axis = axisOf(
    evening.map((from, at) => ({ from, to: times[at + 1] ?? 0 })),
    whole,
  );
  const drawn = times.map(axis.drawnOf);
  assert.ok(drawn.every((time, at) => at === 0 || time > (drawn[at - 1] ?? 0)));
  const bounds = { from: axis.drawnOf(whole.from), to: axis.drawnOf(whole.to) };
  const day = { from: axis.drawnOf(0), to: axis.drawnOf(1_440 * minute) };
  for (const span of [bounds, cutTo(day, bounds)]) {
    const [frame, scale] = [{ span, width: 1_020 }, 1_020 / (span.to - span.from)];
    const places = drawn.map((time) => (time - span.from) * scale).filter((x) => x <= 1_020);
    assert.ok((places[14] ?? 0) - (places[0] ?? 0) > 200, "the evening is seen");
    for (const { left, right } of hatchesIn(axis, frame)) {
      assert.ok(left < right);
      assert.ok(
        places.every((x) => x <= left - 4 || x >= right + 4 || x < 0),
        `${left} to ${right}`,
      );
    }
  }
  assert.deepEqual(cutTo({ from: -9, to: -5 }, bounds), { from: -9, to: -5 }, "where nothing is recorded it is empty");
});

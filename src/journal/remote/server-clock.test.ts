import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../base/clock.ts";
import { serverClock } from "./server-clock.ts";

test("machines whose clocks are an hour apart count deadlines by the server's time", () => {
  let passed = 0;
  const machine = (aheadMs: number): Clock => ({
    now: () => 1_770_000_000_000 + aheadMs + passed,
    monotonic: () => 500 + aheadMs / 7 + passed,
    wait: async () => undefined,
  });
  const clocks = [0, 3_600_000, -3_600_000].map((ahead) => {
    const own = machine(ahead);
    const clock = serverClock(own);
    const askedAt = own.monotonic();
    clock.learn({ serverMs: 1_770_000_000_005, askedAt, answeredAt: askedAt + 10 });
    return clock;
  });
  passed = 60_000;
  for (const clock of clocks) assert.equal(clock.steady(), 1_770_000_060_000);
  // The control: their wall clocks, which people see, differ as before.
  assert.equal(new Set(clocks.map((clock) => clock.now())).size, 3);
});

test("a measure over a slow connection does not replace a better one until that is old, and time never goes back", () => {
  let passed = 0;
  const clock = serverClock({ now: () => 0, monotonic: () => passed, wait: async () => undefined });
  clock.learn({ serverMs: 1_000_000, askedAt: 0, answeredAt: 2 });
  passed = 1_000;
  assert.equal(clock.steady(), 1_000_999);
  clock.learn({ serverMs: 1_000_000, askedAt: 0, answeredAt: 1_000 });
  assert.equal(clock.steady(), 1_000_999, "half a second of doubt is worse than a millisecond");
  clock.learn({ serverMs: 1_000_500, askedAt: 999, answeredAt: 1_001 });
  assert.equal(clock.steady(), 1_000_999, "it stands still");
  passed = 2_000;
  assert.equal(clock.steady(), 1_001_500);
  passed = 2_000_000;
  clock.learn({ serverMs: 3_000_000, askedAt: 1_999_000, answeredAt: 2_000_000 });
  assert.equal(clock.steady(), 3_000_500, "an old measure may have drifted");
});

/** A machine and a server, whose clocks the test moves, and the machine's idea of the server's time. */
function pair() {
  const at = { monotonic: 0, wall: 5_000_000, server: 1_000_000 };
  const clock = serverClock({ now: () => at.wall, monotonic: () => at.monotonic, wait: async () => undefined });
  const pass = (ms: number) => {
    for (const key of ["monotonic", "wall", "server"] as const) at[key] += ms;
  };
  /** Asks the server, which takes four milliseconds. */
  const ask = () => {
    const askedAt = at.monotonic;
    pass(2);
    const serverMs = at.server;
    pass(2);
    clock.learn({ serverMs, askedAt, answeredAt: at.monotonic });
  };
  return { at, clock, pass, ask };
}

test("what has passed surely is earlier by the error of the measure and by what clocks may drift", () => {
  const { at, clock, pass, ask } = pair();
  assert.equal(clock.surely(), Number.NEGATIVE_INFINITY, "nothing was measured");
  ask();
  assert.deepEqual([clock.steady(), clock.surely(), clock.distrust()], [at.server, at.server - 2, null]);
  pass(60_000);
  assert.equal(clock.surely(), at.server - 32);
  pass(4_000_000);
  assert.equal(clock.surely(), Number.NEGATIVE_INFINITY);
  assert.match(clock.distrust() ?? "", /not known well enough/);
  ask();
  assert.equal(clock.surely(), at.server - 2);
});

test("after the server's clock has jumped, ahead or back, nothing has passed until it is corrected, and time goes on", () => {
  for (const jump of [3_600_000, -3_600_000, 10_000]) {
    const { at, clock, pass, ask } = pair();
    ask();
    at.server += jump;
    pass(1_000);
    ask();
    assert.equal(clock.surely(), Number.NEGATIVE_INFINITY);
    assert.match(clock.distrust() ?? "", new RegExp(`jumped by ${jump / 1_000} s`));
    assert.equal(clock.steady(), at.server - jump, "as it was counted before");
    at.server -= jump;
    pass(1_000);
    ask();
    assert.equal(clock.distrust(), null);
    assert.ok(at.server - clock.surely() < 10);
    // The control: who begins after the jump knows no other time.
    const other = pair();
    other.at.server += jump;
    other.ask();
    assert.equal(other.clock.distrust(), null);
  }
});

test("a step of less than two seconds is no jump: the server's time is taken over", () => {
  const { at, clock, pass, ask } = pair();
  ask();
  at.server += 1_500;
  pass(1_000);
  ask();
  assert.deepEqual([clock.distrust(), clock.surely()], [null, at.server - 2]);
});

test("a machine that slept takes the server's time, which went on meanwhile", () => {
  const { at, clock, ask } = pair();
  ask();
  at.wall += 3_600_000;
  at.server += 3_600_000;
  ask();
  assert.equal(clock.distrust(), null);
  assert.equal(clock.surely(), at.server - 2);
});

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

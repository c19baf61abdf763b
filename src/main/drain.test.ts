/** When a hub that was asked to end after a shutdown round ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { askedMsMax, newRoundWatchers } from "../doors/http/server/monitoring.ts";
import type { ShutdownView } from "../shutdown/operations.ts";
import { manualClock } from "../testing/fixtures.ts";
import { drainRounds } from "./commands/up.ts";

const round = { requester: "lead-1", round: "stop-1", outcome: "open", agents: [], asked: 1, askingsMax: 3 };
const open = { ...round, dueAt: null } as unknown as ShutdownView; // what a drain and its watchers read of a round
const ended: ShutdownView = { ...open, outcome: "complete" };

/** How long a hub stays once it is asked to end; its round is over after two seconds, and somebody asks every so often. */
async function stays(everyMs: number, options: { readonly isOver?: true; readonly leavesAtMs?: number } = {}) {
  const clock = manualClock();
  const beganMs = clock.monotonic();
  const sinceMs = () => clock.monotonic() - beganMs;
  const overAtMs = options.isOver === true ? 0 : 2_000;
  const watchers = newRoundWatchers(clock);
  watchers.show("web", "lead-1", [open]);
  let askedAtMs = 0;
  const hub = {
    openRounds: () => Promise.resolve(sinceMs() < overAtMs ? [open] : []),
    isRoundAwaited() {
      if (sinceMs() - askedAtMs >= everyMs && askedAtMs < (options.leavesAtMs ?? Number.POSITIVE_INFINITY)) {
        watchers.show("web", "lead-1", [sinceMs() < overAtMs ? open : ended]);
        askedAtMs = sinceMs();
      }
      return watchers.areWaiting();
    },
  };
  await drainRounds(hub, () => undefined, { signal: new AbortController().signal, clock });
  return sinceMs() - overAtMs;
}

test("it stays a second, and until every waiting caller has seen the end, however slowly it asks", async () => {
  assert.equal(await stays(200), 1_000);
  assert.equal(await stays(5_000), 3_000);
  assert.equal(await stays(200, { isOver: true }), 200, "a round that was over is waited for as well");
});

test("it does not stay for one who asks no more, nor longer than ten seconds", async () => {
  assert.equal(await stays(60_000, { leavesAtMs: 0 }), askedMsMax - 2_000);
  const clock = manualClock();
  let looks = 0;
  const forever = { openRounds: () => Promise.resolve(looks++ === 0 ? [open] : []), isRoundAwaited: () => true };
  const beganMs = clock.monotonic();
  await drainRounds(forever, () => undefined, { signal: new AbortController().signal, clock });
  assert.equal(clock.monotonic() - beganMs, 10_200);
});

test("who was shown a round waits for it until its end was shown to it, or it asks no more", () => {
  const clock = manualClock();
  const watchers = newRoundWatchers(clock);
  watchers.show("web", "lead-1", [ended]);
  assert.equal(watchers.areWaiting(), false);
  watchers.show("web", "lead-1", [open]);
  watchers.show("web", "dev-1", [open]);
  watchers.show("web", "lead-1", [ended]);
  assert.equal(watchers.areWaiting(), true, "dev-1 has not seen it");
  clock.advance(askedMsMax);
  assert.equal(watchers.areWaiting(), false);
});

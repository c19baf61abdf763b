import assert from "node:assert/strict";
import { test } from "node:test";
import { place } from "../../../tests/runtime/health-place.ts";
import type { Clock } from "../../base/clock.ts";
import { makeProblem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { type AttendedTeam, attend, beat } from "./transports.ts";

/** The pauses of a program whose tries go as `goes` says; the beating ends with the last of them. */
async function pauses(goes: readonly boolean[]): Promise<readonly number[]> {
  const { team, clock } = await place(undefined, { limits: { disappearSeconds: 4 } });
  const down = makeProblem("hub-unreachable", "$", "The hub does not answer.");
  const tries = goes.values();
  const source: AttendedTeam = async () =>
    tries.next().value === true ? ok(team.as("dev-1", "dev-1-program")) : err([down]);
  const over = new AbortController();
  const waited: number[] = [];
  const counting: Clock = {
    ...clock,
    wait: async (ms) => {
      waited.push(ms);
      if (waited.length === goes.length) over.abort();
    },
  };
  await beat(source, attend(source), counting, over.signal);
  return waited;
}

test("a failed heartbeat is repeated as soon as the next one was due", async () => {
  const [everyMs = 0, ...later] = await pauses([true, false, false, true]);
  assert.ok(everyMs > 0 && everyMs < 30_000, `every ${everyMs} ms`);
  assert.deepEqual(later, [everyMs, everyMs, everyMs]);
});

test("where nobody was reached yet, it is tried again after half a minute", async () => {
  assert.deepEqual(await pauses([false, false]), [30_000, 30_000]);
});

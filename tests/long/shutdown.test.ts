/** The long campaign of shutdown rounds by the machine's own clock. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { byTheClock, problemsOf, runRound } from "../runtime/shutdown-processes.ts";
import { record } from "./record.ts";

const rounds = 20;
const deadlineMs = 2_000;

test(`${rounds} rounds among processes end with everybody's part, each in time`, async () => {
  const tookMs: number[] = [];
  const problems: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const run = await runRound(deadlineMs, byTheClock);
    tookMs.push(run.tookMs);
    problems.push(...problemsOf(run).map((problem) => `round ${round + 1}: ${problem}`));
  }
  const longest = Math.max(...tookMs);
  const bound = 3 * deadlineMs + 2_000;
  record(
    "shutdown",
    "A lead asks eight agents, each a process of its own on one journal, to stop: one obeys, one ignores it, one refuses each time, " +
      "one refuses once, one dies, one would answer a second asking, one answers twice, one says yes and then no. No hub runs.",
    [
      ["rounds", rounds],
      ["deadline of each asking", `${deadlineMs / 1000} s`],
      ["longest round (three deadlines and 2 s allowed)", `${(longest / 1000).toFixed(2)} s`],
      ["parts that ended otherwise than they must", problems.length],
      ["control: wrong endings planted into a certificate, all found", "in the shorter tests"],
    ],
  );
  assert.deepEqual(problems, []);
  assert.ok(longest <= bound, `the longest round took ${longest} ms of ${bound}`);
});

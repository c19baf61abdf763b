/** Shutdown rounds among real processes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { byAnswers, problemsOf, runRound } from "./shutdown-processes.ts";

test("agents that obey, ignore, refuse, die, are late or answer twice: the round ends, each deadline once", async () => {
  const round = await runRound(3_600_000, byAnswers(3_600_000));
  assert.deepEqual(problemsOf(round), []);
  // Control: the same check finds a round that ended otherwise.
  const agents = round.certificate.agents.map((part) => ({ ...part, outcome: "clean" as const }));
  const planted = problemsOf({
    ...round,
    certificate: { ...round.certificate, agents, outcome: "complete" },
    timers: 4,
  });
  assert.equal(planted.length, 7);
});

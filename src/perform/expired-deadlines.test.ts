import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import { addTask } from "../tasks/decide/tasks.ts";
import { breakerLimitsOf } from "../team/state/definition.ts";
import type { Decided } from "./decider.ts";
import {
  type CoordinationEvent,
  decideClaim,
  decideRound,
  decideWork,
  evolveCoordination,
  initialCoordination,
} from "./deciders.ts";
import { decideDue, keepAct } from "./expired-deadlines.ts";

test("whose lease is over as it is forced gives its tasks back once", () => {
  const state = initialCoordination();
  const keep = (decided: Result<Decided<CoordinationEvent>, readonly Problem[]>) => {
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) evolveCoordination(state, event);
    return decided.value.events;
  };
  const agents = [{ agent: "dev-1", session: 1, addressed: true }];
  const body = { reason: "phase_complete" };
  const asked = { requestId: "stop", requester: "lead-1", body, phase: null, deadlineMs: null, agents };
  keep(decideRound(state, { ...asked, seq: 2, atMs: 1 }));
  keep(decideWork(state, addTask, { taskId: "t", planId: null, seq: 3 }));
  const claim = { taskId: "t", planId: null, files: null, holder: "dev-1", session: 1, leaseMs: 1_000 };
  keep(decideClaim(state, { ...claim, seq: 4, atMs: 2 }));
  // Its program is not silent yet, so its lease ends and nobody disappears.
  keepAct(state, { agent: "dev-1", session: 1, seq: 4, atMs: 2 });
  evolveCoordination(state, { event: "program-begun", agent: "dev-1", session: 1, program: "p", seq: 5, atMs: 3 });
  const told = [6, 7, 8].map((seq) => {
    const waits = {
      silentMs: 1_000,
      unseenMs: 1_000_000,
      levelSilentMs: 300_000,
      breakerLimits: breakerLimitsOf(null),
    };
    const others = { signOf: () => null, sessionOf: () => ({ session: 1, scope: null }) };
    const due = decideDue(state, { ...waits, ...others, atMs: seq * 100_000, seq });
    return keep({ ok: true, value: due }).map(({ event }) => event);
  });
  const forced = ["shutdown-forced", "shutdown-ended"];
  assert.deepEqual(told, [["leases-expired"], forced, []]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../../testing/given.ts";
import { qualityOf, stopsOf, type Tier, validVerdict } from "../state/review-state.ts";
import { type QualityCommand, type QualityEvent, quality } from "./quality.ts";

const part = { phase: "1", name: "01", department: "backend" } as const;
const other = { phase: "1", name: "01", department: "frontend" } as const;

function verdict(
  tier: Tier,
  result: "PASS" | "FAIL" | "PARTIAL",
  seq: number,
  task?: string,
  last?: number,
): QualityCommand {
  const failed = result === "PASS" ? 0 : 1;
  return {
    command: "record-verdict",
    part,
    ...(last === undefined ? {} : { last }),
    verdict: {
      by: "qa-1",
      seq,
      tier,
      result,
      passed: 3,
      failed,
      total: 3 + failed,
      failures: [],
      ...(task === undefined ? {} : { task }),
    },
  };
}

function audit(
  result: "PASS" | "WARN" | "FAIL",
  seq: number,
  about: typeof part | typeof other | null = part,
): QualityCommand {
  return {
    command: "record-audit",
    part: about,
    audit: { by: "security-1", seq, result, findings: 1, critical: 0, categories: [] },
  };
}

function lift(by: string, reason = "The key is worthless", stop: string | null = null): QualityCommand {
  return { command: "lift-stop", stop, reason, said: { by, seq: 9 } };
}

function after(...commands: readonly QualityCommand[]): readonly QualityEvent[] {
  const events: QualityEvent[] = [];
  let state = quality.initial();
  for (const command of commands) {
    const decided = quality.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = quality.evolve(state, structuredClone(event));
    events.push(...decided.value.events);
  }
  return events;
}

function stateAfter(...commands: readonly QualityCommand[]) {
  return after(...commands).reduce((state, event) => quality.evolve(state, event), quality.initial());
}

test("a failed verdict begins a round of remediation; the third goes to the architect, and a pass restarts the count", () => {
  const rounds = (...commands: readonly QualityCommand[]) => qualityOf(stateAfter(...commands), part).failed.work;
  const [one, two, three] = [2, 4, 6].map((seq) => verdict("quick", "FAIL", seq, undefined, seq - 1));
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  assert.deepEqual([rounds(one), rounds(one, two), rounds(one, two, three)], [1, 2, 3]);
  assert.equal(rounds(one, two, verdict("quick", "PASS", 6)), 0);
  // What nobody worked on since is the same round, however it is judged.
  const again = [verdict("quick", "PARTIAL", 3, undefined, 1), verdict("deep", "FAIL", 5, undefined, 1)];
  assert.equal(rounds(one, ...again), 1);
  const noted = given(quality, after(one, two))
    .when(three)
    .thenEvents(after(one, two, three).slice(2));
  assert.deepEqual(
    noted.notes.map(({ code }) => code),
    ["remediation-limit"],
  );
});

test("a shallower check that passes does not cure a deeper one that failed", () => {
  const deep = stateAfter(verdict("deep", "FAIL", 1), verdict("quick", "PASS", 2));
  assert.equal(validVerdict(qualityOf(deep, part))?.result, "FAIL");
  assert.equal(qualityOf(deep, part).failed.work, 1);
  const cured = stateAfter(verdict("quick", "FAIL", 1), verdict("deep", "PASS", 2));
  assert.equal(validVerdict(qualityOf(cured, part))?.result, "PASS");
});

test("a pass of one task says nothing of another that failed; its own and one of the whole part do", () => {
  const failed = verdict("standard", "FAIL", 1, "1-1-T1");
  const judged = (...then: readonly QualityCommand[]) => qualityOf(stateAfter(failed, ...then), part);
  const other = judged(verdict("standard", "PASS", 2, "1-1-T2"));
  assert.deepEqual([validVerdict(other)?.result, validVerdict(other)?.task, other.failed.work], ["FAIL", "1-1-T1", 1]);
  const shallow = judged(verdict("quick", "PASS", 2, "1-1-T1"));
  assert.equal(validVerdict(shallow)?.result, "FAIL");
  for (const task of ["1-1-T1", undefined]) {
    const cured = judged(verdict("standard", "PASS", 2, "1-1-T2"), verdict("deep", "PASS", 3, task));
    assert.deepEqual([validVerdict(cured)?.result, cured.failed.work], ["PASS", 0]);
  }
  const [whole, passed] = [verdict("standard", "FAIL", 1), verdict("deep", "PASS", 2, "1-1-T1")];
  const { notes, state } = given(quality, after(whole)).when(passed).thenEvents(after(whole, passed).slice(1));
  assert.equal(validVerdict(qualityOf(state, part))?.result, "FAIL", "of the whole part");
  assert.match(notes[0]?.message ?? "", /entry 1 \(standard\) counts on; a pass that names no task ends it/);
  // A second task that fails is of the same round; the first again is another.
  const both = judged(verdict("standard", "FAIL", 2, "1-1-T2"), verdict("standard", "PASS", 3, "1-1-T2"));
  assert.deepEqual([validVerdict(both)?.task, both.failed.work], ["1-1-T1", 1]);
});

test("a failed audit stops its part; a later audit that passes changes nothing, and the owner alone lifts it", () => {
  const stopped = stateAfter(audit("FAIL", 3), audit("PASS", 4));
  assert.equal(stopsOf(stopped, part).length, 1);
  assert.equal(stopsOf(stopped, other).length, 0);
  for (const agent of ["lead-1", "security-1", "architect-1", "baton"]) {
    given(quality, after(audit("FAIL", 3)))
      .when(lift(agent))
      .thenRefused("human-required");
  }
  const { state } = given(quality, after(audit("FAIL", 3)))
    .when(lift("owner"))
    .thenEvents([
      { event: "stop-lifted", stop: "3-backend", lifted: { by: "owner", seq: 9, reason: "The key is worthless" } },
    ]);
  assert.deepEqual(stopsOf(state, part), []);
  assert.equal(
    stopsOf(after(audit("FAIL", 3), lift("owner"), audit("FAIL", 11)).reduce(quality.evolve, quality.initial()), part)
      .length,
    1,
  );
});

test("a failed audit of no known phase holds every phase", () => {
  const state = stateAfter(audit("FAIL", 3, null));
  assert.equal(stopsOf(state, part).length, 1);
  assert.equal(stopsOf(state, { phase: "7", department: null }).length, 1);
});

const lifted = { event: "stop-lifted", lifted: { by: "owner", seq: 9, reason: "x" } } as const;

test("which stop is meant must be clear, and there must be one", () => {
  given(quality, []).when(lift("owner")).thenRefused("unknown-request");
  const two = after(audit("FAIL", 3), audit("FAIL", 4, other));
  given(quality, two).when(lift("owner")).thenRefused("ambiguous-request");
  given(quality, two)
    .when(lift("owner", "x", "9"))
    .thenRefused("unknown-request");
  given(quality, two)
    .when(lift("owner", "x", "4-frontend"))
    .thenEvents([{ event: "stop-lifted", stop: "4-frontend", lifted: { by: "owner", seq: 9, reason: "x" } }]);
  // One audit of several departments is lifted at once, by its entry or where it is the only one.
  const both = after(audit("FAIL", 3), audit("FAIL", 3, other));
  for (const stop of ["3", null]) {
    const { state } = given(quality, both)
      .when(lift("owner", "x", stop))
      .thenEvents(["3-backend", "3-frontend"].map((each) => ({ ...lifted, stop: each })));
    assert.deepEqual([stopsOf(state, part), stopsOf(state, other)], [[], []]);
  }
  given(quality, after(audit("FAIL", 3), lift("owner")))
    .when(lift("owner", "another"))
    .thenRefused("already-answered");
});

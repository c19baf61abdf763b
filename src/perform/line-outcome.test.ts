/** What became of an entry is read from the state, so a later entry changes it; its thread stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { adopt, claim, judge, report, type WorkCommand, work } from "../../tests/work/orders.ts";
import { approvals } from "../approvals/decide/approvals.ts";
import { escalations } from "../escalations/decide/escalations.ts";
import { reportedBlocker } from "../testing/fixtures.ts";
import {
  type CoordinationEvent,
  type CoordinationState,
  evolveCoordination,
  initialCoordination,
} from "./coordination-state.ts";
import { outcomeOf } from "./line-outcome.ts";

/** The entries of a record: what was decided at each number, folded one after the other. */
function record() {
  let state = initialCoordination();
  const entries = new Map<number, readonly CoordinationEvent[]>();
  return {
    add(seq: number, decide: (known: CoordinationState) => readonly CoordinationEvent[]): void {
      const events = structuredClone(decide(state));
      assert.ok(events.length > 0, `entry ${seq} decides something`);
      entries.set(seq, events);
      for (const event of structuredClone(events)) state = evolveCoordination(state, event);
    },
    said(...seqs: readonly number[]): readonly (string | number | null)[][] {
      return seqs.map((seq) => {
        const { outcome, thread, supersededBy } = outcomeOf(state, seq, entries.get(seq) ?? []);
        return [seq, outcome, thread, ...(supersededBy === null ? [] : [supersededBy])];
      });
    },
  };
}

function events<Event>(decided: {
  readonly ok: boolean;
  readonly value?: { readonly events: readonly Event[] };
}): readonly Event[] {
  assert.ok(decided.ok && decided.value !== undefined, JSON.stringify(decided));
  return decided.value.events;
}

const ofWork = (command: WorkCommand) => (known: CoordinationState) => events(work.decide(command, known.work));

test("a report is reported, verified or disputed; a disputed one stays so, as its verdict does, until it is repaired", () => {
  const known = record();
  known.add(2, ofWork(adopt("1-1", ["1-1-T1", "1-1-T2"])));
  known.add(7, ofWork(claim("1-1-T1", "dev-1")));
  assert.deepEqual(known.said(2, 7), [
    [2, null, null],
    [7, "held", null],
  ]);
  known.add(20, ofWork(report("1-1-T1", "dev-1", { awaitsVerdict: true })));
  assert.deepEqual(known.said(7, 20), [
    [7, null, null],
    [20, "reported", 20],
  ]);
  known.add(30, ofWork(judge("1-1-T1", "disputed")));
  assert.deepEqual(known.said(20, 30), [
    [20, "disputed", 20],
    [30, "disputed", 20],
  ]);
  known.add(40, ofWork(report("1-1-T1", "dev-1", { seq: 40, commit: "def5678", awaitsVerdict: true })));
  assert.deepEqual(known.said(20, 30, 40), [
    [20, "disputed", 20, 40],
    [30, "disputed", 20, 40],
    [40, "reported", 40],
  ]);
  known.add(50, ofWork(judge("1-1-T1", "verified", { seq: 50, report: 40 })));
  assert.deepEqual(known.said(20, 30, 40, 50), [
    [20, "repaired", 20, 40],
    [30, "repaired", 20, 50],
    [40, "verified", 40],
    [50, "verified", 40],
  ]);
  known.add(60, ofWork(report("1-1-T2", "dev-2", { seq: 60, status: "failed" })));
  assert.deepEqual(known.said(60), [[60, "failed", 60]]);
});

test("a request is open, then what it was answered; the answer is in its thread", () => {
  const known = record();
  const ask = (seq: number, requestId: string) => (state: CoordinationState) =>
    events(
      approvals.decide(
        {
          command: "open-request",
          requestId,
          requester: "dev-1",
          requesterRole: "dev",
          body: { subject: "May I?", requestType: "scope_change", evidence: "It is needed", deadline: "2026-01-02" },
          phase: 1,
          task: "1-1-T1",
          timestamp: "2026-01-01",
          addressees: ["lead-1"],
          seq,
          atMs: 0,
        },
        state.approvals,
      ),
    );
  known.add(3, ask(3, "ask-1"));
  known.add(4, ask(4, "ask-2"));
  assert.deepEqual(known.said(3, 4), [
    [3, "open", 3],
    [4, "open", 4],
  ]);
  known.add(5, (state) =>
    events(
      approvals.decide(
        {
          command: "answer-request",
          answerer: "owner",
          role: null,
          roles: [],
          body: { requestId: "ask-1", approved: false, reason: "no" },
          seq: 5,
          atMs: 1,
        },
        state.approvals,
      ),
    ),
  );
  known.add(6, (state) => events(approvals.decide({ command: "expire-requests", atMs: 90_000_000 }, state.approvals)));
  assert.deepEqual(known.said(3, 4, 5, 6), [
    [3, "denied", 3],
    [4, "expired", 4],
    [5, "denied", 3],
    [6, "expired", 4],
  ]);
});

test("an escalation is open until it is decided, and every step is in its thread", () => {
  const known = record();
  known.add(8, (state) => events(escalations.decide(reportedBlocker({ seq: 8 }), state.escalations)));
  const up = { command: "pass-level", levelSilentMs: 300_000, seq: 9, atMs: 300_001 } as const;
  known.add(9, (state) => events(escalations.decide(up, state.escalations)));
  assert.deepEqual(known.said(8, 9), [
    [8, "open", 8],
    [9, "open", 8],
  ]);
  known.add(10, (state) => {
    const id = [...state.escalations.all.values()][0]?.id ?? "";
    const decision = { decision: "Wait", rationale: "", actionItems: [], decidedBy: "owner", seq: 10, atMs: 5 };
    return [{ event: "escalation-resolved", id, decision: { ...decision, level: "user" } }];
  });
  assert.deepEqual(known.said(8, 9, 10), [
    [8, "resolved", 8],
    [9, "resolved", 8],
    [10, "resolved", 8],
  ]);
});

test("an entry without events, and one of an unknown thing, has no outcome", () => {
  const state = initialCoordination();
  assert.deepEqual(outcomeOf(state, 1, []), { outcome: null, thread: null, supersededBy: null });
  const answered = { event: "approval-expired", key: "dev-1/gone", atMs: 0 } as const;
  assert.equal(outcomeOf(state, 2, [answered]).outcome, null);
});

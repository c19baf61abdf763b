import assert from "node:assert/strict";
import { test } from "node:test";
import { phaseKey, phaseNameOf, phaseOfPlanId } from "../../messages/task-ids.ts";
import { given } from "../../testing/given.ts";
import { currentPart, partOf } from "../state/phase-state.ts";
import { type PhaseCommand, type PhaseEvent, phases } from "./phase.ts";

const part = { phase: "1", name: "01", department: null };
const critique = {
  by: "critic-1",
  seq: 3,
  findings: 2,
  critical: 1,
  major: 0,
  minor: 1,
  categories: ["gap"],
  artifact: "critique.jsonl",
  committed: false,
};
const recorded: PhaseEvent = { event: "critique-recorded", ...part, critique };
const skip = (reason: string, seq = 5): PhaseCommand => ({
  command: "skip-step",
  part,
  step: "research",
  skip: { by: "lead-1", seq, reason },
});

test("phases are compared by their number, however they are written", () => {
  for (const written of ["1", "01", "phase-1", "Phase 1", 1]) assert.equal(phaseKey(written), "1");
  assert.equal(phaseKey("discovery"), "discovery");
  assert.equal(phaseKey(""), null);
  assert.equal(phaseOfPlanId("03-01", "phase-9"), "3");
  assert.equal(phaseOfPlanId("login", "phase-9"), "9");
  assert.equal(phaseOfPlanId("login", null), null);
  assert.equal(phaseNameOf("03-01"), "03");
});

test("a critique is kept with what it counts, and the phase is the one that is worked in", () => {
  const { state } = given(phases, []).when({ command: "record-critique", part, critique }).thenEvents([recorded]);
  assert.deepEqual(partOf(state, part).critique, critique);
  assert.deepEqual(currentPart(state, null), part);
});

test("the same critique again, in a later entry, changes nothing", () => {
  const again = { ...critique, seq: 9, by: "critic-2" };
  given(phases, [recorded]).when({ command: "record-critique", part, critique: again }).thenNothing("already-so");
});

test("a step is skipped with a reason, and another reason replaces it", () => {
  const { state } = given(phases, [])
    .when(skip("all is known"))
    .thenEvents([
      { event: "step-skipped", ...part, step: "research", skip: { by: "lead-1", seq: 5, reason: "all is known" } },
    ]);
  assert.equal(partOf(state, part).skips.research?.reason, "all is known");
  const before: PhaseEvent = {
    event: "step-skipped",
    ...part,
    step: "research",
    skip: { by: "lead-1", seq: 5, reason: "x" },
  };
  given(phases, [before]).when(skip("x", 7)).thenNothing("already-so");
  given(phases, [before])
    .when(skip("y", 7))
    .thenEvents([{ ...before, skip: { by: "lead-1", seq: 7, reason: "y" } }]);
});

test("a phase does not end while steps are open, and each of them is named", () => {
  const ended = { by: "lead-1", seq: 8 };
  const problems = given(phases, [recorded])
    .when({
      command: "end-phase",
      part,
      ended,
      open: [
        { step: "qa", missing: ["no verdict"] },
        { step: "security", missing: ["no audit"] },
      ],
    })
    .thenRefused("phase-open");
  assert.deepEqual(
    problems.map(({ path }) => path),
    ["qa", "security"],
  );
  given(phases, [recorded])
    .when({ command: "end-phase", part, ended, open: [] })
    .thenEvents([{ event: "phase-ended", ...part, ended }]);
});

test("what comes after the end of a phase changes nothing", () => {
  const over: PhaseEvent = { event: "phase-ended", ...part, ended: { by: "lead-1", seq: 8 } };
  given(phases, [recorded, over]).when(skip("too late", 9)).thenNothing("phase-ended");
});

test("who works on a later phase works in that one, and an ended phase is not gone back to", () => {
  const second = { phase: "2", name: "02", department: null };
  const over: PhaseEvent = { event: "phase-ended", ...part, ended: { by: "lead-1", seq: 8 } };
  const { state } = given(phases, [recorded, over])
    .when({ command: "enter-phase", part: second })
    .thenEvents([{ event: "phase-entered", ...second }]);
  assert.deepEqual(currentPart(state, "backend"), { ...second, department: "backend" });
});

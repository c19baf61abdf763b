/**
 * Operations on phases: how far each is and what became of its plans, a step that is left out, an end, a lifted stop.
 * Rules: docs/protocol/phases.md.
 */
import { z } from "zod";
import { operation, shown } from "../../perform/operations/define.ts";
import { ifSeq } from "../../perform/operations/shapes.ts";
import { type PlanReport, planReportShape } from "../../tasks/operations/task-shapes.ts";
import type { PhaseView } from "../view/phase-view.ts";
import { phaseShape } from "./phase-shapes.ts";

const phase = z.string().optional().describe("absent: the phase that is worked in");
const department = z.string().optional().describe("absent: the caller's, or the whole team");
const phaseOption = { as: "--phase PHASE", says: "the phase (default: the one that is worked in)" } as const;
const departmentOption = {
  as: "--department NAME",
  says: "whose part (default: the caller's, or the whole team)",
} as const;

export const listPhases = operation({
  name: "listPhases",
  call: "phases",
  access: "caller",
  says: "The phases: steps with their conditions, plans, percent, what holds them up, per department.",
  input: z.strictObject({ phase: z.string().optional().describe("that phase alone") }),
  answer: shown<readonly PhaseView[]>("phases", "Those with numbers in their order.", z.array(phaseShape)),
  http: { method: "get", path: "/phase" },
  handWritten: ["phase"],
});

export const summarisePlan = operation({
  name: "summarisePlan",
  call: "summary",
  access: "caller",
  says: "What became of a plan: recorded once all its tasks are done, before that its current state.",
  input: z.strictObject({ plan: z.string().describe("the plan's id, however it is spelled") }),
  answer: shown<PlanReport>(null, "The summary.", planReportShape),
  http: { method: "get", path: "/plans/{plan}/summary" },
  handWritten: ["summary"],
});

export const skipStep = operation({
  name: "skipStep",
  call: "skipStep",
  access: "caller",
  says: "Leaves a step out, with the reason. The owner's, the architects', and a lead's in its own department.",
  input: z.strictObject({
    step: z.string().describe("the step, such as research"),
    reason: z.string().describe("why"),
    phase,
    department,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/phase/skip" },
  cli: [
    {
      words: "phase skip",
      group: "Work",
      summary: "leave a step of a phase out",
      description:
        "Leaves a step of a phase out, by the owner, an architect, or the lead of that department. The reason is shown with it.\n" +
        "A step that a failed security audit or an open escalation holds is not left out.",
      arguments: {
        step: { as: "STEP" },
        reason: { as: "--reason TEXT" },
        phase: phaseOption,
        department: departmentOption,
      },
      examples: [
        {
          line: "baton phase skip research --reason 'nothing is unknown' --as lead-1",
          meaning: "in the phase of lead-1",
        },
        {
          line: "baton phase skip security --reason 'no code' --phase 2 --department uiux",
          meaning: "the owner, in one department",
        },
      ],
      next: "baton phase shows what is left.",
      said: "Skipped: {step} (entry {seq}).",
    },
  ],
  record: { act: "skip-step", line: "left {step} out[ of phase {phase}][ for {department}][: {reason}]" },
});

export const endPhase = operation({
  name: "endPhase",
  call: "endPhase",
  access: "caller",
  says: "Ends a phase: where departments work the owner ships it. Refused while something is missing.",
  input: z.strictObject({ phase, department }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/phase/end" },
  cli: [
    {
      words: "phase end",
      group: "Work",
      summary: "end a phase whose steps are done",
      description:
        "Ends a phase, by its lead or the owner. Refused while steps are neither done nor skipped: each of them is named with\n" +
        "what is missing. Where departments work, only the owner ends it: that approves them all, says that their work together\n" +
        "passed, and tells the leads. Refused while something is missing that baton phase shows.",
      arguments: { phase: phaseOption, department: departmentOption },
      examples: [
        { line: "baton phase end --as lead-1", meaning: "the phase that lead-1 works in" },
        { line: "baton phase end --phase 2", meaning: "the owner ends phase 2, or ships it" },
      ],
      next: "baton stop lets the agents stop.",
      said: "The phase is over (entry {seq}).",
    },
  ],
  record: { act: "end-phase", line: "ended the phase[ {phase}][ for {department}]" },
});

export const excludeDepartment = operation({
  name: "excludeDepartment",
  call: "excludeDepartment",
  access: "caller",
  says: "Leaves a department out of a phase, also one that failed, with the reason. The owner's alone.",
  input: z.strictObject({
    department: z.string().describe("backend, frontend or uiux"),
    reason: z.string().describe("why the phase goes on without it"),
    phase,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/phase/exclude" },
  cli: [
    {
      words: "phase exclude",
      group: "Work",
      summary: "leave a department out of a phase",
      description:
        "Leaves a department out of a phase, also one that has reported that it failed, by the person who owns the team and by\n" +
        "nobody else. The phase can ship without it; the phase and the record show that it was left out, and why.",
      arguments: { department: { as: "DEPARTMENT" }, reason: { as: "--reason TEXT" }, phase: phaseOption },
      examples: [
        { line: "baton phase exclude frontend --reason 'ships next week'", meaning: "in the phase that is worked in" },
        { line: "baton phase exclude uiux --phase 2 --reason 'nothing to draw'", meaning: "in another phase" },
      ],
      next: "baton phase shows what is still missing.",
      said: "Left out: {department} (entry {seq}).",
    },
  ],
  record: { act: "exclude-department", line: "left {department} out[ of phase {phase}][: {reason}]" },
});

export const liftStop = operation({
  name: "liftStop",
  call: "liftStop",
  access: "caller",
  invited: true,
  says: "Lifts a failed security audit, with the reason. The owner's alone.",
  input: z.strictObject({
    stop: z.string().optional().describe("absent: the only open one"),
    reason: z.string().describe("why the phase may go on"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/phase/lift" },
  cli: [
    {
      words: "phase lift",
      group: "Work",
      summary: "lift a failed security audit",
      description:
        "Lifts a failed security audit, by the person who owns the team and by nobody else: no later audit and no agent does.\n" +
        "The reason is recorded and shown.",
      arguments: {
        reason: { as: "--reason TEXT" },
        stop: { as: "--stop STOP", says: "which, as baton phase shows it (default: the only one)" },
      },
      examples: [
        {
          line: "baton phase lift --reason 'the key was rotated and is worthless'",
          meaning: "the only open one",
        },
        { line: "baton phase lift --stop 57-backend --reason 'the finding was wrong'", meaning: "one of several" },
      ],
      next: "baton phase shows what is still missing.",
      said: "Lifted; the phase goes on (entry {seq}).",
    },
  ],
  record: { act: "lift-stop", line: "lifted the failed audit[ {stop}][: {reason}]" },
});

/** In the order of the document and of help. */
export const phaseOperations = [listPhases, summarisePlan, skipStep, endPhase, excludeDepartment, liftStop] as const;

/**
 * Phases: what was brought for a part's first steps, what its lead tells, which steps are left out and why, and its end.
 * Whether a step is complete is never told: it is computed from what the messages brought (`phase-conditions.ts`).
 * Source: docs/protocol/phases.md.
 */
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type Critique,
  type Design,
  keepPart,
  namePhase,
  noPhases,
  type Part,
  type PhasePart,
  type PhaseStep,
  type Phases,
  partOf,
  type ReportedProgress,
  type Research,
  researchMax,
  type Said,
  type Skip,
} from "../state/phase-state.ts";
import { saysTheSame, unlessSaidBefore } from "./phase-facts.ts";

/** Orders that phases take, each about one part. */
export type PhaseCommand =
  | { readonly command: "record-critique"; readonly part: Part; readonly critique: Critique }
  | { readonly command: "record-research"; readonly part: Part; readonly research: Research }
  | { readonly command: "record-design"; readonly part: Part; readonly design: Design }
  | { readonly command: "tell-progress"; readonly part: Part; readonly told: ReportedProgress }
  | { readonly command: "enter-phase"; readonly part: Part }
  | { readonly command: "skip-step"; readonly part: Part; readonly step: PhaseStep; readonly skip: Skip }
  | {
      readonly command: "end-phase";
      readonly part: Part;
      readonly ended: Said;
      /** What is missing, each step with its conditions in words; `hint`: what helps where it cannot be skipped. */
      readonly open: readonly {
        readonly step: PhaseStep;
        readonly missing: readonly string[];
        readonly hint?: string;
      }[];
    };

type Outcome = Result<Decided<PhaseEvent>, readonly Problem[]>;

/**
 * Refuses `phase-open`: a part is ended while steps are neither done nor skipped; each of them is a separate problem.
 */
export const phases: Decider<Phases, PhaseCommand, PhaseEvent> = {
  name: "phases",
  initial: noPhases,
  decide(command, state) {
    const { part } = command;
    const known = partOf(state, part);
    if (known.ended !== null) return afterEnd(known, known.ended);
    switch (command.command) {
      case "record-critique":
        return unlessSaidBefore(known.critique, command.critique, {
          event: "critique-recorded",
          ...part,
          critique: command.critique,
        });
      case "record-research": {
        const { research } = command;
        const before = known.research.find((each) => saysTheSame(each, research)) ?? null;
        return unlessSaidBefore(before, research, { event: "research-recorded", ...part, research });
      }
      case "record-design":
        return unlessSaidBefore(known.design, command.design, {
          event: "design-recorded",
          ...part,
          design: command.design,
        });
      case "tell-progress":
        return unlessSaidBefore(known.told, command.told, { event: "progress-told", ...part, told: command.told });
      case "skip-step": {
        const { step, skip } = command;
        return unlessSaidBefore(known.skips[step] ?? null, skip, { event: "step-skipped", ...part, step, skip });
      }
      case "enter-phase":
        return state.current.get(part.department ?? "") === part.phase
          ? ok({ events: [], notes: [] })
          : ok({ events: [{ event: "phase-entered", ...part }], notes: [] });
      case "end-phase":
        return endPhase(command);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    const part = partIn(event);
    return keepPart(namePhase(state, part), after(partOf(state, part), event));
  },
};

function after(part: PhasePart, event: PhaseEvent): PhasePart {
  switch (event.event) {
    case "critique-recorded":
      return { ...part, critique: event.critique };
    case "research-recorded":
      return { ...part, research: [...part.research, event.research].slice(-researchMax) };
    case "design-recorded":
      return { ...part, design: event.design };
    case "progress-told":
      return { ...part, told: event.told };
    case "step-skipped":
      return { ...part, skips: { ...part.skips, [event.step]: event.skip } };
    case "phase-entered":
      return part;
    case "phase-ended":
      return { ...part, ended: event.ended };
    default:
      return unreachable(event);
  }
}

function partIn({ phase, name, department }: Part): Part {
  return { phase, name, department };
}

function afterEnd({ name }: PhasePart, { by, seq }: Said): Outcome {
  return nothing("phase-ended", `Phase ${name} was ended by ${by}, at entry ${seq}; what comes later changes nothing.`);
}

function endPhase({ part, open, ended }: Extract<PhaseCommand, { readonly command: "end-phase" }>): Outcome {
  if (open.length === 0) return ok({ events: [{ event: "phase-ended", ...part, ended }], notes: [] });
  // Without it the command means the phase at work, which may be another one.
  const phase = /^[\w.-]+$/.test(part.name) ? part.name : "PHASE";
  const skip = `\`baton phase\` shows what is missing; \`baton phase skip STEP --phase ${phase} --reason TEXT\` leaves a step out.`;
  return err(
    open.map(({ step, missing, hint = skip }) =>
      makeProblem("phase-open", step, `Phase ${part.name} cannot end: ${step} is open.`, {
        expected: "done, or skipped with a reason",
        received: missing.join("; "),
        hint,
      }),
    ),
  );
}

/** A department works in this phase now. */
export interface PhaseEntered extends Part {
  readonly event: "phase-entered";
}

export interface CritiqueRecorded extends Part {
  readonly event: "critique-recorded";
  readonly critique: Critique;
}

export interface ResearchRecorded extends Part {
  readonly event: "research-recorded";
  readonly research: Research;
}

export interface DesignRecorded extends Part {
  readonly event: "design-recorded";
  readonly design: Design;
}

/** A lead said how far it is. */
export interface ProgressReported extends Part {
  readonly event: "progress-told";
  readonly told: ReportedProgress;
}

/** A step is left out. */
export interface StepSkipped extends Part {
  readonly event: "step-skipped";
  readonly step: PhaseStep;
  readonly skip: Skip;
}

/** A part was ended: every step of it was done or skipped. */
export interface PhaseEnded extends Part {
  readonly event: "phase-ended";
  readonly ended: Said;
}

export type PhaseEvent =
  | PhaseEntered
  | CritiqueRecorded
  | ResearchRecorded
  | DesignRecorded
  | ProgressReported
  | StepSkipped
  | PhaseEnded;

/** What can happen to phases, as facts of the journal. Each names the part of the phase that it is about. */
import type { Part } from "./phase-ids.ts";
import type { Critique, Design, Research, Said, Skip, ToldProgress } from "./phase-state.ts";
import type { PhaseStep } from "./steps/phase-steps.ts";

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
export interface ProgressTold extends Part {
  readonly event: "progress-told";
  readonly told: ToldProgress;
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
  | ProgressTold
  | StepSkipped
  | PhaseEnded;

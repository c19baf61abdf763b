/**
 * Phases as they are kept: for each department's part what was brought for its first steps, which steps are skipped, what
 * its lead last told; and for each plan whose it is and when it began and ended. The rules about them are `phase.ts`.
 * Records are replaced, never changed; the maps around them are changed in place.
 */
import type { WorkDepartment } from "../../message/role.ts";
import { type Part, partKey } from "./phase-ids.ts";
import type { PhaseStep } from "./steps/phase-steps.ts";

/** Who said something, and in which entry. */
export interface Said {
  readonly by: string;
  readonly seq: number;
}

/** What a critic found. */
export interface Critique extends Said {
  readonly findings: number;
  readonly critical: number;
  readonly major: number;
  readonly minor: number;
  readonly categories: readonly string[];
  /** The file with the whole; null: none was named. */
  readonly artifact: string | null;
  /** Whether it was committed already. A critic cannot: then it is the lead's to commit. */
  readonly committed: boolean;
}

/** One answer of a scout. */
export interface Research extends Said {
  readonly domain: string;
  /** How many questions it answers. */
  readonly findings: number;
  readonly artifact: string | null;
}

/** What an architect decided. */
export interface Design extends Said {
  readonly decisions: number;
  readonly risks: number;
  readonly artifact: string | null;
}

/** What a lead says of its phase. */
export interface ToldProgress extends Said {
  readonly step: string;
  readonly plansComplete: number;
  readonly plansTotal: number;
  readonly percentComplete: number;
  readonly blockers: readonly string[];
  readonly eta: string;
}

/** Why a step is left out. */
export interface Skip extends Said {
  readonly reason: string;
}

/** What is known of one department's part of a phase. */
export interface PhasePart extends Part {
  readonly critique: Critique | null;
  /** The last answers, oldest first; at most `researchMax`. */
  readonly research: readonly Research[];
  readonly design: Design | null;
  readonly told: ToldProgress | null;
  readonly skips: { readonly [step in PhaseStep]?: Skip };
  /** Who ended it; null: it goes on. */
  readonly ended: Said | null;
}

/** Most answers of scouts that are kept of one part. */
export const researchMax = 50;

/** Whose a plan is, and when it was worked on. */
export interface PlanPlace {
  readonly plan: string;
  readonly phase: string | null;
  /** Null: nobody of a department has worked on it. */
  readonly department: WorkDepartment | null;
  /** Every name under which its tasks were reported on, in the order they came. */
  readonly workers: readonly string[];
  readonly startedAtMs: number | null;
  /** When its last summary was recorded; null: it never was. */
  readonly finishedAtMs: number | null;
}

export interface Phases {
  /** By `partKey`, in the order they came. */
  readonly parts: Map<string, PhasePart>;
  /** By plan key. */
  readonly plans: Map<string, PlanPlace>;
  /** Keys of the plans of a phase. */
  readonly plansIn: Map<string, Map<string, true>>;
  /** The phase that a department works in; `""`: the team. */
  readonly current: Map<string, string>;
  /** Phases by key as first written. */
  readonly names: Map<string, string>;
}

/** No phase yet. */
export function noPhases(): Phases {
  return { parts: new Map(), plans: new Map(), plansIn: new Map(), current: new Map(), names: new Map() };
}

/** What is known of a part; what nothing was said of is empty. */
export function partOf(state: Phases, part: Part): PhasePart {
  const known = state.parts.get(partKey(part));
  if (known !== undefined) return known;
  return { ...part, critique: null, research: [], design: null, told: null, skips: {}, ended: null };
}

/** Keeps a part as it stands now, and that its department works there. In place. */
export function keepPart(state: Phases, part: PhasePart): Phases {
  state.parts.set(partKey(part), part);
  enterPhase(state, part);
  return state;
}

/** Notes that a department works in a phase now, unless it ended there. In place. */
export function enterPhase(state: Phases, { phase, name, department }: Part): void {
  if (!state.names.has(phase)) state.names.set(phase, name);
  for (const each of new Set([department, null])) {
    const part = state.parts.get(partKey({ phase, department: each }));
    if ((part?.ended ?? null) === null) state.current.set(each ?? "", phase);
  }
}

/** A part of the phase that a department works in, else of the one that the team works in; null: it is not known. */
export function currentPart(state: Phases, department: WorkDepartment | null): Part | null {
  const phase = state.current.get(department ?? "") ?? state.current.get("");
  return phase === undefined ? null : namedPart(state, phase, department);
}

/** A part of a phase under the name by which the phase was first called. */
export function namedPart(state: Phases, phase: string, department: WorkDepartment | null): Part {
  return { phase, name: state.names.get(phase) ?? phase, department };
}

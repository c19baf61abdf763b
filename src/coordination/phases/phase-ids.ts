/**
 * Phases and the parts of them that departments have. A phase is compared by its number (`01`, `1`, `phase-1`) and kept
 * as first written; a phase that has no number, as written. Without departments the team is the only part.
 * Source: docs/protocol/reading.md, section 4; docs/protocol/phases.md.
 */
import type { WorkDepartment } from "../../message/role.ts";
import { planKey } from "../tasks/work-ids.ts";

const NUMBERED = /^(?:phase[-_ ]?)?(\d{1,9})$/i;

/** The form by which phases are compared; null: none is named. */
export function phaseKey(phase: number | string | null): string | null {
  if (phase === null || phase === "") return null;
  if (typeof phase === "number") return String(phase);
  const number = NUMBERED.exec(phase)?.[1];
  return number === undefined ? phase : String(Number(number));
}

/** The phase that a plan's id or its contract names (`3` of `03-01`); null: neither does. */
export function phaseOfPlan(planId: string, phaseId: string | null): string | null {
  const named = /^(\d+)-\d+$/.exec(planKey(planId))?.[1];
  return named ?? phaseKey(phaseId);
}

/** The phase in a plan's id as it is written there (`03` of `03-01`); null: it names none so. */
export function phaseNameOf(planId: string): string | null {
  return /^(\d{1,9})[-_/]/.exec(planId)?.[1] ?? null;
}

/** One department's part of a phase; `department` null: the whole team's. */
export interface Part {
  readonly phase: string;
  /** The phase as first written. */
  readonly name: string;
  readonly department: WorkDepartment | null;
}

/** The key under which what happened in a part is kept. */
export function partKey({ phase, department }: Pick<Part, "phase" | "department">): string {
  return `${department ?? ""}/${phase}`;
}

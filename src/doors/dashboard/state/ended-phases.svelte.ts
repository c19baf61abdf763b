/**
 * Phases that are over, asked for when a person wants them: the current state does not name them, and they no longer
 * change.
 */
import type { Problem } from "../../../base/problem.ts";
import type { PhaseView } from "../../../coordination/phases/phase-view.ts";
import { ask, teamPath } from "../hub/request.ts";

export class EndedPhases {
  /** Their names; null: nobody asked yet. */
  names = $state.raw<readonly string[] | null>(null);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;

  constructor(team: string) {
    this.#team = team;
  }

  async look(): Promise<void> {
    const found = await ask<{ readonly phases: readonly PhaseView[] }>(teamPath(this.#team, "phase"));
    this.problems = found.ok ? [] : found.error.problems;
    if (found.ok) this.names = found.value.phases.filter(isOver).map(({ phase }) => phase);
  }
}

function isOver({ departments }: PhaseView): boolean {
  return departments.every(
    ({ standing, hasFindings }) => !hasFindings && (standing === "ended" || standing === "shipped"),
  );
}

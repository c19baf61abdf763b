/**
 * The person's decision on a change of the team file: what is being asked of the hub, and what became of it. Retries of
 * one decision carry one id, so that one whose outcome was not heard has its effect once.
 */
import type { Problem } from "../../../base/problem.ts";
import { ask, newActId, teamPath } from "../hub/request.ts";

export class RevisionDecision {
  reason = $state("");
  busy = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #proposal: string;
  readonly #ids = { confirm: newActId(), decline: newActId() };

  constructor(team: string, proposal: string) {
    this.#team = team;
    this.#proposal = proposal;
  }

  /** Confirms or declines just the change that is shown; whether the hub took it. */
  async give(decision: "confirm" | "decline"): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    const reason = this.reason.trim();
    const why = decision === "confirm" || reason === "" ? {} : { reason };
    const body = { proposal: this.#proposal, ...why, id: this.#ids[decision] };
    const reply = await ask(teamPath(this.#team, `revision/${decision}`), { method: "POST", body });
    this.busy = false;
    this.problems = reply.ok ? [] : reply.error.problems;
    return reply.ok;
  }
}

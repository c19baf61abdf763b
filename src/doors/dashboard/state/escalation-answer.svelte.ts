/**
 * The decision that a person is writing for one escalation, and what became of it. Retries of one decision carry one id,
 * so that one whose outcome was not heard has its effect once.
 */
import type { Problem } from "../../../base/problem.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { newActId } from "../hub/act-id.ts";
import { ask, teamPath } from "../hub/request.ts";

export class EscalationAnswer {
  decision = $state("");
  busy = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #escalation: string;
  /** The last decision that was tried, and the id under which. */
  #tried: { readonly text: string; readonly id: string } | null = null;

  constructor(team: string, escalation: string) {
    this.#team = team;
    this.#escalation = escalation;
  }

  /** Gives the decision as it is written; the seq is its entry's. Null: it was not taken. */
  async give(): Promise<{ readonly seq: number } | null> {
    const decision = this.decision.trim();
    if (decision === "" || this.busy) return null;
    this.busy = true;
    if (this.#tried?.text !== decision) this.#tried = { text: decision, id: newActId() };
    const path = teamPath(this.#team, `escalations/${encodeURIComponent(this.#escalation)}`);
    const body = { decision, id: this.#tried.id };
    const reply = await ask<{ readonly receipt: Receipt }>(path, { method: "POST", body });
    this.busy = false;
    this.problems = reply.ok ? [] : reply.error.problems;
    return reply.ok ? { seq: reply.value.receipt.seq } : null;
  }
}

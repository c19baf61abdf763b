/**
 * A decision with a reason that a person makes in a phase: skipping a step, lifting a hold. Retries of one decision carry
 * one id, so that one whose outcome did not arrive has its effect once.
 */

import type { Problem } from "../../../base/problem.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { ask, newActId } from "../hub/request.ts";

export class ReasonedAct {
  reason = $state("");
  busy = $state(false);
  wantsReason = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #path: string;
  readonly #given: object;
  /** The last reason that was tried, and the id under which. */
  #tried: { readonly reason: string; readonly id: string } | null = null;

  /** `given`: what goes to `path` next to the reason. */
  constructor(path: string, given: object) {
    this.#path = path;
    this.#given = given;
  }

  /** Does it; the seq is its entry's. Nothing is sent to the hub without a reason, because the reason is recorded. */
  async give(): Promise<{ readonly seq: number } | "no-reason" | "failed"> {
    const reason = this.reason.trim();
    this.wantsReason = reason === "";
    if (this.wantsReason) return "no-reason";
    if (this.busy) return "failed";
    this.busy = true;
    if (this.#tried?.reason !== reason) this.#tried = { reason, id: newActId() };
    const body = { ...this.#given, reason, id: this.#tried.id };
    const reply = await ask<{ readonly receipt: Receipt }>(this.#path, { method: "POST", body });
    this.busy = false;
    this.problems = reply.ok ? [] : reply.error.problems;
    return reply.ok ? { seq: reply.value.receipt.seq } : "failed";
  }
}

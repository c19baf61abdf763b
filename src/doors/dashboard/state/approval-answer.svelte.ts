/**
 * The answer a person is giving to one request: reason, conditions and changes while they are written, and what became
 * of it. Retries of one answer carry one id, so that an answer whose outcome was not heard has its effect once.
 */
import type { Problem } from "../../../base/problem.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { newActId } from "../hub/act-id.ts";
import { ask, teamPath } from "../hub/request.ts";

export class ApprovalAnswer {
  reason = $state("");
  /** One a line, as they are written. */
  conditions = $state("");
  modifications = $state("");
  busy = $state(false);
  wantsReason = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #requestId: string;
  /** The last answer that was tried, and the id under which. */
  #tried: { readonly text: string; readonly id: string } | null = null;

  constructor(team: string, requestId: string) {
    this.#team = team;
    this.#requestId = requestId;
  }

  /** Gives the answer; the seq is its entry's. A yes needs no reason, a no does: whoever asked acts on it. */
  async give(approved: boolean): Promise<{ readonly seq: number } | "no-reason" | "failed"> {
    const written = this.reason.trim();
    this.wantsReason = !approved && written === "";
    if (this.wantsReason || this.busy) return this.wantsReason ? "no-reason" : "failed";
    const reason = written === "" ? "approved" : written;
    this.busy = true;
    const path = `approvals/${encodeURIComponent(this.#requestId)}`;
    const [conditions, modifications] = [linesOf(this.conditions), linesOf(this.modifications)];
    const given = {
      approved,
      reason,
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(modifications.length === 0 ? {} : { modifications }),
    };
    const body = { ...given, id: this.#idOf(JSON.stringify(given)) };
    const reply = await ask<{ readonly receipt: Receipt }>(teamPath(this.#team, path), { method: "POST", body });
    this.busy = false;
    this.problems = reply.ok ? [] : reply.error.problems;
    return reply.ok ? { seq: reply.value.receipt.seq } : "failed";
  }

  #idOf(text: string): string {
    if (this.#tried?.text !== text) this.#tried = { text, id: newActId() };
    return this.#tried.id;
  }
}

/** What stands on each line, without blanks around it; empty lines say nothing. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * Decisions that a person makes on the page: an operation with a reason, a change of the team file that is confirmed or
 * rejected, and what became of something that waited for an answer. Retries of one decision carry one id, so that one
 * whose outcome did not arrive has its effect once.
 */

import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { ask, newActId, teamPath } from "../hub/request.ts";

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

/**
 * The person's decision on a change of the team file: what is being asked of the hub, and what became of it. Retries of
 * one decision carry one id, so that one whose outcome was not heard has its effect once.
 */
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

/** How long a card stays: one's own answer needs only a glance; what somebody else did is read. */
const stayMs = { own: 2_000, others: 6_000 } as const;

/**
 * What became of something that waited for an answer: a card says it in its place for a moment before it goes, so that
 * nothing disappears from under somebody who looks at it, edits it or listens to it.
 */
export class Ending {
  /** What became of it; null: it is open. */
  words = $state<string | null>(null);
  /** Set by the card that is drawn: takes the focus to the words. */
  focus: () => void = () => undefined;
  /** Set by the card that is drawn: where it holds the focus, the focus goes on to what waits next. */
  passFocus: () => void = () => undefined;

  /** Says the words, and lets the card go a moment later by `leave`. Said once, it stays said. */
  async say(words: string, by: keyof typeof stayMs, clock: Clock, leave: () => void): Promise<void> {
    if (this.words !== null) return;
    this.words = words;
    await clock.wait(stayMs[by]);
    this.passFocus();
    leave();
  }
}

/**
 * The team's handoffs: those that wait for an answer or are worked on, and those that are over where a person asks for
 * them, with how an attempt to accept one failed. Asked anew only when one came, was answered or was tried to be.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Handoff } from "../../../coordination/handoffs/handoff-state.ts";
import type { LogLine } from "../../../runtime/record/log-line.ts";
import { ask, teamPath } from "../hub/request.ts";
import { HandoffTries } from "./handoff-tries.svelte.ts";
import { Joined } from "./joined.ts";
import { touchesHandoffs } from "./touches.ts";

export class HandoffList {
  /** The newest first. */
  list = $state.raw<readonly Handoff[]>([]);
  /** Whether those that are over are among them. */
  hasAll = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly tries: HandoffTries;

  readonly #team: string;
  readonly #joined: Joined;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.tries = new HandoffTries(team);
    this.#joined = new Joined(() => this.#ask(), clock);
  }

  refresh(): Promise<void> {
    return this.#joined.run();
  }

  /** Shows those that are over too, or no longer. */
  async show(all: boolean): Promise<void> {
    this.hasAll = all;
    await this.refresh();
  }

  /** An entry came. */
  follow(line: LogLine): void {
    if (touchesHandoffs(line)) void this.#joined.soon();
  }

  async #ask(): Promise<void> {
    const query = this.hasAll ? { all: "true" } : {};
    const found = await ask<{ readonly handoffs: readonly Handoff[] }>(teamPath(this.#team, "handoffs", query));
    if (found.ok) this.list = found.value.handoffs.toReversed();
    this.problems = found.ok ? await this.tries.look(this.list) : found.error.problems;
  }
}

/**
 * The team's handoffs: those that wait for an answer or are worked on, and those that are over where a person asks for
 * them. Asked anew only when one came or was answered.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Handoff } from "../../../coordination/handoff-state.ts";
import type { LogLine } from "../../../runtime/log-line.ts";
import { ask, teamPath } from "../hub/request.ts";
import { Joined } from "./joined.ts";
import { touched } from "./touches.ts";

export class HandoffList {
  /** The newest first. */
  list = $state.raw<readonly Handoff[]>([]);
  /** Whether those that are over are among them. */
  hasAll = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #joined: Joined;

  constructor(team: string, clock: Clock) {
    this.#team = team;
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
    if (touched(line, false).has("handoffs")) void this.#joined.soon();
  }

  async #ask(): Promise<void> {
    const query = this.hasAll ? { all: "true" } : {};
    const found = await ask<{ readonly handoffs: readonly Handoff[] }>(teamPath(this.#team, "handoffs", query));
    if (found.ok) this.list = found.value.handoffs.toReversed();
    this.problems = found.ok ? [] : found.error.problems;
  }
}

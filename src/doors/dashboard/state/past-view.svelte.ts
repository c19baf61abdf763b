/** The team as it was at one entry: the same facts as of the present, asked of the hub's past, and never changed. */
import type { Clock } from "../../../base/clock.ts";
import type { Past } from "../../../operations/lanes.ts";
import { ask, teamPath } from "../hub/request.ts";
import { Facts } from "./facts.svelte.ts";
import { Recent } from "./recent.svelte.ts";

/** Somebody who steps through entries is not followed to each of them. */
const pauseMs = 120;

export class PastView {
  readonly seq: number;
  readonly facts: Facts;
  readonly recent: Recent;
  /** When the entry was recorded; null: it is not known yet. */
  timeMs = $state<number | null>(null);
  /** Why there is no such past; null: nothing failed. */
  problem = $state<string | null>(null);

  readonly #team: string;
  readonly #clock: Clock;

  /** `before`: the facts that were shown until now are shown until the new ones are there. */
  constructor(team: string, seq: number, clock: Clock, before: Facts) {
    this.#team = team;
    this.#clock = clock;
    this.seq = seq;
    this.facts = new Facts(team, clock, { at: seq });
    this.facts.showAs(before);
    this.recent = new Recent(team, seq);
  }

  /** Asks for it. `isLeft`: whether somebody went on meanwhile. */
  async open(isLeft: () => boolean): Promise<void> {
    await this.#clock.wait(pauseMs);
    if (isLeft()) return;
    const status = await ask<Past>(teamPath(this.#team, `at/${this.seq}/status`));
    if (isLeft()) return;
    if (!status.ok) {
      this.problem = status.error.problems[0]?.message ?? "The past cannot be read.";
      return;
    }
    this.timeMs = Date.parse(status.value.at);
    await Promise.all([this.facts.refresh(), this.recent.refresh()]);
  }
}

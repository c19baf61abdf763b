/** The newest outcomes of a team, now or at an entry of the past, and all that is shown of that past. */
import type { Clock } from "../../../base/clock.ts";
import type { LogLine, LogPage } from "../../../record/operations/entries.ts";
import type { Past } from "../../../record/operations/lanes.ts";
import { isInView } from "../../../record/view/log-line.ts";
import { ask, teamPath } from "../hub/request.ts";
import { Facts } from "./facts.svelte.ts";
import { settled } from "./timeline-rows.ts";

/*
 * The newest outcomes of the team for its overview, whatever the timeline is narrowed to.
 */

/** As many as there is room for. */
const linesMax = 8;

export class Recent {
  /** The newest first. */
  lines = $state.raw<readonly LogLine[]>([]);

  readonly #team: string;
  readonly #at: number | null;

  /** `at`: the last entry that there is; null: the present, in which entries come. */
  constructor(team: string, at: number | null = null) {
    this.#team = team;
    this.#at = at;
  }

  async refresh(): Promise<void> {
    if (this.#at !== null) {
      const past = await ask<Past>(teamPath(this.#team, `at/${this.#at}/recent`));
      // The hub promises lines under that name.
      if (past.ok) this.lines = past.value.value as readonly LogLine[];
      return;
    }
    const query = { view: "messages", order: "desc", limit: linesMax };
    const page = await ask<LogPage>(teamPath(this.#team, "messages", query));
    if (page.ok) this.lines = page.value.entries;
  }

  /** An entry came. */
  follow(line: LogLine): void {
    const lines = settled(this.lines, [line]);
    const isNew = isInView(line, "messages") && line.seq > (lines[0]?.seq ?? 0);
    this.lines = isNew ? [line, ...lines].slice(0, linesMax) : lines;
  }
}

/*
 * The team as it was at one entry: the same facts as of the present, asked of the hub's past, and never changed.
 */

/** Somebody who steps on before an answer is there is not followed to each entry. */
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

  /** Whether the hub was asked and has not answered yet. */
  get isAsked(): boolean {
    return this.timeMs === null && this.problem === null;
  }

  /** Asks for it, a moment later where it is `hurried`. `isLeft`: whether somebody went on meanwhile. */
  async open(hurried: boolean, isLeft: () => boolean): Promise<void> {
    if (hurried) await this.#clock.wait(pauseMs);
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

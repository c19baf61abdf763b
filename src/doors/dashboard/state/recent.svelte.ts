/** The newest outcomes of the team for its overview, whatever the timeline is narrowed to. */
import type { LogLine, LogPage } from "../../../operations/entries.ts";
import { isInView } from "../../../runtime/record/log-line.ts";
import { ask, teamPath } from "../hub/request.ts";
import { settled } from "./timeline-rows.ts";

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
    const before = this.#at === null ? {} : { before: this.#at + 1 };
    const query = { view: "messages", order: "desc", limit: linesMax, ...before };
    const page = await ask<LogPage>(teamPath(this.#team, "messages", query));
    if (!page.ok) return;
    // Outcomes are those of today, which nobody knew then; a refusal was one at once.
    const asThen = (line: LogLine) =>
      line.outcome === "refused" ? line : { ...line, outcome: null, supersededBy: null };
    this.lines = this.#at === null ? page.value.entries : page.value.entries.map(asThen);
  }

  /** An entry came. */
  follow(line: LogLine): void {
    const lines = settled(this.lines, [line]);
    const isNew = isInView(line, "messages") && line.seq > (lines[0]?.seq ?? 0);
    this.lines = isNew ? [line, ...lines].slice(0, linesMax) : lines;
  }
}

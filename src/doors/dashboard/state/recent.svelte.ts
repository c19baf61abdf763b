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

  constructor(team: string) {
    this.#team = team;
  }

  async refresh(): Promise<void> {
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

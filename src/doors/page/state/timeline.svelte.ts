/**
 * The timeline of one team: what is loaded, what it is narrowed to, and which entry is marked and opened. New entries
 * are taken in groups, so that a flood of them costs one drawing each few milliseconds.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { LogLine, LogPage } from "../../../record/operations/entries.ts";
import { ask, teamPath } from "../hub/request.ts";
import {
  changesOutcomes,
  type EntryList,
  everything,
  type Filter,
  listOf,
  noEntries,
  passes,
  placeOf,
  queryOf,
  trimmed,
  withAgain,
  withNewer,
  withOlder,
  wordsWith,
} from "./timeline-entries.ts";
import { grownBy, rowOf, rowsOf, settled } from "./timeline-rows.ts";

/** The first page fills a screen and a little more, so that it is there soon; later ones save round trips. */
const firstRows = 100;
const laterRows = 500;
const gatherMs = 40;
/** Lines that are kept below those in sight; twice as many are let grow before some go. */
const keptRows = 2_000;

export class Timeline {
  list = $state.raw<EntryList>(noEntries);
  filter = $state.raw<Filter>(everything);
  /** Whether the first page under this filter is on its way. */
  loading = $state(true);
  /** Down to which entry a search has looked that still goes on; null: none does. */
  searching = $state<number | null>(null);
  problems = $state.raw<readonly Problem[]>([]);
  /** The last row that is drawn: what is far below it need not be kept. */
  reach = 0;
  /** Where the list was scrolled to when it was last left. */
  scrollTop = 0;
  /** Seq of the marked entry; null: none. */
  marked = $state<number | null>(null);
  /** Types and tasks seen so far: what the filters offer. */
  types = $state.raw<readonly string[]>([]);
  tasks = $state.raw<readonly string[]>([]);
  readonly lines = $derived(this.list.lines);
  /** Entries whose row, which stands for several, is open. */
  opened = $state.raw<ReadonlySet<number>>(new Set());
  /** A search shows each entry that it finds. */
  readonly rows = $derived(rowsOf(this.lines, this.opened, { apart: this.filter.text !== "" }));

  readonly #team: string;
  readonly #clock: Clock;
  #waiting: LogLine[] = [];
  #gathering = false;
  #loadingOlder = false;
  /** Counts filters: an answer to an earlier one is dropped. */
  #turn = 0;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.#clock = clock;
  }

  /** Loads the newest entries under `filter`; the list is replaced when they are there. */
  async show(filter: Filter): Promise<void> {
    const turn = ++this.#turn;
    this.filter = filter;
    this.loading = true;
    this.searching = null;
    const page = await this.#page({ order: "desc", limit: firstRows });
    if (turn !== this.#turn) return;
    this.loading = false;
    this.problems = page.ok ? [] : page.error.problems;
    if (!page.ok) return;
    this.list = listOf(page.value);
    this.#learn(page.value.entries);
    if (this.marked !== null && placeOf(this.lines, this.marked) < 0) this.marked = null;
    await this.#flush();
    await this.#fill(turn, firstRows);
  }

  /** The hub looks at a bounded number of entries for one answer: asks on until the list has `rows` or the record ends. */
  async #fill(turn: number, rows: number): Promise<void> {
    while (turn === this.#turn && this.lines.length < rows && this.list.older !== null) {
      this.searching = this.list.older;
      const page = await this.#page({ order: "desc", limit: firstRows, before: this.list.older });
      if (turn !== this.#turn) return;
      if (!page.ok) this.problems = page.error.problems;
      if (!page.ok) break;
      this.list = withOlder(this.list, page.value);
      this.#learn(page.value.entries);
    }
    if (turn === this.#turn) this.searching = null;
  }

  /** Loads the next older page, unless one is on its way or all is loaded. */
  async loadOlder(): Promise<void> {
    const { older } = this.list;
    if (older === null || this.#loadingOlder || this.loading || this.searching !== null) return;
    this.#loadingOlder = true;
    const turn = this.#turn;
    const page = await this.#page({ order: "desc", limit: laterRows, before: older });
    if (page.ok && turn === this.#turn) {
      const before = this.lines.length;
      this.list = withOlder(this.list, page.value);
      this.#learn(page.value.entries);
      // Nothing new makes nobody scroll, and so would never be followed by another page.
      if (this.lines.length === before) await this.#fill(turn, before + 1);
    }
    this.#loadingOlder = false;
  }

  /** Takes a line that came live; lines come in order, each once. */
  add(line: LogLine): void {
    this.#waiting.push(line);
    if (!this.#gathering) void this.#gather();
  }

  /** Marks the entry `steps` further down, at most to either end; a step from nowhere leads to the newest. */
  step(steps: number): void {
    const place = this.marked === null ? -1 : rowOf(this.rows, this.marked);
    const from = place < 0 && steps > 0 ? -1 : place;
    const next = Math.min(Math.max(from + steps, 0), this.rows.length - 1);
    this.marked = this.rows[next]?.line.seq ?? this.marked;
  }

  /** Opens the row that stands for several entries, or closes it. */
  toggle(seq: number): void {
    const row = this.rows[rowOf(this.rows, seq)];
    if (row === undefined) return;
    const { line, oldest, isOpen } = row;
    const others = [...this.opened].filter((each) => each > line.seq || each < oldest.seq);
    this.opened = new Set(isOpen ? others : [...others, line.seq]);
  }

  async #gather(): Promise<void> {
    this.#gathering = true;
    await this.#clock.wait(gatherMs);
    this.#gathering = false;
    await this.#flush();
  }

  async #flush(): Promise<void> {
    // While a first page is on its way the lines wait: they may be newer than it or part of it.
    if (this.loading) return;
    // The stream may begin with what the first page had.
    const lines = this.#waiting.filter(({ seq }) => seq > this.list.looked);
    this.#waiting = [];
    if (lines.length === 0) return;
    this.#learn(lines);
    // What has become of an older entry makes it pass or not, also of one that is not loaded.
    if (this.filter.outcome !== "" && lines.some(changesOutcomes)) return this.#showAgain();
    const verdicts = lines.map((line) => passes(line, this.filter));
    if (verdicts.includes(null)) {
      await this.#lookAgain();
      this.list = { ...this.list, lines: settled(this.list.lines, lines) };
      return;
    }
    this.list = grownBy(
      this.list,
      lines,
      lines.filter((_, at) => verdicts[at] === true),
    );
    this.#trim();
  }

  /** An hour of entries is not kept for somebody who reads the newest: what lies far below goes, and is loaded again. */
  #trim(): void {
    const seen = this.rows[Math.min(this.reach, this.rows.length - 1)]?.oldest.seq;
    const keep = keptRows + (seen === undefined ? 0 : placeOf(this.lines, seen) + 1);
    if (this.lines.length > keep + keptRows) this.list = trimmed(this.list, keep);
  }

  /** Asks the hub for the newest part of the list again, at most as many lines as one answer has. */
  async #showAgain(): Promise<void> {
    const turn = this.#turn;
    const limit = Math.min(Math.max(firstRows, this.lines.length), laterRows);
    const page = await this.#page({ order: "desc", limit });
    if (turn !== this.#turn || !page.ok) return;
    this.list = withAgain(this.list, page.value);
    await this.#fill(turn, Math.min(firstRows, this.lines.length + 1));
  }

  /** Asks the hub which of the new entries pass, where a line alone does not say. */
  async #lookAgain(): Promise<void> {
    const turn = this.#turn;
    let after: number | null = this.list.looked;
    while (after !== null) {
      const page = await this.#page({ order: "asc", limit: laterRows, after });
      if (turn !== this.#turn || !page.ok) return;
      const { entries, next, head } = page.value;
      this.list = withNewer(this.list, entries, next ?? Math.max(head, entries.at(-1)?.seq ?? 0));
      after = next;
    }
  }

  #learn(lines: readonly LogLine[]): void {
    this.types = wordsWith(this.types, lines, (line) => line.type);
    this.tasks = wordsWith(this.tasks, lines, (line) => line.task);
  }

  #page(query: Readonly<Record<string, string | number>>) {
    return ask<LogPage>(teamPath(this.#team, "messages", { ...queryOf(this.filter), ...query }));
  }
}

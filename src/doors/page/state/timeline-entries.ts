/**
 * The entries of the timeline: what it is narrowed to, and how the hub is asked for it; and those that are loaded,
 * newest first and without a gap between them. The hub filters, because what is not loaded yet is found too.
 */

import type { Outcome } from "../../../perform/line-outcome.ts";
import type { LogLine, LogPage } from "../../../record/operations/entries.ts";
import { isInView, isParty, type LogView } from "../../../record/view/log-line.ts";
import { outcomeNames } from "../shown/look.ts";
import { utcTime } from "../shown/moment.ts";
import type { Query } from "../shown/places.ts";

/** Which entries are of interest; `all`: bookkeeping too. */
export type View = LogView | "all";

/** Empty text: not narrowed by it. */
export interface Filter {
  readonly view: View;
  readonly agent: string;
  readonly type: string;
  readonly task: string;
  /** What has become of the entry; empty: whatever it is. */
  readonly outcome: Outcome | "";
  readonly text: string;
  /** Recorded at or after this time, and before that one, RFC 3339. */
  readonly from: string;
  readonly to: string;
}

/**
 * The entries that are loaded, newest first and without a gap between them. New ones come at the front, older ones are
 * loaded at the back.
 */
export interface EntryList {
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Older entries begin below this seq; null: all are loaded. */
  readonly older: number | null;
  /** The newest seq that was looked at, whether or not its entry passed the filter. */
  readonly looked: number;
}

export const everything: Filter = {
  view: "messages",
  agent: "",
  type: "",
  task: "",
  outcome: "",
  text: "",
  from: "",
  to: "",
};

/** The views in the order they are offered, with their names. */
export const views: readonly (readonly [View, string])[] = [
  ["messages", "Messages"],
  ["refusals", "Refusals"],
  ["all", "Everything"],
];

/** The filter as the query of `GET …/messages`. */
export function queryOf(filter: Filter): Readonly<Record<string, string | readonly string[] | undefined>> {
  const given = (text: string) => (text === "" ? undefined : text);
  return {
    view: filter.view === "all" ? undefined : filter.view,
    agent: given(filter.agent),
    type: given(filter.type),
    task: given(filter.task),
    outcome: given(filter.outcome),
    text: given(filter.text),
    since: given(filter.from),
    until: given(filter.to),
  };
}

/** The filter that an address names: what it does not name is not narrowed. */
export function filterFrom(place: Query): Filter {
  const view = views.find(([name]) => name === place.view)?.[0] ?? everything.view;
  const outcome = outcomeNames.find((each) => each === place.outcome) ?? "";
  const { agent = "", type = "", task = "", q = "" } = place;
  return { view, agent, type, task, outcome, text: q, from: timeIn(place.from), to: timeIn(place.to) };
}

/** A time of an address as the hub takes it; empty: it is none. */
function timeIn(text = ""): string {
  return utcTime(Date.parse(text));
}

/** The filter as a place's address has it. */
export function placeQuery({ view, agent, type, task, outcome, text, from, to }: Filter): Query {
  return { view: view === everything.view ? "" : view, agent, type, task, outcome, q: text, from, to };
}

/** Whether two filters are the same. */
export function isSameFilter(one: Filter, other: Filter): boolean {
  return (Object.keys(everything) as (keyof Filter)[]).every((part) => one[part] === other[part]);
}

/** Whether a new line passes; null: only the hub can say, as a line holds no whole text. */
export function passes(line: LogLine, filter: Filter): boolean | null {
  if (filter.view !== "all" && !isInView(line, filter.view)) return false;
  if (filter.agent !== "" && !isParty(line, filter.agent)) return false;
  if (filter.type !== "" && line.type !== filter.type) return false;
  if (filter.task !== "" && line.task !== filter.task) return false;
  if (filter.outcome !== "" && line.outcome !== filter.outcome) return false;
  const at = Date.parse(line.recordedAt);
  if (filter.from !== "" && at < Date.parse(filter.from)) return false;
  if (filter.to !== "" && at >= Date.parse(filter.to)) return false;
  return filter.text === "" ? true : null;
}

/** Whether anything but the view is narrowed. */
export function isNarrowed(filter: Filter): boolean {
  return !isSameFilter({ ...filter, view: everything.view }, everything);
}

/** Whether the line says what has become of older entries. */
export function changesOutcomes({ seq, thread, outcome, report }: LogLine): boolean {
  return report !== null || (outcome !== null && thread !== null && thread !== seq);
}

export const noEntries: EntryList = { lines: [], older: null, looked: 0 };

/** The list that a first page, newest first, makes. */
export function listOf(page: LogPage): EntryList {
  return { lines: page.entries, older: page.next, looked: Math.max(page.head, page.entries[0]?.seq ?? 0) };
}

/** The list with an older page at its back. */
export function withOlder(list: EntryList, page: LogPage): EntryList {
  const last = list.lines.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  const older = page.entries.filter(({ seq }) => seq < last);
  return { ...list, lines: [...list.lines, ...older], older: page.next };
}

/** The list with new lines, oldest first as they came, at its front. `looked`: up to where they are complete. */
export function withNewer(list: EntryList, lines: readonly LogLine[], looked: number): EntryList {
  const first = list.lines[0]?.seq ?? 0;
  const newer = lines.filter(({ seq }) => seq > first).toReversed();
  const reached = Math.max(list.looked, looked);
  if (newer.length === 0) return reached === list.looked ? list : { ...list, looked: reached };
  return { ...list, lines: [...newer, ...list.lines], looked: reached };
}

/** The list with its newest part, which `page` holds again, as it is now; what is older stays as it was. */
export function withAgain(list: EntryList, page: LogPage): EntryList {
  const again = listOf(page);
  const next = page.next;
  if (next === null || list.older === null || next <= list.older) return again;
  return { ...again, lines: [...again.lines, ...list.lines.filter(({ seq }) => seq < next)], older: list.older };
}

/** The list without its oldest lines beyond `keep`, which are loaded again when somebody scrolls there. */
export function trimmed(list: EntryList, keep: number): EntryList {
  if (list.lines.length <= keep) return list;
  const lines = list.lines.slice(0, keep);
  return { ...list, lines, older: lines.at(-1)?.seq ?? list.older };
}

/** Place of the entry with that seq, or -1: it is not loaded. Seqs fall along the list. */
export function placeOf(lines: readonly LogLine[], seq: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = lines[middle]?.seq ?? 0;
    if (found === seq) return middle;
    if (found > seq) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Known words with those of `lines` added, sorted; the same list when there is nothing new. */
export function wordsWith(
  known: readonly string[],
  lines: readonly LogLine[],
  wordOf: (line: LogLine) => string | null,
): readonly string[] {
  const words = new Set(known);
  for (const line of lines) {
    const word = wordOf(line);
    if (word !== null && word !== "") words.add(word);
  }
  return words.size === known.length ? known : [...words].toSorted();
}

/**
 * The rows of the timeline, made of its lines: neighbours that repeat each other are one row with a count, which opens in
 * place. Also what a new line says about older ones, so that a loaded line shows what has become of it since. Pure.
 */

import type { LogLine } from "../../../record/operations/entries.ts";
import { isContradicted } from "../../../tasks/state/report-status.ts";
import { type EntryList, placeOf, withNewer } from "./timeline-entries.ts";

export interface TimelineRow {
  /** The newest of its lines. */
  readonly line: LogLine;
  /** How many lines it stands for, or would if it were closed. */
  readonly count: number;
  /** The oldest of its lines. */
  readonly oldest: LogLine;
  /** Whether the others of its lines have rows below it. */
  readonly isOpen: boolean;
  /** Whether it is one of those. */
  readonly isMember: boolean;
}

/** The rows of `lines`, newest first. `opened`: seqs of the lines whose row is open. `apart`: no row stands for several. */
export function rowsOf(
  lines: readonly LogLine[],
  opened: ReadonlySet<number>,
  options: { readonly apart?: boolean } = {},
): readonly TimelineRow[] {
  const rows: TimelineRow[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = options.apart === true ? at + 1 : endOfRepeats(lines, at);
    const group = lines.slice(at, end);
    const [line, ...rest] = group;
    const oldest = group.at(-1);
    if (line === undefined || oldest === undefined) break;
    const isOpen = rest.length > 0 && group.some(({ seq }) => opened.has(seq));
    rows.push({ line, count: group.length, oldest, isOpen, isMember: false });
    if (isOpen) {
      for (const each of rest) rows.push({ line: each, count: 1, oldest: each, isOpen: false, isMember: true });
    }
    at = end;
  }
  return rows;
}

function endOfRepeats(lines: readonly LogLine[], from: number): number {
  const first = lines[from];
  const key = first === undefined ? null : repeatKey(first);
  let end = from + 1;
  if (key === null) return end;
  for (let next = lines[end]; next !== undefined && repeatKey(next) === key; next = lines[end]) end += 1;
  return end;
}

/** Lines with one key repeat each other. Null: a line that repeats none, as no message of an agent does. */
function repeatKey({ kind, sender, receivers, type, problem, summary }: LogLine): string | null {
  if (kind === "ack") return JSON.stringify([kind, sender]);
  if (kind === "refusal") return JSON.stringify([kind, sender, type, problem?.code, problem?.message ?? summary]);
  // What time brings names each task and request; the words around these are the cause.
  if (kind === "timer")
    return JSON.stringify([kind, receivers, summary.split(" ").filter((word) => !/[0-9]/.test(word))]);
  return null;
}

/** Place of the row that stands for the entry, or -1: it is not loaded. */
export function rowOf(rows: readonly TimelineRow[], seq: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row === undefined) return -1;
    if (row.line.seq === seq) return middle;
    if (row.line.seq < seq) high = middle - 1;
    else if (row.oldest.seq <= seq && !row.isOpen) return middle;
    else low = middle + 1;
  }
  return -1;
}

/**
 * The list once `lines` came together, oldest first, of which `passed` are shown. What comes with its own verdict was sent
 * before that was recorded, so the lines settle one another, too.
 */
export function grownBy(list: EntryList, lines: readonly LogLine[], passed: readonly LogLine[]): EntryList {
  const grown = withNewer(list, passed, lines.at(-1)?.seq ?? list.looked);
  const after = settled(grown.lines, lines);
  return after === grown.lines ? grown : { ...grown, lines: after };
}

/**
 * The lines once `newer` came, oldest first: an answer or a verdict says what has become of the entry that its thread
 * began with, and a report takes the place of the one before on its task. The same list when nothing changed.
 */
export function settled(lines: readonly LogLine[], newer: readonly LogLine[]): readonly LogLine[] {
  let now = lines;
  const change = (place: number, part: Partial<LogLine>) => {
    const before = now[place];
    if (before !== undefined) now = now.with(place, { ...before, ...part });
  };
  for (const line of newer) {
    const { seq, thread, outcome, report, task } = line;
    const root = thread === null || thread === seq ? -1 : placeOf(now, thread);
    if (root >= 0 && outcome !== null) change(root, { outcome, supersededBy: line.supersededBy });
    if (outcome === "verified" && task !== null) {
      now.forEach((each, at) => {
        const by = each.report === null ? seq : thread;
        if (each.seq < seq && isContradicted(each.outcome) && each.task === task)
          change(at, { outcome: "repaired", supersededBy: by });
      });
    }
    if (report === null || task === null) continue;
    const place = now.findIndex((each) => each.report !== null && each.task === task && each.seq < seq);
    const before = now[place];
    if (before === undefined) continue;
    const over = { outcome: "superseded", supersededBy: seq } as const;
    // What was disputed stays so until the task is verified.
    const put = (each: LogLine, at: number) => change(at, isContradicted(each.outcome) ? { supersededBy: seq } : over);
    put(before, place);
    now.slice(0, place).forEach((each, at) => {
      if (each.thread === before.seq && isVerdict(each)) put(each, at);
    });
  }
  return now;
}

function isVerdict(line: LogLine): boolean {
  return line.outcome === "verified" || isContradicted(line.outcome);
}

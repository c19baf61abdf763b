/**
 * Counts over time, which the hub gives in equal parts, as the columns of a chart: neighbours are joined where there are
 * too many, and a pause that the lanes would draw narrow (`time-axis.ts`) has no columns. Pure.
 */
import { longAmong } from "./time-axis.ts";
import type { Span } from "./time-span.ts";

/** The parts of one column, the last not included. */
export interface Column {
  readonly from: number;
  readonly to: number;
  /** The pause before it that has no columns; null: there is none. */
  readonly pause: Span | null;
}

/** The long pauses of a time by what was counted in its parts, which begin at `starts`. */
export function countedPauses(starts: readonly number[], counts: readonly number[]): readonly Span[] {
  const partMs = (starts[1] ?? 0) - (starts[0] ?? 0);
  const busy = starts.filter((_, at) => (counts[at] ?? 0) > 0);
  const gaps = busy.slice(1).map((to, at): Span => ({ from: (busy[at] ?? 0) + partMs, to }));
  const whole = { from: busy[0] ?? 0, to: (busy.at(-1) ?? 0) + partMs };
  return longAmong(
    gaps,
    whole,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** At most about `most` columns, none of which has parts on both sides of a pause. */
export function columnsOf(starts: readonly number[], pauses: readonly Span[], most: number): readonly Column[] {
  const kept = starts.flatMap((start, at) => (pauses.some(({ from, to }) => start >= from && start < to) ? [] : [at]));
  const each = Math.max(1, Math.ceil(kept.length / most));
  const columns: { from: number; to: number; readonly pause: Span | null }[] = [];
  for (const at of kept) {
    const pause = pauses.find(({ to }) => to === starts[at]) ?? null;
    const last = columns.at(-1);
    if (last !== undefined && pause === null && at - last.from < each) last.to = at + 1;
    else columns.push({ from: at, to: at + 1, pause });
  }
  return columns;
}

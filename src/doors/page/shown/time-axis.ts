/**
 * How lanes and charts lay out time: long pauses, in which nothing was recorded, are drawn narrow so that one of
 * them does not squeeze the work into a corner. Everything that is drawn counts in drawn time, which is the record's time
 * without what the pauses are shortened by; addresses and words have the record's time. Without pauses the two are the
 * same. Pure.
 */
import type { Span } from "./time-span.ts";

/** A time in which nothing was recorded, in the record's time and as it is drawn. */
export interface Pause extends Span {
  readonly drawn: Span;
}

export interface TimeAxis {
  /** The pauses that are drawn narrow, in their order. */
  readonly pauses: readonly Pause[];
  /** From the record's time to where it is drawn. */
  readonly drawnOf: (time: number) => number;
  /** And back. */
  readonly timeOf: (drawn: number) => number;
}

/** Nothing shorter than this is a pause, and at most so many are. */
const [pauseMsMin, pausesMax] = [60_000, 50] as const;
/** Where more than this share of the times between entries are long, they are how the team works, not pauses. */
const pausesShareMax = 0.25;
/** A pause is drawn narrow where it is longer than this share of all that is drawn as it was. */
const pauseShare = 0.25;
/** How wide a pause is drawn, and all of them together at most, as shares of the rest. */
const [drawnShare, drawnShareMax] = [0.03, 0.3] as const;

/** Time as it is. */
export const wholeTime: TimeAxis = { pauses: [], drawnOf: (time) => time, timeOf: (drawn) => drawn };

/** The pauses of a record that are so long that the rest is hard to see next to them. `times` never go back. */
export function longPauses(times: Float64Array): readonly Span[] {
  const gaps: Span[] = [];
  for (let at = 1; at < times.length; at++) {
    const [from, to] = [times[at - 1] ?? 0, times[at] ?? 0];
    // Most are short, and a long record has very many.
    if (to - from >= pauseMsMin) gaps.push({ from, to });
  }
  return longAmong(gaps, { from: times[0] ?? 0, to: times.at(-1) ?? 0 }, times.length);
}

/** Those of the gaps between so many `entries` of the `whole` time that are so long. */
export function longAmong(gaps: readonly Span[], whole: Span, entries: number): readonly Span[] {
  const most = Math.min(Math.floor((entries - 1) * pausesShareMax), pausesMax);
  const longest = gaps
    .filter(({ from, to }) => to - from >= pauseMsMin)
    .toSorted((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, Math.max(most, 0));
  let rest = whole.to - whole.from;
  let count = 0;
  for (const [at, { from, to }] of longest.entries()) {
    rest -= to - from;
    if (to - from > rest * pauseShare) count = at + 1;
  }
  return longest.slice(0, count).toSorted((one, other) => one.from - other.from);
}

/** The axis of a record of the `whole` time with its pauses, as `longPauses` found them, drawn narrow. */
export function axisOf(pauses: readonly Span[], whole: Span): TimeAxis {
  if (pauses.length === 0) return wholeTime;
  const rest = pauses.reduce((left, { from, to }) => left - (to - from), whole.to - whole.from);
  const width = Math.max(rest * Math.min(drawnShare, drawnShareMax / pauses.length), 500);
  let shortened = 0;
  const drawn = pauses.map(({ from, to }): Pause => {
    const start = from - shortened;
    shortened += to - from - width;
    return { from, to, drawn: { from: start, to: start + width } };
  });
  return {
    pauses: drawn,
    drawnOf: (time) => along(drawn, time, "time"),
    timeOf: (time) => along(drawn, time, "drawn"),
  };
}

/** Where a time of one of the two is in the other. Inside of a pause it is as far along as it is there. */
function along(pauses: readonly Pause[], time: number, by: "time" | "drawn"): number {
  let moved = 0;
  for (const pause of pauses) {
    const [own, other] = by === "time" ? [pause, pause.drawn] : [pause.drawn, pause];
    if (time <= own.from) break;
    if (time < own.to) return other.from + ((time - own.from) / (own.to - own.from)) * (other.to - other.from);
    moved = other.to - own.to;
  }
  return time + moved;
}

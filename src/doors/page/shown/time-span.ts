/** A part of the time: made longer, shorter or moved, and the times that are written next to it. Pure. */
import { dayOf, timeOfDay } from "./moment.ts";

/** Times in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Nothing is seen closer than this. */
const spanMsMin = 50;

/** The span made longer or shorter around a time that stays where it is, within the bounds. */
export function zoomed(span: Span, factor: number, around: number, bounds: Span): Span {
  const whole = Math.max(bounds.to - bounds.from, spanMsMin);
  const length = Math.min(Math.max((span.to - span.from) * factor, spanMsMin), whole);
  const share = (around - span.from) / Math.max(span.to - span.from, 1);
  return shifted({ from: around - length * share, to: around + length * (1 - share) }, 0, bounds);
}

/** The span moved by some milliseconds, within the bounds. */
export function shifted({ from, to }: Span, ms: number, bounds: Span): Span {
  const length = to - from;
  const start = Math.max(Math.min(from + ms, bounds.to - length), bounds.from);
  return { from: start, to: start + length };
}

/** What of the span is within the bounds; none: the span, which is shown as it is, empty. */
export function cutTo(span: Span, bounds: Span): Span {
  const [from, to] = [Math.max(span.from, bounds.from), Math.min(span.to, bounds.to)];
  return from < to ? { from, to } : span;
}

const steps = [
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24, 48, 168, 720].map((hours) => hours * 3_600_000),
] as const;

/** Round times of the browser's zone in the span, as far from each other as `most` of them in `length` are. */
export function ticksOf({ from, to }: Span, most: number, length = to - from): readonly number[] {
  const least = length / Math.max(most, 1);
  const step = steps.find((each) => each >= least) ?? 8_760 * 3_600_000;
  const shift = new Date(from).getTimezoneOffset() * 60_000;
  const ticks: number[] = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at <= to; at += step) ticks.push(at);
  return ticks;
}

/** The time of a tick, as exact as the span needs it. */
export function tickWords(time: number, { from, to }: Span): string {
  if (to - from > 2 * 86_400_000) return dayOf(time);
  const clock = timeOfDay(time);
  if (clock === "00:00:00" && time % 1_000 === 0) return dayOf(time);
  if (to - from > 600_000) return clock.slice(0, 5);
  return to - from > 10_000 ? clock : `${clock.slice(3)}.${String(Math.round(time) % 1_000).padStart(3, "0")}`;
}

/** Times for people: what is left of one, and the exact time for those who need it. */
import { ageOf } from "../../../base/text.ts";

/** How long `ms` still is after `now`, in the same words; null: it is over. */
export function timeLeft(ms: number, now: number): string | null {
  return ms <= now ? null : ageOf(now, Math.max(ms, now + 5000));
}

/** Made once: a row of a list that is scrolled formats its time, and to make one takes longer than to use it. */
const formats = {
  time: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
  day: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }),
  exact: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" }),
} as const;

function formatted(format: keyof typeof formats, ms: number): string {
  const moment = new Date(ms);
  // An address may name what is no time.
  return Number.isNaN(moment.getTime()) ? String(moment) : formats[format].format(moment);
}

/** The time of day in this browser's zone, `10:04:07`. */
export function timeOfDay(ms: number): string {
  return formatted("time", ms);
}

/** A time this short ago is meant without its day, also after midnight. */
const sameNightMs = 12 * 3_600_000;

/** The time of day of what was today or a few hours ago, the day of what was before. */
export function shortTime(ms: number, now: number): string {
  const [moment, today] = [new Date(ms), new Date(now)];
  const isRecent = ms <= now && now - ms < sameNightMs;
  if (isRecent || moment.toDateString() === today.toDateString()) return timeOfDay(ms);
  return formatted("day", ms);
}

/** From when until when, each with its day where it is not the same. */
export function timesOfPart(from: number, to: number): string {
  const isOneDay = new Date(from).toDateString() === new Date(to).toDateString() || to - from < sameNightMs;
  const words = (ms: number) => (isOneDay ? timeOfDay(ms) : `${formatted("day", ms)} ${timeOfDay(ms)}`);
  return `${words(from)} – ${words(to)}`;
}

/** The exact time: local date and time, then the record's own UTC. */
export function exactTime(ms: number): string {
  return `${formatted("exact", ms)} (${new Date(ms).toISOString()})`;
}

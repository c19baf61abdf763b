/** Times for people: what is left of one, and the exact time for those who need it. */
import { ageOf } from "../../../base/text.ts";

/** How long `ms` still is after `now`, in the same words; null: it is over. */
export function timeLeft(ms: number, now: number): string | null {
  return ms <= now ? null : ageOf(now, Math.max(ms, now + 5000));
}

export const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/**
 * What `write` makes of the moment; an address may name what is no time. The browser's own formats are not used: to make
 * one takes milliseconds before the first row is there, and a list that is scrolled formats a time for each row.
 */
export function written(ms: number, write: (moment: Date) => string): string {
  const moment = new Date(ms);
  return Number.isNaN(moment.getTime()) ? String(moment) : write(moment);
}

export const two = (number: number) => String(number).padStart(2, "0");
export const clockOf = (moment: Date) =>
  `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
export const dayIn = (moment: Date) => `${moment.getDate()} ${months[moment.getMonth()]}`;

/** Whether two times are of one day in this browser's zone. */
export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** The time of day in this browser's zone, `10:04:07`. */
export function timeOfDay(ms: number): string {
  return written(ms, clockOf);
}

/** The day in this browser's zone, `3 Feb`. */
export function dayOf(ms: number): string {
  return written(ms, dayIn);
}

/** A time this short ago is meant without its day, also after midnight. */
const sameNightMs = 12 * 3_600_000;

/** The time of day of what was today or a few hours ago, with its day of what was before: `3 Feb 10:04`. */
export function shortTime(ms: number, now: number): string {
  const isRecent = ms <= now && now - ms < sameNightMs;
  if (isRecent || isSameDay(ms, now)) return timeOfDay(ms);
  return written(ms, (moment) => `${dayIn(moment)} ${clockOf(moment).slice(0, 5)}`);
}

/** The same to the minute. */
export function minuteTime(ms: number, now: number): string {
  return shortTime(ms, now).replace(/^(\d\d:\d\d):\d\d$/, "$1");
}

/** The time of day with its day, `3 Feb 10:04:07`. */
export function dayTime(ms: number): string {
  return `${dayOf(ms)} ${timeOfDay(ms)}`;
}

/** From when until when, with the day, and with that of the end where it is another. */
export function timesOfPart(from: number, to: number): string {
  return `${dayTime(from)} – ${isSameDay(from, to) ? timeOfDay(to) : dayTime(to)}`;
}

/** The exact time: local date and time, then the record's own UTC. A dash for what is no time. */
export function exactTime(ms: number): string {
  const utc = utcTime(ms);
  if (utc === "") return "–";
  const local = written(ms, (moment) => `${dayIn(moment)} ${moment.getFullYear()}, ${clockOf(moment)}`);
  return `${local} (${utc})`;
}

/** The time in UTC, as the record writes it. Empty for what is no time. */
export function utcTime(ms: number): string {
  const moment = new Date(ms);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}

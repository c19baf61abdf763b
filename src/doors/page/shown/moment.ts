/** Times for people: what is left of one, and the exact time for those who need it. */
import { ageOf } from "../../../base/text.ts";

/** How long `ms` still is after `now`, in the same words; null: it is over. */
export function timeLeft(ms: number, now: number): string | null {
  return ms <= now ? null : ageOf(now, Math.max(ms, now + 5000));
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/**
 * What `write` makes of the moment; an address may name what is no time. The browser's own formats are not used: to make
 * one takes milliseconds before the first row is there, and a list that is scrolled formats a time for each row.
 */
function written(ms: number, write: (moment: Date) => string): string {
  const moment = new Date(ms);
  return Number.isNaN(moment.getTime()) ? String(moment) : write(moment);
}

const two = (number: number) => String(number).padStart(2, "0");
const clockOf = (moment: Date) => `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
const dayIn = (moment: Date) => `${moment.getDate()} ${months[moment.getMonth()]}`;

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
  if (isRecent || new Date(ms).toDateString() === new Date(now).toDateString()) return timeOfDay(ms);
  return written(ms, (moment) => `${dayIn(moment)} ${clockOf(moment).slice(0, 5)}`);
}

/** The same to the minute. */
export function minuteTime(ms: number, now: number): string {
  return shortTime(ms, now).replace(/^(\d\d:\d\d):\d\d$/, "$1");
}

/** From when until when, each with its day where it is not the same. */
export function timesOfPart(from: number, to: number): string {
  const isOneDay = new Date(from).toDateString() === new Date(to).toDateString() || to - from < sameNightMs;
  const words = (ms: number) => (isOneDay ? timeOfDay(ms) : `${dayOf(ms)} ${timeOfDay(ms)}`);
  return `${words(from)} – ${words(to)}`;
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

/** A time that words name, in the day that they name. */
interface Named {
  readonly from: number;
  /** The end of what is named; null: one moment is. */
  readonly to: number | null;
}

const day = /^(yesterday|today|(\d{1,2}) ([a-z]{3}))(?: |$)/;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;

/**
 * What a person means by `20:22`, `yesterday 14:00`, `28 nov`, `14:00-15:00` or a day with such a part of it. A time without
 * a day is the last one that was; null: these words are no time.
 */
export function timeNamed(text: string, now: number): Named | null {
  const words = text.trim().toLowerCase();
  const [named = "", word, date, month] = day.exec(words) ?? [];
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  if (word === "yesterday") start.setDate(start.getDate() - 1);
  else if (date !== undefined) {
    const at = months.findIndex((each) => each.toLowerCase() === month);
    if (at < 0) return null;
    start.setMonth(at, Number(date));
    if (start.getMonth() !== at) return null;
    if (start.getTime() > now) start.setFullYear(start.getFullYear() - 1);
  }
  const rest = words.slice(named.length);
  if (rest === "") return word === undefined ? null : { from: start.getTime(), to: start.getTime() + dayMs };
  const [first = "", second, ...more] = rest.split(/ ?[-–] ?/);
  const from = msOfDay(first);
  const to = second === undefined ? null : msOfDay(second);
  if (from === null || more.length > 0 || (second !== undefined && (to === null || to <= from))) return null;
  const back = word === undefined && start.getTime() + from > now ? dayMs : 0;
  const base = start.getTime() - back;
  return { from: base + from, to: to === null ? null : base + to };
}

const dayMs = 86_400_000;

function msOfDay(text: string): number | null {
  const [, hours, minutes, seconds = "0"] = clock.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

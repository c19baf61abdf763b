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

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** A day over a list of what was on it, `Sat 28 Nov`, with what people call it where that is today or yesterday. */
export function dayHead(ms: number, now: number): string {
  const day = written(ms, (moment) => `${weekdays[moment.getDay()]} ${dayIn(moment)}`);
  const near = isSameDay(ms, now) ? "Today, " : isSameDay(ms, dayStart(now, -1)) ? "Yesterday, " : "";
  return `${near}${day}`;
}

/** Whether two times are of one day in this browser's zone. */
export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** When the day of a time began, or one so many days later. */
export function dayStart(ms: number, days: number): number {
  const start = new Date(ms);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() + days);
  return start.getTime();
}

/** A part of the time in words; RFC 3339, empty where it has no such end. */
export function rangeWords(from: string, to: string, now: number): string {
  const words = (text: string) => shortTime(Date.parse(text), now).replace(/^(\d\d:\d\d):00$/, "$1");
  if (from === "") return `Until ${words(to)}`;
  return to === "" ? `Since ${words(from)}` : `${words(from)} – ${words(to)}`;
}

/** A time as a field for local times has it; empty: it is none. */
export function localInput(text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return "";
  return written(ms, (moment) => {
    const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
    return `${day}T${clockOf(moment).slice(0, 5)}`;
  });
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

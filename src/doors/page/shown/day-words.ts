/** Days and parts of the time for people: over a list, in a field, and as somebody writes them. */
import { clockOf, dayIn, isSameDay, months, shortTime, two, written } from "./moment.ts";

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** A day over a list of what was on it, `Sat 28 Nov`, with what people call it where that is today or yesterday. */
export function dayHead(ms: number, now: number): string {
  const day = written(ms, (moment) => `${weekdays[moment.getDay()]} ${dayIn(moment)}`);
  const near = isSameDay(ms, now) ? "Today, " : isSameDay(ms, dayStart(now, -1)) ? "Yesterday, " : "";
  return `${near}${day}`;
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
  const start = new Date(dayStart(now, word === "yesterday" ? -1 : 0));
  if (date !== undefined) {
    const at = months.findIndex((each) => each.toLowerCase() === month);
    if (at < 0) return null;
    start.setMonth(at, Number(date));
    if (start.getMonth() !== at) return null;
    if (start.getTime() > now) start.setFullYear(start.getFullYear() - 1);
  }
  const rest = words.slice(named.length);
  if (rest === "") return word === undefined ? null : { from: start.getTime(), to: dayStart(start.getTime(), 1) };
  const [first = "", second, ...more] = rest.split(/ ?[-–] ?/);
  if (word === undefined && (timeIn(start, first) ?? 0) > now) start.setDate(start.getDate() - 1);
  const from = timeIn(start, first);
  const to = second === undefined ? null : timeIn(start, second);
  if (from === null || more.length > 0 || (second !== undefined && (to === null || to <= from))) return null;
  return { from, to };
}

/** What the clock says in a day, which may be longer or shorter than others. */
function timeIn(day: Date, text: string): number | null {
  const [, hours, minutes, seconds = "0"] = clock.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return new Date(day).setHours(Number(hours), Number(minutes), Number(seconds));
}

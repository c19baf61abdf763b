/**
 * Timestamps as the dialects allow them: an RFC 3339 date-time, or a full date. The calendar is checked, not only the
 * spelling: month 13 and the 30th of February are refused. Linear in the text.
 */
import { isJsonList, isJsonObject, type Json } from "../json.ts";
import { jsonPath, makeProblem, type PathStep, type Problem } from "../problem.ts";
import { shortened } from "./hint.ts";
import type { ValueForm } from "./value-form.ts";

const FORM = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/;

const letterZ = 0x7a;

const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether `text` is an RFC 3339 date-time (section 5.6) or full date that exists in the calendar. A leap second is
 * allowed only where one can be: at 23:59:60 in UTC.
 */
export function isTimestamp(text: string): boolean {
  if (!FORM.test(text)) return false;
  // The form has fixed every place, so the numbers are read at their places; captures would cost more than the rest.
  if (!isDate(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8))) return false;
  if (text.length === "0000-00-00".length) return true;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const isUtc = (text.charCodeAt(text.length - 1) | 0x20) === letterZ;
  const offsetHour = isUtc ? 0 : twoDigits(text, text.length - 5);
  const offsetMinute = isUtc ? 0 : twoDigits(text, text.length - 2);
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second <= 59) return true;
  const offset = offsetHour * 60 + offsetMinute;
  const isBehindUtc = !isUtc && text.at(-6) === "-";
  const minuteOfDay = hour * 60 + minute - (isBehindUtc ? -offset : offset);
  return second === 60 && (minuteOfDay + 2 * 1440) % 1440 === 1439;
}

/** The same without full dates: a document's moments name their time of day. */
export function isDateTime(text: string): boolean {
  return text.length > "0000-00-00".length && isTimestamp(text);
}

/** The number of two digits that is at `at`. */
function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeap ? 29 : (daysOf[month - 1] ?? 0));
}

/*
 * The moments in a value: where its form asks for a timestamp, and which of those are wrong. Validators leave them
 * out, because the calendar is beyond them. Source: docs/protocol/messages.md, section 3.
 */

/** The way to a moment; `null` is a step into every entry of a list. */
export interface Moment {
  readonly steps: readonly (string | null)[];
  readonly time: "timestamp" | "date-time";
}

/** Every moment that values of `form` may hold. */
export function momentsOf(form: ValueForm, steps: readonly (string | null)[] = []): readonly Moment[] {
  if (form.time !== undefined) return [{ steps, time: form.time }];
  if (form.entry !== undefined) return momentsOf(form.entry, [...steps, null]);
  return Object.entries(form.fields ?? {}).flatMap(([name, inner]) => momentsOf(inner, [...steps, name]));
}

/** Adds to `found` a problem for each moment of `value` that is a string and no moment of the calendar. */
export function addWrongMoments(found: Problem[], moments: readonly Moment[], value: Json): void {
  for (const moment of moments) walk(found, value, moment, 0, noSteps);
}

const noSteps: readonly number[] = [];

/** Goes on from the step `from`; `entries` are the numbers of the list entries gone through so far. */
function walk(found: Problem[], value: Json, moment: Moment, from: number, entries: readonly number[]): void {
  const { steps, time } = moment;
  let here: Json | undefined = value;
  for (let at = from; at < steps.length; at++) {
    const step = steps[at];
    if (typeof step === "string") {
      if (!isJsonObject(here)) return;
      here = here[step];
    } else {
      if (!isJsonList(here)) return;
      for (const [index, one] of here.entries()) walk(found, one, moment, at + 1, [...entries, index]);
      return;
    }
  }
  if (typeof here === "string" && !isMoment(here, time)) found.push(wrongMoment(wayOf(steps, entries), here, time));
}

function wayOf(steps: readonly (string | null)[], entries: readonly number[]): readonly PathStep[] {
  let passed = 0;
  return steps.map((step) => step ?? entries[passed++] ?? "");
}

function isMoment(text: string, time: Moment["time"]): boolean {
  return time === "timestamp" ? isTimestamp(text) : isDateTime(text);
}

function wrongMoment(way: readonly PathStep[], text: string, time: Moment["time"]): Problem {
  const path = jsonPath(way);
  const alsoDates = time === "timestamp";
  const expected = `an RFC 3339 date-time${alsoDates ? " or full date" : ""}`;
  const message = `${path} must be an RFC 3339 date-time${alsoDates ? " or a full date" : ""} of the calendar.`;
  return makeProblem("wrong-format", path, message, {
    expected,
    received: shortened(text),
    hint: `for example 2026-03-04T10:00:00Z${alsoDates ? " or 2026-03-04" : ""}`,
  });
}

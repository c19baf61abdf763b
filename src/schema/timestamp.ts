/**
 * Timestamps as the dialects allow them: an RFC 3339 date-time, or a full date. The calendar is checked, not only the
 * spelling: month 13 and the 30th of February are refused. Linear in the text.
 */

const FORM = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/;

const letterZ = 0x7a;

const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether `text` is an RFC 3339 date-time (section 5.6) or full date that exists in the calendar. A leap second is
 * allowed only where one can be: at 23:59:60 in UTC.
 */
export function isTimestamp(text: string): boolean {
  if (!FORM.test(text)) return false;
  // The form has fixed every place, so the numbers are read where they stand; captures would cost more than the rest.
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

/** The number of two digits that stands at `at`. */
function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeap ? 29 : (daysOf[month - 1] ?? 0));
}

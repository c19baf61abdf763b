/**
 * Timestamps as the dialects allow them: an RFC 3339 date-time, or a full date. The calendar is checked, not only the
 * spelling: month 13 and the 30th of February are refused. Linear in the text.
 */

const FORM = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d)))?$/;

const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether `text` is an RFC 3339 date-time (section 5.6) or full date that exists in the calendar. A leap second is
 * allowed only where one can be: at 23:59:60 in UTC.
 */
export function isTimestamp(text: string): boolean {
  const parts = FORM.exec(text);
  if (parts === null) return false;
  const [, year, month, day, hour, minute, second, sign, offsetHour, offsetMinute] = parts;
  if (!isDate(Number(year), Number(month), Number(day))) return false;
  if (hour === undefined) return true;
  const offset = sign === undefined ? 0 : Number(offsetHour) * 60 + Number(offsetMinute);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59)
    return false;
  if (Number(second) <= 59) return true;
  const minuteOfDay = Number(hour) * 60 + Number(minute) - (sign === "-" ? -offset : offset);
  return Number(second) === 60 && (minuteOfDay + 2 * 1440) % 1440 === 1439;
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeap ? 29 : (daysOf[month - 1] ?? 0));
}

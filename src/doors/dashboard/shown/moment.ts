/** Times for people: an age that is read at a glance, and the exact time for those who need it. */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `ms` before `now` in few characters: `now`, `42 s`, `7 min`, `3 h`, `2 d`. What lies ahead is `now`: clocks differ. */
export function ageOf(ms: number, now: number): string {
  const seconds = Math.floor((now - ms) / 1000);
  if (seconds < 5) return "now";
  if (seconds < minute) return `${seconds} s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < day) return `${Math.floor(seconds / hour)} h`;
  return `${Math.floor(seconds / day)} d`;
}

/** How long `ms` still is after `now`, in the same words; null: it is over. */
export function timeLeft(ms: number, now: number): string | null {
  return ms <= now ? null : ageOf(now, Math.max(ms, now + 5000));
}

/** The time of day in this browser's zone, `10:04:07`. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB");
}

/** The exact time: local date and time, then the record's own UTC. */
export function exactTime(ms: number): string {
  const moment = new Date(ms);
  return `${moment.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" })} (${moment.toISOString()})`;
}

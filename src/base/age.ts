/** How long ago something was, in as few characters as a person needs. */

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

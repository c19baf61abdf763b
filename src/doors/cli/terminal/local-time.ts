/** Times for people, by the clock on their wall. Programs read them in UTC with `--json`. */
import { systemClock } from "../../../base/clock.ts";
import { visible } from "../../../base/text.ts";

/** A recorded time: `14:03:20` if it is today, else `2026-02-12 14:03:20`. What is no time stays as it is. */
export function localTime(recorded: string, nowMs: number = systemClock.now()): string {
  const at = new Date(recorded);
  if (Number.isNaN(at.getTime())) return visible(recorded);
  const day = dayOf(at);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":");
  return day === dayOf(new Date(nowMs)) ? time : `${day} ${time}`;
}

function dayOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join("-");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/**
 * A program that npm started ends with npm. npm runs scripts in a shell and passes its signals to the shell only, which
 * dies of them without a word to its child; the child then has another parent, and that is how it can tell.
 */
import { systemClock } from "../base/clock.ts";

/** How often the parent is looked at, in milliseconds. */
const lookMs = 250;

/** The process that started this one, asked for before anybody can have ended it because of what this one said. */
const parent = process.ppid;

/** Resolves when the process that started this one is gone, or when `signal` aborts. */
export async function parentGone(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && process.ppid === parent) await systemClock.wait(lookMs, signal);
}

/**
 * Processes that a test started, however far down: they inherit a variable that nobody else has. Read from /proc, so on
 * Linux only.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Name of the variable that marks a test's processes. */
export const markName = "DEMO_TEST_MARK";

/** Whether this machine can tell. */
export const canLook = existsSync("/proc/self/environ");

export interface Marked {
  readonly pid: number;
  /** The words it was started with. */
  readonly words: readonly string[];
}

/** Living processes with this mark; a zombie has no variables any more and is none. */
export function markedProcesses(mark: string): readonly Marked[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const isOurs = read(`/proc/${name}/environ`).includes(`${markName}=${mark}`);
      return isOurs ? [{ pid: Number(name), words: read(`/proc/${name}/cmdline`).split("\0") }] : [];
    });
}

/** Whether a signal has stopped this process. */
function isStopped(pid: number): boolean {
  return /^State:\s+T/m.test(read(`/proc/${pid}/status`));
}

/** Resolves with the processes that still live when none is left or the time is over. */
export function waitForNone(mark: string, msMax: number): Promise<readonly Marked[]> {
  return waitFor(
    () => markedProcesses(mark),
    (living) => living.length === 0,
    msMax,
  );
}

/**
 * Resolves with the stopped processes when there are `count` or the time is over. A signal has been sent before it is
 * seen: the stopped process must first get a processor, and on a busy machine that takes a while.
 */
export function waitForStopped(mark: string, count: number, msMax: number): Promise<readonly Marked[]> {
  return waitFor(
    () => markedProcesses(mark).filter(({ pid }) => isStopped(pid)),
    (stopped) => stopped.length === count,
    msMax,
  );
}

async function waitFor(
  look: () => readonly Marked[],
  isDone: (found: readonly Marked[]) => boolean,
  msMax: number,
): Promise<readonly Marked[]> {
  const until = performance.now() + msMax;
  for (;;) {
    const found = look();
    if (isDone(found) || performance.now() > until) return found;
    await setTimeout(25);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It ended between listing and reading, or belongs to somebody else: not ours to count.
    return "";
  }
}

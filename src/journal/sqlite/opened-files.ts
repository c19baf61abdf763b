/**
 * Whether the files that a connection writes to still stand under their names. SQLite itself would go on writing to files
 * that nobody finds any more, so this is asked before each transaction.
 *
 * Asking for the files themselves is dear: on newer systems a log whose times were looked at gets new ones with its next
 * write, and to make these durable costs half as much again as the commit. A file cannot go from under its name without
 * changing the folder, so the folder is asked first, and the files only where it has changed.
 * Source: guarantees.md section 1, points 2 and 8; docs/decisions.
 */
import { type BigIntStats, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../base/clock.ts";

/**
 * A change of the folder is told from the one before by its time once so much time lies between them: the clocks by which
 * systems stamp their files advance in steps of up to 16 ms.
 */
export const stampStepMsMax = 20;

/** What stands under a name: the folder as it was last changed, or the file. */
export type Facts = Pick<BigIntStats, "dev" | "ino" | "ctimeNs">;

/** Where the facts come from; tests bring their own. `factsOf` answers null where nothing stands, or nobody may look. */
export interface FileSystem {
  factsOf(path: string): Facts | null;
  /** Milliseconds since 1970, by the clock that stamps files. */
  now(): number;
}

/** The files of one connection. */
export interface OpenedFiles {
  /** Whether each of them still stands under its name. Nothing is opened. */
  areInPlace(): boolean;
}

/** Asks the system. */
export const systemFiles: FileSystem = {
  factsOf(path) {
    try {
      return statSync(path, { bigint: true });
    } catch {
      // Whatever the reason, what was there cannot be reached by its name.
      return null;
    }
  },
  now: systemClock.now,
};

/** The database and its log as they stand now; a log stands as long as a connection does. */
export function openedFiles(path: string, system: FileSystem = systemFiles): OpenedFiles {
  const folder = dirname(path);
  const files = [path, `${path}-wal`].map((name) => ({ name, opened: system.factsOf(name) }));
  // The folder as it stood when all was in place; null: its next change might bear the same time.
  let settled: Facts | null = null;
  return {
    areInPlace() {
      const found = system.factsOf(folder);
      if (found !== null && settled !== null && isSame(found, settled) && found.ctimeNs === settled.ctimeNs)
        return true;
      if (!files.every(({ name, opened }) => isSame(system.factsOf(name), opened))) return false;
      settled = found !== null && isTold(found.ctimeNs, system.now()) ? found : null;
      return true;
    },
  };
}

function isSame(one: Facts | null, other: Facts | null): boolean {
  return one === null || other === null ? one === other : one.ino === other.ino && one.dev === other.dev;
}

/** Whether a change at `nowMs` or later bears another time than `ctimeNs`. File systems that keep whole seconds never tell. */
function isTold(ctimeNs: bigint, nowMs: number): boolean {
  return ctimeNs % 1_000_000_000n !== 0n && BigInt(nowMs - stampStepMsMax) * 1_000_000n > ctimeNs;
}

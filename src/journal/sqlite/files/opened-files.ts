/**
 * Whether the files that a connection writes to still stand under their names. SQLite itself would go on writing to files
 * that nobody finds any more, so this is asked before each transaction.
 *
 * Asking for the files themselves is dear: on newer systems a log whose times were looked at gets new ones with its next
 * write, and to make these durable costs half as much again as the commit. A file cannot go from under its name without
 * changing the folder, so the folder is asked first, and the files only where it has changed.
 * Source: docs/protocol/journal.md, sections 3 and 9; decision 0060.
 */
import { statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { putEmptyFile } from "../../../base/plain-file.ts";
import { areStampsExact, type Facts, type FileSystem } from "./folder-stamps.ts";

/**
 * A change of the folder is told from the one before by its time once so much time lies between them: the clocks by which
 * systems stamp their files advance in steps of up to 16 ms. Where stamps are exact, it is told at once.
 */
export const stampStepMsMax = 20;

/**
 * At so many looks that cannot rely on the folder, one after the other, it is tried whether its stamps are exact. A process
 * that writes one message never comes to it; a burst does with its first move of the anchor.
 */
const looksBeforeTrial = 2;
/** A busy machine may keep a trial from telling anything; after so many it is left alone. */
const trialsMax = 3;

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
  put(path) {
    try {
      putEmptyFile(path);
      return true;
    } catch {
      return false; // A folder nobody may write to: the trial tells nothing, and the journal's own writes say why.
    }
  },
  remove(path) {
    try {
      unlinkSync(path);
      return true;
    } catch {
      return false;
    }
  },
  now: systemClock.now,
};

/**
 * The database and its log as they stand now; a log stands as long as a connection does. `probe` is a file of the same
 * folder that nobody minds being made and removed while the write lock is held.
 */
export function openedFiles(path: string, probe: string, system: FileSystem = systemFiles): OpenedFiles {
  const folder = dirname(path);
  const files = [path, `${path}-wal`].map((name) => ({ name, opened: system.factsOf(name) }));
  // The folder as it stood when all was in place; null: its next change might bear the same time.
  let settled: Facts | null = null;
  let isExact = false;
  let looksInVain = 0;
  let trials = 0;
  const tryStamps = () => {
    looksInVain += 1;
    if (isExact || looksInVain < looksBeforeTrial || trials >= trialsMax) return;
    trials += 1;
    looksInVain = 0;
    isExact = areStampsExact(folder, probe, system);
  };
  return {
    areInPlace() {
      const found = system.factsOf(folder);
      if (found !== null && settled !== null && isSame(found, settled) && found.ctimeNs === settled.ctimeNs)
        return true;
      if (!files.every(({ name, opened }) => isSame(system.factsOf(name), opened))) return false;
      settled = found !== null && (isExact || isTold(found.ctimeNs, system.now())) ? found : null;
      if (settled === null) tryStamps();
      else looksInVain = 0;
      return true;
    },
  };
}

function isSame(one: Facts | null, other: Facts | null): boolean {
  return one === null || other === null ? one === other : one.ino === other.ino && one.dev === other.dev;
}

/**
 * Whether a change at `nowMs` or later bears another time than `ctimeNs`. File systems that keep whole seconds never
 * tell.
 */
function isTold(ctimeNs: bigint, nowMs: number): boolean {
  return ctimeNs % 1_000_000_000n !== 0n && BigInt(nowMs - stampStepMsMax) * 1_000_000n > ctimeNs;
}

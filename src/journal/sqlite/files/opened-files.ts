/**
 * Whether the files that a connection writes to still have their names. SQLite itself would go on writing to files that
 * nobody finds any more, so this is asked before each transaction.
 *
 * Asking for the files themselves is dear: on newer systems a log whose times were looked at gets new ones with its next
 * write, and to make these durable costs half as much again as the commit. A file cannot go from under its name without
 * changing the folder, so the folder is asked first, and the files only where it has changed.
 * Source: docs/protocol/record.md, sections 3 and 9; docs/decisions.md.
 */
import { type BigIntStats, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { putEmptyFile } from "../../../base/plain-file.ts";

/**
 * A change of the folder is distinguished from the one before by its time once so much time lies between them: the
 * clocks by which systems stamp their files advance in steps of up to 16 ms. Where stamps are exact, it is seen
 * immediately.
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
  /** Whether each of them still has its name. Nothing is opened. */
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
 * The database and its log as they are now; a log exists as long as a connection does. `probe` is a file of the same
 * folder that may be created and removed while the write lock is held.
 */
export function openedFiles(path: string, probe: string, system: FileSystem = systemFiles): OpenedFiles {
  const folder = dirname(path);
  const files = [path, `${path}-wal`].map((name) => ({ name, opened: system.factsOf(name) }));
  // The folder's state when all was in place; null: its next change might have the same time.
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

/*
 * Whether the changes of a folder bear exact times: each change another one, however soon it follows, once somebody has
 * looked at the time of the one before. Linux from 6.13 on does so on its usual file systems, and systems that stamp by a
 * precise clock do anyway; older ones stamp in steps of 1 to 16 ms. No system says which it is, so it is tried out.
 * Source: docs/decisions.md.
 */

/** What is under a name: the folder as it was last changed, or the file. */
export type Facts = Pick<BigIntStats, "dev" | "ino" | "ctimeNs">;

/** Where the facts come from, and how a folder is changed; tests bring their own. */
export interface FileSystem {
  /** Null where nothing is, or it may not be read. */
  factsOf(path: string): Facts | null;
  /** Makes an empty file, in place of another; false: it cannot be made. */
  put(path: string): boolean;
  /** Removes a file; false: it cannot be removed. */
  remove(path: string): boolean;
  /** Milliseconds since 1970, by the clock that stamps files. */
  now(): number;
}

/**
 * A clock that stamps in steps takes none shorter than a millisecond. So many changes within less of them cannot bear a
 * time each, also where a busy machine makes up for steps that came late.
 */
const shortestStepNs = 1_000_000n;
const changesTried = 8;

/**
 * Tries it in `folder` by making and removing the file `probe` some times, which takes a twentieth of a millisecond;
 * nothing of it stays. False also if the trial failed or took too long.
 */
export function areStampsExact(folder: string, probe: string, system: FileSystem): boolean {
  const stamps: bigint[] = [];
  for (let change = 0; change < changesTried; change += 1) {
    const isDone = change % 2 === 0 ? system.put(probe) : system.remove(probe);
    const facts = isDone ? system.factsOf(folder) : null;
    if (facts === null) {
      if (change % 2 === 0) system.remove(probe);
      return false;
    }
    stamps.push(facts.ctimeNs);
  }
  const [first = 0n, last = 0n] = [stamps.at(0), stamps.at(-1)];
  const isEachLater = stamps.every((stamp, index) => index === 0 || stamp > (stamps[index - 1] ?? stamp));
  return isEachLater && last - first < shortestStepNs;
}

/**
 * Whether the changes of a folder bear exact times: each change another one, however soon it follows, once somebody has
 * looked at the time of the one before. Linux from 6.13 on does so on its usual file systems, and systems that stamp by a
 * precise clock do anyway; older ones stamp in steps of 1 to 16 ms. No system says which it is, so it is tried out.
 * Source: decision 0145.
 */
import type { BigIntStats } from "node:fs";

/** What stands under a name: the folder as it was last changed, or the file. */
export type Facts = Pick<BigIntStats, "dev" | "ino" | "ctimeNs">;

/** Where the facts come from, and how a folder is changed; tests bring their own. */
export interface FileSystem {
  /** Null where nothing stands, or nobody may look. */
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
 * Tries it in `folder` by making and removing the file `probe` some times, which takes a twentieth of a millisecond; nothing
 * of it stays. False also where it could not be tried, or took too long to be told.
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

/**
 * Processes whose wall clock is set by hand: libfaketime answers for the system in everything that asks what time it is,
 * and reads how far from a file each time. The clock that runs since the machine's start is left alone, as setting a
 * clock leaves it.
 */
import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Why no process can be given another time here, or null. */
export function fakeTimeMissing(): string | null {
  if (process.platform !== "linux") return "setting a process's clock needs Linux";
  return libraryPath() === null ? "faketime is missing" : null;
}

function libraryPath(): string | null {
  const asked = spawnSync("faketime", ["-f", "+0", "printenv", "LD_PRELOAD"], { encoding: "utf8" });
  return asked.status === 0 ? asked.stdout.trim() : null;
}

/** The clock of some processes. */
export interface WallClock {
  /** What a process must be started with to go by it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Sets it: `+0`, `+1h`, `-1h`, `+10y` from the real time. */
  set(offset: string): void;
}

/** A clock that is right until it is set; its file is in `folder`. */
export function wallClock(folder: string): WallClock {
  const file = join(folder, "wall-clock");
  const set = (offset: string) => {
    // At once, so that nobody reads half of it.
    writeFileSync(`${file}.new`, `${offset}\n`);
    renameSync(`${file}.new`, file);
  };
  set("+0");
  return {
    set,
    variables: {
      LD_PRELOAD: libraryPath() ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    },
  };
}

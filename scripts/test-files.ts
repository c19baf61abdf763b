/**
 * Which files a run of the tests has, and their order: what took longest the last time comes first, so that nothing long is
 * left when all else is done. The times are kept on this machine, in `.tmp/`.
 */
import { globSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

/** How long each file took, in seconds, by its path in the package. */
export type FileTimes = ReadonlyMap<string, number>;

/** The test files below `home` that the arguments ask for: parts of paths, none for all, `--long` for the campaigns too. */
export function testFiles(home: string, words: readonly string[]): readonly string[] {
  const long = words.includes("--long");
  const parts = words.filter((word) => !word.startsWith("--"));
  return globSync(["src/**/*.test.ts", "tests/**/*.test.ts", "examples/**/*.test.ts"], { cwd: home })
    .filter((file) => long || !file.startsWith(join("tests", "long") + sep))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .toSorted();
}

/**
 * The files, the longest first. Of those that never ran here the tests of whole processes come before all others, and
 * those beside their sources, which are short, after them.
 */
export function inOrder(files: readonly string[], times: FileTimes): readonly string[] {
  const expected = (file: string) => times.get(file) ?? (file.startsWith(`src${sep}`) ? 0 : Number.POSITIVE_INFINITY);
  return files.toSorted((one, other) => (expected(one) === expected(other) ? 0 : expected(other) - expected(one)));
}

/** The times of earlier runs on this machine; none where they cannot be read, for they only order the files. */
export function keptTimes(home: string): FileTimes {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(pathOf(home), "utf8")) as Record<string, number>)); // our own
  } catch {
    // The first run here, or a file that somebody else made: any order will do.
    return new Map();
  }
}

/** Keeps these times with those of files that did not run. */
export function keepTimes(home: string, times: FileTimes): void {
  const draft = `${pathOf(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(Object.fromEntries([...keptTimes(home), ...times]), null, 2)}\n`);
  renameSync(draft, pathOf(home));
}

function pathOf(home: string): string {
  return join(home, ".tmp/test-times.json");
}

/**
 * Which files a run of the tests has, which of them share a process, and their order: what took longest the last time comes
 * first, so that nothing long is left when all else is done. The times are kept on this machine, in `.tmp/`.
 */
import { globSync, mkdtempSync, readFileSync, renameSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** Room that temporary files in memory must find, in bytes; a whole run needs a tenth of it. */
const memoryBytesMin = 512 * 1024 ** 2;

/** How long each process of tests took, in seconds, by its name. */
export type TestTimes = ReadonlyMap<string, number>;

/** Files that run in one process, one after another. Its name: the file's path in the package, or the room's. */
export interface TestProcess {
  readonly name: string;
  readonly files: readonly string[];
}

/** Whether a file's tests run every night, and not with each change; such a file says so by its name. */
export function isNightly(file: string): boolean {
  return file.endsWith(".nightly.test.ts");
}

/**
 * The test files below `home` that the arguments ask for: parts of paths, or none for what a change needs;
 * `--nightly` for those of the night alone, `--long` for all and the campaigns, `--programs` for those with the real agent
 * programs alone.
 */
export function testFiles(home: string, words: readonly string[]): readonly string[] {
  const long = words.includes("--long");
  const programs = words.includes("--programs");
  const nightly = words.includes("--nightly");
  const parts = words.filter((word) => !word.startsWith("--"));
  return globSync(["src/**/*.test.ts", "tests/**/*.test.ts", "examples/**/*.test.ts"], {
    cwd: home,
  })
    .filter((file) => long || !file.startsWith(join("tests", "long") + sep))
    .filter((file) => file.startsWith(join("tests", "programs") + sep) === programs)
    .filter((file) => (nightly ? isNightly(file) : long || parts.length > 0 || !isNightly(file)))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .toSorted();
}

/**
 * The files by process: those next to the sources of one room (`src/journal`) share one, since they keep to functions,
 * and loading the sources again takes longer than most of them run; so do those of a folder within a room of `tests`
 * (`tests/page/brief`), which share what takes long to start, and those directly in a room of `tests` that start no
 * program, as `isPlain` says. Those that start programs share by few, in their order. Those in `alone` have their own.
 */
export function inProcesses(files: readonly string[], isPlain: (file: string) => boolean): readonly TestProcess[] {
  const rooms = Map.groupBy(files, (file) => {
    const [top = "", room = "", folder = "", ...within] = file.split(sep);
    if (top === "src" && room !== "") return smallRooms.includes(room) ? "the small rooms of src" : join(top, room);
    if (within.length > 0) return join(top, room, folder);
    if (top !== "tests" || folder === "" || alone.some((each) => file.startsWith(join("tests", each)))) return file;
    return isPlain(file) ? join(top, room) : `${join(top, room)} with programs`;
  });
  return [...rooms].flatMap(([room, held]) => {
    const parts = room.endsWith(" with programs") ? inParts(held) : [held];
    return parts.map((part, at) => ({
      name: part.length === 1 ? (part[0] ?? room) : parts.length === 1 ? room : `${room} ${at + 1}`,
      files: part,
    }));
  });
}

/** Rooms below `src` whose tests take less than loading what they test. */
const smallRooms: readonly string[] = ["authority", "dialects", "evidence", "main", "message", "schema", "testing"];

/** So many files that start programs share a process: a process that holds much takes longer to start another. */
const filesMax = 8;

/** Rooms and files below `tests` that share no process. */
const alone: readonly string[] = [
  // Campaigns, and the real agent programs: each takes minutes.
  "long",
  "programs",
  // What is killed, cut off and filled up there must not take others along.
  "crash",
  "machine",
  // A browser and a hub of many entries, each as long as a whole room of others.
  "page",
  // Each calls git some hundred times and holds much.
  join("evidence", "evidence"),
  join("evidence", "hostile"),
  "claims",
  "adopt",
  // It prepares its team before any test, by commands that stand in its folder within this process.
  join("e2e", "argument-names"),
  // What is started from it, and how long a turn of it takes, is measured.
  join("runtime", "shutdown-files"),
  join("launcher", "start-cost"),
  // They wait more than they do.
  "demo",
  "simulation",
];

/** The files in parts of about the same number, none above the most. */
function inParts(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / filesMax);
  return Array.from({ length: count }, (_, at) =>
    files.slice(Math.round((at * files.length) / count), Math.round(((at + 1) * files.length) / count)),
  );
}

/** What starts a program, a thread or a browser. */
const starting = /"(?:node:child_process|node:worker_threads|playwright-core)"/;

/**
 * Whether a test file below `home` starts nothing: neither it nor what it imports of the tests and scripts names a module
 * that does. What Baton itself starts is its own matter, and ends with what the test closes.
 */
export function startsNothing(home: string): (file: string) => boolean {
  const known = new Map<string, boolean>();
  const look = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    // A circle of imports starts nothing by being one.
    known.set(file, true);
    const text = readFileSync(join(home, file), "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g)]
      .map(([, path = ""]) => join(dirname(file), path))
      .filter((path) => path.startsWith(`tests${sep}`) || path.startsWith(`scripts${sep}`));
    const answer = !starting.test(text) && imports.every(look);
    known.set(file, answer);
    return answer;
  };
  return look;
}

/**
 * A new folder in memory for temporary files: the tests write to thousands of journals, and a disk makes each wait. Null
 * where the machine has none, or too little. The caller removes it.
 */
export function memoryFolder(): string | null {
  if (process.env.TMPDIR !== undefined) return null;
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize < memoryBytesMin ? null : mkdtempSync("/dev/shm/baton-test-");
  } catch {
    // No such folder here, or not for us.
    return null;
  }
}

/** Whether a test is about what a disk keeps, and so has its temporary files there. */
export function needsDisk(file: string): boolean {
  return ["crash", "machine"].some((room) => file.includes(join("tests", room) + sep));
}

/** The last test of a shared process: where it is missing, a file has ended the process before those behind it. */
export function lastTestOf({ name, files }: TestProcess): string | null {
  return files.length === 1 ? null : `the files of ${name} ran to their end`;
}

/** The module that runs a shared process's files, and then its last test; null where one file runs itself. */
export function moduleOf(home: string, tests: TestProcess): string | null {
  const last = lastTestOf(tests);
  if (last === null) return null;
  const files = tests.files.map((file) => `import ${JSON.stringify(pathToFileURL(join(home, file)).href)};\n`);
  return `import { test } from "node:test";\n${files.join("")}test(${JSON.stringify(last)}, () => {});\n`;
}

/**
 * The processes, the longest first. Of those that never ran here the tests of whole processes come before all others,
 * and those next to their sources, which are short, after them.
 */
export function inOrder(processes: readonly TestProcess[], times: TestTimes): readonly TestProcess[] {
  const expected = ({ name }: TestProcess) =>
    times.get(name) ?? (name.startsWith(`src${sep}`) ? 0 : Number.POSITIVE_INFINITY);
  return processes.toSorted((one, other) => (expected(one) === expected(other) ? 0 : expected(other) - expected(one)));
}

/** The times of earlier runs on this machine; none where they cannot be read, for they only order the processes. */
export function keptTimes(home: string): TestTimes {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(pathOf(home), "utf8")) as Record<string, number>)); // our own
  } catch {
    // The first run here, or a file that somebody else made: any order will do.
    return new Map();
  }
}

/** Keeps these times with those of processes that did not run. */
export function keepTimes(home: string, times: TestTimes): void {
  const draft = `${pathOf(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(Object.fromEntries([...keptTimes(home), ...times]), null, 2)}\n`);
  renameSync(draft, pathOf(home));
}

function pathOf(home: string): string {
  return join(home, ".tmp/test-times.json");
}

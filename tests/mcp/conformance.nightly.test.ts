/**
 * The protocol's own conformance suite against a real hub, one run for each revision of the protocol. What it finds counts
 * for the scenarios of conformance-scenarios.ts, which also says why not for the others.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { commandMsMax, folder, team } from "../e2e/command.ts";
import { counted, notCounted, type Scenario } from "./conformance-scenarios.ts";
import { serve } from "./http-place.ts";
import { startHub } from "./hub-place.ts";

const suite = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
let directory: string;
/** What the suite found at the hub, by revision. */
const found = new Map<Scenario["revision"], Findings>();

before(async () => {
  directory = team();
  await calledWithCode(0, directory, ["status"]);
  // The suite knows no credentials, so a doorman shows one.
  const url = await (await startHub(directory)).doorman();
  // Loading the suite takes longer than any scenario, so each revision has one process for all of them.
  for (const revision of new Set(counted.map((scenario) => scenario.revision)))
    found.set(revision, await findings(url, revision, ["--suite", "all"]));
});

test("every server scenario of the suite counts or has its reason", async () => {
  const { output } = await conformance(["list", "--server"]);
  const known = [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name = ""]) => name);
  assert.ok(known.length > 50, output);
  const listed = new Set([...counted.map(({ name }) => name), ...Object.values(notCounted).flat()]);
  assert.deepEqual([...listed].toSorted(), known.toSorted());
});

for (const scenario of counted) test(`${scenario.name} (${scenario.revision}) passes`, () => passes(scenario));

test("a server without a guard is seen to fail", async () => {
  const unguarded = await serve(directory, false);
  const scenario = "dns-rebinding-protection";
  const { checksOf } = await findings(unguarded.url, "2026-07-28", ["--scenario", scenario]);
  assert.ok(checksOf(scenario).some(({ status }) => status === "FAILURE"));
});

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

function passes({ name, revision, except = {} }: Scenario): void {
  const checks = found.get(revision)?.checksOf(name) ?? assert.fail("the suite was run");
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

/** What a run of the suite left behind. */
interface Findings {
  /** The checks of a scenario; fails where the suite left none. */
  checksOf(scenario: string): readonly Check[];
}

/** Runs the suite with these words against a server, as one revision of the protocol. */
async function findings(url: string, revision: Scenario["revision"], words: readonly string[]): Promise<Findings> {
  const results = folder();
  const { output } = await conformance(["server", "--url", url, ...words, "--spec-version", revision, "-o", results]);
  const checksOf = (scenario: string) => {
    const [file, ...others] = globSync(`server-${scenario}-${"[0-9]".repeat(4)}-*/checks.json`, { cwd: results });
    assert.ok(file !== undefined && others.length === 0, `the suite left no one result of ${scenario}\n${output}`);
    return JSON.parse(readFileSync(join(results, file), "utf8")) as readonly Check[]; // as the suite writes them
  };
  return { checksOf };
}

function conformance(words: readonly string[]): Promise<{ readonly output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder(), timeout: commandMsMax, maxBuffer: 16 * 1024 * 1024 };
    // The suite's exit code says only that a check failed; which ones may, the caller knows.
    execFile(process.execPath, [suite, ...words], options, (_, stdout, stderr) => resolve({ output: stdout + stderr }));
  });
}

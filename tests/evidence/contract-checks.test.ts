/** Checks run to their end or to their limit, with all that they started, and leave a digest of what they said. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { checkProblem, runCheck } from "../../src/evidence/decide/contract-checks.ts";
import { temporaryFolder } from "../crash/folder.ts";

const environment = { PATH: process.env.PATH ?? "" };

test("a check's exit code and the digest of its output are kept", async () => {
  using folder = temporaryFolder();
  const passed = await runCheck("printf 'all %s' well", { directory: folder.path, environment });
  assert.deepEqual([passed.exitCode, passed.outputBytes, passed.isTimedOut], [0, 8, false]);
  assert.equal(passed.outputDigest, createHash("sha256").update("all well").digest("hex"));
  assert.equal(checkProblem(passed), null);
  const failed = await runCheck("pwd; echo no >&2; exit 7", { directory: folder.path, environment });
  assert.equal(failed.exitCode, 7);
  assert.equal(checkProblem(failed)?.received, "7");
  assert.match(failed.outputEnd, /no\n$/);
});

test("a check that takes too long is killed with everything that it started", async () => {
  using folder = temporaryFolder();
  const started = join(folder.path, "pid");
  const check = `sleep 600 & echo $! > ${started}; sleep 600`;
  const ended = await runCheck(check, { directory: folder.path, environment, msMax: 700 });
  assert.deepEqual([ended.exitCode, ended.isTimedOut], [null, true]);
  assert.equal(checkProblem(ended)?.received, "timed out");
  if (existsSync(started)) await untilEnded(Number(readFileSync(started, "utf8")));
});

test("what a check leaves running does not hold it up, and does not outlive it", async () => {
  using folder = temporaryFolder();
  const started = join(folder.path, "pid");
  const ended = await runCheck(`sleep 600 & echo $! > ${started}`, { directory: folder.path, environment });
  assert.equal(ended.exitCode, 0);
  await untilEnded(Number(readFileSync(started, "utf8")));
});

test("a child that left the group and holds the output open neither prolongs the check nor changes what it returned", async () => {
  using folder = temporaryFolder();
  const started = join(folder.path, "pid");
  for (const [ending, code] of [
    ["exit 0", 0],
    ["exit 3", 3],
    ["sleep 600", null],
  ] as const) {
    const check = `setsid sh -c 'echo $$ > ${started}; exec sleep 600' & while [ ! -s ${started} ]; do :; done; ${ending}`;
    const ended = await runCheck(check, { directory: folder.path, environment, msMax: 1_500 });
    const pid = Number(readFileSync(started, "utf8"));
    process.kill(pid, "SIGKILL");
    rmSync(started);
    assert.deepEqual([ended.exitCode, ended.isTimedOut], [code, code === null], ending);
    assert.ok(ended.durationMs < 60_000);
  }
});

test("a check gets the variables of the process that runs it, but none of Baton's own", async () => {
  using folder = temporaryFolder();
  const given = { ...environment, BATON_TOKEN: "secret", baton_hub: "http://127.0.0.1:1", OTHER: "kept" };
  const ended = await runCheck("env", { directory: folder.path, environment: given });
  assert.match(ended.outputEnd, /OTHER=kept/);
  assert.doesNotMatch(ended.outputEnd, /baton_/i);
});

/** Returns once no such process runs; a killed one goes when the system gets to it, which is after the kill. */
async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await setImmediate();
}

/** Whether such a process runs; one that ended and was not collected yet does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

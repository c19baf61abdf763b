/** A command in an agent's sandbox, which mounts git's folder read-only: it reads, and says what to use for the rest. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { commandMsMax, contract, environment, type Finished, folder, mainBundle } from "../e2e/command.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";
import { mountingMissing, runMounted } from "../machine/mount.ts";

const skip = mountingMissing() ?? false;

/** Runs `baton` where git's folder cannot be written. */
function inSandbox(place: string, ...words: readonly string[]): Finished {
  const mounts = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"';
  const run = runMounted(mounts, join(place, ".git"), [mainBundle, ...words], {
    cwd: place,
    env: environment(),
    timeout: commandMsMax,
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

async function repository(): Promise<string> {
  const place = join(folder(), "shop");
  mkdirSync(place);
  git(place, "init", "-q");
  await calledWithCode(0, place, ["init", "--yes", "--team", "shop"]);
  return place;
}

/** Refused, with one line that names the tools that work there. */
function pointsToTools(done: Finished): void {
  assert.equal(done.code, 1, done.stdout + done.stderr);
  assert.equal(done.stderr.split("\n").filter((line) => line.includes("MCP tools")).length, 1, done.stderr);
}

test("a sandboxed command reads the journal after a clean close and while a hub writes, and points to the MCP tools", {
  skip,
}, async () => {
  const place = await repository();
  pointsToTools(inSandbox(place, "agent", "register", "dev-1", "--role", "dev"));
  for (const [name, role] of [
    ["lead-1", "lead"],
    ["dev-1", "dev"],
  ] as const)
    await calledWithCode(0, place, ["agent", "register", name, "--role", role]);
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  assert.equal(existsSync(join(place, ".git/baton/journal.db-wal")), false, "it was closed cleanly");
  const reads = () => {
    const status = inSandbox(place, "status");
    assert.equal(status.code, 0, status.stderr);
    assert.match(status.stdout, /dev-1/);
    const log = inSandbox(place, "log");
    assert.match(log.stdout, /plan_contract lead-1/, log.stderr);
    const inbox = inSandbox(place, "inbox", "--as", "dev-1");
    assert.match(inbox.stdout, /"objective": "Implement feature X"/, inbox.stderr);
    pointsToTools(inSandbox(place, "task", "claim", "1-1-T1", "--as", "dev-1"));
  };
  reads();
  const hub = await startHub(place);
  reads();
  await hub.kill();
  assert.ok(existsSync(join(place, ".git/baton/journal.db-wal")), "a killed hub leaves its log");
  reads();
  await calledWithCode(0, place, ["agent", "register", "dev-2", "--role", "dev"]);
});

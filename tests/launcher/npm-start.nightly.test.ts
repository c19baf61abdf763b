/** `npm start` as people run it, with the built command: what ends npm ends the hub. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

const home = join(import.meta.dirname, "../..");

test("SIGTERM to npm ends the hub that npm start began", {
  skip: process.platform === "win32" && "no signals here",
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-npm-"));
  mkdirSync(join(folder, ".baton"));
  writeFileSync(join(folder, ".baton/team.yaml"), "version: 1\nteam: web\ndialects: [vbw/2]\n");
  const journal = `sqlite:${join(folder, ".baton/journal.db")}`;
  const npm = spawn("npm", ["start", "--silent", "--", "--port", "0", "--json", "--journal", journal], {
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let hub = 0;
  t.after(() => {
    npm.kill("SIGKILL");
    if (hub > 0 && isAlive(hub)) process.kill(hub, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = createInterface({ input: npm.stdout });
  const line = await new Promise<string>((resolve) => lines.once("line", resolve));
  hub = Number(JSON.parse(line).pid);
  assert.ok(isAlive(hub));
  // The hub holds npm's output open; the stream ends with the last of them. Its number may stay for a while, as long as
  // nobody asks how it ended.
  const ended = new Promise<void>((resolve) => lines.once("close", resolve));
  npm.kill("SIGTERM");
  await ended;
  await assert.rejects(fetch(new URL(JSON.parse(line).url).origin));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** `npm start` as people run it, with the built command: it plays the demo, and what ends npm ends the demo's hub. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

const home = join(import.meta.dirname, "../..");

test("SIGTERM to npm ends the hub that npm start began, and nothing of the demo stays", {
  skip: process.platform === "win32" && "no signals here",
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-npm-"));
  const npm = spawn("npm", ["start", "--silent", "--", "--json"], {
    cwd: home,
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => {
    npm.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = createInterface({ input: npm.stdout });
  const page = await new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const { event, url } = JSON.parse(line);
      if (event === "page") resolve(url);
    });
  });
  assert.ok((await fetch(new URL(page).origin)).ok);
  // Hub and agents hold npm's output open; the stream ends with the last of them.
  const ended = new Promise<void>((resolve) => lines.once("close", resolve));
  npm.kill("SIGTERM");
  await ended;
  await assert.rejects(fetch(new URL(page).origin));
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("baton-demo-")),
    [],
  );
});

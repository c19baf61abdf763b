/** Folders that the test files of one run share, such as bundles, so that each is filled once and not once a file. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";

const home = join(import.meta.dirname, "../..");
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * The folder of this name, filled by the first file of the run that needs it. It is inside the package, and goes with
 * the run; where a file runs alone, with that file.
 */
export async function sharedFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const run = process.env.BATON_TEST_RUN;
  const shared = run === undefined ? null : join(run, name);
  while (shared !== null && !mayFill(shared)) await setTimeout(20);
  if (shared !== null && existsSync(shared)) return shared;
  mkdirSync(join(home, ".tmp"), { recursive: true });
  const own = mkdtempSync(join(run ?? join(home, ".tmp"), `${name}-`));
  await fill(own);
  if (shared === null) {
    folders.push(own);
    return own;
  }
  try {
    renameSync(own, shared);
  } catch (cause) {
    // The one who was to fill it has ended, and two took over: both hold the same, and these go with the run's folder.
    assert.ok(existsSync(shared), String(cause));
  }
  return shared;
}

/** Whether the caller shall look or fill: it is filled, or nobody who still runs is about to. */
function mayFill(shared: string): boolean {
  const note = `${shared}.filling`;
  try {
    if (!existsSync(shared)) writeFileSync(note, String(process.pid), { flag: "wx" });
    return true;
  } catch (cause) {
    assert.ok(cause instanceof Error && "code" in cause && cause.code === "EEXIST", String(cause));
  }
  const pid = Number(readFileSync(note, "utf8"));
  // Between its creation and its first byte the note is empty.
  return pid !== 0 && !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // It has ended without filling the folder.
    return false;
  }
}

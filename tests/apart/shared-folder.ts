/** Folders that the test files of one run share, such as bundles, so that each is filled once and not once a file. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";

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
    // Another file of the run was quicker: both hold the same, and these go with the run's folder.
    assert.ok(existsSync(shared), String(cause));
  }
  return shared;
}

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Facts, type FileSystem, openedFiles, stampStepMsMax, systemFiles } from "./opened-files.ts";

/**
 * Where the folders are: on a disk. A file system in memory stamps a folder by the file that is removed from it, so two
 * changes within one step of its clock may bear one time.
 */
const disk = join(import.meta.dirname, "../../../../.tmp");
mkdirSync(disk, { recursive: true });

/** A real folder with a database and its log, whose changes lie long enough back to be reported from the next. */
function scratch(test: { after(done: () => void): void }) {
  const root = mkdtempSync(join(disk, "baton-files-"));
  test.after(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "journals");
  mkdirSync(folder);
  const file = join(folder, "journal.db");
  for (const name of [file, `${file}-wal`, join(folder, "other.db")]) writeFileSync(name, "");
  // Later by what must pass, so that the test need not wait for it.
  const asked: string[] = [];
  const system: FileSystem = {
    ...systemFiles,
    factsOf(path) {
      asked.push(path);
      return systemFiles.factsOf(path);
    },
    now: () => Date.now() + 60_000,
  };
  return { folder, file, probe: join(folder, "probe"), system, asked };
}

test("asks for the files only where the folder has changed", (t) => {
  const { folder, file, probe, system, asked } = scratch(t);
  const files = openedFiles(file, probe, system);
  const askedBy = () => {
    asked.length = 0;
    assert.equal(files.areInPlace(), true);
    return [...asked];
  };
  assert.deepEqual(askedBy(), [folder, file, `${file}-wal`]);
  assert.deepEqual(askedBy(), [folder]);
  writeFileSync(file, "more");
  assert.deepEqual(askedBy(), [folder]);
  writeFileSync(join(folder, "new"), "");
  assert.deepEqual(askedBy(), [folder, file, `${file}-wal`]);
  assert.deepEqual(askedBy(), [folder]);
});

for (const [what, vandalise] of [
  ["the database is removed", (file: string) => rmSync(file)],
  ["the log is removed", (file: string) => rmSync(`${file}-wal`)],
  ["another database takes its place", (file: string) => renameSync(join(file, "../other.db"), file)],
  ["the log is moved away", (file: string) => renameSync(`${file}-wal`, join(file, "../old"))],
  ["the folder is moved away", (file: string) => renameSync(join(file, ".."), join(file, "../../away"))],
  [
    "the folder is replaced and bears the old times",
    (file: string) => {
      const { folder, old } = { folder: join(file, ".."), old: join(file, "../../away") };
      renameSync(folder, old);
      mkdirSync(folder);
      for (const name of [file, `${file}-wal`]) writeFileSync(name, "");
      utimesSync(folder, 0, 0);
    },
  ],
] as const) {
  test(`notices at once that ${what}`, (t) => {
    const { file, probe, system } = scratch(t);
    const files = openedFiles(file, probe, system);
    assert.equal(files.areInPlace(), true);
    assert.equal(files.areInPlace(), true);
    vandalise(file);
    assert.equal(files.areInPlace(), false);
  });

  test(`notices in a burst of changes, as this system stamps them, that ${what}`, (t) => {
    const { folder, file, probe } = scratch(t);
    const files = openedFiles(file, probe);
    // So many looks that it has been tried how the folder is stamped, and the last change is a moment old.
    for (let look = 0; look < 10; look += 1) {
      writeFileSync(join(folder, `new-${look}`), "");
      assert.equal(files.areInPlace(), true);
    }
    assert.equal(files.areInPlace(), true);
    vandalise(file);
    assert.equal(files.areInPlace(), false);
  });
}

/** A file system that stamps in steps: the files are replaced, and the folder's time is what it was. */
function stepping(atMs: number, ctimeNs: bigint): { readonly system: FileSystem; replace(): void } {
  let ino = 1n;
  const facts = (path: string): Facts => ({ dev: 1n, ino: path === "/folder" ? 9n : ino, ctimeNs });
  const change = () => true;
  return {
    system: { factsOf: facts, put: change, remove: change, now: () => atMs },
    replace: () => (ino += 1n),
  };
}

const probe = "/folder/probe";

test("does not rely on a time that the next change may bear too", () => {
  const atMs = 1_700_000_000_500;
  const notices = (ctimeNs: bigint) => {
    const { system, replace } = stepping(atMs, ctimeNs);
    const files = openedFiles("/folder/journal.db", probe, system);
    assert.equal(files.areInPlace(), true);
    replace();
    return !files.areInPlace();
  };
  const ns = (ms: number) => BigInt(ms) * 1_000_000n + 1n;
  assert.equal(notices(ns(atMs)), true, "changed just now");
  assert.equal(notices(ns(atMs - stampStepMsMax)), true, "changed a step ago");
  assert.equal(notices(ns(atMs + 5_000)), true, "the clock went back");
  assert.equal(notices(1_600_000_000n * 1_000_000_000n), true, "a file system of whole seconds");
  // The control: two changes that bear one time, far from now, happen on no system, and would go unnoticed.
  assert.equal(notices(ns(atMs - stampStepMsMax - 1)), false);
});

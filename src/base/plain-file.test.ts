import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createPlainFile, notRegular, putEmptyFile, readPlainFile, replacePlainFile } from "./plain-file.ts";

function scratch(t: { after(done: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), "baton-plain-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const victim = join(folder, "victim");
  writeFileSync(victim, "precious");
  return { folder, victim, file: join(folder, "file") };
}

/** What may be planted under a name, and what reading it says. */
const planted: readonly (readonly [what: string, plant: (path: string, victim: string) => void, reason: RegExp])[] = [
  ["a link to a file", (path, victim) => symlinkSync(victim, path), /link/],
  ["a link that leads nowhere", (path) => symlinkSync("nowhere", path), /link/],
  ["a link to a device without an end", (path) => symlinkSync("/dev/zero", path), /link/],
  ["a pipe", (path) => execFileSync("mkfifo", [path]), /no regular file/],
  ["a folder", (path) => mkdirSync(path), /no regular file/],
  ["a file that is too large", (path) => writeFileSync(path, "x".repeat(101)), /more than 100 bytes/],
];

for (const [what, plant, reason] of planted) {
  test(`does not read ${what}`, (t) => {
    const { file, victim } = scratch(t);
    plant(file, victim);
    const read = readPlainFile(file, 100);
    assert.ok(!read.ok && reason.test(read.error), JSON.stringify(read));
  });

  test(`writes nothing through ${what}`, (t) => {
    const { folder, file, victim } = scratch(t);
    plant(file, victim);
    assert.throws(() => createPlainFile(file, "new"), { code: "EEXIST" });
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) assert.throws(() => replacePlainFile(file, "new"));
    else {
      replacePlainFile(file, "new");
      assert.equal(lstatSync(file).isFile() && readFileSync(file, "utf8"), "new");
    }
    assert.equal(readFileSync(victim, "utf8"), "precious");
    assert.deepEqual(
      readdirSync(folder).toSorted(),
      ["file", "victim"],
      "no draft stays, and no file was made elsewhere",
    );
  });

  test(`a draft's name that is taken by ${what} is freed, never written to`, (t) => {
    const { folder, file, victim } = scratch(t);
    const draft = join(folder, "draft");
    plant(draft, victim);
    if (lstatSync(draft).isDirectory()) assert.throws(() => replacePlainFile(file, "new", { draft }));
    else replacePlainFile(file, "new", { draft });
    assert.equal(readFileSync(victim, "utf8"), "precious");
    assert.equal(existsSync(join(folder, "nowhere")), false);
  });
}

test("reads a file as it is, and says null where there is none", (t) => {
  const { folder, file } = scratch(t);
  assert.deepEqual(readPlainFile(file, 100), { ok: true, value: null });
  assert.deepEqual(readPlainFile(join(folder, "victim/below"), 100), { ok: true, value: null });
  for (const text of ["", "ä", "x".repeat(100)]) {
    writeFileSync(file, text);
    const read = readPlainFile(file, 100);
    assert.equal(read.ok && read.value?.text, text);
  }
  const large = "y".repeat(10_000);
  replacePlainFile(file, large, { mode: 0o644, isSynced: true });
  const read = readPlainFile(file, 10_000);
  assert.equal(read.ok && read.value?.text, large);
  assert.equal(notRegular(file), null);
  putEmptyFile(file);
  assert.equal(readFileSync(file, "utf8"), "");
});

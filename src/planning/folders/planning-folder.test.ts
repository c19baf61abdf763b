/** What of a planning folder's names and of the tool's own variable never leads out of the project. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { folderLayout } from "./folder-record.ts";
import { readProject } from "./planning-folder.ts";

test("a planning folder that the variable names outside the project is not read", async () => {
  const home = mkdtempSync(join(tmpdir(), "baton-planning-"));
  try {
    const project = join(home, "project");
    for (const folder of ["project/plans", "elsewhere"]) mkdirSync(join(home, folder), { recursive: true });
    const { signal } = new AbortController();
    for (const named of ["../elsewhere", "..", join(home, "elsewhere")]) {
      const read = await readProject(project, named, signal);
      assert.equal(read.ok ? "read" : read.error.code, "not-found", named);
    }
    assert.ok((await readProject(project, "plans", signal)).ok, "one inside is");
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("a plan's id with two dots names no file", () => {
  const layout = folderLayout([]);
  assert.equal(layout.placeOf("01-..")?.contract, undefined);
  assert.equal(layout.placeOf("a..b-02"), null);
  assert.equal(layout.placeOf("01-02")?.contract, ".contracts/01-02.json");
});

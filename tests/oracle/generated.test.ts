import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of what the generator reads and writes; taken away at the end of the test. */
function copy(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-generated-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of [
    "scripts",
    "schemas",
    "docs/reference",
    "src/base",
    "src/message",
    "src/schema",
    "src/dialects",
    "src/team",
    "tests/corpus",
  ]) {
    cpSync(join(home, part), join(folder, part), { recursive: true });
  }
  cpSync(join(home, "package.json"), join(folder, "package.json"));
  symlinkSync(join(home, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function generate(folder: string, ...options: string[]) {
  return spawnSync(process.execPath, [join(folder, "scripts/generate.ts"), ...options], { encoding: "utf8" });
}

test("the committed files are what the definitions generate; a change, a loss and a leftover are told", (t) => {
  const folder = copy(t);
  const clean = generate(folder, "--check");
  assert.equal(clean.status, 0, clean.stderr);
  appendFileSync(join(folder, "src/dialects/vbw-2/generated/table.ts"), "\n");
  rmSync(join(folder, "schemas/yolo/2/plan_contract.json"));
  writeFileSync(join(folder, "docs/reference/vbw/2/gone.md"), "once");
  const changed = generate(folder, "--check");
  assert.equal(changed.status, 1);
  assert.deepEqual(changed.stderr.trim().split("\n").slice(1), [
    "docs/reference/vbw/2/gone.md",
    "schemas/yolo/2/plan_contract.json",
    "src/dialects/vbw-2/generated/table.ts",
  ]);
  assert.equal(generate(folder).status, 0);
  assert.equal(generate(folder, "--check").status, 0);
});

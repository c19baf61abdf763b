import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of what the generator reads and writes; taken away at the end of the test. */
function copy(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-generated-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["scripts", "schemas", "docs", "plugins", "src", "tests", "examples"]) {
    cpSync(join(home, part), join(folder, part), { recursive: true });
  }
  cpSync(join(home, "package.json"), join(folder, "package.json"));
  symlinkSync(join(home, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function generate(folder: string, ...options: string[]) {
  return spawnSync(process.execPath, [join(folder, "scripts/generate.ts"), ...options], { encoding: "utf8" });
}

test("the committed files are what the definitions generate; a change, a loss and a leftover are reported", (t) => {
  const folder = copy(t);
  const [damaged, lost, leftover] = [
    "src/messages/dialects/vbw-2/generated/table.ts",
    "schemas/yolo/2/plan_contract.json",
    "docs/reference/gone.md",
  ] as const;
  appendFileSync(join(folder, damaged), "\n");
  rmSync(join(folder, lost));
  writeFileSync(join(folder, leftover), "once");
  const changed = generate(folder, "--check");
  assert.equal(changed.status, 1);
  // These and no others: all that nobody touched is as it is generated.
  assert.deepEqual(changed.stderr.trim().split("\n").slice(1), [leftover, lost, damaged]);
  assert.equal(generate(folder).status, 0);
  for (const path of [damaged, lost])
    assert.equal(readFileSync(join(folder, path), "utf8"), readFileSync(join(home, path), "utf8"), path);
  assert.equal(existsSync(join(folder, leftover)), false);
});

/** The compiled code that calls keep for the next call: it is there, it fits, and nothing depends on it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { mainBundle } from "../e2e/command.ts";

test("a call that agents repeat keeps its compiled code, and one that is damaged or cannot be kept is compiled again", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-kept-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(dirname(mainBundle), folder, {
    recursive: true,
    filter: (path) => !/[\\/](?:\.compiled|compiled)$/.test(path),
  });
  writeFileSync(join(folder, "package.json"), readFileSync(join(import.meta.dirname, "../../package.json")));
  const run = (...words: readonly string[]): string => {
    const done = spawnSync(process.execPath, [join(folder, "main.cjs"), ...words], { cwd: folder, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  };
  const kept = () => globSync(".compiled/*/inbox-*", { cwd: folder }).map((name) => join(folder, name));
  run("agent", "list", "--help");
  assert.deepEqual(kept(), [], "of other calls Node keeps what it will");
  const shown = run("inbox", "--help");
  const files = kept();
  assert.ok(files.length > 1, "the command and a chunk");
  const made = files.map((path) => statSync(path).mtimeMs);
  assert.equal(run("inbox", "--help"), shown);
  assert.deepEqual(
    files.map((path) => statSync(path).mtimeMs),
    made,
    "what fits stays",
  );
  const whole = readFileSync(files[0] ?? "");
  for (const damaged of [Buffer.alloc(0), Buffer.from("no code"), whole.subarray(0, whole.length / 2)]) {
    for (const path of files) writeFileSync(path, damaged);
    assert.equal(run("inbox", "--help"), shown);
    for (const path of files) assert.ok(!readFileSync(path).equals(damaged), `${path} is made again`);
  }
  rmSync(join(folder, ".compiled"), { recursive: true });
  writeFileSync(join(folder, ".compiled"), "a file where the folder would be");
  assert.equal(run("inbox", "--help"), shown);
});

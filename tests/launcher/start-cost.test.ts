/** What a short command loads: a file or a part of Node that it does not need costs milliseconds at every call. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../../bin/baton.js", import.meta.url));

/** Prints what the process has loaded: files of the bundle, and parts of Node beyond those of an empty program. */
const report = `
const path = require("path");
process.on("exit", () => {
  const chunks = Object.keys(require.cache).filter((file) => file.includes("dist")).map((file) => path.basename(file));
  require("fs").writeSync(2, JSON.stringify({ chunks, parts: process.moduleLoadList }) + "\\n");
});`;

test("`send` loads few files, no YAML reader, and no part of Node that starts programs or speaks HTTP", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const preload = join(folder, "report.cjs");
  writeFileSync(preload, report);
  const run = (...words: readonly string[]) => {
    const done = spawnSync(process.execPath, ["-r", preload, command, ...words], { cwd: folder, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(done.stderr.trim().split("\n").at(-1) ?? "") as { chunks: string[]; parts: string[] };
  };
  run("init", "--kind", "solo", "--yes");
  writeFileSync(join(folder, "note.txt"), "The build is green.");
  const send = (id: string) => run("send", "note.txt", "--as", "dev-1", "--to", "lead-1", "--id", id);
  const isYaml = ({ chunks }: { chunks: string[] }) => chunks.some((chunk) => chunk.startsWith("browser-"));
  assert.ok(isYaml(send("a")), "the first command reads the team file");
  const second = send("b");
  assert.ok(!isYaml(second), "the next one takes the note");
  assert.ok(second.chunks.length <= 20, second.chunks.join(" "));
  for (const part of ["child_process", "http", "perf_hooks", "fs/promises", "internal/deps/undici/undici"])
    assert.ok(!second.parts.includes(`NativeModule ${part}`), part);

  appendFileSync(join(folder, ".baton/team.yaml"), "# changed\n");
  assert.ok(isYaml(send("c")), "a changed team file is read again");
  const note = readdirSync(join(folder, ".baton")).find((name) => name.endsWith(".team-file")) ?? "";
  const path = join(folder, ".baton", note);
  writeFileSync(path, readFileSync(path, "utf8").replace("dev-1", "dev-9"));
  assert.ok(isYaml(send("d")), "a damaged note is ignored");
});

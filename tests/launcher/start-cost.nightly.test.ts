/** What a command loads as it starts: a file or a part of Node that it does not need costs milliseconds at every call. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("`send`, `status` and `inbox` load few files, and `send` no YAML reader and no part of Node that starts programs or speaks HTTP", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const preload = join(folder, "report.cjs");
  writeFileSync(preload, report);
  const run = (...words: readonly string[]) => {
    const done = spawnSync(process.execPath, ["-r", preload, command, ...words], { cwd: folder, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(done.stderr.trim().split("\n").at(-1) ?? "") as { chunks: string[]; parts: string[] };
  };
  const isWhole = ({ chunks }: { chunks: string[] }) => chunks.some((chunk) => /^(?:rules|verdicts)-/.test(chunk));
  // In a repository, so that a report would be judged at once.
  assert.equal(spawnSync("git", ["init", "--quiet", folder]).status, 0);
  run("init", "--kind", "solo", "--yes");
  writeFileSync(join(folder, "note.txt"), "The build is green.");
  const send = (id: string) => run("send", "note.txt", "--as", "dev-1", "--to", "lead-1", "--id", id);
  const isYaml = ({ chunks }: { chunks: string[] }) => chunks.some((chunk) => chunk.startsWith("browser-"));
  assert.ok(isYaml(send("a")), "the first command reads the team file");
  const second = send("b");
  assert.ok(!isYaml(second), "the next one takes the note");
  assert.ok(!isWhole(second), "words need no rules of messages, and bring nothing about that git could confirm");
  assert.ok(second.chunks.length <= 8, second.chunks.join(" "));
  for (const part of ["child_process", "http", "perf_hooks", "fs/promises", "internal/deps/undici/undici"])
    assert.ok(!second.parts.includes(`NativeModule ${part}`), part);

  for (const words of [["status"], ["inbox"], ["task", "list"]])
    assert.ok(!isWhole(run(...words, "--as", "dev-1")), words.join(" "));
  assert.ok(isWhole(run("handoff", "list")), "what is seldom asked loads all operations");

  appendFileSync(join(folder, ".baton/team.yaml"), "# changed\n");
  assert.ok(isYaml(send("c")), "a changed team file is read again");
  const path = join(folder, ".git/baton/journal.db.team-file");
  writeFileSync(path, readFileSync(path, "utf8").replace("dev-1", "dev-9"));
  assert.ok(isYaml(send("d")), "a damaged note is ignored");
});

/** Prints what parts of Node are loaded when the program first writes to standard output. */
const reportAtOutput = `
const fs = require("fs");
const { writeSync } = fs;
fs.writeSync = (descriptor, ...rest) => {
  if (descriptor === 1) writeSync(2, JSON.stringify(process.moduleLoadList) + "\\n");
  return writeSync(descriptor, ...rest);
};`;

test("a hub says where it is before it loads what only its first request needs, and `mcp` loads nothing of HTTP", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-start-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const preload = join(folder, "report.cjs");
  writeFileSync(preload, reportAtOutput);
  const hub = spawn(process.execPath, ["-r", preload, command, "up", "--port", "0"], { cwd: folder });
  context.after(() => hub.kill("SIGKILL"));
  let said = "";
  hub.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [url] = (await once(hub.stdout.setEncoding("utf8"), "data")) as [string];
  assert.equal((await fetch(new URL("/healthz", url))).status, 200);
  hub.kill("SIGTERM");
  await once(hub, "close");
  const loaded = JSON.parse(/^\[.*\]$/m.exec(said)?.[0] ?? "[]") as string[];
  assert.ok(loaded.includes("NativeModule http"), said);
  assert.ok(!loaded.includes("NativeModule internal/deps/undici/undici"));

  writeFileSync(preload, report);
  const words = ["-r", preload, command, "mcp", "--as", "dev-1"];
  const served = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8", input: "" });
  assert.equal(served.status, 0, served.stderr);
  const { parts } = JSON.parse(served.stderr.trim().split("\n").at(-1) ?? "") as { parts: string[] };
  assert.ok(!parts.includes("NativeModule http"));
});

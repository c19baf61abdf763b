/** The compiled code that calls keep for the next call: it is there, it fits, and nothing depends on it. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { commandMsMax, mainBundle } from "../e2e/command.ts";

/** The bundled command in a folder of its own, where nothing is kept yet. */
function freshCommand(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-kept-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(dirname(mainBundle), folder, {
    recursive: true,
    filter: (path) => !/[\\/](?:\.compiled|compiled)$/.test(path),
  });
  const home = join(import.meta.dirname, "../..");
  writeFileSync(join(folder, "package.json"), readFileSync(join(home, "package.json")));
  return folder;
}

test("a call that agents repeat keeps its compiled code, and one that is damaged or cannot be kept is compiled again", (context) => {
  const folder = freshCommand(context);
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

test("a call that serves keeps the code of its start, though it be killed; one that does not come to serve keeps none", async (context) => {
  const folder = freshCommand(context);
  const serve = (...words: readonly string[]) => {
    const child = spawn(process.execPath, [join(folder, "main.cjs"), ...words], { cwd: folder, timeout: commandMsMax });
    context.after(() => child.kill("SIGKILL"));
    return child;
  };
  const kept = (call: string) => globSync(`.compiled/*/${call}-*.cjs`, { cwd: folder });
  for (const words of [["--help"], ["--port", "none"]]) await once(serve("up", ...words), "exit");
  assert.deepEqual(kept("up"), []);

  const hub = serve("up", "--port", "0");
  const ended = once(hub, "exit");
  while (kept("up").length === 0 && hub.exitCode === null) await systemClock.wait(20);
  hub.kill("SIGKILL");
  assert.equal((await ended)[1], "SIGKILL", "it was still serving");

  const silent = serve("mcp", "--as", "dev-1");
  silent.stdin.end();
  assert.equal((await once(silent, "exit"))[0], 0);
  assert.deepEqual(kept("mcp"), [], "no client spoke");
  const spoken = serve("mcp", "--as", "dev-1");
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  spoken.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  assert.equal((await once(spoken, "exit"))[0], 0);
  assert.ok(kept("mcp").length > 1);
});

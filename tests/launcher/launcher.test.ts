/**
 * The launcher in a separate package: a copy of bin/ with a substitute for the bundle. An old Node is played by this one,
 * which a preloaded file makes report older versions.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

const home = join(import.meta.dirname, "../..");

/** The launcher of a package whose `dist/cli/main.cjs` does `main`; absent: there is no dist. */
function packageWith(t: TestContext, main?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-launcher-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(home, "bin"), join(folder, "bin"), { recursive: true });
  if (main !== undefined) {
    mkdirSync(join(folder, "dist/cli"), { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "dist/cli/main.cjs"), main);
  }
  return join(folder, "bin/baton.js");
}

const said = "console.log(process.pid, process.argv.slice(2).join('|')); process.exitCode = 7;";

test("the launcher runs the command in its own process, with arguments and exit status", (t) => {
  const done = spawnSync(process.execPath, [packageWith(t, said), "send", "a b", "--json"], { encoding: "utf8" });
  assert.deepEqual([done.stdout, done.status], [`${done.pid} send|a b|--json\n`, 7]);
});

test("a Node that is too old, or whose SQLite is, says so in a sentence and how to go on, and starts nothing", (t) => {
  const launcher = packageWith(t, said);
  for (const [node, sqlite, runs] of [
    ["20.20.2", undefined, false],
    ["22.5.0", "3.51.3", false],
    ["22.22.2", "3.51.2", false],
    ["24.14.1", "3.51.2", false],
    ["22.22.3", "3.51.3", true],
    ["24.15.0", "3.51.3", true],
    ["26.0.0", "3.53.0", true],
    ["30.1.0", "4.0.0", true],
  ] as const) {
    const old = join(launcher, "../../old.cjs");
    const versions = `{ ...process.versions, node: "${node}", sqlite: ${JSON.stringify(sqlite)} }`;
    writeFileSync(old, `Object.defineProperty(process, "versions", { value: ${versions} });`);
    const done = spawnSync(process.execPath, ["--require", old, launcher], { encoding: "utf8" });
    assert.deepEqual([done.status, done.stdout !== ""], runs ? [7, true] : [1, false], node);
    if (runs) continue;
    assert.match(
      done.stderr,
      /^baton: node-too-old: this is Node \S+, and Baton needs Node 22\.22\.3, 24\.15 or newer/,
    );
    assert.ok(done.stderr.includes(`Node ${node},`) && done.stderr.includes("https://nodejs.org"));
  }
});

test("a Node that really is older says so too", (t) => {
  const older = ["/usr/bin/node", "/usr/local/bin/node"].find((place) => {
    const major = Number(spawnSync(place, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout?.split(".")[0]);
    return major >= 10 && major < 22;
  });
  if (older === undefined) return t.skip("no older Node is installed on this machine");
  const done = spawnSync(older, [packageWith(t, said)], { encoding: "utf8" });
  assert.deepEqual([done.status, done.stdout], [1, ""]);
  assert.match(done.stderr, /node-too-old/);
});

test("what the launcher asks of Node is what package.json names, and of SQLite what the journal needs", () => {
  const launcher = readFileSync(join(home, "bin/baton.js"), "utf8");
  const { engines } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { engines: { node: string } };
  assert.equal(engines.node, "^22.22.3 || ^24.15.0 || >=26.0.0");
  assert.ok(launcher.includes("Node 22.22.3, 24.15 or newer"));
  const [, least = "launcher"] = /SQLITE = (\[.*\])/.exec(launcher) ?? [];
  assert.ok(
    readFileSync(join(home, "src/journal/engines.ts"), "utf8").includes(`sqliteVersionMin = ${least} as const`),
  );
});

test("a package that is not built says so and what to do", (t) => {
  const launcher = packageWith(t);
  assert.ok(!existsSync(join(launcher, "../../dist")));
  const done = spawnSync(process.execPath, [launcher], { encoding: "utf8" });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /dist\/ is missing.\n.*npm ci/);
});

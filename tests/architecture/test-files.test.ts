/** No test file is forgotten by the runner, each runs in one process, few alone, and what takes long comes first. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inOrder, inProcesses, moduleOf, needsDisk, startsNothing, testFiles } from "../../scripts/test-files.ts";
import { temporaryFolder } from "../crash/folder.ts";

const home = join(import.meta.dirname, "../..");

test("every file that is named as a test is run; campaigns, those of the night and those with agent programs when they are asked for", () => {
  const named = globSync("{src,packages,tests,examples,scripts,bench,bin,docs}/**/*.test.ts", {
    cwd: home,
  }).toSorted();
  const [campaigns, programs] = ["long", "programs"].map((room) =>
    named.filter((file) => file.startsWith(join("tests", room))),
  ) as [string[], string[]]; // one each
  assert.ok(campaigns.length > 0 && programs.length > 0);
  const ordinary = named.filter((file) => !programs.includes(file));
  assert.deepEqual(testFiles(home, ["--long"]), ordinary);
  assert.deepEqual(testFiles(home, ["--programs"]), programs);
  const nightly = named.filter((file) => file.endsWith(".nightly.test.ts"));
  assert.ok(nightly.length > 0);
  assert.deepEqual(testFiles(home, ["--nightly"]), nightly);
  assert.deepEqual(
    testFiles(home, []),
    ordinary.filter((file) => !campaigns.includes(file) && !nightly.includes(file)),
  );
});

test("every file runs in one process; some share theirs: next to a room's sources, in a folder of a room, starting programs few by few", () => {
  const files = testFiles(home, ["--long"]);
  const processes = inProcesses(files, startsNothing(home));
  assert.deepEqual(processes.flatMap((each) => each.files).toSorted(), files);
  assert.equal(new Set(processes.map(({ name }) => name)).size, processes.length);
  const [one, other] = [join("src", "journal", "a.test.ts"), join("src", "journal", "sqlite", "b.test.ts")];
  const [alone, whole] = [join("src", "base", "c.test.ts"), join("tests", "crash", "d.test.ts")];
  const small = ["schema", "message"].map((room) => join("src", room, "j.test.ts"));
  const starting = Array.from({ length: 9 }, (_, at) => join("tests", "e2e", `k${at}.test.ts`));
  const measured = join("tests", "runtime", "shutdown-files.test.ts");
  const within = ["e", "f"].map((name) => join("tests", "page", "brief", `${name}.test.ts`));
  const plain = ["g", "h"].map((name) => join("tests", "http", `${name}.test.ts`));
  const campaign = join("tests", "long", "i.test.ts");
  const given = [alone, one, other, whole, ...within, ...plain, campaign, ...small, ...starting, measured];
  const found = inProcesses(given, (file) => plain.includes(file));
  assert.deepEqual(found, [
    { name: alone, files: [alone] },
    { name: join("src", "journal"), files: [one, other] },
    { name: whole, files: [whole] },
    { name: join("tests", "page", "brief"), files: within },
    { name: join("tests", "http"), files: plain },
    { name: campaign, files: [campaign] },
    { name: "the small rooms of src", files: small },
    { name: `${join("tests", "e2e")} with programs 1`, files: starting.slice(0, 5) },
    { name: `${join("tests", "e2e")} with programs 2`, files: starting.slice(5) },
    { name: measured, files: [measured] },
  ]);
  const modules = found.map((each) => moduleOf(home, each));
  assert.deepEqual([modules[0], modules[2]], [null, null]);
  assert.match(
    modules[1] ?? "",
    /a\.test\.ts";\n.*b\.test\.ts";\ntest\("the files of src.{1,2}journal ran to their end"/,
  );
});

test("a file starts something where it or what it imports of the tests does, be it far away", () => {
  const isPlain = startsNothing(home);
  const named = (room: string, name: string) => join("tests", room, `${name}.test.ts`);
  const answers = [
    named("requirements", "fields"),
    named("http", "bodies"),
    named("http", "up"),
    named("e2e", "workspace"),
    named("page", "long.nightly"),
    named("simulation", "simulation.nightly"),
  ].map(isPlain);
  assert.deepEqual(answers, [true, true, false, false, false, false]);
});

test("the longest comes first, then what is not known except for tests next to their source", () => {
  const [short, unknownShort] = [join("src", "a.test.ts"), join("src", "b.test.ts")];
  const [long, middle, unknown] = ["long", "middle", "unknown"].map((name) => join("tests", `${name}.test.ts`));
  const processes = [short, unknownShort, long, middle, unknown].map((name = assert.fail()) => ({
    name,
    files: [name],
  }));
  const times = new Map([
    [short, 0.1],
    [long ?? "", 30],
    [middle ?? "", 2],
  ]);
  const names = inOrder(processes, times).map(({ name }) => name);
  assert.deepEqual(names, [unknown, long, middle, short, unknownShort]);
});

test("a stray error of a test fails its process and is printed with its place, though promises are not followed", () => {
  using folder = temporaryFolder("memory");
  const strays = ["Promise.reject(new Error('lost'))", "setTimeout(() => { throw new Error('lost'); })"];
  const ended = ["", ...strays].map((stray, at) => {
    const file = join(folder.path, `stray-${at}.test.mjs`);
    const text = `import { executionAsyncId } from "node:async_hooks"; import { test } from "node:test"; import { setTimeout as wait } from "node:timers/promises";
test("one", async () => { await null; console.log("followed:", executionAsyncId()); ${stray}; await wait(5); });`;
    writeFileSync(file, text);
    const first = join(home, "scripts/test-process.ts");
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", first, file], { encoding: "utf8" });
    assert.match(stdout, /followed: 0\n/);
    return { status, place: /lost\n.*stray-\d\.test\.mjs:2:\d+/.test(stderr) };
  });
  assert.deepEqual(ended, [
    { status: 0, place: false },
    { status: 1, place: true },
    { status: 1, place: true },
  ]);
});

test("what is about a disk has its temporary files there", () => {
  const answers = [
    "tests/crash/kills.nightly.test.ts",
    "tests/machine/files.nightly.test.ts",
    "tests/http/up.test.ts",
  ].map(needsDisk);
  assert.deepEqual(answers, [true, true, false]);
});

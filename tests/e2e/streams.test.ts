/** Readers that go away, waiting, following and Ctrl-C. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, start, team, update } from "./command.ts";
import { gather } from "./gathering.ts";

test("a reader that goes away ends a long answer quietly", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  for (const words of [["log", "--follow"], ["journal", "export"], ["reference", "--schema"], ["--help"]]) {
    const child = start(place, words);
    const seen = gather(child);
    const closed = once(child, "close");
    child.stdout?.once("data", () => child.stdout?.destroy());
    // Another entry makes the follower write once more, now to nobody.
    if (words[1] === "--follow") {
      await seen.until((stdout) => stdout !== "");
      await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
    }
    const [code] = (await closed) as [number | null]; // node's own event
    assert.equal(code, 0, words.join(" "));
  }
});

test("what is sent is recorded even when nobody reads the receipt", async () => {
  const place = team();
  const child = start(place, ["send", "-", "--as", "lead-1"]);
  child.stdout?.destroy();
  child.stdin?.end(contract());
  const [code] = (await once(child, "exit")) as [number | null]; // node's own event
  assert.equal(code, 0);
  await calledWithCode(0, place, ["show", "plan_contract-1"]);
});

test("a waiting inbox answers when a message comes from another process", async () => {
  const place = team();
  const child = start(place, ["inbox", "--as", "dev-1", "--wait", "100", "--json"]);
  const seen = gather(child);
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  const done = await seen.end();
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /"plan_contract-1"/);
});

test("Ctrl-C ends waiting and following cleanly with 130", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  const follower = start(place, ["log", "--follow", "--json"]);
  const seen = gather(follower);
  await seen.until((stdout) => stdout.includes("plan_contract"));
  follower.kill("SIGINT");
  const followed = await seen.end();
  assert.deepEqual([followed.code, followed.signal], [130, null], followed.stderr);
  assert.equal(followed.stderr, "");

  // The mark is set right before the wait begins, and others can see it.
  const waiter = start(place, ["inbox", "--as", "architect-1", "--wait", "100", "--seen", "1", "--json"]);
  const waiting = gather(waiter);
  const seenBy = async () => (await calledWithCode(0, place, ["agent", "list", "--json"])).stdout;
  while (!/"agent":"architect-1".*"seen":1/.test(await seenBy())) assert.equal(waiter.exitCode, null);
  waiter.kill("SIGINT");
  const waited = await waiting.end();
  assert.deepEqual([waited.code, waited.stdout], [130, ""], waited.stderr);

  const reader = start(place, ["send", "-", "--as", "dev-1"]);
  const reading = gather(reader);
  // More than a pipe holds: once it is written, the command has read some of it and listens for Ctrl-C.
  await new Promise((resolve) => reader.stdin?.write(`half a mess${"age ".repeat(50_000)}`, resolve));
  reader.kill("SIGINT");
  const read = await reading.end();
  assert.equal(read.code, 130, read.stderr);
  assert.doesNotMatch((await calledWithCode(0, place, ["log"])).stdout, /half a mess/);
});

test("Ctrl-C ends the judging of a long file between two of its parts", async () => {
  const place = folder();
  const lines = 200_000;
  writeFileSync(join(place, "long.jsonl"), '{"type":"nothing"}\n'.repeat(lines));
  const child = start(place, ["validate", "long.jsonl", "--json"]);
  const seen = gather(child);
  await seen.until((stdout) => stdout.includes("\n"));
  child.kill("SIGINT");
  const ended = await seen.end();
  assert.deepEqual([ended.code, ended.signal, ended.stderr], [130, null, ""]);
  const answers = jsonLines(ended).length;
  assert.ok(answers > 0 && answers < lines, `${answers} answers`);
});

test("a file that is no plain one is read as its writer writes it", async () => {
  const place = folder();
  assert.equal(spawnSync("mkfifo", [join(place, "pipe.jsonl")]).status, 0);
  const child = start(place, ["validate", "pipe.jsonl", "--json"]);
  const seen = gather(child);
  const writer = createWriteStream(join(place, "pipe.jsonl"));
  writer.write(`${update()}\n`);
  await seen.until((stdout) => stdout.includes("\n"));
  writer.end(`${update()}\n`);
  const ended = await seen.end();
  assert.deepEqual([ended.code, jsonLines(ended).length], [0, 2]);
});

test("following goes on with entries of other processes, filtered, up to the limit", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  const child = start(place, ["log", "--follow", "--type", "execution_update", "--limit", "2", "--json"]);
  const seen = gather(child);
  for (const id of ["u-1", "u-2", "u-3"])
    await calledWithCode(0, place, ["send", "--as", "dev-1"], update(["src/feature.js"], { id }));
  const done = await seen.end();
  assert.equal(done.code, 0, done.stderr);
  const ids = done.stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id); // as documented
  assert.deepEqual(ids, ["u-1", "u-2"]);
});

/**
 * A device that takes nothing more behind standard output or standard error: the command says so and ends with another
 * code than a success, and a hook accepts nothing.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nextTurn } from "../../src/base/clock.ts";
import { calledWithCode } from "./called.ts";
import {
  commandMsMax,
  commandNode,
  contract,
  environment,
  folder,
  hookBundle,
  jsonLines,
  mainBundle,
  team,
} from "./command.ts";

const device = "/dev/full";
const needsDevice = { skip: existsSync(device) ? false : `${device} is Linux's` };

/** Runs a bundle with the full device behind one of its streams. */
function onFullDevice(stream: "stdout" | "stderr", line: readonly string[], directory: string, input = "") {
  const full = openSync(device, "w");
  try {
    const run = spawnSync(commandNode, [...line], {
      cwd: directory,
      input,
      stdio: ["pipe", stream === "stdout" ? full : "pipe", stream === "stderr" ? full : "pipe"],
      encoding: "utf8",
      env: environment(),
      timeout: commandMsMax,
    });
    return { code: run.status, stdout: run.stdout ?? "", stderr: run.stderr ?? "" };
  } finally {
    closeSync(full);
  }
}

test(
  "an answer that cannot be written is a failure that is reported, and refusals keep their code",
  needsDevice,
  () => {
    const place = team();
    const lines: readonly (readonly [code: number, words: readonly string[]])[] = [
      [1, ["--help"]],
      [1, ["reference", "--schema"]],
      [1, ["log", "--follow"]],
      [1, ["up", "--port", "0", "--json"]],
      [1, ["demo", "--fast"]],
      [2, ["validate", "--json", "-"]],
      [3, ["show", "17", "--json"]],
      [64, ["nonsense", "--json"]],
      [2, ["--json", "validate-message", contract()]],
    ];
    for (const [code, words] of lines) {
      const done = onFullDevice("stdout", [mainBundle, ...words], place, "{");
      assert.equal(done.code, code, `${words.join(" ")}\n${done.stderr}`);
      assert.match(done.stderr, /output-failed at standard output\n.*the disk is full\.\n.*hint/, words.join(" "));
      assert.doesNotMatch(done.stderr, /bug of baton|\n {4}at /, words.join(" "));
    }
  },
);

test("what was sent is recorded though its receipt could not be written", needsDevice, async () => {
  const place = team();
  const words = ["send", "--as", "lead-1"];
  assert.equal(onFullDevice("stdout", [mainBundle, ...words, "--json"], place, contract()).code, 1);
  const [receipt] = jsonLines(await calledWithCode(0, place, [...words, "--json"], contract()));
  assert.equal(receipt?.duplicate, true);
});

test("a hook whose answer cannot be written allows nothing", needsDevice, () => {
  for (const text of [contract(), "{}"]) {
    const done = onFullDevice("stdout", [hookBundle, "validate-message", text], folder());
    assert.equal(done.code, 2, done.stderr);
    assert.match(done.stderr, /^output-failed/);
  }
});

test("words that nobody can read change no exit code", needsDevice, () => {
  const place = team();
  assert.equal(onFullDevice("stderr", [mainBundle, "nonsense"], place).code, 64);
  assert.equal(onFullDevice("stderr", [mainBundle, "send", "--as", "dev-1"], place, contract()).code, 2);
  assert.equal(onFullDevice("stderr", [hookBundle, "{}"], place).code, 2);
});

test("a pipe that takes nothing just now gets the whole answer later, by command and hook", needsDevice, async () => {
  const place = team();
  const pipe = join(place, "pipe");
  assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
  const noting = join(place, "noting.cjs");
  writeFileSync(noting, throughPipe(pipe));
  for (const line of [
    [mainBundle, "reference", "--schema"],
    [hookBundle, "validate-message", contract()],
  ]) {
    const env = environment();
    const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      const filled = fill(descriptor);
      const child = spawn(commandNode, ["--require", noting, ...line], {
        cwd: place,
        env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = once(child, "exit");
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      assert.ok(child.stderr !== null);
      assert.equal(String((await once(child.stderr, "data"))[0]), "full\n");
      const parts: Buffer[] = [];
      for (;;) {
        const part = take(descriptor);
        if (part !== null) parts.push(part);
        else if (isOver) break;
        else await nextTurn();
      }
      const text = Buffer.concat(parts).subarray(filled).toString("utf8");
      assert.equal((await ended)[0], 0, line.join(" "));
      assert.equal(text, spawnSync(commandNode, line, { cwd: place, env, encoding: "utf8" }).stdout);
    } finally {
      closeSync(descriptor);
    }
  }
});

/**
 * Makes the pipe the standard output of a process, such that a write to it never waits (Node starts no process like that).
 * Says once on standard error that the pipe took nothing, so that nobody makes room before that.
 */
function throughPipe(pipe: string): string {
  return `const fs = require("node:fs");
const { constants, writeSync } = fs;
fs.closeSync(1);
if (fs.openSync(${JSON.stringify(pipe)}, constants.O_WRONLY | constants.O_NONBLOCK) !== 1) throw new Error("no standard output");
let noted = false;
fs.writeSync = (descriptor, ...rest) => {
  try {
    return writeSync(descriptor, ...rest);
  } catch (error) {
    if (error.code === "EAGAIN" && !noted) {
      noted = true;
      writeSync(2, "full\\n");
    }
    throw error;
  }
};
`;
}

/** Fills a pipe until it takes no more, and answers how many bytes it took. */
function fill(descriptor: number): number {
  const bytes = Buffer.alloc(4096, ".");
  for (let filled = 0; ; filled += bytes.length) {
    try {
      writeSync(descriptor, bytes);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
      return filled;
    }
  }
}

/** What is in a pipe; null: nothing just now. */
function take(descriptor: number): Buffer | null {
  const room = Buffer.alloc(65_536);
  try {
    return room.subarray(0, readSync(descriptor, room));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
    return null;
  }
}

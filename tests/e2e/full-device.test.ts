/**
 * A device that takes nothing more behind standard output or standard error: the command says so and ends with another
 * code than a success, and a hook accepts nothing.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { test } from "node:test";
import { calledWithCode } from "./called.ts";
import { commandMsMax, contract, environment, folder, hookBundle, jsonLines, mainBundle, team } from "./command.ts";

const device = "/dev/full";
const needsDevice = { skip: existsSync(device) ? false : `${device} is Linux's` };

/** Runs a bundle with the full device behind one of its streams. */
function onFullDevice(stream: "stdout" | "stderr", line: readonly string[], directory: string, input = "") {
  const full = openSync(device, "w");
  try {
    const run = spawnSync(process.execPath, [...line], {
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
      [1, ["schema"]],
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

/**
 * Calls of tools that answer what the text of a message asks for: a stop where the agent's dialect has no words for it. And
 * finished work is found by the tool as by the command.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { team } from "../e2e/command.ts";
import { place } from "../e2e/hook-call.ts";
import { git } from "../evidence/history.ts";
import { clients } from "./clients.ts";
import { codesOf, good } from "./every-tool.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

test("an agent of a team of bmad/1 alone reads how to answer a request to stop, and its call stops it", async () => {
  const directory = team({ dialects: "bmad/1" });
  const dev = await connect({ directory, words: ["mcp", "--as", "dev-1"] });
  assert.deepEqual(codesOf(await dev.call("task", { action: "stop" })), ["unknown-request"]);
  const start = ["stop", "dev-1", "--no-wait", "--reason", "phase_complete", "--deadline", "60"];
  await calledWithCode(0, directory, start);
  const read = await good(dev.call("read_inbox", {}));
  assert.match(JSON.stringify(read.data), /the MCP tool task with action stop/);
  await good(dev.call("task", { action: "stop", reason: "T3: a test fails" }));
  assert.match(
    (await calledWithCode(0, directory, ["shutdown", "status"])).stdout,
    /dev-1 +in progress, and left behind .*T3: a test fails/,
  );
  await dev.close();
});

test("completing without a commit reports the newest one that names the task, by the tool as by the command", async () => {
  const directory = place();
  await calledWithCode(0, directory, ["task", "add", "Totals carry tax", "--files", "cart.js"]);
  const dev = await connect({ directory, words: ["mcp", "--as", "dev-1"] });
  await good(dev.call("task", { action: "claim" }));
  assert.ok((await dev.call("task", { action: "complete", task: "1" })).isError, "no commit names it");
  writeFileSync(join(directory, "cart.js"), "1\n");
  git(directory, "add", "cart.js");
  const trailer = "Totals carry tax\n\nBaton-Task: 1";
  for (const words of [trailer, "More"]) {
    const who = ["-c", "user.name=dev", "-c", "user.email=d@e.invalid"];
    git(directory, ...who, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", words);
  }
  const done = await good(dev.call("task", { action: "complete", task: "1" }));
  assert.match(JSON.stringify(done.data), /verified/);
  assert.match(JSON.stringify(done.data.notes), /1 commit above it names no task and is left out/);
  await dev.close();
});

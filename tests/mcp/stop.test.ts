/** A request to stop reaches an agent whose dialect has no words for it, and the text names the call that answers it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { expectCode, team } from "../e2e/command.ts";
import { clients } from "./clients.ts";
import { codesOf, good } from "./every-tool.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

test("an agent of a team of bmad/1 alone reads how to answer a request to stop, and its call stops it", async () => {
  const directory = team({ dialects: "bmad/1" });
  const dev = await connect({ directory, words: ["mcp", "--as", "dev-1"] });
  assert.deepEqual(codesOf(await dev.call("task", { action: "stop" })), ["unknown-request"]);
  const start = ["stop", "dev-1", "--no-wait", "--reason", "phase_complete", "--deadline", "60"];
  expectCode(0, directory, start);
  const read = await good(dev.call("read_inbox", {}));
  assert.match(JSON.stringify(read.data), /the MCP tool task with action stop/);
  await good(dev.call("task", { action: "stop", reason: "T3: a test fails" }));
  assert.match(
    expectCode(0, directory, ["shutdown", "status"]).stdout,
    /dev-1 +in progress, and left behind .*T3: a test fails/,
  );
  await dev.close();
});

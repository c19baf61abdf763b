/** `baton mcp` before a hub instead of a file: the same tools, and a hub that is started again is come back to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { folder, team } from "../e2e/command.ts";
import { startHub, tokenOf, towards } from "../e2e/hub-process.ts";
import { quietPort } from "../http/quiet-port.ts";
import { clients } from "./clients.ts";
import { everyTool, good } from "./every-tool.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

test("every tool works through a hub, and goes on after the hub was killed", async () => {
  const directory = team();
  const away = folder();
  const hub = await startHub(directory, await quietPort());
  const place = async (agent: string) => {
    // The token says who it is, so --as may be left out.
    return { directory: away, words: ["mcp"], variables: { ...towards(hub, await tokenOf(directory, agent)) } };
  };
  const lead = await connect(await place("lead-1"));
  const dev = await connect(await place("dev-1"));
  await everyTool(lead, dev);
  await hub.kill();
  const unsent = { message: "Are you there?", to: ["lead-1"], id: "there-1" };
  const failed = await dev.call("send_message", unsent);
  assert.ok(failed.isError);
  assert.match(failed.text, /hub-unreachable/);
  await startHub(directory, hub.port);
  await good(dev.call("send_message", unsent));
  await Promise.all([lead.close(), dev.close()]);
  await calledWithCode(0, directory, ["show", "there-1"]);
  await calledWithCode(0, directory, ["journal", "verify"]);
});

/** MCP through a real hub, a separate process that agents reach with their credentials. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { contract, folder, team } from "../e2e/command.ts";
import { quietPort } from "../http/quiet-port.ts";
import { isLongRun } from "../run-size.ts";
import { clients } from "./clients.ts";
import { codesOf, everyTool, good, messagesOf } from "./every-tool.ts";
import { startHub } from "./hub-place.ts";

const connectSecond = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

for (const [name, connect] of Object.entries(clients)) {
  test(`${name} drives every tool through a hub`, async () => {
    const directory = team();
    const hub = await startHub(directory);
    const lead = await connect(await hub.as("lead-1"));
    const dev = await connect(await hub.as("dev-1"));
    await everyTool(lead, dev);
    await Promise.all([lead.close(), dev.close()]);
    await calledWithCode(0, directory, ["journal", "verify"]);
  });
}

// Each client speaks to standard streams in stdio.test.ts and to a hub above; what is behind the streams knows none of them.
for (const [name, connect] of Object.entries(clients).slice(0, isLongRun ? undefined : 1)) {
  test(`${name} drives every tool over standard streams and a hub behind them`, async () => {
    const directory = team();
    const hub = await startHub(directory);
    const through = async (agent: string) => {
      const { headers } = await hub.as(agent);
      const token = headers.authorization?.replace("Bearer ", "") ?? assert.fail();
      // In an empty folder: there is no journal that it could fall back on.
      return {
        directory: folder(),
        words: ["mcp", "--hub", new URL(hub.url).origin],
        variables: { BATON_TOKEN: token },
      };
    };
    const lead = await connect(await through("lead-1"));
    const dev = await connect(await through("dev-1"));
    await everyTool(lead, dev);
    await Promise.all([lead.close(), dev.close()]);
  });
}

test("a hub that is away is an answer to every tool, and the server works once it is there", async () => {
  const directory = team();
  const hub = await startHub(directory, await quietPort());
  const { headers } = await hub.as("dev-1");
  const { port, origin } = new URL(hub.url);
  await hub.kill();
  const token = headers.authorization?.replace("Bearer ", "") ?? assert.fail();
  const words = ["mcp", "--hub", origin];
  const dev = await connectSecond({ directory: folder(), words, variables: { BATON_TOKEN: token } });
  assert.deepEqual(codesOf(await dev.call("team_status")), ["hub-unreachable"]);
  await startHub(directory, Number(port));
  assert.equal((await good(dev.call("team_status"))).data.you, "dev-1");
  await dev.close();
});

test("without a credential of the hub there is no MCP", async () => {
  const hub = await startHub(team());
  for (const headers of [{}, { authorization: "Bearer baton_wrong" }]) {
    for (const [name, connect] of Object.entries(clients)) {
      await assert.rejects(connect({ url: hub.url, headers }), /401|unauthori|credential|token/i, name);
    }
  }
});

test("a hub killed between read_inbox and ack loses and doubles nothing", async () => {
  const directory = team();
  const hub = await startHub(directory, await quietPort());
  await calledWithCode(0, directory, ["send", "-", "--as", "lead-1"], contract());
  await calledWithCode(0, directory, ["send", "-", "--as", "lead-1", "--to", "dev-1", "--id", "note-1"], "note 1");
  const place = await hub.as("dev-1");
  const before = await connectSecond(place);
  const offered = messagesOf(await good(before.call("read_inbox")));
  assert.equal(offered.length, 2);
  await hub.kill();
  await assert.rejects(before.call("read_inbox"));
  // The same port, and the same credential: the journal knows it, not the hub.
  await startHub(directory, Number(new URL(place.url).port));
  assert.deepEqual(messagesOf(await good(before.call("read_inbox"))), offered);
  const left = await good(before.call("read_inbox", { ack: offered[0]?.seq ?? 0 }));
  assert.deepEqual(messagesOf(left), offered.slice(1));
  await before.close();
  await calledWithCode(0, directory, ["journal", "verify"]);
});

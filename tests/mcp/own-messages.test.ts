/**
 * A message type of the team's own over MCP: described, its schema read, sent and delivered; on a file and through a
 * hub.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, team } from "../e2e/command.ts";
import { clients, type Driver } from "./clients.ts";
import { good, messagesOf } from "./every-tool.ts";
import { startHub } from "./hub-place.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");
const guide = readFileSync(new URL("../../docs/guides/team-file.md", import.meta.url), "utf8");

/** A team with the type of the guide. */
function withOwnType(): string {
  const directory = team();
  mkdirSync(join(directory, ".baton/messages"), { recursive: true });
  writeFileSync(join(directory, ".baton/messages/risk_report.json"), /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "");
  return directory;
}

/** What an agent does with a type it does not know yet. */
async function usesOwnType(lead: Driver, dev: Driver): Promise<void> {
  const listed = await good(dev.call("describe_message"));
  assert.ok((listed.data.types as { type: string }[]).some(({ type }) => type === "risk_report"));
  const { data } = await good(dev.call("describe_message", { type: "risk_report" }));
  assert.deepEqual([data.dialect, data.senders, data.youMaySend], ["vbw/2", ["dev", "qa"], true]);
  const names = (data.fields as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names, ["risk", "level", "files"]);
  const message = { ...(data.example as object), id: "risk-1" };
  await good(dev.call("send_message", { message }));
  const faulty = await dev.call("send_message", { message: { ...message, id: "risk-2", payload: { risk: "x" } } });
  assert.ok(faulty.isError && faulty.text.includes("$.payload.level"));
  const [got] = messagesOf(await good(lead.call("read_inbox")));
  assert.deepEqual(got?.message, message);
}

test("an own type is described, sent and delivered over standard streams", async () => {
  const directory = withOwnType();
  const lead = await connect({ directory, words: ["mcp", "--as", "lead-1"] });
  const dev = await connect({ directory, words: ["mcp", "--as", "dev-1"] });
  await usesOwnType(lead, dev);
  await Promise.all([lead.close(), dev.close()]);
});

test("an own type is described, sent and delivered with a hub behind standard streams", async () => {
  const hub = await startHub(withOwnType());
  const through = async (agent: string) => {
    const { headers } = await hub.as(agent);
    const token = headers.authorization?.replace("Bearer ", "") ?? assert.fail();
    const words = ["mcp", "--hub", new URL(hub.url).origin];
    // In an empty folder: only the hub can say what the type is.
    return connect({ directory: folder(), words, variables: { BATON_TOKEN: token } });
  };
  const [lead, dev] = await Promise.all([through("lead-1"), through("dev-1")]);
  await usesOwnType(lead, dev);
  await Promise.all([lead.close(), dev.close()]);
});

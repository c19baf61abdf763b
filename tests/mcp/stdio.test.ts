/** `baton mcp` as clients start it: a process of the bundled command that speaks on its standard streams. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { contract, expectCode, folder, jsonLines, start, team, update } from "../e2e/command.ts";
import { clients, type Driver } from "./clients.ts";
import { codesOf, everyTool, good, messagesOf, toolNames } from "./every-tool.ts";

const mcp = (agent: string) => ["mcp", "--as", agent];
const connectFirst = clients["the first SDK's client"] ?? assert.fail("no such client");

for (const [name, connect] of Object.entries(clients)) {
  test(`${name} drives every tool over standard input and output`, async () => {
    const directory = team();
    const lead = await connect({ directory, words: mcp("lead-1") });
    const dev = await connect({ directory, words: mcp("dev-1") });
    await everyTool(lead, dev);
    await Promise.all([lead.close(), dev.close()]);
    await calledWithCode(0, directory, ["journal", "verify"]);
  });
}

test("an agent that is not registered gets from team_status the command that registers it", async () => {
  const directory = team();
  // Named by the environment, as a program that a person starts names it.
  const stranger = await connectFirst({ directory, words: ["mcp"], variables: { BATON_AGENT: "dev-9" } });
  const looked = await good(stranger.call("team_status"));
  assert.deepEqual(
    (looked.data.problems as { code: string }[]).map(({ code }) => code),
    ["unknown-agent"],
  );
  assert.match(looked.text, /baton agent register dev-9 --role/);
  await calledWithCode(0, directory, ["agent", "register", "dev-9", "--role", "dev"]);
  assert.equal((await good(stranger.call("team_status"))).data.problems, undefined);
  await stranger.close();
});

test("a session that nobody named has tools, and is told that it has no name", async () => {
  const nobody = await connectFirst({ directory: team(), words: ["mcp", "--program", "gemini"] });
  assert.deepEqual(codesOf(await nobody.call("read_inbox")), ["unknown-agent"]);
  await nobody.close();
});

test("a server killed between read_inbox and ack loses and doubles nothing", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "-", "--as", "lead-1"], contract());
  for (let round = 1; round <= 3; round++) {
    await calledWithCode(
      0,
      directory,
      ["send", "-", "--as", "lead-1", "--to", "dev-1", "--id", `note-${round}`],
      `note ${round}`,
    );
  }
  const before = await connectFirst({ directory, words: mcp("dev-1") });
  const offered = messagesOf(await good(before.call("read_inbox")));
  assert.equal(offered.length, 4);
  await kill(before);

  const returned = await connectFirst({ directory, words: mcp("dev-1") });
  const again = messagesOf(await good(returned.call("read_inbox")));
  assert.deepEqual(again, offered, "what was offered and not acknowledged comes again, once each");
  const left = await good(returned.call("read_inbox", { ack: offered[1]?.seq ?? 0 }));
  assert.deepEqual(messagesOf(left), offered.slice(2));
  await kill(returned);

  const last = await connectFirst({ directory, words: mcp("dev-1") });
  assert.deepEqual(
    messagesOf(await good(last.call("read_inbox"))),
    offered.slice(2),
    "what was acknowledged stays away",
  );
  await last.close();
  await calledWithCode(0, directory, ["journal", "verify"]);
});

test("a server killed after a send answers the same send with the first receipt", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "-", "--as", "lead-1"], contract());
  const before = await connectFirst({ directory, words: mcp("dev-1") });
  const first = await good(before.call("send_message", { message: update(), id: "report-1" }));
  await kill(before);
  const returned = await connectFirst({ directory, words: mcp("dev-1") });
  const second = await good(returned.call("send_message", { message: update(), id: "report-1" }));
  assert.deepEqual(second.data.receipt, { ...(first.data.receipt as object), duplicate: true });
  await returned.close();
  const waiting = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"]));
  assert.equal(waiting.length, 1);
});

test("a place without a team is an answer to every tool, and the server works once it is there", async () => {
  const directory = folder();
  const dev = await connectFirst({ directory, words: mcp("dev-1") });
  assert.deepEqual(
    (await dev.tools()).map(({ name }) => name),
    toolNames,
  );
  const missing = await dev.call("team_status");
  assert.deepEqual(codesOf(missing), ["not-initialised"]);
  assert.match(missing.text, /baton init/);
  await calledWithCode(0, directory, ["init", "--yes"]);
  const status = await good(dev.call("team_status"));
  assert.equal(status.data.journal, "ready");
  assert.deepEqual(codesOf(await dev.call("read_inbox")), ["unknown-agent"]);
  await dev.close();
});

test("a journal that is no database is an answer to every tool", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["status"]);
  const { writeFileSync } = await import("node:fs");
  for (const end of ["", "-wal", "-shm", ".head"]) rmSync(join(directory, `.baton/journal.db${end}`), { force: true });
  writeFileSync(join(directory, ".baton/journal.db"), "This is not a database at all. ".repeat(400));
  const dev = await connectFirst({ directory, words: mcp("dev-1") });
  assert.deepEqual(codesOf(await dev.call("read_inbox")), ["journal-not-database"]);
  await dev.close();
});

test("an agent must be named", () => {
  const done = expectCode(64, team(), ["mcp"]);
  assert.equal(done.stdout, "");
  assert.match(done.stderr, /--as AGENT/);
});

for (const how of ["its input is closed", "SIGTERM"] as const) {
  test(`the server ends when ${how}, while a tool waits`, async () => {
    const child = start(team(), mcp("dev-1"));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.stdin?.write(`${JSON.stringify(initialize)}\n`);
    const waiting = { name: "wait", arguments: { seconds: 300 }, _meta: { progressToken: 1 } };
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: waiting })}\n`);
    let said = "";
    for await (const chunk of child.stdout ?? []) {
      said += String(chunk);
      if (said.includes("notifications/progress")) break;
    }
    if (how === "SIGTERM") child.kill("SIGTERM");
    else child.stdin?.end();
    assert.equal(await ended, 0);
  });
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } },
};

/** Kills the server as a crash would, and forgets the client. */
async function kill(driver: Driver): Promise<void> {
  assert.ok(driver.pid !== null);
  process.kill(driver.pid, "SIGKILL");
  await driver.close();
}

/** MCP over HTTP: what the protocol demands of each request. Clients drive the tools in hub.test.ts. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { batchBytesMax } from "../../src/base/limits.ts";
import { calledWithCode } from "../e2e/called.ts";
import { team } from "../e2e/command.ts";
import { serve } from "./http-place.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "tests", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const statusCall = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "team_status", arguments: {}, _meta: meta },
};
const goodHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "team_status",
};

test("headers that say another thing than the body are refused", async () => {
  const { url } = await serve(await readyTeam());
  const post = async (headers: Record<string, string>, body: unknown = statusCall) => {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    const said = (await answer.json()) as { error?: { code: number }; result?: object }; // JSON-RPC, by the protocol
    return { status: answer.status, code: said.error?.code ?? null };
  };
  assert.deepEqual(await post(goodHeaders), { status: 200, code: null });
  const lies: readonly Record<string, string>[] = [
    { "mcp-method": "tools/list" },
    { "mcp-name": "send_message" },
    { "mcp-protocol-version": "2025-11-25" },
  ];
  for (const lie of lies) {
    assert.deepEqual(await post({ ...goodHeaders, ...lie }), { status: 400, code: -32020 }, JSON.stringify(lie));
  }
  const unknown = { ...meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const future = { ...statusCall, params: { ...statusCall.params, _meta: unknown } };
  const { status } = await post({ ...goodHeaders, "mcp-protocol-version": "2099-01-01" }, future);
  assert.equal(status, 400);
});

test("bodies that are no JSON, too large, or of another kind are refused, and the server goes on", async () => {
  const { url } = await serve(await readyTeam());
  const post = (body: string, type = "application/json") =>
    postAlone(url, { ...goodHeaders, "content-type": type }, body);
  assert.equal(await post("{"), 400);
  assert.equal(await post(JSON.stringify(statusCall), "text/plain"), 415);
  const huge = { ...statusCall, params: { ...statusCall.params, arguments: { x: "x".repeat(batchBytesMax) } } };
  assert.equal(await post(JSON.stringify(huge)), 413);
  assert.equal(await post(`${"[".repeat(100_000)}`), 400);
  assert.equal(await post(JSON.stringify(statusCall)), 200);
  for (const method of ["GET", "DELETE"]) assert.equal((await fetch(url, { method })).status, 405);
});

/** Posts on a separate connection: the server closes one whose body it did not read to the end. */
function postAlone(url: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", agent: false, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

/** A team whose definition is recorded already. */
async function readyTeam(): Promise<string> {
  const directory = team();
  await calledWithCode(0, directory, ["status"]);
  return directory;
}

/**
 * An MCP server by the name of Baton that answers each call with nothing, at once: what a hook in an agent program costs
 * without Baton's own work. It needs no package, so that nothing but the program is measured.
 */
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "baton", version: "1" },
    },
    "tools/list": { tools: [{ name: "hook", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "{}" }] },
  };
  const result = results[method] ?? {};
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

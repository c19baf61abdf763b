/** The guide says what is so: its snippets start a server, and its table has the tools that exist. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { team } from "../e2e/command.ts";
import { clients } from "./clients.ts";
import { toolNames } from "./every-tool.ts";

const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/mcp.md"), "utf8");
const connect = clients["the first SDK's client"] ?? assert.fail("no such client");

test("each snippet of the guide starts a server that has the tools", async () => {
  const snippets = [...guide.matchAll(/"?args"?(?::| =) (\[[^\]]*\])/g)].map(([, words = "[]"]) => JSON.parse(words));
  assert.equal(snippets.length, 3);
  const directory = team();
  for (const words of snippets) {
    const client = await connect({ directory, words });
    assert.equal((await client.call("team_status")).data.you, words.at(-1));
    await client.close();
  }
});

test("the guide's table lists the tools that exist", () => {
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(rows, toolNames);
});

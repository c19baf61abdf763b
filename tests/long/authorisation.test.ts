/** The long campaign of authorisation through the library, MCP and HTTP. Results go to docs/verification.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { campaign, everyPair, type Plan, rowsOf } from "../authority/campaign.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const plans = {
  library: { senders: "everyone", single: 4_000 },
  http: { senders: "everyone", single: 4_000 },
  mcp: { senders: "where departments matter", single: 0 },
} as const satisfies { readonly [name: string]: Plan };

test("every pair of sender and receiver is judged as the table says, by the library, HTTP and MCP", async (t) => {
  const seed = chosenSeed(808);
  const library = await campaign(t, "library", plans.library, seed);
  const http = await campaign(t, "http", plans.http, seed);
  const mcp = await campaign(t, "mcp", plans.mcp, seed);
  record(
    "authorisation",
    "Every type of every dialect, from each of 16 roles in each of 5 departments and in none to each of them, against one " +
      "table written by hand. A letter names every receiver; the refusal names each that may not get it, and a second letter " +
      "goes to just those that may. 4000 further letters a dialect have one receiver, of which the most go from who may send. " +
      "HTTP is a hub in a process, with a token a sender. MCP is a process a sender: there each type goes from each role in " +
      "one department of chance's choice, and in yolo/1, which alone knows departments, from each where the role may send it.",
    [...rowsOf("library", library), ...rowsOf("http", http), ...rowsOf("mcp", mcp), ["seed", seed]],
  );
  for (const each of [library, http, mcp]) {
    assert.deepEqual(each.report.wrong.slice(0, 5), []);
    assert.equal(each.found, each.turned);
  }
  assert.equal(library.pairs, everyPair);
  assert.equal(http.pairs, everyPair);
});

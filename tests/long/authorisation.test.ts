/** The long campaign of authorisation through the library, HTTP and MCP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Campaign, campaign, type DoorName, everyPair, type Plan, rowsOf } from "../authority/campaign.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const plans = {
  library: { senders: "everyone", single: 4_000 },
  http: { senders: "everyone", single: 2_000 },
  "mcp-at-hub": { senders: "everyone", single: 500 },
  mcp: { senders: "where departments matter", single: 0 },
} as const satisfies { readonly [name in DoorName]?: Plan };
const names = Object.keys(plans) as readonly (keyof typeof plans)[]; // the keys, in their order

test("every pair of sender and receiver is judged as the table says, by the library, HTTP and MCP", async (t) => {
  const seed = chosenSeed(808);
  const campaigns = new Map<keyof typeof plans, Campaign>();
  for (const name of names) {
    const began = performance.now();
    campaigns.set(name, await campaign(t, name, plans[name], seed));
    t.diagnostic(`${name}: ${Math.round((performance.now() - began) / 1000)} s`);
  }
  record(
    "authorisation",
    "Every type of every dialect, from each of 16 roles in each of 5 departments and in none to each of them, against one " +
      "table written by hand. A letter names every receiver; the refusal names each that may not get it, and a second letter " +
      "goes to just those that may. Further letters, by chance, have one receiver. HTTP and MCP at a hub are a process, with a " +
      "token a sender. MCP on standard streams is a process a sender: there each type " +
      "goes from each role in one department of chance's choice, and in yolo/1, which alone knows departments, from each " +
      "where the role may send it.",
    [...[...campaigns].flatMap(([name, each]) => rowsOf(name, each)), ["seed", seed]],
  );
  for (const [name, { report, pairs, turned, found }] of campaigns) {
    assert.deepEqual(report.wrong.slice(0, 5), [], name);
    assert.equal(found, turned, name);
    if (plans[name].senders === "everyone") assert.equal(pairs, everyPair, name);
  }
});

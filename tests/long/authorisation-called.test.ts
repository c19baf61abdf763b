/** The long campaign of authorisation through the command called in one process. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { campaign, everyPair, rowsOf } from "../authority/campaign.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

test("every pair of sender and receiver is judged by the command as the table says", async (t) => {
  const seed = chosenSeed(810);
  const command = await campaign(t, "command-called", { senders: "everyone", single: 20 }, seed);
  record(
    "authorisation-called",
    "The same through `baton send --as`, called in one process, from everybody to everybody.",
    [...rowsOf("command-called", command), ["seed", seed]],
  );
  assert.deepEqual(command.report.wrong.slice(0, 5), []);
  assert.equal(command.found, command.turned);
  assert.equal(command.pairs, everyPair);
});

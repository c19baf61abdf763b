/** The long campaign of authorisation through the command, a process a letter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { campaign, rowsOf } from "../authority/campaign.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

test("every type from every role, and from its every department, is judged by the command as the table says", async (t) => {
  const seed = chosenSeed(809);
  const command = await campaign(t, "command", { senders: "where departments matter", single: 20 }, seed);
  record(
    "authorisation-command",
    "The same through `baton send --as`, a process a letter, each to every receiver at once: each type from each role in one " +
      "department of chance's choice, and in yolo/1 from each where the role may send it.",
    [...rowsOf("command", command), ["seed", seed]],
  );
  assert.deepEqual(command.report.wrong.slice(0, 5), []);
  assert.equal(command.found, command.turned);
});

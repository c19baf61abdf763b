/** The long campaign of the lost agent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loseAgent } from "../crash/lost-agent.ts";
import { chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const skip = process.platform === "win32" ? "signal 9 needs a POSIX system" : false;

test("an agent killed 100 times loses nothing and doubles nothing", { skip }, async () => {
  const report = await loseAgent(100, chosenSeed(20_262));
  const found = report.controls.filter((problems) => problems.length > 0).length;
  record(
    "lost-agent",
    "An agent that works over MCP behind a hub is killed with signal 9 after it read its contract, after it claimed its task, after " +
      "it committed, after it reported, or at a random moment; it comes back without a memory and goes on.",
    [
      ["kills", report.kills],
      ["of them after the contract was acknowledged", report.late],
      ["reports of work, each once and with one commit", report.reports],
      ["lost, doubled, granted twice or not acknowledged", report.wrong.length],
      ["control: planted losses and doubles that the check finds", `${found} of ${report.controls.length}`],
      ["seed", report.seed],
    ],
  );
  assert.deepEqual(report.wrong, []);
  assert.equal(found, report.controls.length);
});

/** The guide for leading a team: its lines are run as they are, and print what it says that they print. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { plain } from "./both-places.ts";
import { folder } from "./command.ts";
import { runGuide } from "./guide-lines.ts";

test("the lines of the guide for leads print what it says, from the first agent to the certificate", async () => {
  const blocks = await runGuide("leading", folder());
  for (const { lines, printed, promised } of blocks) {
    if (promised !== null) assert.equal(plain(printed), plain(promised), lines);
  }
  assert.ok(blocks.filter(({ promised }) => promised !== null).length >= 6);
});

/** The guide for leading a team: its lines are run as they are, and print what it says that they print. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { plain } from "./both-places.ts";
import { folder } from "./command.ts";
import { runGuide } from "./guide-lines.ts";

test("the lines of the guide for leads print what it says, from the first agent to the certificate", async () => {
  const place = folder();
  // What an interrupted `git init` or another program leaves is no repository: work counts as done when it is reported.
  mkdirSync(join(place, ".git"));
  const blocks = await runGuide("leading", place);
  for (const { lines, printed, promised } of blocks) {
    if (promised !== null) assert.equal(plain(printed), plain(promised), lines);
  }
  assert.ok(blocks.filter(({ promised }) => promised !== null).length >= 6);
});

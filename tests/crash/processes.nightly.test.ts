/** Many processes write one journal at once: gapless, each exactly once, none refused as busy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inLongRun } from "../run-size.ts";
import { sendAtOnce } from "./processes.ts";

/** How many each of them sends. */
const each = inLongRun(1_000, 150);

test(`8 processes send ${each} messages each: gapless, exactly once, none refused`, async (context) => {
  const { acknowledged, holding } = await sendAtOnce(8, each, (process) => `dev-${process}`);
  context.diagnostic(JSON.stringify({ entries: holding.entries.length }));
  assert.equal(holding.entries.length, 8 * each);
  assert.deepEqual(
    acknowledged.filter(({ duplicate }) => duplicate === true),
    [],
  );
});

const same = inLongRun(300, 100);

test(`4 processes that send the same ${same} messages: each is recorded once, the others learn of the first`, async (context) => {
  const { acknowledged, holding } = await sendAtOnce(4, same, () => "dev-1");
  const duplicates = acknowledged.filter((each) => each.duplicate === true).length;
  context.diagnostic(JSON.stringify({ entries: holding.entries.length, duplicates }));
  assert.equal(holding.entries.length, same);
  assert.equal(duplicates, 3 * same);
});

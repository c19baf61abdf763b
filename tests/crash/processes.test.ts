/** Many processes write one journal at once: gapless, each exactly once, none refused as busy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendAtOnce } from "./processes.ts";

test("8 processes send 500 messages each: gapless, exactly once, none refused", async (context) => {
  const { acknowledged, holding } = await sendAtOnce(8, 500, (process) => `dev-${process}`);
  context.diagnostic(JSON.stringify({ entries: holding.entries.length }));
  assert.equal(holding.entries.length, 8 * 500);
  assert.deepEqual(
    acknowledged.filter((each) => each.duplicate === true),
    [],
  );
});

test("4 processes that send the same 300 messages: each is recorded once, the others learn of the first", async (context) => {
  const { acknowledged, holding } = await sendAtOnce(4, 300, () => "dev-1");
  const duplicates = acknowledged.filter((each) => each.duplicate === true).length;
  context.diagnostic(JSON.stringify({ entries: holding.entries.length, duplicates }));
  assert.equal(holding.entries.length, 300);
  assert.equal(duplicates, 3 * 300);
});

/** Many processes write one journal at once: gapless, each exactly once, none refused as busy. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "./folder.ts";
import { hold } from "./journal-subject.ts";
import { type Line, startWriter } from "./kills.ts";
import { type Acknowledgement, compare, type Holding } from "./ledger.ts";

test("8 processes send 500 messages each: gapless, exactly once, none refused", async (context) => {
  const { acknowledged, holding } = await sendAtOnce(8, 500, (process) => `dev-${process}`);
  context.diagnostic(JSON.stringify({ entries: holding.entries.length }));
  assert.equal(holding.entries.length, 8 * 500);
  assert.deepEqual(acknowledged.filter((each) => each.duplicate === true), []);
});

test("4 processes that send the same 300 messages: each stands once, the others are told of the first", async (context) => {
  const { acknowledged, holding } = await sendAtOnce(4, 300, () => "dev-1");
  const duplicates = acknowledged.filter((each) => each.duplicate === true).length;
  context.diagnostic(JSON.stringify({ entries: holding.entries.length, duplicates }));
  assert.equal(holding.entries.length, 300);
  assert.equal(duplicates, 3 * 300);
});

/** Runs so many writers at once, each as the agent it is given; every send must be acknowledged and stand. */
async function sendAtOnce(
  processes: number,
  sends: number,
  agentOf: (process: number) => string,
): Promise<{ readonly acknowledged: readonly Acknowledgement[]; readonly holding: Holding }> {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const lines: Line[] = [];
  const runs = Array.from({ length: processes }, (_, index) =>
    startWriter({ path, agent: agentOf(index), from: 0, until: sends, together: 4 }, (line) => lines.push(line)),
  );
  const codes = await Promise.all(runs.map((run) => run.ended));
  assert.deepEqual(codes, Array(processes).fill(0), runs.map((run) => run.errors()).join("\n"));
  assert.deepEqual(lines.filter((line) => line.problem !== undefined), [], "none is refused, as busy or otherwise");
  const acknowledged = lines.filter((line): line is Line & Acknowledgement => line.id !== undefined);
  assert.equal(acknowledged.length, processes * sends);
  const holding = await hold(path);
  assert.deepEqual(compare(acknowledged, holding), []);
  return { acknowledged, holding };
}

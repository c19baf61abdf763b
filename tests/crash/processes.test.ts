/** Many processes write one journal at once: gapless, each exactly once, none refused as busy. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "./folder.ts";
import { hold } from "./journal-subject.ts";
import { type Line, startWriter } from "./kills.ts";
import { type Acknowledgement, compare } from "./ledger.ts";

const processes = 8;
const sends = 500;

test("8 processes send 500 messages each, with retries under the same id: gapless and exactly once", async (context) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "journal.db");
  const lines: Line[] = [];
  const runs = Array.from({ length: processes }, (_, index) => {
    // Two processes share each agent: every message is sent twice, by different processes, and must stand once.
    const order = { path, agent: `dev-${index >> 1}`, from: 0, until: sends, together: 4 };
    return startWriter(order, (line) => lines.push(line));
  });
  const codes = await Promise.all(runs.map((run) => run.ended));
  assert.deepEqual(codes, Array(processes).fill(0), runs.map((run) => run.errors()).join("\n"));
  assert.deepEqual(lines.filter((line) => line.problem !== undefined), [], "none is refused, as busy or otherwise");
  const acknowledged = lines.filter((line): line is Line & Acknowledgement => line.id !== undefined);
  assert.equal(acknowledged.length, processes * sends);
  const holding = await hold(path);
  assert.deepEqual(compare(acknowledged, holding), []);
  assert.equal(holding.entries.length, (processes / 2) * sends);
  const duplicates = acknowledged.filter((each) => each.duplicate === true).length;
  assert.equal(duplicates, (processes / 2) * sends, "of each pair of sends one is told that it was a duplicate");
  context.diagnostic(JSON.stringify({ processes, sends, entries: holding.entries.length, duplicates }));
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { attempt, must, mustRecord, tally, team } from "../../../tests/journal/journal-subject.ts";
import { openSqliteJournal } from "./open.ts";

const alpha = team("alpha");

/** What happens when three requests arrive in one turn of the event loop, each in a separate callback. */
async function threeInOneTurn(context: TestContext, gathers: boolean): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "baton-append-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const journal = must(await openSqliteJournal(join(folder, "journal.db"), tally, { gathers }));
  mustRecord(await journal.commit(alpha, attempt()));
  const happened: string[] = [];
  const ask = async (seq: number) => {
    happened.push(`asked ${seq}`);
    happened.push(`receipt ${mustRecord(await journal.commit(alpha, attempt())).seq}`);
  };
  // Node runs microtasks between two callbacks of one turn, as it does between two sockets.
  const arrivals = [2, 3, 4].map((seq) => new Promise((resolve) => setImmediate(() => resolve(ask(seq)))));
  await Promise.all(arrivals);
  await journal.close();
  return happened;
}

test("a writer that gathers makes what one turn of the event loop brings durable together", async (t) => {
  const together = "asked 2, asked 3, asked 4, receipt 2, receipt 3, receipt 4";
  assert.equal((await threeInOneTurn(t, true)).join(", "), together);
});

test("a writer that does not gather makes each durable at once", async (t) => {
  const oneByOne = "asked 2, receipt 2, asked 3, receipt 3, asked 4, receipt 4";
  assert.equal((await threeInOneTurn(t, false)).join(", "), oneByOne);
});

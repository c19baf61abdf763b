/**
 * A journal from before facts were recorded by their names: every fact is there whole, every string inside the content.
 * It opens, verifies, reads by the names of today and goes on. Such journals are never written again nor deleted.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqliteJournal } from "../../src/journal/sqlite/index.ts";
import { contentOf } from "../../src/perform/content.ts";
import { openTeam } from "../../src/perform/open.ts";
import { teamProjection } from "../../src/perform/projection.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";

const kept = join(import.meta.dirname, "whole-facts");
const expected: unknown = JSON.parse(readFileSync(join(kept, "expected.json"), "utf8"));

function copyOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-whole-facts-"));
  t.after(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(kept, "journal.db"), join(folder, "journal.db"));
  return join(folder, "journal.db");
}

test("a journal of whole facts verifies and is read by the names of today", async (t) => {
  const opened = await openSqliteJournal(copyOf(t), teamProjection, { create: false });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using journal = opened.value;
  const [team] = await journal.teams().then((teams) => (teams.ok ? teams.value : []));
  assert.ok(team !== undefined);
  const page = await journal.read(team);
  assert.ok(page.ok);
  const read = page.value.entries.map((entry) => {
    const { seq, kind, id, hash } = entry;
    return { seq, kind, id, hash, content: contentOf(entry) };
  });
  assert.deepEqual(read, expected);
  assert.ok(page.value.entries.some(({ content }) => JSON.stringify(content).includes('"fact":{"kind"')));
  const report = await journal.verify();
  assert.ok(report.ok, JSON.stringify(report.problems));
});

test("a journal of whole facts goes on with messages of today", async (t) => {
  const path = copyOf(t);
  const open = async (agent: string) => {
    const opened = await openTeam({ journal: `sqlite:${path}`, agent });
    assert.ok(opened.ok, JSON.stringify(opened));
    return opened.value;
  };
  await using dev = await open("dev-1");
  await using lead = await open("lead-1");
  const before = await lead.inbox();
  assert.ok(before.ok);
  const said = before.value.deliveries.map(({ seq, type }) => `${seq} ${type}`);
  assert.deepEqual(said, ["3 execution_update", "4 execution_update", "5 null", "6 null", "8 approval_request"]);
  const text = `${JSON.stringify({ ...typedMessage("execution_update"), id: "today-1" }, null, 2)}\n`;
  const reply = await dev.send(text);
  assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
  const again = await dev.send(text);
  assert.ok(again.outcome === "accepted" && again.receipt.duplicate);
  const shown = await lead.show("today-1");
  assert.ok(shown.ok);
  assert.equal(shown.value.message?.text, text);
  assert.equal(shown.value.message?.fact?.kind, "progress");
  const after = await lead.inbox();
  assert.ok(after.ok);
  assert.equal(after.value.deliveries.at(-1)?.type, "execution_update");
});

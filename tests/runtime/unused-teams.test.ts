/** A hub drops what it has folded of teams that nobody uses, and serves them again as if it had not. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { newFeeds } from "../../src/doors/http/server/feed.ts";
import { openHub } from "../../src/perform/hub.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { must } from "../journal/journal-subject.ts";

const minuteMs = 60_000;
const text = "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n  dev-1: {role: dev}\n";

test("a hub drops the fold of a team that nobody used for ten minutes; streams and handles of the team go on", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-unused-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = manualClock();
  const teamFile = { path: join(folder, "team.yaml"), text };
  const opened = await openHub({ journal: join(folder, "journal.db"), teamFile, create: true, clock });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using hub = opened.value;
  const lead = must(await hub.team("web", { agent: "lead-1", via: "launcher" }));
  const board = async () => JSON.stringify(must(await lead.board()).tasks.map(({ task, files }) => ({ task, files })));
  assert.equal((await lead.addTask({ task: "T1", files: ["a.ts"] })).outcome, "accepted");
  const before = await board();
  assert.match(before, /T1/);
  const feeds = newFeeds(hub);
  const feed = must(await feeds.of("web"));
  const seen = Promise.withResolvers<number>();
  const nothing = () => undefined;
  const listener = { beat: nothing, end: nothing, dismiss: nothing, isStillWelcome: async () => true };
  assert.ok(feed.join({ ...listener, take: ({ seq }) => seen.resolve(seq) }));

  // How many folds the hub keeps: asked without a time, the journal drops and counts them.
  const kept = () => hub.journal.dropUnused?.(0);
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(minuteMs);
      must(await hub.fireDue());
    }
  };
  must(await hub.fireDue());
  await pass(9);
  assert.equal(kept(), 1, "not within ten minutes");
  assert.equal(await board(), before);
  await pass(6);
  assert.equal(await board(), before);
  await pass(6);
  assert.equal(kept(), 1, "not where it was used meanwhile");
  assert.equal(await board(), before);
  await pass(11);
  assert.equal(kept(), 0, "it is dropped");

  assert.equal(await board(), before, "the same state");
  await pass(11);
  assert.equal(kept(), 0);
  const sent = await lead.send("after that", { to: [{ role: "dev" }] });
  assert.ok(sent.outcome === "accepted", JSON.stringify(sent));
  assert.equal(await seen.promise, sent.receipt.seq, "the open stream goes on");
  feeds.close();
});

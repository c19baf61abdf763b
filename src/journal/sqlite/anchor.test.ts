import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { attempt, must, mustRecord, type Tally, tally, team } from "../../../tests/journal/journal-subject.ts";
import type { Head, Receipt } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { openSqliteJournal } from "./open.ts";

const alpha = team("alpha");
const beta = team("beta");
const owner = { agent: "owner", role: "owner", via: "launcher" } as const;

function scratch(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-anchor-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "journal.db");
}

async function open(file: string) {
  return must(await openSqliteJournal(file, tally));
}

async function fill(journal: Journal<Tally>, count: number, of = alpha): Promise<readonly Receipt[]> {
  const done = await Promise.all(Array.from({ length: count }, () => journal.commit(of, attempt())));
  return done.map((result) => {
    const committed = must(result);
    assert.ok(committed.outcome === "recorded");
    return committed.receipt;
  });
}

function anchorOf(file: string): Record<string, Head> {
  return JSON.parse(readFileSync(`${file}.head`, "utf8")) as Record<string, Head>;
}

/** A journal of 30 entries whose file went back to its first 20; the anchor knows better. */
async function regressed(file: string) {
  const before = await open(file);
  await fill(before, 20);
  await before.close();
  copyFileSync(file, `${file}.old`);
  const after = await open(file);
  const receipts = await fill(after, 10);
  await after.close();
  copyFileSync(`${file}.old`, file);
  return { journal: await open(file), receipts };
}

test("the anchor names the head after closing, and before stays within 100 entries or a second of it", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  const recordedAt: number[] = [0];
  let moves = 0;
  let before = 0;
  // Until it has moved on its own account; where it never does, an entry is found too far from it.
  while (moves < 2 || recordedAt.length <= 250) {
    mustRecord(await journal.commit(alpha, attempt()));
    recordedAt.push(performance.now());
    const seq = recordedAt.length - 1;
    const anchored = existsSync(`${file}.head`) ? (anchorOf(file).alpha?.seq ?? 0) : 0;
    if (anchored !== before) moves += 1;
    before = anchored;
    const oldest = recordedAt[anchored + 1] ?? performance.now();
    const isNear = seq - anchored <= 100 || performance.now() - oldest <= 1_000;
    assert.ok(isNear, `entry ${seq} is anchored at ${anchored}`);
  }
  const last = recordedAt.length - 1;
  const [receipt] = await fill(journal, 1, beta);
  await journal.close();
  assert.equal(anchorOf(file).alpha?.seq, last);
  assert.deepEqual(anchorOf(file).beta, { seq: 1, hash: receipt?.hash, epoch: 1 });
});

test("a journal behind its anchor can be read, not written, and says so in verify", async (t) => {
  const file = scratch(t);
  const { journal } = await regressed(file);
  const condition = journal.condition();
  assert.ok(condition.condition === "regressed");
  assert.deepEqual([condition.team, condition.head.seq, condition.anchor.seq], [alpha, 20, 30]);
  assert.equal(must(await journal.read(alpha)).entries.length, 20);
  assert.equal(must(await journal.state(alpha)).state.count, 20);
  for (const name of [alpha, beta]) {
    const refused = await journal.commit(name, attempt());
    assert.equal(!refused.ok && refused.error.code, "journal-regressed");
  }
  assert.deepEqual(
    (await journal.verify()).problems.map(({ code }) => code),
    ["journal-regressed"],
  );
  await journal.close();
  assert.equal(anchorOf(file).alpha?.seq, 30);
});

test("a journal that is gone altogether is behind its anchor too", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 3);
  await journal.close();
  rmSync(file);
  const empty = await open(file);
  assert.equal(empty.condition().condition, "regressed");
  const receipt = must(await empty.acceptLoss(alpha, owner, "the disk died"));
  assert.deepEqual([receipt.seq, receipt.epoch], [4, 2]);
  assert.ok((await empty.verify()).ok);
  await empty.close();
});

test("accepting the loss names the range, uses no seq again, and verify takes exactly that gap", async (t) => {
  const file = scratch(t);
  const { journal, receipts } = await regressed(file);
  const other = await open(file);
  const receipt = must(await journal.acceptLoss(alpha, owner, "restored from Monday's copy"));
  assert.deepEqual([receipt.seq, receipt.epoch], [31, 2]);
  assert.deepEqual(journal.condition(), { condition: "ready" });
  assert.equal(anchorOf(file).alpha?.seq, 31);
  const [notice] = must(await journal.read(alpha, { after: 20 })).entries;
  assert.equal(notice?.kind, "epoch");
  assert.match(JSON.stringify(notice?.content), /"lost":\{"first":21,"last":30\}/);
  const next = mustRecord(await journal.commit(alpha, attempt()));
  assert.deepEqual([next.seq, next.epoch, next.prevHash], [32, 2, receipt.hash]);
  // A process that had seen the loss too finds it accepted when it writes next.
  assert.equal(mustRecord(await other.commit(alpha, attempt())).seq, 33);
  assert.deepEqual((await journal.verify()).problems, []);
  const lost = await journal.verify({ presented: receipts });
  assert.deepEqual([lost.ok, lost.problems.length], [false, 10]);
  for (const { code, message, hint } of lost.problems) {
    assert.equal(code, "journal-regressed", "an accepted loss is no damage");
    assert.match(
      message,
      /^Entry \d+ is lost: the owner accepted the loss with entry 31.*"restored from Monday's copy"/u,
    );
    assert.match(hint ?? "", /Send it again/u);
  }
  await journal.close();
  await other.close();
  const again = await open(file);
  assert.deepEqual(again.condition(), { condition: "ready" });
  assert.equal(must(await again.state(alpha)).head.seq, 33);
  await again.close();
});

test("a receipt from after a restored backup says that its entry is not there, and never that the journal is damaged", async (t) => {
  const file = scratch(t);
  const { journal, receipts } = await regressed(file);
  await journal.close();
  // As on a new machine, which has no anchor.
  rmSync(`${file}.head`);
  const restored = await open(file);
  const last = receipts.slice(-1);
  const [missing] = (await restored.verify({ presented: last })).problems;
  assert.equal(missing?.code, "journal-regressed");
  assert.match(
    `${missing?.message} ${missing?.hint}`,
    /ends at entry 20.*older than the receipt, send the entry again/u,
  );
  // Once another entry has its number, only who restored it knows why.
  await fill(restored, 10);
  const [replaced] = (await restored.verify({ presented: last })).problems;
  assert.equal(replaced?.code, "journal-corrupt");
  assert.match(replaced?.hint ?? "", /older than the receipt, send the entry again\. If not: stop writing/u);
  await restored.close();
});

test("another history at the anchored entry is a regression as well", async (t) => {
  const file = scratch(t);
  const { journal } = await regressed(file);
  await journal.close();
  const anchor = readFileSync(`${file}.head`, "utf8");
  rmSync(`${file}.head`);
  const forked = await open(file);
  await fill(forked, 15);
  await forked.close();
  writeFileSync(`${file}.head`, anchor);
  const found = await open(file);
  assert.equal(found.condition().condition, "regressed");
  assert.equal((await found.verify()).ok, false);
  const receipt = must(await found.acceptLoss(alpha, owner, "the copy won"));
  assert.deepEqual([receipt.seq, receipt.epoch], [36, 2]);
  assert.ok((await found.verify()).ok);
  await found.close();
});

test("an anchor that cannot be read stops writing instead of hiding a loss", async (t) => {
  const file = scratch(t);
  const journal = await open(file);
  await fill(journal, 3);
  await journal.close();
  for (const text of ["", "[]", '{"alpha":{"seq":"3"}}', anchorOfText(file).slice(0, 30)]) {
    writeFileSync(`${file}.head`, text);
    const damaged = await open(file);
    assert.equal(damaged.condition().condition, "failed");
    const refused = await damaged.commit(alpha, attempt());
    assert.equal(!refused.ok && refused.error.code, "journal-corrupt");
    assert.equal(must(await damaged.read(alpha)).entries.length, 3);
    await damaged.close();
    assert.equal(readFileSync(`${file}.head`, "utf8"), text);
  }
  rmSync(`${file}.head`);
  const healed = await open(file);
  mustRecord(await healed.commit(alpha, attempt()));
  await healed.close();
  assert.equal(anchorOf(file).alpha?.seq, 4);
});

function anchorOfText(file: string): string {
  return readFileSync(`${file}.head`, "utf8");
}

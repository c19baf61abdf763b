/** Searching with an index: it proposes, the entries decide, and what is wrong with it costs time only. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { attempt, must, mustRecord, tally, team } from "../../../../tests/journal/journal-subject.ts";
import { gramsOf } from "../../searching.ts";
import type { SqliteJournal } from "../handle.ts";
import { openSqliteJournal } from "../index.ts";
import { catchUpSearchIndex, searchIndexPath } from "./search-index.ts";

const alpha = team("alpha");

async function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "baton-search-"));
  const path = join(folder, "journal.db");
  const journal = must(await openSqliteJournal(path, tally));
  t.after(async () => {
    await journal.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { path, journal };
}

type Any = SqliteJournal<unknown>;

async function found(journal: Any, text: string, newestFirst: boolean): Promise<readonly number[]> {
  const seqs: number[] = [];
  let at = {};
  for (;;) {
    const step = must(await journal.search(alpha, { text, newestFirst, ...at }));
    seqs.push(...step.entries.map(({ seq }) => seq));
    if (step.next === null) return seqs;
    at = newestFirst ? { before: step.next } : { after: step.next };
  }
}

async function expected(journal: Any, text: string): Promise<readonly number[]> {
  const { entries } = must(await journal.read(alpha));
  return entries
    .filter(({ content }) => JSON.stringify(content).toLowerCase().includes(text.toLowerCase()))
    .map(({ seq }) => seq);
}

const fill = async (path: string) => must(await catchUpSearchIndex(path, tally, new AbortController().signal));

test("a search finds the same with the index, without it, and where the index ends in between", async (t) => {
  const { path, journal } = await place(t);
  const piece = fc.constantFrom(
    "a",
    "B",
    "ß",
    "ẞ",
    "İ",
    "Σ",
    "é",
    "e\u0301",
    "𝄞",
    '"',
    "\\",
    "\0",
    " ",
    "AND",
    "*",
    "ab",
  );
  const words = fc.sample(
    fc.array(piece, { maxLength: 12 }).map((all) => all.join("")),
    { numRuns: 300, seed: 7 },
  );
  const half = words.length / 2;
  for (const content of words.slice(0, half)) mustRecord(await journal.commit(alpha, attempt({ content })));
  assert.equal(await fill(path), half);
  for (const content of words.slice(half)) mustRecord(await journal.commit(alpha, attempt({ content })));
  const needles = [
    ...fc.sample(
      fc.array(piece, { minLength: 1, maxLength: 5 }).map((all) => all.join("")),
      { numRuns: 150, seed: 8 },
    ),
    ...words.slice(0, 40).map((text) => text.slice(1, 8)),
  ];
  let indexed = 0;
  for (const text of needles) {
    if (gramsOf(text) !== null) indexed += 1;
    const seqs = await expected(journal, text);
    assert.deepEqual(await found(journal, text, false), seqs, JSON.stringify(text));
    assert.deepEqual(await found(journal, text, true), seqs.toReversed(), JSON.stringify(text));
  }
  assert.ok(indexed > 50, "most of these ask the index");
  assert.equal(await fill(path), words.length - half);
  for (const text of needles) assert.deepEqual(await found(journal, text, false), await expected(journal, text));
});

test("the index is asked: an entry that it leaves out is the control", async (t) => {
  const { path, journal } = await place(t);
  for (let n = 0; n < 20; n += 1) mustRecord(await journal.commit(alpha, attempt({ content: `word-${n}` })));
  await fill(path);
  const db = new DatabaseSync(searchIndexPath(path));
  db.exec("DROP TABLE t1_0");
  db.exec(
    "CREATE VIRTUAL TABLE t1_0 USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')",
  );
  db.close();
  assert.deepEqual(await found(journal, "word-7", false), []);
});

test("an index of another history, of another form, damaged or no database is not asked, and made afresh", async (t) => {
  const { path, journal } = await place(t);
  for (let n = 0; n < 20; n += 1) mustRecord(await journal.commit(alpha, attempt({ content: `word-${n}` })));
  const spoil: Readonly<Record<string, () => void>> = {
    history: () => run("UPDATE position SET hash = 'x'"),
    form: () => run("PRAGMA user_version = 99"),
    table: () => run("DROP TABLE t1_0"),
    text: () => writeFileSync(searchIndexPath(path), "no database at all ".repeat(1000)),
    pages: () => {
      const bytes = readFileSync(searchIndexPath(path));
      bytes.fill(0xaa, 4096);
      writeFileSync(searchIndexPath(path), bytes);
    },
  };
  const run = (sql: string) => {
    const db = new DatabaseSync(searchIndexPath(path));
    db.exec(sql);
    db.close();
  };
  for (const [name, act] of Object.entries(spoil)) {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${searchIndexPath(path)}${end}`, { force: true });
    await fill(path);
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    act();
    const again = must(await openSqliteJournal(path, tally));
    assert.deepEqual(await found(again, "WORD-7", false), [8], name);
    await again.close();
    await fill(path);
    const healed = must(await openSqliteJournal(path, tally));
    assert.deepEqual(await found(healed, "WORD-7", false), [8], name);
    assert.equal(must(await healed.stats()).search?.teams[0]?.indexed, 20, name);
    await healed.close();
  }
});

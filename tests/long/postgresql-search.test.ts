/**
 * The index for searching on PostgreSQL, attacked by playing: random entries by processes that are killed while they fill
 * it, a server that is killed in between, and random searches whose every answer is compared with what reading finds.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { Entry } from "../../src/journal/entry.ts";
import type { Found, Journal } from "../../src/journal/journal.ts";
import { openPostgresJournal } from "../../src/journal/postgres/open.ts";
import { isFound } from "../../src/journal/searching.ts";
import { must, type Tally, tally } from "../../src/testing/journal-subject.ts";
import { type Chance, chanceFrom, chosenSeed } from "../crash/seed.ts";
import { alpha } from "../engines/held.ts";
import { skip, startServer } from "../engines/postgres/server.ts";
import { sql } from "../engines/postgres/sql.ts";
import { record } from "./record.ts";
import { randomQuestion } from "./search-texts.ts";

const rounds = Number(process.env.BATON_TEST_ROUNDS ?? 12);
const searchesEach = Number(process.env.BATON_TEST_SEARCHES ?? 200);
const open = async (url: string) => must(await openPostgresJournal(url, tally, { waitMs: 60_000 }));

/** Where a search looks, and how. */
interface Range {
  readonly after: number;
  readonly before: number;
  readonly newestFirst: boolean;
}

test("searches find what reading finds, while hubs and the server are killed", { skip }, async () => {
  const seed = chosenSeed(1907);
  const chance = chanceFrom(seed);
  const server = await startServer(mkdtempSync("/dev/shm/baton-postgres-"));
  const found = { searches: 0, answers: 0, hubKills: 0, serverKills: 0, wrong: [] as string[], byIndex: 0, read: 0 };
  try {
    const url = server.newUrl();
    await (await open(url)).close();
    for (let round = 0; round < rounds; round += 1) {
      const fillers = [0, 1].map((each) => startFiller(url, 2 * round + each + seed));
      // Killed somewhere in a round of entries or of filling, which differ in length.
      await Promise.all(fillers.map((each) => advanced(each, 1 + chance.below(3))));
      if (round % 2 === 1) {
        await server.crash();
        found.serverKills += 1;
        await server.start();
        await Promise.all(fillers.map((each) => advanced(each, 1)));
      }
      for (const { child } of fillers) {
        child.kill("SIGKILL");
        await once(child, "exit");
        found.hubKills += 1;
      }
      await using journal = await open(url);
      const entries = await everyEntry(journal);
      const texts = entries.map(({ content }) => String((content as { readonly text?: string }).text));
      for (let count = 0; count < searchesEach; count += 1) {
        const text = randomQuestion(texts, chance);
        const range = randomRange(entries.length, chance);
        const wanted = scanned(entries, text, range);
        const { seqs, examined } = await searched(journal, text, range);
        found.searches += 1;
        found.answers += seqs.length;
        found.byIndex += examined;
        found.read += Math.max(0, Math.min(range.before, entries.length + 1) - range.after - 1);
        if (JSON.stringify(seqs) !== JSON.stringify(wanted))
          found.wrong.push(`round ${round}: ${JSON.stringify({ text, ...range })} ${seqs.length} not ${wanted.length}`);
      }
    }
    const lost = await foundWithoutGroup(url, chance);
    const [size] = await sql(url, "SELECT count(*) AS entries FROM entry");
    record(
      "postgresql-search",
      "Two processes record random entries and fill the index until both are killed with signal 9; every second time all processes of the server are killed, too. Then random searches, in either direction and within random numbers, are compared with reading everything.",
      [
        ["entries", String(size?.entries)],
        ["killed while filling, server killed", `${found.hubKills}, ${found.serverKills}`],
        ["searches, entries found", `${found.searches}, ${found.answers}`],
        ["searches that found anything else than reading", found.wrong.length],
        ["entries that searches counted, and reading them all would have", `${found.byIndex}, ${found.read}`],
        ["control: of 200 searches wrong after a tenth of the index's rows was emptied", lost],
        ["seed", seed],
      ],
    );
    assert.deepEqual(found.wrong, []);
    assert.ok(found.byIndex < found.read, "the index is used");
    assert.ok(lost > 0, "the comparison finds what an index leaves out");
  } finally {
    await server.stop();
  }
});

interface Filler {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

function startFiller(url: string, seed: number): Filler {
  const words = [join(import.meta.dirname, "search-filler.ts"), url, String(seed)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  assert.ok(child.stdout !== null);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Waits until it has recorded and filled so many times more. */
async function advanced({ lines }: Filler, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) assert.equal((await lines.next()).done, false, "the process goes on");
}

async function everyEntry(journal: Journal<Tally>): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { readonly entries: readonly Entry[]; readonly next: number | null } = must(
      await journal.read(alpha, { after, limit: 1_000 }),
    );
    entries.push(...page.entries);
    after = page.next;
  }
  return entries;
}

function randomRange(entries: number, chance: Chance): Range {
  const newestFirst = chance.below(2) === 0;
  if (chance.below(2) === 0) return { after: 0, before: entries + 1, newestFirst };
  const after = chance.below(entries);
  return { after, before: after + 1 + chance.below(entries + 1 - after), newestFirst };
}

function scanned(entries: readonly Entry[], text: string, { after, before, newestFirst }: Range): readonly number[] {
  const seqs = entries
    .filter((entry) => entry.seq > after && entry.seq < before && isFound(tally, entry, text))
    .map(({ seq }) => seq);
  return newestFirst ? seqs.toReversed() : seqs;
}

async function searched(
  journal: Journal<Tally>,
  text: string,
  range: Range,
): Promise<{ readonly seqs: readonly number[]; readonly examined: number }> {
  const seqs: number[] = [];
  let examined = 0;
  let { after, before } = range;
  for (;;) {
    const step: Found = must(await journal.search(alpha, { text, after, before, newestFirst: range.newestFirst }));
    seqs.push(...step.entries.map(({ seq }) => seq));
    examined += step.examined;
    if (step.next === null) return { seqs, examined };
    if (range.newestFirst) before = step.next;
    else after = step.next;
  }
}

/** Searches that miss something once a part of the index is emptied, of which nothing else knows. */
async function foundWithoutGroup(url: string, chance: Chance): Promise<number> {
  await sql(url, "UPDATE search SET grams = '{}' WHERE seq % 10 = 0");
  await using journal = await open(url);
  const entries = await everyEntry(journal);
  const texts = entries.map(({ content }) => String((content as { readonly text?: string }).text));
  let wrong = 0;
  for (let count = 0; count < 200; count += 1) {
    const text = randomQuestion(texts, chance);
    const range = { after: 0, before: entries.length + 1, newestFirst: false };
    const { seqs } = await searched(journal, text, range);
    if (JSON.stringify(seqs) !== JSON.stringify(scanned(entries, text, range))) wrong += 1;
  }
  return wrong;
}

/**
 * The damage campaign: changes a closed journal's files (a bit flipped, two pages swapped, the log cut short), reads
 * everything back through the journal's contract, and asks `verify`. Whatever can be seen to differ must be reported.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Receipt } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { CrashedJournal } from "./crashed-journal.ts";
import { temporaryFolder, writeImage } from "./folder.ts";
import { attemptOf, bytesAt, crashTeam, openJournal, type Tally, tally } from "./journal-subject.ts";
import type { Chance } from "./seed.ts";

/** One change of the files, in words and as the files after it. */
export interface Damage {
  readonly what: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

export interface DamageReport {
  readonly damages: number;
  /** Damages after which something read through the contract differed, or could not be read. */
  readonly visible: number;
  /** Of these: what verify did not report, and reading that would never end, in words. Must stay empty. */
  readonly unreported: readonly string[];
  /** Damages that changed nothing visible and were reported all the same (unused bytes that SQLite or the chain checks). */
  readonly reportedInvisible: number;
  /** Of the visible ones: how many SQLite's own integrity check does not see. The negative control. */
  readonly missedByIntegrityCheck: number;
}

/** Does each damage to a fresh copy; `presented`: receipts that a client shows to verify. */
export async function damageJournal(
  journal: CrashedJournal,
  damages: Iterable<Damage>,
  presented: readonly Receipt[] = [],
): Promise<DamageReport> {
  using folder = temporaryFolder("memory");
  const path = join(folder.path, "copy", "journal.db");
  const lay = (files: ReadonlyMap<string, Buffer>): void => writeImage(files, join(folder.path, "copy"));
  lay(journal.files);
  const sound = await observe(path, journal.receipts);
  lay(journal.files);
  if (await isReported(path, presented)) throw new Error("verify reports a journal that nobody damaged");
  const report = {
    damages: 0,
    visible: 0,
    unreported: [] as string[],
    reportedInvisible: 0,
    missedByIntegrityCheck: 0,
  };
  for (const damage of damages) {
    report.damages++;
    lay(damage.files);
    const observed = await observe(path, journal.receipts);
    if (observed.includes(circle)) report.unreported.push(`${damage.what}: ${circle}`);
    const isVisible = observed !== sound;
    lay(damage.files);
    const reported = await isReported(path, presented);
    if (isVisible) {
      report.visible++;
      if (!reported) report.unreported.push(damage.what);
      lay(damage.files);
      if (passesIntegrityCheck(path)) report.missedByIntegrityCheck++;
    } else if (reported) report.reportedInvisible++;
  }
  return report;
}

/** A reader that pages on would never end: worse than any answer. */
const circle = "the pages of entries go round in a circle";

/** Everything that the contract lets a user see, as one string; a problem is part of what is seen. */
async function observe(path: string, receipts: readonly Receipt[]): Promise<string> {
  const opened = await openJournal(path);
  if (!opened.ok) return `does not open: ${opened.error.code}`;
  await using journal = opened.value;
  const seen: unknown[] = [journal.condition().condition, await journal.teams()];
  for (const receiver of [undefined, "lead-1", "qa-1"]) {
    for (let after: number | null = 0; after !== null; ) {
      const page = await journal.read(crashTeam, receiver === undefined ? { after } : { after, receiver });
      seen.push(page);
      const next = page.ok ? page.value.next : null;
      after = next !== null && next <= after ? null : next;
      if (after !== next) seen.push(circle);
    }
  }
  const state = await journal.state(crashTeam);
  seen.push(state.ok ? [state.value.head, tally.encode(state.value.state)] : state.error.code);
  seen.push(await journal.marks(crashTeam, "lead-1"), await journal.marks(crashTeam, "qa-1"));
  seen.push(...(await repeats(journal, receipts)));
  return JSON.stringify(seen);
}

/** What a client sees that looks for its messages, and sends them again: the first receipts. */
async function repeats(journal: Journal<Tally>, receipts: readonly Receipt[]): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const [position, receipt] of receipts.entries()) {
    seen.push(await journal.find(crashTeam, receipt.id ?? ""));
    const committed = await journal.commit(
      crashTeam,
      attemptOf(`dev-${position % 3}`, `m-${position}`, bytesAt(position) / 4),
    );
    if (!committed.ok) seen.push(committed.error.code);
    else seen.push(committed.value.outcome === "declined" ? "declined" : committed.value.receipt);
  }
  return seen;
}

async function isReported(path: string, presented: readonly Receipt[]): Promise<boolean> {
  const opened = await openJournal(path);
  if (!opened.ok) return true;
  await using journal = opened.value;
  const report = await journal.verify({ presented });
  return !report.ok;
}

function passesIntegrityCheck(path: string): boolean {
  try {
    const database = new DatabaseSync(path);
    try {
      const row = database.prepare("PRAGMA integrity_check").get();
      return row?.integrity_check === "ok";
    } finally {
      database.close();
    }
  } catch {
    // SQLite refuses the file altogether: that is seeing the damage.
    return false;
  }
}

/** `count` single bits flipped, in database and write-ahead log alike. */
export function* bitFlips(journal: CrashedJournal, count: number, chance: Chance): Generator<Damage> {
  for (let flip = 0; flip < count; flip++) {
    const name = flip % 2 === 0 ? "journal.db" : "journal.db-wal";
    const content = Buffer.from(fileOf(journal, name));
    const bit = chance.below(content.length * 8);
    content.writeUInt8(content.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    yield { what: `${name}: bit ${bit & 7} of byte ${bit >> 3}`, files: new Map([...journal.files, [name, content]]) };
  }
}

/** `count` pairs of whole pages of the database swapped. */
export function* pageSwaps(journal: CrashedJournal, count: number, chance: Chance): Generator<Damage> {
  const database = fileOf(journal, "journal.db");
  const pageBytes = database.readUInt16BE(16) === 1 ? 65_536 : database.readUInt16BE(16);
  const pages = database.length / pageBytes;
  for (let swap = 0; swap < count; swap++) {
    const [one, other] = [chance.below(pages), chance.below(pages)];
    const content = Buffer.from(database);
    database.copy(content, one * pageBytes, other * pageBytes, (other + 1) * pageBytes);
    database.copy(content, other * pageBytes, one * pageBytes, (one + 1) * pageBytes);
    yield {
      what: `pages ${one + 1} and ${other + 1} swapped`,
      files: new Map([...journal.files, ["journal.db", content]]),
    };
  }
}

/** `count` cuts of the write-ahead log at any byte, then the log left out whole. */
export function* logCuts(journal: CrashedJournal, count: number, chance: Chance): Generator<Damage> {
  const log = fileOf(journal, "journal.db-wal");
  for (let cut = 0; cut < count; cut++) {
    const length = chance.below(log.length);
    yield {
      what: `log cut to ${length} of ${log.length} bytes`,
      files: new Map([...journal.files, ["journal.db-wal", log.subarray(0, length)]]),
    };
  }
  yield { what: "log left out", files: new Map([...journal.files].filter(([name]) => name !== "journal.db-wal")) };
}

function fileOf(journal: CrashedJournal, name: string): Buffer {
  const content = journal.files.get(name);
  if (content === undefined || content.length === 0) throw new Error(`the crashed journal has no ${name}`);
  return content;
}

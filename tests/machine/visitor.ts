/**
 * A user of a journal in a difficult place, run as its own process: opens it, sends until something is refused, makes
 * room when asked, sends again, and prints what it saw as one JSON object.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Problem } from "../../src/base/problem.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { attemptOf, crashTeam, hold, openJournal, type Tally } from "../crash/journal-subject.ts";
import { type Acknowledgement, compare } from "../crash/ledger.ts";

export interface Visit {
  readonly path: string;
  readonly agent: string;
  /** Sends at most this many messages of 4,000 bytes, stopping at the first problem. */
  readonly sends: number;
  /** A file that takes the room; removing it frees the disk, after which as many are sent again as `sendsAfter`. */
  readonly ballast?: { readonly path: string; readonly bytes: number };
  readonly sendsAfter?: number;
}

export interface VisitReport {
  readonly opening: Problem | null;
  readonly condition: string | null;
  readonly acknowledged: number;
  /** The first refused send. */
  readonly refusal: Problem | null;
  /** How many entries could be read after the refusal, in the same process. */
  readonly readable: number | null;
  readonly conditionAfterRefusal: string | null;
  /** The first refused send after room was made. */
  readonly refusalAfter: Problem | null;
  /** Everything wrong in the end: something acknowledged missing, a gap, a failed verify. */
  readonly wrong: readonly string[];
}

const visit = JSON.parse(process.argv[2] ?? "") as Visit; // the parent test's own words
const given: Acknowledgement[] = [];

async function send(journal: Journal<Tally>, from: number, until: number): Promise<Problem | null> {
  for (let position = from; position < until; position++) {
    const id = `${visit.agent}-${position}`;
    const committed = await journal.commit(crashTeam, attemptOf(visit.agent, id, 4_000));
    if (!committed.ok) return committed.error;
    if (committed.value.outcome !== "declined")
      given.push({ id, seq: committed.value.receipt.seq, hash: committed.value.receipt.hash });
  }
  return null;
}

async function visited(): Promise<VisitReport> {
  if (visit.ballast !== undefined) writeFileSync(visit.ballast.path, Buffer.alloc(visit.ballast.bytes));
  const opened = await openJournal(visit.path);
  const unopened = {
    condition: null,
    acknowledged: 0,
    refusal: null,
    readable: null,
    conditionAfterRefusal: null,
    refusalAfter: null,
    wrong: [],
  };
  if (!opened.ok) return { opening: opened.error, ...unopened };
  const journal = opened.value;
  const condition = journal.condition().condition;
  const refusal = await send(journal, 0, visit.sends);
  const page = await journal.read(crashTeam, {});
  const readable = page.ok ? page.value.entries.length : null;
  const conditionAfterRefusal = journal.condition().condition;
  if (visit.ballast !== undefined && existsSync(visit.ballast.path)) rmSync(visit.ballast.path);
  const sent = given.length;
  const refusalAfter = visit.sendsAfter === undefined ? null : await send(journal, sent, sent + visit.sendsAfter);
  await journal.close();
  const wrong = compare(given, await hold(visit.path));
  return {
    opening: null,
    condition,
    acknowledged: given.length,
    refusal,
    readable,
    conditionAfterRefusal,
    refusalAfter,
    wrong,
  };
}

process.stdout.write(JSON.stringify(await visited()));

/**
 * Builds a journal that still has a write-ahead log, and ends without tidying up, as after a crash: the first entries
 * are checkpointed into the database, the later ones are in the log alone. The journal itself is closed properly in
 * between, so its anchor names the last entry.
 *
 * Argument: a `BuildOrder` as JSON. Prints the receipts, one a line.
 */
import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Journal } from "../../src/journal/journal.ts";
import { attemptOf, bytesAt, crashTeam, openJournal, type Tally } from "./journal-subject.ts";

export interface BuildOrder {
  readonly path: string;
  readonly checkpointed: number;
  readonly logged: number;
  /** Whether the marks are raised after the last entry, so that the end of the log holds them alone; else before it. */
  readonly marksLast?: boolean;
}

const order = JSON.parse(process.argv[2] ?? "") as BuildOrder; // the parent test's own words

async function write(from: number, until: number): Promise<void> {
  const opened = await openJournal(order.path);
  if (!opened.ok) throw new Error(`${opened.error.code}: ${opened.error.message}`);
  const journal = opened.value;
  for (let position = from; position < until; position++) {
    if (position === until - 1 && order.marksLast !== true) await raiseMarks(journal, from, position);
    const attempt = attemptOf(`dev-${position % 3}`, `m-${position}`, bytesAt(position) / 4);
    const committed = await journal.commit(crashTeam, attempt);
    if (!committed.ok || committed.value.outcome !== "recorded") throw new Error(JSON.stringify(committed));
    writeSync(1, `${JSON.stringify(committed.value.receipt)}\n`);
  }
  if (order.marksLast === true) await raiseMarks(journal, from, until);
  await journal.close();
}

async function raiseMarks(journal: Journal<Tally>, seen: number, offered: number): Promise<void> {
  for (const agent of ["lead-1", "qa-1"]) {
    const marked = await journal.mark(crashTeam, agent, { offered, seen });
    if (!marked.ok) throw new Error(marked.error.message);
  }
}

await write(0, order.checkpointed);
// A second connection with an open snapshot keeps the log from being folded into the database when the journal closes.
const witness = new DatabaseSync(order.path);
witness.exec("BEGIN");
witness.prepare("SELECT count(*) FROM sqlite_schema").get();
await write(order.checkpointed, order.checkpointed + order.logged);
process.kill(process.pid, "SIGKILL");

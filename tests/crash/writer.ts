/**
 * A writer of the journal, run as its own process by the destructive tests. It sends numbered messages, several at a
 * time, and reports each receipt only after it holds it: as a line on standard output, or appended to a file.
 *
 * Argument: a `WriterOrder` as JSON. Lines: `{"ready":true}`, acknowledgements, `{"problem":CODE,"id":ID}`, and at the
 * end `{"condition":…}`.
 */
import { appendFileSync, writeSync } from "node:fs";
import type { Receipt } from "../../src/journal/entry.ts";
import { attemptOf, bytesAt, crashTeam, openJournal } from "./journal-subject.ts";

export interface WriterOrder {
  readonly path: string;
  readonly agent: string;
  /** Positions to send: from `from` to before `until`, without those in `done`. */
  readonly from: number;
  readonly until: number;
  readonly done?: readonly number[];
  /** How many are under way at once. */
  readonly together: number;
  readonly durability?: "fsync" | "os";
  /** The planted bug: report before the commit. */
  readonly early?: boolean;
  /** Where acknowledgements go; absent: standard output. */
  readonly acknowledgements?: string;
}

const order = JSON.parse(process.argv[2] ?? "") as WriterOrder; // the parent test's own words
const done = new Set(order.done);

/** Writes a whole line at once and before going on, so that what was reported is known even after a kill. */
function say(line: object): void {
  const text = `${JSON.stringify(line)}\n`;
  if (order.acknowledgements === undefined) writeSync(1, text);
  else appendFileSync(order.acknowledgements, text);
}

function reportReceipt(id: string, receipt: Receipt): void {
  say({ id, seq: receipt.seq, hash: receipt.hash, duplicate: receipt.duplicate, receipt });
}

/** Sends what the order says. In a function, because the tests bundle this file as CommonJS, which starts sooner. */
async function write(): Promise<void> {
  const opened = await openJournal(order.path, order.durability);
  if (!opened.ok) {
    say({ problem: opened.error.code, message: opened.error.message });
    process.exit(3);
  }
  const journal = opened.value;
  say({ ready: true });
  for (let position = order.from; position < order.until; position += order.together) {
    const group = Array.from({ length: order.together }, (_, index) => position + index).filter(
      (each) => each < order.until && !done.has(each),
    );
    await Promise.all(
      group.map(async (each) => {
        const id = `${order.agent}-${each}`;
        if (order.early === true) say({ id });
        const committed = await journal.commit(crashTeam, attemptOf(order.agent, id, bytesAt(each)));
        if (!committed.ok) say({ problem: committed.error.code, id });
        else if (committed.value.outcome === "declined") say({ problem: "declined", id });
        else if (order.early !== true) reportReceipt(id, committed.value.receipt);
      }),
    );
  }
  say({ condition: journal.condition().condition });
  await journal.close();
}

void write();

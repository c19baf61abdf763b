/**
 * A separate process that works on a journal, for the multi-process tests. Orders: commit FILE AGENT COUNT commits
 * COUNT entries one after another and prints how each went follow FILE COUNT prints when each of the first COUNT
 * entries came echo prints when each line of standard input came hold FILE holds the write lock until standard input
 * ends; prints `held` and `freed`
 */
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { openSqliteJournal } from "../../src/journal/sqlite/index.ts";
import { attempt, must, tally, team } from "./journal-subject.ts";

const alpha = team("alpha");
const [order = "", file = "", ...rest] = process.argv.slice(2);
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

const orders: Record<string, () => Promise<void>> = {
  async commit() {
    const [agent = "", count = "0"] = rest;
    const journal = must(await openSqliteJournal(file, tally));
    const seqs: number[] = [];
    const refused: string[] = [];
    for (let index = 0; index < Number(count); index += 1) {
      const done = await journal.commit(alpha, attempt({ agent, id: `${agent}-${index}`, content: { index } }));
      if (done.ok && done.value.outcome === "recorded") seqs.push(done.value.receipt.seq);
      else refused.push(done.ok ? done.value.outcome : done.error.code);
    }
    await journal.close();
    print({ seqs, refused });
  },
  async follow() {
    const journal = must(await openSqliteJournal(file, tally));
    print("following");
    let left = Number(rest[0]);
    for await (const entry of journal.follow(alpha, { after: 0, signal: new AbortController().signal })) {
      print({ seq: entry.seq, at: Number(process.hrtime.bigint() / 1000n), content: entry.content });
      left -= 1;
      if (left === 0) break;
    }
    await journal.close();
  },
  async echo() {
    print("listening");
    for await (const _ of createInterface({ input: process.stdin }))
      print({ at: Number(process.hrtime.bigint() / 1000n) });
  },
  async hold() {
    const database = new DatabaseSync(file);
    database.exec("BEGIN IMMEDIATE");
    print("held");
    for await (const _ of process.stdin);
    database.exec("COMMIT");
    database.close();
    print("freed");
  },
};

await orders[order]?.();

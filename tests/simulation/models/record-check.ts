/**
 * The record itself: gapless, chained, each operation once, and every receipt confirmed. Written from
 * docs/protocol/record.md, sections 2, 3, 4 and 7.
 */
import { sha256 } from "../../../src/base/canonical.ts";
import type { Entry, Receipt } from "../../../src/journal/entry.ts";
import type { Seen, Wrong } from "./seen.ts";

export interface RecordCheck {
  readonly entries: readonly Entry[];
  take(seen: Seen): void;
  /** A receipt that the core gave out. */
  takeReceipt(receipt: Receipt): void;
  /** Compares every receipt ever given with the current entries, and each hash with its text. */
  checkAll(held: readonly Entry[]): void;
}

const firstPrevious = "0".repeat(64);

/** Nothing recorded. */
export function newRecordCheck(wrong: Wrong): RecordCheck {
  const entries: Entry[] = [];
  const holders = new Map<string, number>();
  const receipts = new Map<number, Receipt>();
  return {
    entries,
    take({ entry }) {
      const last = entries.at(-1);
      if (entry.seq !== entries.length + 1) wrong(`entry ${entry.seq} is where ${entries.length + 1} belongs`);
      if (entry.prevHash !== (last?.hash ?? firstPrevious))
        wrong(`entry ${entry.seq} does not continue the one before`);
      if (entry.epoch !== 1) wrong(`entry ${entry.seq} is of epoch ${entry.epoch}, and nothing was lost`);
      entries.push(entry);
      if (entry.id === null || entry.kind === "refusal") return;
      const key = `${entry.principal.agent} ${entry.id}`;
      const holder = holders.get(key);
      if (holder !== undefined) wrong(`${key} is recorded twice, at ${holder} and ${entry.seq}`);
      holders.set(key, entry.seq);
    },
    takeReceipt(receipt) {
      const { seq, hash, id } = receipt;
      const entry = entries[seq - 1];
      if (entry?.hash !== hash || entry.id !== id) wrong(`a receipt for ${id} at ${seq} is not confirmed`);
      const known = receipts.get(seq);
      if (known !== undefined && known.hash !== hash) wrong(`two receipts for ${seq} differ`);
      receipts.set(seq, receipt);
    },
    checkAll(held) {
      for (const [index, entry] of held.entries()) {
        if (entry.hash !== entries[index]?.hash) wrong(`entry ${entry.seq} is another than it was`);
        if (entry.hash !== hashOf(entry)) wrong(`entry ${entry.seq} does not have its text's hash`);
      }
      if (held.length < entries.length) wrong(`entries after ${held.length} are gone`);
      for (const [seq, { hash }] of receipts) {
        if (held[seq - 1]?.hash !== hash) wrong(`what a receipt acknowledged at ${seq} is lost`);
      }
    },
  };
}

/** SHA-256 of the entry's text as the record describes it: its JSON in order, a line feed, the kept text. */
function hashOf(entry: Entry): string {
  const { team, seq, epoch, kind, recordedAt, aheadMs, prevHash, principal, id, digest, receivers, content } = entry;
  const { text } = entry;
  const stamp = aheadMs === undefined ? { recordedAt } : { recordedAt, aheadMs };
  const json = JSON.stringify({
    team,
    seq,
    epoch,
    kind,
    ...stamp,
    prevHash,
    principal,
    id,
    digest,
    receivers,
    content,
  });
  return sha256(text === undefined ? json : `${json}\n${text}`);
}

/**
 * What verifying checks of a team's entries on every engine: that each is at its place and continues the one before, and
 * that the entries of presented receipts are there. Source: docs/protocol/journal.md, section 7.
 */
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import { broken, checkLink, emptyHead } from "./chain.ts";
import type { Entry, Receipt } from "./entry.ts";
import type { Head } from "./journal.ts";

/** What a walk over the entries of one team knows. */
export interface StreamCheck {
  readonly team: TeamName;
  /** The team's receipts that clients presented, by seq, and which of them an entry confirmed. */
  readonly presented: ReadonlyMap<number, Receipt>;
  readonly receiptsMet: Set<number>;
  head: Head;
  entries: number;
  isBroken: boolean;
}

/** A walk that has seen no entry. `presented`: receipts of all teams. */
export function newStreamCheck(team: TeamName, presented: readonly Receipt[]): StreamCheck {
  return {
    team,
    presented: new Map(presented.filter((receipt) => receipt.team === team).map((receipt) => [receipt.seq, receipt])),
    receiptsMet: new Set(),
    head: emptyHead,
    entries: 0,
    isBroken: false,
  };
}

/** Checks the place, the link and the receipt of an entry that the engine holds as `seq`. The engine moves the head. */
export function checkEntry(check: StreamCheck, seq: number, entry: Entry): readonly Problem[] {
  const faults: Problem[] = [];
  if (entry.seq !== seq) faults.push(broken(`${check.team}/${seq}`, `This entry says that it is entry ${entry.seq}.`));
  // After a first break in a stream every later link would only repeat it.
  const fault = check.isBroken ? null : checkLink(check.team, check.head, entry);
  if (fault !== null) faults.push(fault);
  check.isBroken ||= faults.length > 0;
  if (check.presented.get(entry.seq)?.hash === entry.hash) check.receiptsMet.add(entry.seq);
  return faults;
}

/** The problem of an entry whose bytes do not have its hash, held at the path `where`. */
export function changedBytes(where: string): Problem {
  return broken(where, "This entry's bytes have changed: they no longer have the entry's hash.");
}

/** The presented receipts that no entry confirmed. */
export function unmetReceipts({ presented, receiptsMet }: StreamCheck): readonly Problem[] {
  return [...presented].filter(([seq]) => !receiptsMet.has(seq)).map(([, receipt]) => unmetReceipt(receipt));
}

/** A receipt that no entry confirms, under a path that is the receipt's. */
export function unmetReceipt(receipt: Receipt): Problem {
  return { ...missingReceipt(receipt), path: `receipt ${receipt.team}/${receipt.seq}` };
}

/** A receipt that the journal does not confirm. */
export function missingReceipt(receipt: Receipt): Problem {
  return broken(
    `${receipt.team}/${receipt.seq}`,
    `A receipt for entry ${receipt.seq} exists, but the journal does not hold that entry.`,
  );
}

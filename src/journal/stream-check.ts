/**
 * What verifying checks of a team's entries on every engine: that each is at its place and continues the one before, that
 * the entries of presented receipts are there, and that a stream which begins behind an archive was meant to.
 * Source: docs/protocol/record.md, sections 7 and 17.
 */
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { headBefore, readArchiveNotice } from "./archive-notice.ts";
import { broken, checkLink, emptyHead, type LossNotice, readLossNotice, sameHead } from "./chain.ts";
import type { Entry, Head, Receipt } from "./entry.ts";
import type { VerifyReport } from "./journal.ts";

/** An epoch entry: what it says, where it is and which epoch began with it. */
interface AcceptedLoss extends LossNotice {
  readonly seq: number;
  readonly epoch: number;
}

/** What a walk over the entries of one team knows. */
export interface StreamCheck {
  readonly team: TeamName;
  /** The team's receipts that clients presented, by seq, and which of them an entry confirmed. */
  readonly presented: ReadonlyMap<number, Receipt>;
  readonly receiptsMet: Set<number>;
  /** The losses that the owner accepted, in order. */
  readonly losses: AcceptedLoss[];
  /** The first entry, where the ones before are in an archive; null: there are none before. */
  start: Entry | null;
  /** Whether an entry says that the ones before the first were given up. */
  isGivenUp: boolean;
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
    losses: [],
    start: null,
    isGivenUp: false,
    head: emptyHead,
    entries: 0,
    isBroken: false,
  };
}

/** Checks the place, the link and the receipt of an entry that the engine holds as `seq`. The engine moves the head. */
export function checkEntry(check: StreamCheck, seq: number, entry: Entry): readonly Problem[] {
  const problems: Problem[] = [];
  if (entry.seq !== seq)
    problems.push(broken(`${check.team}/${seq}`, `This entry says that it is entry ${entry.seq}.`));
  // After a first break in a stream every later link would only repeat it.
  const problem = check.isBroken ? null : checkLink(check.team, check.head, entry);
  if (problem !== null) problems.push(problem);
  else if (!check.isBroken) keepNotices(check, entry);
  check.isBroken ||= problems.length > 0;
  if (check.presented.get(entry.seq)?.hash === entry.hash) check.receiptsMet.add(entry.seq);
  return problems;
}

/** Keeps what the entry says about a loss, or about entries in an archive. */
function keepNotices(check: StreamCheck, entry: Entry): void {
  const loss = entry.kind === "epoch" ? readLossNotice(entry.content) : null;
  if (loss !== null) check.losses.push({ ...loss, seq: entry.seq, epoch: entry.epoch });
  if (check.head.seq === 0 && entry.seq > 1 && headBefore(entry) !== null) check.start = entry;
  if (readArchiveNotice(entry)?.act === "drop-archived") check.isGivenUp = true;
}

/** What a walk over the whole stream of a team has not met: presented receipts, and that its start was meant. */
export function checkEnd(check: StreamCheck): readonly Problem[] {
  const { team, start, isGivenUp, isBroken } = check;
  const problems = unmetReceipts(check);
  if (start === null || isGivenUp || isBroken) return problems;
  const where = `${team}/${start.seq}`;
  return [
    ...problems,
    broken(where, `Entries before ${start.seq} are missing, and no entry says that they were given up.`),
  ];
}

/** The problem of an entry whose bytes do not have its hash, held at the path `where`. */
export function changedBytes(where: string): Problem {
  return broken(where, "This entry's bytes have changed: they no longer have the entry's hash.");
}

/** The presented receipts that no entry confirmed. */
function unmetReceipts(check: StreamCheck): readonly Problem[] {
  const { presented, receiptsMet, start, losses, head, isBroken } = check;
  return [...presented.values()].flatMap((receipt) => {
    if (receiptsMet.has(receipt.seq)) return [];
    if (start !== null && receipt.seq < start.seq) return [archivedReceipt(receipt, start)];
    const loss = losses.find((each) => isLostBy(receipt, each));
    if (loss !== undefined) return [acceptedAsLost(receipt, loss)];
    return [!isBroken && receipt.seq > head.seq ? afterTheEnd(receipt, head) : unmetReceipt(receipt)];
  });
}

/** Entries of an earlier epoch behind what survived are gone, also those after the one that the anchor named. */
function isLostBy(receipt: Receipt, { epoch, surviving, anchor }: AcceptedLoss): boolean {
  return receipt.epoch < epoch && (receipt.seq > surviving.seq || sameHead(receipt, anchor));
}

/** The owner has accepted that this entry is gone: the journal is sound, and its sender sends again. */
function acceptedAsLost({ team, seq }: Receipt, { seq: at, reason, epoch }: AcceptedLoss): Problem {
  const message = `Entry ${seq} is lost: the owner accepted the loss with entry ${at}, which began epoch ${epoch} (${JSON.stringify(reason)}).`;
  return makeProblem("journal-regressed", receiptPath(team, seq), message, {
    hint: "The entry is not in the journal and does not come back. Send it again.",
  });
}

/** The journal ends before the entry, as one does that was restored from an older backup. */
function afterTheEnd({ team, seq, hash }: Receipt, head: Head): Problem {
  const message = `The journal ends at entry ${head.seq}: entry ${seq}, for which a receipt exists, is not there.`;
  return makeProblem("journal-regressed", receiptPath(team, seq), message, {
    expected: hash,
    hint: "If the journal was restored from a backup that is older than the receipt, send the entry again. If not, bring back the complete journal.",
  });
}

/** Only the archive can confirm the receipt. */
function archivedReceipt({ team, seq }: Receipt, start: Entry): Problem {
  const { file = "", digest = "" } = readArchiveNotice(start) ?? {};
  const message = `Entry ${seq} is not here any more: it is in the archive ${file}.`;
  return makeProblem("team-archived", receiptPath(team, seq), message, {
    expected: `the file with SHA-256 ${digest}`,
    hint: "Run `baton journal verify --journal sqlite:FILE --receipt RECEIPT` on the archive.",
  });
}

/** What walks over the teams have found. */
export function reportOf(checks: readonly StreamCheck[], problems: readonly Problem[]): VerifyReport {
  const ordered = [...checks].sort((one, other) => (one.team < other.team ? -1 : 1));
  return {
    ok: problems.length === 0,
    teams: ordered.map(({ team, entries, head }) => ({ team, entries, head })),
    problems,
  };
}

/** A receipt that no entry confirms: another entry has its number, its place is missing, or the team is unknown. */
export function unmetReceipt({ team, seq }: Receipt): Problem {
  const message = `A receipt for entry ${seq} exists, but the journal does not hold that entry.`;
  const problem = broken(receiptPath(team, seq), message);
  const restored =
    "If the journal was restored from a backup that is older than the receipt, send the entry again. If not: ";
  return { ...problem, hint: `${restored}${problem.hint?.replace(/^S/u, "s") ?? ""}` };
}

/** A path that is the receipt's, not the journal's: what it names is no damage of the journal. */
function receiptPath(team: TeamName, seq: number): string {
  return `receipt ${team}/${seq}`;
}

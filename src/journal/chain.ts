/**
 * The chain: how an entry becomes text, how the text is hashed, and what makes one entry follow another.
 * Pure; every journal uses it, so a hash means the same on each of them.
 *
 *   text(n) = JSON of the entry, with prevHash = hash(n - 1)       hash(n) = SHA-256(UTF-8 of text(n))
 *             and, if the entry keeps a string, a line feed and that text unchanged
 *
 * The JSON holds no line feed, so the first one ends it. The text is what is stored and hashed, so reading it back never
 * depends on how a later version would write it.
 * Source: docs/protocol/record.md, sections 3 and 7.
 */

import { sha256 } from "../base/canonical.ts";
import { aheadMsOf, type Clock, timestampOf } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Json } from "../messages/facts.ts";
import { headBefore } from "./archive-notice.ts";
import type { Durability, Entry, EntryDraft, Head, Receipt } from "./entry.ts";

/** The head of a stream that has no entry. */
export const emptyHead: Head = { seq: 0, hash: "0".repeat(64), epoch: 1 };

/** An entry with the text that stands for it. */
export interface Sealed {
  readonly entry: Entry;
  readonly text: string;
}

/** Where an entry goes when it is not simply the next one: an epoch entry steps over the lost range. */
export interface Place {
  readonly seq: number;
  readonly epoch: number;
}

/** When an entry is recorded. */
export type Stamp = Pick<Entry, "recordedAt" | "aheadMs">;

/** The stamp of this moment. */
export function stampOf(clock: Clock): Stamp {
  const aheadMs = aheadMsOf(clock);
  const recordedAt = timestampOf(clock.now());
  return aheadMs === 0 ? { recordedAt } : { recordedAt, aheadMs };
}

/** Gives `draft` its place behind `head`, its link and its hash. */
export function sealEntry(team: TeamName, head: Head, draft: EntryDraft, stamp: Stamp, place?: Place): Sealed {
  const body = {
    team,
    seq: place?.seq ?? head.seq + 1,
    epoch: place?.epoch ?? head.epoch,
    kind: draft.kind,
    ...stamp,
    prevHash: head.hash,
    principal: draft.principal,
    id: draft.id,
    digest: draft.digest,
    receivers: draft.receivers,
    content: draft.content,
  };
  const { text: kept } = draft;
  const text = kept === undefined ? JSON.stringify(body) : `${JSON.stringify(body)}\n${kept}`;
  const hash = sha256(text);
  return { entry: kept === undefined ? { ...body, hash } : { ...body, text: kept, hash }, text };
}

/**
 * The entry that `text` stands for, when `hash` is the text's hash; otherwise, or when the text is no entry, null.
 * A matching hash proves that a journal wrote the text, so its shape needs no further check.
 */
export function unsealEntry(text: string, hash: string): Entry | null {
  return sha256(text) === hash ? readSealed(text, hash) : null;
}

/** The entry that `text` stands for, whose hash is known to be `hash`. */
export function readSealed(text: string, hash: string): Entry {
  const end = text.indexOf("\n");
  if (end === -1) return { ...(JSON.parse(text) as Omit<Entry, "hash">), hash };
  return { ...(JSON.parse(text.slice(0, end)) as Omit<Entry, "hash" | "text">), text: text.slice(end + 1), hash };
}

/**
 * An entry that comes from outside, with the text that stands for it; null: its hash is not that of this text, so it was
 * changed, or no journal wrote it. The keys must come in the order in which they were written, as JSON text keeps them.
 */
export function resealEntry(entry: Entry): Sealed | null {
  const { hash, text: kept, ...body } = entry;
  const text = kept === undefined ? JSON.stringify(body) : `${JSON.stringify(body)}\n${kept}`;
  return sha256(text) === hash ? { entry, text } : null;
}

/** What an epoch entry says: the range that is gone (null when only the content differs), and both heads. */
export interface LossNotice {
  readonly lost: { readonly first: number; readonly last: number } | null;
  readonly surviving: Head;
  readonly anchor: Head;
  readonly reason: string;
}

/** The notice for a stream that is at `surviving` while its anchor names `anchor`, and the place of its entry. */
export function noticeLoss(surviving: Head, anchor: Head, reason: string): { notice: LossNotice; place: Place } {
  const last = Math.max(surviving.seq, anchor.seq);
  const lost = last > surviving.seq ? { first: surviving.seq + 1, last } : null;
  const epoch = Math.max(surviving.epoch, anchor.epoch) + 1;
  return { notice: { lost, surviving, anchor, reason }, place: { seq: last + 1, epoch } };
}

/** The notice in the content of an epoch entry; null when `content` is not one. */
export function readLossNotice(content: Json): LossNotice | null {
  if (content === null || typeof content !== "object" || !("surviving" in content) || !("anchor" in content))
    return null;
  // Only sealed epoch entries come here, and only noticeLoss makes their content.
  return content as unknown as LossNotice;
}

/** The head after `entry`. */
export function headAfter(entry: Entry): Head {
  return { seq: entry.seq, hash: entry.hash, epoch: entry.epoch };
}

/** Whether both name the same entry. */
export function sameHead(one: Head, other: Head): boolean {
  return one.seq === other.seq && one.hash === other.hash;
}

/**
 * Null when `entry` rightly follows `head` in the stream of `team`; otherwise what is broken. A stream begins with entry 1,
 * or behind the archive that its first entry names.
 */
export function checkLink(team: TeamName, last: Head, entry: Entry): Problem | null {
  const where = `${team}/${entry.seq}`;
  const head = last.seq === 0 ? (headBefore(entry) ?? last) : last;
  if (entry.team !== team) return broken(where, `This entry belongs to the team ${entry.team}.`);
  if (entry.prevHash !== head.hash)
    return broken(where, `This entry does not continue the entry before it (${head.seq}).`);
  const step = entry.kind === "epoch" ? epochStep(head, entry) : { seq: head.seq + 1, epoch: head.epoch };
  if (step === null) return broken(where, "This epoch entry does not say what was lost before it.");
  if (entry.seq !== step.seq) return broken(where, `Entries between ${head.seq} and ${entry.seq} are missing.`);
  if (entry.epoch !== step.epoch)
    return broken(where, `This entry is of epoch ${entry.epoch}, expected ${step.epoch}.`);
  return null;
}

function epochStep(head: Head, entry: Entry): Place | null {
  const notice = readLossNotice(entry.content);
  if (notice === null || !sameHead(notice.surviving, head)) return null;
  return noticeLoss(head, notice.anchor, notice.reason).place;
}

/**
 * Of entries in order, those that are not yet in the stream of `team` at `head`, each with its text. Refuses with
 * `wrong-value` what does not continue it, and an entry that is not what its hash says.
 */
export function continuation(
  team: TeamName,
  head: Head,
  entries: readonly Entry[],
): Result<readonly Sealed[], Problem> {
  const sealed: Sealed[] = [];
  let last = head;
  for (const entry of entries) {
    if (entry.seq <= head.seq) continue;
    const next = resealEntry(entry);
    const problem =
      next === null
        ? broken(`${team}/${entry.seq}`, "This entry is not what its hash says.")
        : checkLink(team, last, entry);
    if (next === null || problem !== null) return err(notAContinuation(problem));
    sealed.push(next);
    last = headAfter(entry);
  }
  return ok(sealed);
}

/** The error of entries from outside: nothing here is broken by it. */
function notAContinuation(problem: Problem | null): Problem {
  return makeProblem("wrong-value", problem?.path ?? "", problem?.message ?? "This entry cannot be appended.", {
    hint: "Export the team again from where it is whole.",
  });
}

/** A problem of the chain, with what to do next. */
export function broken(path: string, message: string): Problem {
  return makeProblem("journal-corrupt", path, message, {
    hint: "Stop writing, keep the files as they are, run `baton journal verify`, and restore a backup.",
  });
}

/** The receipt of a recorded entry. */
export function receiptOf(entry: Entry, durability: Durability, duplicate: boolean): Receipt {
  const { team, seq, id, digest, hash, prevHash, epoch } = entry;
  return { team, seq, id, digest, hash, prevHash, epoch, durability, duplicate };
}

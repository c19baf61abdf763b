/**
 * What a search of the record finds: entries whose text holds another text, both without case. An index only proposes
 * entries; this is what decides, so every engine finds the same.
 * Rule: docs/protocol/record.md, section 20.
 */
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { Entry } from "./entry.ts";

/** The size of an index, and how much is in it. */
export interface SearchStats {
  readonly bytes: number;
  readonly teams: readonly { readonly team: TeamName; readonly indexed: number }[];
}

/** An index that is filled outside of commits. It can only save time: a search finds the same without it. */
export interface SearchIndexing {
  /** Up to which entry searches of the team can use the index; 0: none. */
  indexed(team: TeamName): number;
  /**
   * Brings the index up to the head, over a separate connection; answers how many entries were added. It takes seconds
   * on a long journal, so call it where nobody waits for an answer.
   */
  catchUp(signal: AbortSignal): Promise<Result<number, Problem>>;
}

/** Raised when the text of entries changes: an index of another form is made again. */
export const indexForm = 2;

/** Entries that one step of a search reads where no index helps. */
export const scanRows = 128;

/** Entries of one block of an index: a question costs what one block costs, however long the journal is. */
export const blockRows = 16_384;
/** Entries that one step reads of those that an index proposes. */
export const proposedMax = 64;
/** What asking one block counts for, in entries. */
export const blockCost = 64;

/** The block of an entry. */
export function blockOf(seq: number): number {
  return Math.floor((seq - 1) / blockRows);
}

/** The part of a projection that names an entry's text. */
interface Searched {
  searched?(entry: Entry): string;
}

/** The text of an entry as it is compared. */
export function searchedText(projection: Searched, entry: Entry): string {
  return (projection.searched?.(entry) ?? JSON.stringify(entry.content)).toLowerCase();
}

/** Whether the entry's text holds `text`. */
export function isFound(projection: Searched, entry: Entry, text: string): boolean {
  return searchedText(projection, entry).includes(text.toLowerCase());
}

/** The most groups that are looked up for one search: fewer propose more entries, never less. */
const gramsMax = 8;

/**
 * Groups of three characters that every string containing `text` has, spread over it; null: it is too short, or holds
 * what an index does not keep.
 */
export function gramsOf(text: string): readonly string[] | null {
  const lower = text.toLowerCase();
  if (!lower.isWellFormed() || lower.includes("\0")) return null;
  const characters = Array.from(lower);
  const last = characters.length - 3;
  if (last < 0) return null;
  const steps = Math.min(gramsMax - 1, last);
  const starts = Array.from({ length: steps + 1 }, (_, step) => (steps === 0 ? 0 : Math.round((step * last) / steps)));
  return [...new Set(starts.map((start) => characters.slice(start, start + 3).join("")))];
}

/** A string as an index keeps it: it ends at no character. */
export function indexedText(text: string): string {
  return text.replaceAll("\0", " ");
}

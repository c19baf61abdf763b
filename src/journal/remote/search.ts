/**
 * Searching a journal in a server: by the server's index as far as it reaches, beyond it by reading. The index proposes
 * entries by numbers that stand for groups of three characters, and what it proposes is read and looked at; so a number that
 * stands for two groups, an index that is behind or one that is missing costs time only.
 * Source: docs/protocol/record.md, section 15.
 */

import { nextTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unsealEntry } from "../chain.ts";
import type { Found, SearchOptions } from "../journal.ts";
import {
  blockCost,
  blockOf,
  blockRows,
  gramsOf,
  isFound,
  proposedMax,
  type SearchIndexing,
  scanRows,
  searchedText,
} from "../searching.ts";
import type { IndexedRow } from "./backend.ts";
import { asking, entriesOf, type Store } from "./store.ts";

/** One step of a search. */
export async function searchStep<State>(
  store: Store<State>,
  team: TeamName,
  options: SearchOptions,
): Promise<Result<Found, Problem>> {
  const { backend } = store;
  const { after = 0, newestFirst = false } = options;
  const head = await asking(store, () => backend.head(team));
  if (!head.ok) return head;
  const first = Math.max(0, after);
  const end = Math.max(first, Math.min((options.before ?? Number.POSITIVE_INFINITY) - 1, head.value?.seq ?? 0));
  const range = { first, end, newestFirst, text: options.text };
  const grams = first === end ? null : gramsOf(options.text);
  const found = grams === null ? ok(null) : await askIndex(store, team, range, grams);
  if (!found.ok) return found;
  return found.value === null ? await scan(store, team, range) : ok(found.value);
}

interface SearchRange {
  readonly first: number;
  /** Inclusive. */
  readonly end: number;
  readonly newestFirst: boolean;
  readonly text: string;
}

/** Reads the next entries and keeps those that hold the text. */
async function scan<State>(
  store: Store<State>,
  team: TeamName,
  { first, end, newestFirst, text }: SearchRange,
): Promise<Result<Found, Problem>> {
  const [from, to] = newestFirst ? [Math.max(first, end - scanRows), end] : [first, Math.min(end, first + scanRows)];
  const rows =
    from === to ? ok([]) : await asking(store, () => store.backend.rows(team, { from: from + 1, to, limit: scanRows }));
  if (!rows.ok) return rows;
  const read = entriesOf(store, team, rows.value);
  if (!read.ok) return read;
  const found = read.value.filter((entry) => isFound(store.projection, entry, text));
  const isOver = newestFirst ? from === first : to === end;
  return ok({
    entries: newestFirst ? found.toReversed() : found,
    next: isOver ? null : newestFirst ? from + 1 : to,
    examined: read.value.length,
  });
}

/** Asks one block of the index, and looks at what it proposes; null: the index does not reach there. */
async function askIndex<State>(
  store: Store<State>,
  team: TeamName,
  { first, end, newestFirst, text }: SearchRange,
  parts: readonly string[],
): Promise<Result<Found | null, Problem>> {
  const from = newestFirst ? end : first + 1;
  const block = blockOf(from);
  const after = Math.max(first, block * blockRows);
  const grams = parts.map((part) => gramNumber(team, block, part));
  const proposal = { grams, after, upTo: Math.min(end, (block + 1) * blockRows), newestFirst, limit: proposedMax };
  const proposed = await asking(store, () => store.backend.search.propose(team, proposal));
  if (!proposed.ok) return proposed;
  const { reach, seqs } = proposed.value;
  if (from > reach) return ok(null);
  const upTo = Math.min(proposal.upTo, reach);
  const rows = seqs.length === 0 ? ok([]) : await asking(store, () => store.backend.rowsAt(team, seqs));
  if (!rows.ok) return rows;
  const read = entriesOf(store, team, rows.value);
  if (!read.ok) return read;
  const found = read.value.filter((entry) => isFound(store.projection, entry, text));
  const isCut = seqs.length === proposedMax;
  const reached = isCut ? (seqs.at(-1) ?? from) : newestFirst ? after + 1 : upTo;
  const isOver = newestFirst ? reached <= first + 1 : reached >= end;
  return ok({
    entries: newestFirst ? found.toReversed() : found,
    next: isOver ? null : reached,
    examined: read.value.length + blockCost,
  });
}

/** A group of characters in one block of one team as a number of 32 bits, signed (FNV-1a). */
function gramNumber(team: TeamName, block: number, gram: string): number {
  let hash = 0x811c9dc5;
  for (const part of [team, String(block), gram]) {
    for (let index = 0; index < part.length; index += 1) hash = Math.imul(hash ^ part.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ 0xffff, 0x01000193);
  }
  return hash;
}

/** The numbers of all groups in a lower-cased text, each once. */
function gramNumbers(team: TeamName, seq: number, text: string): readonly number[] {
  const block = blockOf(seq);
  const characters = Array.from(text);
  const grams = new Set<string>();
  for (let start = 0; start + 3 <= characters.length; start += 1)
    grams.add(characters.slice(start, start + 3).join(""));
  return [...new Set([...grams].map((gram) => gramNumber(team, block, gram)))];
}

/** The index of the journal: how far each team's part reaches, and making it reach the head. */
export function searchIndexOf(store: Store<unknown>): SearchIndexing {
  const known = new Map<TeamName, number>();
  /** Asks the server, for the next who wants to know. */
  const refresh = async (team: TeamName) => {
    const reach = await store.backend.search.indexedTo(team);
    if (reach.ok) known.set(team, reach.value);
  };
  return {
    indexed(team) {
      void refresh(team);
      return known.get(team) ?? 0;
    },
    async catchUp(signal) {
      const prepared = await asking(store, () => store.backend.search.prepare());
      if (!prepared.ok) return prepared;
      const teams = await asking(store, () => store.backend.teams());
      if (!teams.ok) return teams;
      let added = 0;
      for (const team of teams.value) {
        const done = await catchUpTeam(store, team, signal);
        if (!done.ok) return done;
        added += done.value;
      }
      return ok(added);
    },
  };
}

/** Adds what the team's part lacks, page by page. It ends before an entry that cannot be read. */
async function catchUpTeam(
  store: Store<unknown>,
  team: TeamName,
  signal: AbortSignal,
): Promise<Result<number, Problem>> {
  const reach = await asking(store, () => store.backend.search.indexedTo(team));
  if (!reach.ok) return reach;
  let [from, added] = [reach.value, 0];
  for (; !signal.aborted; await nextTurn()) {
    const rows = await asking(store, () => store.backend.rows(team, { from: from + 1, limit: pageRowsMax }));
    if (!rows.ok) return err(rows.error);
    const indexed: IndexedRow[] = [];
    let last: { readonly seq: number; readonly hash: string } | null = null;
    for (const { seq, hash, text } of rows.value) {
      const entry = unsealEntry(text, hash);
      if (entry === null) break;
      indexed.push({ seq, grams: gramNumbers(team, seq, searchedText(store.projection, entry)) });
      last = { seq, hash };
    }
    if (last === null) break;
    const reached = { from, ...last };
    const done = await asking(store, () => store.backend.search.add(team, indexed, reached));
    if (!done.ok) return done;
    // Another hub has added meanwhile, and goes on.
    if (!done.value) break;
    from = last.seq;
    added += indexed.length;
    if (rows.value.length < pageRowsMax) break;
  }
  return ok(added);
}

/**
 * One step of a search: by the index as far as it reaches, beyond it by reading. What the index proposes is read and
 * looked at, so an index can only cost time, never a wrong answer; one that belongs to another history or cannot be read is
 * not asked.
 */
import type { TeamName } from "../../../base/ids.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Entry } from "../../entry.ts";
import type { Found, SearchOptions } from "../../journal.ts";
import { blockCost, blockOf, blockRows, gramsOf, isFound, proposedMax, scanRows } from "../../searching.ts";
import { placeEnd, placeOf, splitPlace } from "../connection.ts";
import { readRange } from "../read.ts";
import { isSqliteError } from "../sqlite-errors.ts";
import { entryOf, entryRow, reading, type Store, teamNumber } from "../store.ts";
import { openSearchIndex, type SearchIndex } from "./search-index.ts";

/** The index as this process asks it; closed with the journal. */
export interface Searcher {
  step(team: TeamName, options: SearchOptions): Promise<Result<Found, Problem>>;
  /** Up to which entry the team's index is complete and belongs to this journal; 0: there is none. */
  position(team: TeamName): number;
  close(): void;
}

/** The searcher of an open journal. */
export function searcherOf<State>(store: Store<State>): Searcher {
  let index: SearchIndex | null = null;

  const drop = () => {
    index?.close();
    index = null;
  };

  /** Asks the index; an error of it means that it is not there. */
  const ask = <Value>(question: (index: SearchIndex) => Value, none: Value): Value => {
    try {
      index ??= openSearchIndex(store.path);
      return index === null ? none : question(index);
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      drop();
      return none;
    }
  };

  const position = (number: number): number => {
    const known = ask((each) => each.position(number), null);
    if (known === null) return 0;
    if (store.statements.hashAt.get(placeOf(number, known.seq))?.hash === known.hash) return known.seq;
    // Another one may be under the name by the next step.
    drop();
    return 0;
  };

  const step = (number: number, options: SearchOptions): Result<Found, Problem> => {
    const { after = 0, newestFirst = false } = options;
    const before = Math.min(options.before ?? Number.POSITIVE_INFINITY, lastSeq(store, number) + 1);
    const first = Math.max(0, after);
    if (first + 1 >= before) return ok({ entries: [], next: null, examined: 0 });
    const grams = gramsOf(options.text);
    const from = newestFirst ? before - 1 : first + 1;
    // Asked once: an index that goes away in between would otherwise end the block before its beginning.
    const indexed = grams === null ? 0 : position(number);
    if (grams === null || from > indexed) return scan(store, number, { ...options, after: first, before });
    const block = blockOf(from);
    const low = Math.max(first, block * blockRows);
    const high = Math.min(before - 1, (block + 1) * blockRows, indexed);
    const range = { team: number, block, grams, after: low, upTo: high, newestFirst, limit: proposedMax };
    const proposed = ask((each) => each.propose(range), null);
    if (proposed === null) return scan(store, number, { ...options, after: first, before });
    const entries = readProposed(store, number, proposed);
    if (!entries.ok) return entries;
    const isCut = entries.value.length < proposed.length || proposed.length === proposedMax;
    const lastRead = proposed[entries.value.length - 1] ?? from;
    const reached = newestFirst ? (isCut ? lastRead : low + 1) : isCut ? lastRead : high;
    const isOver = newestFirst ? reached <= first + 1 : reached >= before - 1;
    const found = entries.value.filter((entry) => isFound(store.projection, entry, options.text));
    return ok({ entries: found, next: isOver ? null : reached, examined: entries.value.length + blockCost });
  };

  return {
    step: (team, options) =>
      reading(store, () => {
        const number = teamNumber(store, team);
        return number === null ? ok({ entries: [], next: null, examined: 0 }) : step(number, options);
      }),
    position: (team) => {
      const number = teamNumber(store, team);
      return number === null ? 0 : position(number);
    },
    close: drop,
  };
}

/** The entries of these numbers, as many as one turn reads; at least one. */
function readProposed<State>(
  store: Store<State>,
  number: number,
  seqs: readonly number[],
): Result<readonly Entry[], Problem> {
  const entries: Entry[] = [];
  let bytes = 0;
  for (const seq of seqs) {
    const row = store.statements.entryAt.get(placeOf(number, seq));
    if (row === undefined) continue;
    const known = entryRow(row);
    const entry = entryOf(store, known);
    if (!entry.ok) return entry;
    entries.push(entry.value);
    bytes += known.text.length;
    if (bytes >= stepBytesMax) break;
  }
  return ok(entries);
}

/** Text that one step reads. */
const stepBytesMax = 512 * 1024;

/** Reads entries one after another and looks at each. */
function scan<State>(
  store: Store<State>,
  number: number,
  { text, after, before, newestFirst = false }: SearchOptions & { readonly after: number; readonly before: number },
): Result<Found, Problem> {
  let rows = scanRows;
  for (;;) {
    const low = newestFirst ? Math.max(after, before - 1 - rows) : after;
    const high = newestFirst ? before - 1 : Math.min(before - 1, after + rows);
    const page = readRange(store, number, low, high);
    if (!page.ok) return page;
    const { entries, next } = page.value;
    // Large entries end a page early: backwards its newest would be left out.
    if (newestFirst && next !== null && rows > 1) {
      rows = Math.max(1, rows >>> 2);
      continue;
    }
    const found = entries.filter((entry) => isFound(store.projection, entry, text));
    const reached = newestFirst ? low + 1 : (next ?? high);
    const isOver = newestFirst ? low <= after : reached >= before - 1;
    return ok({
      entries: newestFirst ? found.toReversed() : found,
      next: isOver ? null : reached,
      examined: entries.length,
    });
  }
}

function lastSeq(store: Store<unknown>, number: number): number {
  const row = store.statements.lastPlace.get(placeOf(number, 0), placeEnd(number));
  return row?.place === null || row?.place === undefined ? 0 : splitPlace(Number(row.place)).seq;
}

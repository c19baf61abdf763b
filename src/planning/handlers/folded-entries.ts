/**
 * The entries of a team that were folded since somebody first asked, in memory. Who asks again and again what is new, as
 * a hub with a planning folder does, reads nothing from the journal a second time. A team that nobody asks about costs
 * nothing. They go with the state: one that is dropped and folded again has none.
 */
import type { Entry } from "../../journal/entry.ts";
import type { TeamState } from "../../perform/state.ts";

/** Most entries that are kept; a caller that is further behind reads the journal. */
const entriesMax = 2_000;

const kept = new WeakMap<TeamState, Entry[]>();

/** Keeps an entry that is folded into `state`, if somebody asks about this team. */
export function keepFolded(state: TeamState, entry: Entry): void {
  const entries = kept.get(state);
  if (entries === undefined) return;
  if (entries.length >= entriesMax) kept.delete(state);
  else entries.push(entry);
}

/**
 * Every entry above `after` that is folded into `state`, in order, and none of those before it is kept any longer. Null:
 * not all of them are in memory, so the journal must be read; from now on they are kept.
 */
export function foldedAfter(state: TeamState, after: number): readonly Entry[] | null {
  const entries = kept.get(state);
  kept.set(state, []);
  const [first] = entries ?? [];
  if (entries === undefined || first === undefined || first.seq > after + 1) return null;
  const next = entries.filter(({ seq }) => seq > after);
  kept.set(state, next);
  return [...next];
}

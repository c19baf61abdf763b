/**
 * Restores entries of another journal: they are checked against their hashes, each other and what this journal has of
 * the same team, and folded, before one of them is written. The result is the same stream, exactly. Source:
 * docs/protocol/journal.md, section 7.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Json } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { continuation, emptyHead, headAfter } from "../../journal/chain.ts";
import { addressForm } from "../../journal/engines.ts";
import { type Entry, readEntry } from "../../journal/entry.ts";
import type { Head, Journal } from "../../journal/journal.ts";
import { evolve } from "../projection.ts";
import { initialState, type TeamState } from "../state.ts";
import { logLine } from "./log.ts";

/** What becomes of a team's stream. */
export interface RestoredStream {
  readonly team: TeamName;
  /** The head of the entries that came. */
  readonly head: Head;
  /** How many of them this journal does not hold yet. */
  readonly fresh: number;
}

export interface EntryCheck {
  /** The next entry; refuses with `wrong-value` one that is none, was changed, does not follow, or cannot be folded. */
  take(value: Json): Result<Entry, Problem>;
  /** The streams that came. Refuses with `already-exists` one of which this journal holds another. */
  streams(): Promise<Result<readonly RestoredStream[], Problem>>;
}

interface Stream {
  head: Head;
  readonly state: TeamState;
  fresh: number;
  /** What this journal holds of the team; null: nothing. */
  readonly held: Head | null;
  /** The hash that came under the number of the held head. */
  hashThere: string | null;
}

/** A check of entries against `journal`; null: there is none yet. `heads`: what it holds of each team. */
export function checkEntries(journal: Journal<TeamState> | null, heads: ReadonlyMap<TeamName, Head>): EntryCheck {
  const streams = new Map<TeamName, Stream>();
  return {
    take(value) {
      const entry = readEntry(value);
      if (entry === null) return err(notAnEntry);
      const held = heads.get(entry.team) ?? null;
      const stream: Stream = streams.get(entry.team) ?? newStream(held);
      const next = continuation(entry.team, stream.head, [entry]);
      if (!next.ok) return next;
      if (next.value.length === 0) return err(repeated(entry));
      if (!canFold(stream.state, entry)) return err(notFoldable(entry));
      streams.set(entry.team, stream);
      stream.head = headAfter(entry);
      if (entry.seq === held?.seq) stream.hashThere = entry.hash;
      if (entry.seq > (held?.seq ?? 0)) stream.fresh += 1;
      return ok(entry);
    },
    async streams() {
      const found: RestoredStream[] = [];
      for (const [team, { head, fresh, held, hashThere }] of streams) {
        if (held !== null && journal !== null) {
          const isSame = hashThere === held.hash || (head.seq < held.seq && (await holds(journal, team, head)));
          if (!isSame) return err(otherStream(team));
        }
        found.push({ team, head, fresh });
      }
      return ok(found);
    },
  };
}

function newStream(held: Head | null): Stream {
  return { head: emptyHead, state: initialState(), fresh: 0, held, hashThere: null };
}

async function holds(journal: Journal<TeamState>, team: TeamName, head: Head): Promise<boolean> {
  const page = await journal.read(team, { after: head.seq - 1, limit: 1 });
  return page.ok && page.value.entries[0]?.hash === head.hash;
}

/**
 * Whether this version can fold and show the entry. What it says comes from outside although its hash fits, and what is
 * thrown here says nothing else than no.
 */
function canFold(state: TeamState, entry: Entry): boolean {
  try {
    evolve(state, entry);
    logLine(entry);
    return true;
  } catch {
    return false;
  }
}

const notAnEntry = problem("wrong-value", "$", "This has the marks of an entry, but is none.", {
  expected: "a line of `baton journal export`",
  hint: "Export the journal again.",
});

function repeated({ team, seq }: Entry): Problem {
  return problem("wrong-value", `${team}/${seq}`, "This entry came before.", { hint: "Export the journal again." });
}

function notFoldable({ team, seq }: Entry): Problem {
  return problem("wrong-value", `${team}/${seq}`, "What this entry says cannot be folded by this version.", {
    hint: "Import it with the version that recorded it, or a newer one.",
  });
}

function otherStream(team: TeamName): Problem {
  return problem("already-exists", team, `This journal has a team ${team} with other entries.`, {
    hint: `Import into a journal without that team (--journal ${addressForm}), or bring in what was said with --as-history.`,
  });
}

/**
 * Work on a whole journal that takes seconds: verifying it, copying it, exporting it, indexing it. A hub has it done in a
 * thread (`main/long-work.ts`), so that it answers meanwhile; who has nobody to answer does it in place.
 */
import { ownTurn } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { copyJournal } from "../journal/engines.ts";
import type { Receipt } from "../journal/entry.ts";
import type { VerifyReport } from "../journal/journal.ts";
import type { OpenedJournal } from "./open.ts";

/** All of it ends when `signal` aborts: a verification with what it found until then, the others with `interrupted`. */
export interface LongWork {
  verify(presented: readonly Receipt[], signal: AbortSignal): Promise<Result<VerifyReport, Problem>>;
  /** Writes a complete copy with its anchor to `file`. Never overwrites. */
  backup(file: string, signal: AbortSignal): Promise<Result<void, Problem>>;
  /** Every entry of these teams in order, as lines of JSON; a problem ends them. */
  exported(teams: readonly TeamName[], signal: AbortSignal): AsyncIterable<Result<Uint8Array, Problem>>;
  /** Brings the search index up to the head; answers how many entries were added. */
  index(signal: AbortSignal): Promise<Result<number, Problem>>;
}

/** Entries of one piece of an export. */
const exportRows = 128;

/** The work done in place, in turns where it can be cut. */
export function longWorkHere(journal: OpenedJournal): LongWork {
  return {
    verify: async (presented, signal) => ({ ok: true, value: await journal.verify({ presented, signal }) }),
    backup: (file) => copyJournal(journal, file),
    exported: (teams, signal) => exportLines(journal, teams, signal),
    index: async (signal) => (journal.searchIndex === undefined ? ok(0) : await journal.searchIndex.catchUp(signal)),
  };
}

async function* exportLines(
  journal: OpenedJournal,
  teams: readonly TeamName[],
  signal: AbortSignal,
): AsyncIterable<Result<Uint8Array, Problem>> {
  const encoder = new TextEncoder();
  for (const team of teams) {
    for (let after: number | null = 0; after !== null && !signal.aborted; await ownTurn()) {
      const page = await journal.read(team, { after, limit: exportRows });
      if (!page.ok) {
        yield page;
        return;
      }
      const { entries, next } = page.value;
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      if (text !== "") yield { ok: true, value: encoder.encode(text) };
      after = next;
    }
  }
}

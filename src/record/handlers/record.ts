/**
 * The record: a journal as it is looked after by people, below any team. The same on the machine where the journal
 * lies and through a hub, so the commands that verify, copy and measure do not know which they have.
 */
import { argument } from "../../base/argument.ts";
import { messageId, type TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { copyJournal } from "../../journal/engines.ts";
import type { Entry, Head, Receipt } from "../../journal/entry.ts";
import type { EngineFacts, Journal, JournalCondition, VerifyReport } from "../../journal/journal.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import type { ActName } from "../../perform/act-line.ts";
import { commitBehind } from "../../perform/commit.ts";
import { ownersEntry } from "../../perform/content.ts";
import type { OpenedJournal } from "../../perform/open.ts";
import { invalidId } from "../../perform/reply.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import type { MembersKept, TeamEvent, TeamRevisionState } from "../../team/state/revision.ts";
import type { RecordStats, StatsJson } from "../operations/entries.ts";

export interface JournalRecord extends AsyncDisposable {
  condition(): JournalCondition;
  teams(): Promise<Result<readonly TeamName[], Problem>>;
  stats(): Promise<Result<RecordStats, Problem>>;
  /** Recomputes the journal where it lies; `presented` are receipts that somebody holds. */
  verify(options: {
    readonly presented: readonly Receipt[];
    readonly signal: AbortSignal;
    /** Told how many entries were looked at so far, where that is known. */
    readonly looked?: (entries: number) => void;
  }): Promise<Result<VerifyReport, Problem>>;
  /** Every entry of a team in order; a problem ends them. */
  entries(team: TeamName): AsyncIterable<Result<Entry, Problem>>;
  /** Accepts, as the owner, that entries of the team are lost; once under one id. */
  acceptLoss(team: TeamName, reason: string, options?: { readonly id?: string }): Promise<Result<Receipt, Problem>>;
  /** Writes a whole copy with its anchor to `file`, an absolute path on this machine. Never overwrites. */
  backup(file: string): Promise<Result<void, Problem>>;
}

/** The record of an open journal, which is closed with it. */
export function recordOf(journal: OpenedJournal): JournalRecord {
  return {
    condition: () => journal.condition(),
    teams: () => journal.teams(),
    stats: () => recordStats(journal),
    verify: async (options) => ok(await journal.verify(options)),
    entries: (team) => entriesOf(journal, team),
    acceptLoss: (team, reason, { id } = {}) => acceptLossOf(journal, team, "launcher", { reason, id }),
    backup: (file) => copyJournal(journal, file),
    [Symbol.asyncDispose]: () => journal.close(),
  };
}

/** Accepts a loss as the owner. Refuses `invalid-id`, and what the journal refuses. */
export async function acceptLossOf(
  journal: OpenedJournal,
  team: TeamName,
  via: Principal["via"],
  { reason, id }: { readonly reason: string; readonly id?: string | undefined },
): Promise<Result<Receipt, Problem>> {
  const named = id === undefined ? undefined : messageId(id);
  if (named === null) return err(invalidId(id ?? "", argument("id")));
  return await journal.acceptLoss(team, { agent: ownerName, role: "owner", via }, reason, named);
}

/** Every entry of a team in order, a page at a time; a problem ends them. */
export async function* entriesOf(journal: OpenedJournal, team: TeamName): AsyncIterable<Result<Entry, Problem>> {
  for (let after: number | null = 0; after !== null; ) {
    const page = await journal.read(team, { after });
    if (!page.ok) {
      yield page;
      return;
    }
    for (const entry of page.value.entries) yield ok(entry);
    after = page.value.next;
  }
}

/* A journal's sizes and counts with its condition, as a person or a program asks for them, and their JSON. */

/** The journal's sizes with its condition. */
export async function recordStats(journal: Journal<unknown>): Promise<Result<RecordStats, Problem>> {
  const stats = await journal.stats();
  if (!stats.ok) return stats;
  const { durability, reach, persistent } = journal.abilities;
  const abilities = { durability, shared: reach !== "process", persistent };
  return ok({ ...stats.value, condition: journal.condition().condition, abilities });
}

/** The stats as JSON. */
export function statsJson({ place, bytes, engine, ...rest }: RecordStats): StatsJson {
  return { path: place, bytes, ...engine, ...rest };
}

/** The stats of their JSON; every member of a kind that a fact has, and that is not the journal's, is the engine's. */
export function statsOfJson({ path, bytes, teams, search, condition, abilities, ...rest }: StatsJson): RecordStats {
  const facts = Object.entries<unknown>(rest).filter(
    (fact): fact is [string, EngineFacts[string]] => !["object", "undefined"].includes(typeof fact[1]),
  );
  const searched = search === undefined ? {} : { search };
  return { place: path, bytes, teams, ...searched, engine: Object.fromEntries(facts), condition, abilities };
}

/*
 * The first entry of a journal that was begun for a copied project: which journal it comes from, and how far that had come.
 * Rule: docs/protocol/record.md, sections 23 to 25.
 */

/** Where a forked journal comes from. */
export interface JournalOrigin {
  /** The project that was copied, an absolute path. */
  readonly project: string;
  /** The last entry that both projects have in common; null: nothing had been recorded of the team. */
  readonly head: Head | null;
  /** What was in force there. The copied team file may say more, which waits for the owner as it did. Null: nothing was. */
  readonly definition: TeamDefinition | null;
  /** Who was in the team there, or had left it: a name keeps its past, and who was retired stays so. */
  readonly members: MembersKept | null;
}

/** What the new journal keeps of the copied record's team. Its tokens, sessions and work stay behind. */
export function keptOf({
  definition,
  roster,
  retired,
}: TeamRevisionState): Pick<JournalOrigin, "definition" | "members"> {
  const members: MembersKept = {
    event: "members-kept",
    members: [...roster.values()],
    retired: [...retired].map(([agent, reason]) => ({ agent, reason })),
  };
  return definition === null ? { definition, members: null } : { definition, members };
}

const act: ActName = "fork-journal";

/** Records the origin in the empty journal of `team`, once: a journal that holds an entry already is left as it is. */
export async function recordOrigin(
  journal: OpenedJournal,
  team: TeamName,
  { project, head, definition, members }: JournalOrigin,
): Promise<Result<void, Problem>> {
  const committed = await commitBehind({ journal, team }, [], {
    once: null,
    decide: (_state, { seq }) => {
      if (seq > 1) return { decline: [] };
      const begun: TeamEvent[] = definition === null ? [] : [{ event: "team-revised", revision: 1, definition }];
      const last = head === null ? {} : { entry: head.seq, hash: head.hash };
      return ownersEntry({
        command: { name: act, project, ...last },
        ...(definition === null ? {} : { team: [...begun, ...(members === null ? [] : [members])] }),
      });
    },
  });
  return committed.ok ? ok(undefined) : err(committed.error);
}

/**
 * The journal in memory: the model that every other journal must agree with, and the engine of fast tests.
 * Promises order, idempotency, the chain and following; keeps nothing when the process ends.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { decideAttempt, noMarks, nothingLost, pageLimit, raiseMarks } from "./attempt.ts";
import {
  continuation,
  headAfter,
  readSealed,
  receiptOf,
  type Sealed,
  sealEntry,
  stampOf,
  unsealEntry,
} from "./chain.ts";
import { dueAmong, dueMarkOf, noneDue } from "./deadlines.ts";
import type { Entry, Head, Page, Receipt } from "./entry.ts";
import { advance, emptyFold, type Fold, heldBy, holdersOf, inboxAfter } from "./fold.ts";
import { followPages, newBell } from "./follow.ts";
import type {
  Abilities,
  Attempt,
  Committed,
  Found,
  Journal,
  JournalStats,
  Marks,
  Projection,
  ReadOptions,
  SearchOptions,
  VerifyReport,
} from "./journal.ts";
import { isFound, scanRows } from "./searching.ts";
import { changedBytes, checkEnd, checkEntry, newStreamCheck, reportOf, unmetReceipt } from "./stream-check.ts";

/** What an open journal keeps, and its readers wait by. */
interface Kept<State> {
  readonly streams: Map<TeamName, Stream<State>>;
  readonly projection: Projection<State>;
  readonly bell: ReturnType<typeof newBell>;
}

/** What a journal in memory promises. */
export const memoryAbilities: Abilities = {
  durability: "memory",
  persistent: false,
  reach: "process",
  decides: "locked",
  restoresWhole: true,
};

/** An empty journal in memory. `clock` stamps `recordedAt`. */
export function openMemoryJournal<State>(
  projection: Projection<State>,
  options: { readonly clock?: Clock } = {},
): Journal<State> {
  const clock = options.clock ?? systemClock;
  const streams = new Map<TeamName, Stream<State>>();
  const signs: Signs = new Map();
  const bell = newBell();

  const commit = (team: TeamName, attempt: Attempt<State>): Result<Committed, Problem> => {
    const known = streams.get(team);
    const stream: Stream<State> = known ?? { fold: emptyFold(projection), sealed: [] };
    const decision = decideAttempt(attempt, {
      team,
      head: stream.fold.head,
      state: stream.fold.state,
      durability: "memory",
      findEarlier: (principal, id) => entryAt(stream, heldBy(stream.fold.held, principal, id)),
      heartbeat: (agent) => signs.get(team)?.get(agent) ?? null,
    });
    if ("answer" in decision) return ok(decision.answer);
    const sealed = sealEntry(team, stream.fold.head, decision.draft, stampOf(clock));
    const entry = reread(sealed);
    advanceOrRefold(stream, projection, entry);
    stream.sealed.push({ entry, text: sealed.text });
    streams.set(team, stream);
    bell.ring();
    return ok({ outcome: "recorded", receipt: receiptOf(entry, "memory", false), entry });
  };

  const journal: Journal<State> = {
    abilities: memoryAbilities,
    place: "memory",
    clock,
    teams: async () => (bell.isClosed() ? closed() : ok([...streams.keys()].sort())),
    commit: async (team, attempt) => (bell.isClosed() ? closed() : commit(team, attempt)),
    restore: async (...more) => (bell.isClosed() ? closed() : restoreInto({ streams, projection, bell }, ...more)),
    state: async (team) => {
      if (bell.isClosed()) return closed();
      const fold = streams.get(team)?.fold ?? emptyFold(projection);
      return ok({ state: fold.state, head: fold.head });
    },
    read: async (team, read = {}) => (bell.isClosed() ? closed() : ok(readPage(streams.get(team), read))),
    search: async (team, search) =>
      bell.isClosed() ? closed() : ok(searchStep(streams.get(team), projection, search)),
    find: async (team, id) => (bell.isClosed() ? closed() : ok(findEntries(streams.get(team), id))),
    follow: (team, follow) => followPages(async (after) => readPage(streams.get(team), { after }), bell, follow),
    ...agentCalls({ streams, bell, signs }),
    due: async (atMs) => {
      const marks = [...streams].map(([team, { fold }]) => [team, dueMarkOf(projection, fold.state)] as const);
      const { rule } = projection.deadlines ?? {};
      return bell.isClosed() ? closed() : ok(rule === undefined ? noneDue : dueAmong(marks, rule, atMs));
    },
    noteDue: async () => (bell.isClosed() ? closed() : ok(undefined)),
    condition: () => ({ condition: "ready" }),
    stats: async () => (bell.isClosed() ? closed() : ok(statsOf(streams))),
    probe: async () => (bell.isClosed() ? closed() : ok(undefined)),
    verify: async (verify = {}) => verifyStreams(streams, verify.presented ?? []),
    heed: () => undefined,
    acceptLoss: async (team) => err(nothingLost(team)),
    close: async () => bell.close(),
    [Symbol.asyncDispose]: async () => bell.close(),
  };
  return journal;
}

function closed(): Result<never, Problem> {
  return err(makeProblem("journal-failed", "memory", "This journal is closed."));
}

/** When each agent of a team last sent a heartbeat. */
type Signs = Map<TeamName, ReadonlyMap<string, number>>;

/** The calls on what is kept of agents next to the entries. A team without entries keeps nothing. */
function agentCalls<State>({
  streams,
  bell,
  signs,
}: Pick<Kept<State>, "streams" | "bell"> & { readonly signs: Signs }): Pick<
  Journal<State>,
  "marks" | "mark" | "heartbeats" | "heartbeat" | "notes" | "note"
> {
  const marks = new Map<string, Marks>();
  const notes = new Map<TeamName, ReadonlyMap<string, string>>();
  return {
    notes: async (team) => (bell.isClosed() ? closed() : ok(new Map(notes.get(team)))),
    note: async (team, agent, change) => {
      if (bell.isClosed()) return closed();
      const text = streams.has(team) ? change(notes.get(team)?.get(agent) ?? null) : null;
      if (text !== null) notes.set(team, new Map(notes.get(team)).set(agent, text));
      return ok(undefined);
    },
    marks: async (team, agent) => (bell.isClosed() ? closed() : ok(marks.get(`${team} ${agent}`) ?? noMarks)),
    mark: async (team, agent, raised) => {
      if (bell.isClosed()) return closed();
      if (streams.has(team))
        marks.set(`${team} ${agent}`, raiseMarks(marks.get(`${team} ${agent}`) ?? noMarks, raised));
      return ok(undefined);
    },
    heartbeats: async (team) => (bell.isClosed() ? closed() : ok(new Map(signs.get(team)))),
    heartbeat: async (team, agent, at) => {
      if (bell.isClosed()) return closed();
      if (streams.has(team)) signs.set(team, new Map(signs.get(team)).set(agent, at()));
      return ok(undefined);
    },
  };
}

/** Readers get what the text says, so that a value JSON cannot carry shows here as it would after a restart. */
function reread({ text, entry }: Sealed): Entry {
  return readSealed(text, entry.hash);
}

/** Appends what continues the stream, all of it or none, also when `evolve` throws. */
function restoreInto<State>(
  { streams, projection, bell }: Kept<State>,
  team: TeamName,
  entries: readonly Entry[],
): Result<Head, Problem> {
  const stream: Stream<State> = streams.get(team) ?? { fold: emptyFold(projection), sealed: [] };
  const more = continuation(team, stream.fold.head, entries);
  if (!more.ok) return more;
  const before = stream.sealed.length;
  try {
    for (const sealed of more.value) {
      advanceOrRefold(stream, projection, reread(sealed));
      stream.sealed.push(sealed);
    }
  } catch (error) {
    stream.sealed.length = before;
    stream.fold = foldOf(stream, projection);
    throw error;
  }
  if (stream.sealed.length > 0) streams.set(team, stream);
  bell.ring();
  return ok(stream.fold.head);
}

function statsOf(streams: ReadonlyMap<TeamName, Stream<unknown>>): JournalStats {
  const teams = [...streams].map(([team, { sealed, fold }]) => ({ team, entries: sealed.length, head: fold.head }));
  return { place: "memory", bytes: null, teams: teams.sort((a, b) => (a.team < b.team ? -1 : 1)), engine: {} };
}

function verifyStreams<State>(
  streams: ReadonlyMap<TeamName, Stream<State>>,
  presented: readonly Receipt[],
): VerifyReport {
  const problems: Problem[] = [];
  const checks = [...streams].map(([team, stream]) => {
    const check = newStreamCheck(team, presented);
    for (const { entry, text } of stream.sealed) {
      const read = unsealEntry(text, entry.hash);
      if (read === null) problems.push(changedBytes(`${team}/${entry.seq}`));
      else problems.push(...checkEntry(check, entry.seq, read));
      check.isBroken ||= read === null;
      check.entries += 1;
      check.head = headAfter(entry);
    }
    problems.push(...checkEnd(check));
    return check;
  });
  for (const receipt of presented) if (!streams.has(receipt.team)) problems.push(unmetReceipt(receipt));
  return reportOf(checks, problems);
}

/* The entries of one team: reading and searching them, and keeping their fold correct. */

/** The entries of one team, with what is folded from them. */
interface Stream<State> {
  fold: Fold<State>;
  readonly sealed: Sealed[];
}

/** One step of a search: as many entries as are looked through at once. */
function searchStep<State>(
  stream: Stream<State> | undefined,
  projection: Projection<State>,
  { text, after = 0, before = Number.POSITIVE_INFINITY, newestFirst = false }: SearchOptions,
): Found {
  const first = Math.max(0, after);
  const end = Math.max(first, Math.min(before - 1, stream?.fold.head.seq ?? 0));
  const [from, to] = newestFirst ? [Math.max(first, end - scanRows), end] : [first, Math.min(end, first + scanRows)];
  const entries = stream === undefined ? [] : entriesWithin(stream, from, to);
  const found = entries.filter((entry) => isFound(projection, entry, text));
  const isOver = newestFirst ? from === first : to === end;
  const next = newestFirst ? from + 1 : to;
  return { entries: newestFirst ? found.toReversed() : found, next: isOver ? null : next, examined: entries.length };
}

/** The entry of that number; null: there is none, or the stream begins behind it. */
function entryAt(stream: Stream<unknown>, seq: number | null): Entry | null {
  return seq === null ? null : (stream.sealed[seq - 1 - missingBefore(stream)]?.entry ?? null);
}

/** How many entries before its first the stream lacks, because an older journal gave them up to an archive. */
function missingBefore({ sealed }: Stream<unknown>): number {
  return (sealed[0]?.entry.seq ?? 1) - 1;
}

/** The entries above `after` up to `upTo`. */
function entriesWithin(stream: Stream<unknown>, after: number, upTo: number): readonly Entry[] {
  const [from, to] = [after, upTo].map((seq) => Math.max(0, seq - missingBefore(stream)));
  return stream.sealed.slice(from, to).map(({ entry }) => entry);
}

/** The entries that hold the id. */
function findEntries(stream: Stream<unknown> | undefined, id: string): readonly Entry[] {
  return stream === undefined ? [] : holdersOf(stream.fold.held, id).flatMap((seq) => entryAt(stream, seq) ?? []);
}

/** Moves the stream's fold; when `evolve` throws, the half-changed state is folded afresh and the error passed on. */
function advanceOrRefold<State>(stream: Stream<State>, projection: Projection<State>, entry: Entry): void {
  try {
    advance(stream.fold, projection, entry);
  } catch (error) {
    stream.fold = foldOf(stream, projection);
    throw error;
  }
}

/** The fold of all entries that are kept. */
function foldOf<State>(stream: Stream<State>, projection: Projection<State>): Fold<State> {
  const fold = emptyFold(projection);
  for (const { entry } of stream.sealed) advance(fold, projection, entry);
  return fold;
}

/** A page of the stream, or of a receiver's inbox. */
function readPage<State>(stream: Stream<State> | undefined, options: ReadOptions): Page {
  if (stream === undefined) return { entries: [], next: null };
  const limit = pageLimit(options.limit);
  const after = Math.max(0, options.after ?? 0);
  if (options.receiver !== undefined) {
    const { seqs, more } = inboxAfter(stream.fold, options.receiver, after, limit);
    const entries = seqs.flatMap((seq) => entryAt(stream, seq) ?? []);
    return { entries, next: more ? (seqs.at(-1) ?? null) : null };
  }
  const from = Math.max(after, missingBefore(stream));
  const entries = entriesWithin(stream, from, from + limit);
  return { entries, next: from + limit < stream.fold.head.seq ? from + limit : null };
}

/**
 * A journal whose entries a server keeps: the contract's calls over a backend. What is written, and what must be at the
 * head, goes through the team's lane; the rest is asked of the server at once.
 * Source: docs/protocol/record.md.
 */
import { nextTurn, systemClock } from "../../base/clock.ts";
import { messageId, type TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isArchived } from "../archive-notice.ts";
import { pageLimit, raiseMarks, takesId } from "../attempt.ts";
import { broken, emptyHead, headAfter, sameHead, unsealEntry } from "../chain.ts";
import { dueMarkOf, noneDue } from "../deadlines.ts";
import type { Head, Page } from "../entry.ts";
import { holdersMax, inboxAfter } from "../fold.ts";
import { type Bell, followPages } from "../follow.ts";
import type {
  Abilities,
  Found,
  Journal,
  Projection,
  ReadOptions,
  SearchOptions,
  VerifyOptions,
  VerifyReport,
} from "../journal.ts";
import { isFound, scanRows } from "../searching.ts";
import {
  changedBytes,
  checkEnd,
  checkEntry,
  newStreamCheck,
  reportOf,
  type StreamCheck,
  unmetReceipt,
} from "../stream-check.ts";
import { dropUnusedFolds } from "../unused-folds.ts";
import { acceptLossAct, commitAct, lookAct, noteAct, type Reply, restoreAct, signAct } from "./acts.ts";
import type { Backend, Row } from "./backend.ts";
import { type Lane, newLane } from "./lane.ts";
import {
  acceptsLossOf,
  asking,
  bellOf,
  closedProblem,
  conditionOf,
  entriesOf,
  type KeptFold,
  newStore,
  noteFailure,
  type RemoteOptions,
  regressedProblem,
  ringAll,
  type Store,
  writingRefused,
} from "./store.ts";
import { type Act, noteContention } from "./turn.ts";

/** What a journal in a server promises. */
export function remoteAbilities({
  durability,
  restoresWhole,
}: Pick<Abilities, "durability" | "restoresWhole">): Abilities {
  return { durability, persistent: true, reach: "network", decides: "again", restoresWhole };
}

/** Who follows looks at least so often, because a notice of the server can be lost. */
const lookMs = 1_000;

/** The journal over an opened backend, which is closed with it. */
export function remoteJournal<State>(
  backend: Backend,
  projection: Projection<State>,
  options: RemoteOptions,
): Journal<State> {
  const store = newStore(backend, projection, options);
  const lanes = new Map<TeamName, Lane<State>>();
  let closing: Promise<void> | null = null;
  const queue = <Value>(
    team: TeamName,
    actOf: (reply: Reply<Value>) => Act<State>,
  ): Promise<Result<Value, Problem>> => {
    if (closing !== null) return Promise.resolve(err(closedProblem(store)));
    return new Promise((resolve, reject) => laneOf(store, lanes, team).add(actOf({ resolve, reject })));
  };
  const look = (team: TeamName) => queue<KeptFold<State>>(team, lookAct);
  const watch = watchOf(store);
  backend.onContention?.((team) => noteContention(store, team));
  const close = async () => {
    for (const lane of lanes.values()) await lane.idle();
    store.heads?.finish();
    store.ended.abort();
    for (const bell of store.bells.values()) bell.close();
    await backend.close();
  };
  return {
    abilities: remoteAbilities(backend),
    place: backend.place,
    clock: store.clock,
    commit: (team, attempt) => queue(team, (reply) => commitAct(store, team, attempt, reply)),
    restore: (team, entries) => queue(team, (reply) => restoreAct(team, entries, reply)),
    async state(team) {
      const kept = await look(team);
      return kept.ok ? ok({ state: kept.value.fold.state, head: kept.value.fold.head }) : kept;
    },
    ...readingCalls(store, look),
    follow: (team, follow) => followTeam(store, watch, team, follow),
    async mark(team, agent, marks) {
      const known = await asking(store, () => backend.marks(team, agent));
      if (!known.ok) return known;
      const raised = raiseMarks(known.value, marks);
      if (raised.offered === known.value.offered && raised.seen === known.value.seen) return ok(undefined);
      if (store.refusal !== null) return err(store.refusal);
      return await asking(store, () => backend.raiseMarks(team, agent, raised));
    },
    heartbeat: (team, agent, at) => queue(team, (reply) => signAct(agent, at, reply)),
    note: (team, agent, change) => queue(team, (reply) => noteAct(agent, change, reply)),
    acceptLoss: (team, by, reason, id) =>
      queue(team, (reply) => acceptLossAct(store, team, { by, reason, id: id ?? null }, reply)),
    ...deadlineCalls(store, look),
    dropUnused(unusedMs) {
      const dropped = dropUnusedFolds(store.folds, store.clock, unusedMs);
      for (const team of dropped) backend.forget?.(team);
      return dropped.length;
    },
    probe: async () => {
      if (store.refusal !== null) return err(store.refusal);
      // Another process may have accepted the loss meanwhile, or the data is back; the look finds that.
      for (const team of store.regressions.keys()) await look(team);
      const reason = writingRefused(store);
      return reason === null ? await asking(store, () => backend.probe()) : err(reason);
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

function laneOf<State>(store: Store<State>, lanes: Map<TeamName, Lane<State>>, team: TeamName): Lane<State> {
  const known = lanes.get(team);
  if (known !== undefined) return known;
  const lane = newLane(store, team);
  lanes.set(team, lane);
  return lane;
}

/** The index of deadlines. Where nothing may be recorded, nothing is due. */
function deadlineCalls<State>(store: Store<State>, look: Look<State>): Pick<Journal<State>, "due" | "noteDue"> {
  const { backend, projection, refusal } = store;
  const { rule } = projection.deadlines ?? {};
  return {
    due: async (atMs) => {
      if (rule === undefined || refusal !== null) return ok(noneDue);
      return await asking(store, () => backend.due(rule, atMs));
    },
    async noteDue(team) {
      if (rule === undefined || refusal !== null) return ok(undefined);
      const kept = await look(team);
      if (!kept.ok) return kept;
      const { head, state } = kept.value.fold;
      const mark = dueMarkOf(projection, state);
      return mark === null ? ok(undefined) : await asking(store, () => backend.noteDue(team, head, mark));
    },
  };
}

type Look<State> = (team: TeamName) => Promise<Result<KeptFold<State>, Problem>>;

/** The calls that write nothing. */
function readingCalls<State>(
  store: Store<State>,
  look: Look<State>,
): Pick<
  Journal<State>,
  "teams" | "read" | "search" | "find" | "marks" | "heartbeats" | "notes" | "condition" | "verify" | "stats" | "heed"
> {
  const { backend } = store;
  return {
    teams: () => asking(store, () => backend.teams()),
    read: (team, options = {}) => readPage(store, look, team, options),
    search: (team, options) => searchStep(store, team, options),
    find: async (team, id) => {
      if (messageId(id) === null) return ok([]);
      const rows = await asking(store, () => backend.holdersOf(team, id, holdersMax));
      return rows.ok ? entriesOf(store, team, rows.value) : rows;
    },
    marks: (team, agent) => asking(store, () => backend.marks(team, agent)),
    heartbeats: (team) => asking(store, () => backend.signs(team)),
    notes: (team) => asking(store, () => backend.notes(team)),
    condition: () => conditionOf(store),
    verify: (options = {}) => verifyStreams(store, options),
    stats: async () => {
      const facts = await asking(store, () => backend.facts());
      return facts.ok ? ok({ place: backend.place, ...facts.value }) : facts;
    },
    heed: ({ problems }) => stopOnCorruption(store, problems),
  };
}

/** One page of the team's entries, or of those addressed to a receiver. */
async function readPage<State>(
  store: Store<State>,
  look: Look<State>,
  team: TeamName,
  options: ReadOptions,
): Promise<Result<Page, Problem>> {
  const limit = pageLimit(options.limit);
  const after = Math.max(0, options.after ?? 0);
  const { receiver } = options;
  if (receiver === undefined) return await readStream(store, team, after, limit);
  const kept = await look(team);
  if (!kept.ok) return kept;
  const { seqs, more } = inboxAfter(kept.value.fold, receiver, after, limit);
  const rows = seqs.length === 0 ? ok([]) : await asking(store, () => store.backend.rowsAt(team, seqs));
  if (!rows.ok) return rows;
  const entries = entriesOf(store, team, rows.value);
  return entries.ok ? ok({ entries: entries.value, next: more ? (seqs.at(-1) ?? null) : null }) : entries;
}

async function readStream(
  store: Store<unknown>,
  team: TeamName,
  after: number,
  limit: number,
): Promise<Result<Page, Problem>> {
  // One row more than asked for tells whether there is a next page.
  const rows = await asking(store, () => store.backend.rows(team, { from: after + 1, limit: limit + 1 }));
  if (!rows.ok) return rows;
  const entries = entriesOf(store, team, rows.value.slice(0, limit));
  if (!entries.ok) return entries;
  const next = rows.value.length > limit ? (entries.value.at(-1)?.seq ?? null) : null;
  return ok({ entries: entries.value, next });
}

/* Following: the server rings, this process rings for what it records, and everyone looks once a second regardless. */

interface Watch {
  /** Joins the followers; the returned function leaves again. */
  join(bell: Bell): () => void;
}

function watchOf(store: Store<unknown>): Watch {
  let isWatching = false;
  const followers = new Map<Bell, number>();
  const keepLooking = async () => {
    const { signal } = store.ended;
    while (!signal.aborted) {
      await systemClock.wait(lookMs, signal);
      for (const bell of followers.keys()) bell.ring();
    }
  };
  return {
    join(bell) {
      followers.set(bell, (followers.get(bell) ?? 0) + 1);
      if (!isWatching && !store.ended.signal.aborted) {
        isWatching = true;
        store.backend.watch((team) => {
          if (team === null) ringAll(store);
          else store.bells.get(team as TeamName)?.ring();
        }, store.ended.signal);
        void keepLooking();
      }
      return () => {
        const left = (followers.get(bell) ?? 1) - 1;
        if (left === 0) followers.delete(bell);
        else followers.set(bell, left);
      };
    },
  };
}

async function* followTeam<State>(
  store: Store<State>,
  watch: Watch,
  team: TeamName,
  options: Parameters<Journal<State>["follow"]>[1],
): ReturnType<typeof followPages> {
  if (store.ended.signal.aborted) return;
  const bell = bellOf(store, team);
  const leave = watch.join(bell);
  /** A server that is away ends no stream: the reader goes on when it is back. */
  const page = async (after: number): Promise<Page | null> => {
    while (!options.signal.aborted && !store.ended.signal.aborted && store.failure === null) {
      const read = await readStream(store, team, after, pageRowsMax);
      if (read.ok) return read.value;
      await systemClock.wait(lookMs, options.signal);
    }
    return null;
  };
  try {
    yield* followPages(page, bell, options);
  } finally {
    leave();
  }
}

/** One step of a search: the next entries are read, and those kept that hold the text. */
async function searchStep<State>(
  store: Store<State>,
  team: TeamName,
  { text, after = 0, before = Number.POSITIVE_INFINITY, newestFirst = false }: SearchOptions,
): Promise<Result<Found, Problem>> {
  const head = await asking(store, () => store.backend.head(team));
  if (!head.ok) return head;
  const first = Math.max(0, after);
  const end = Math.max(first, Math.min(before - 1, head.value?.seq ?? 0));
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

/* Verifying all streams of the server. */

const pageRows = 500;

/** What the walk knows of one team. */
interface Walk extends StreamCheck {
  /** What this process saw of it before; the server must still have it. */
  readonly seen: Head | null;
  ids: number;
  isSeenMet: boolean;
}

/** Verifies every team. Damage also stops writing. */
async function verifyStreams(store: Store<unknown>, options: VerifyOptions): Promise<VerifyReport> {
  const { presented = [], signal, looked } = options;
  const problems: Problem[] = [];
  const done: Walk[] = [];
  const names = await asking(store, () => store.backend.teams());
  if (!names.ok) return { ok: false, teams: [], problems: [names.error] };
  let before = 0;
  for (const team of names.value) {
    const seen = store.seen.get(team) ?? null;
    const walk = { ...newStreamCheck(team, presented), seen, ids: 0, isSeenMet: seen === null };
    done.push(walk);
    const found = await walkTeam(store, walk, signal, (entries) => looked?.(before + entries));
    problems.push(...found);
    before += walk.entries;
    if (signal?.aborted === true) break;
  }
  const known = new Set<TeamName>(names.value);
  for (const [team, seen] of store.seen)
    if (!known.has(team) && seen.seq > 0) problems.push(regressedProblem(team, emptyHead, seen));
  for (const receipt of presented) if (!known.has(receipt.team)) problems.push(unmetReceipt(receipt));
  stopOnCorruption(store, problems);
  return reportOf(done, problems);
}

/** Stops writing where a verification found the server's data damaged, here or elsewhere. */
function stopOnCorruption(store: Store<unknown>, problems: readonly Problem[]): void {
  const fatal = problems.find(({ code, path }) => code === "journal-corrupt" && !path.startsWith("receipt "));
  if (fatal !== undefined) noteFailure(store, { kind: "final", problem: fatal });
}

async function walkTeam(
  store: Store<unknown>,
  walk: Walk,
  signal: AbortSignal | undefined,
  looked: (entries: number) => void,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const { team } = walk;
  for (;;) {
    const from = walk.head.seq + 1;
    const rows = await asking(store, () => store.backend.rows(team, { from, limit: pageRows }));
    if (!rows.ok) return [...problems, rows.error];
    for (const row of rows.value) problems.push(...checkRow(walk, row));
    looked(walk.entries);
    if (signal?.aborted === true) return problems;
    if (rows.value.length < pageRows) break;
    await nextTurn();
  }
  return [...problems, ...(await closeWalk(store, walk))];
}

function checkRow(walk: Walk, row: Row): readonly Problem[] {
  walk.entries += 1;
  const entry = unsealEntry(row.text, row.hash);
  if (entry === null) {
    walk.isBroken = true;
    walk.head = { ...walk.head, seq: row.seq };
    return [changedBytes(`${walk.team}/${row.seq}`)];
  }
  const problems = checkEntry(walk, row.seq, entry);
  if (takesId(entry)) walk.ids += 1;
  const { seen } = walk;
  walk.isSeenMet ||=
    seen !== null &&
    (sameHead(seen, entry) || acceptsLossOf(entry, seen) || (walk.entries === 1 && isArchived(entry, seen)));
  walk.head = { ...headAfter(entry), seq: row.seq };
  return problems;
}

/** What was expected of the team and did not come. */
async function closeWalk(store: Store<unknown>, walk: Walk): Promise<readonly Problem[]> {
  const { team, head, seen } = walk;
  const problems: Problem[] = [];
  if (!walk.isSeenMet && seen !== null) problems.push(regressedProblem(team, head, seen));
  problems.push(...checkEnd(walk));
  const ids = await asking(store, () => store.backend.countIds(team, head.seq));
  if (!ids.ok) problems.push(ids.error);
  else if (ids.value !== walk.ids && !walk.isBroken)
    problems.push(broken(team, `The server holds ${ids.value} ids of ${walk.ids} that the entries have.`));
  const named = await asking(store, () => store.backend.head(team));
  // Entries may have come since; fewer than were read may not be named.
  if (!named.ok) problems.push(named.error);
  else if ((named.value?.seq ?? 0) < head.seq || (named.value?.seq === head.seq && named.value.hash !== head.hash))
    problems.push(broken(team, `The server names entry ${named.value?.seq ?? 0} as the last, but holds ${head.seq}.`));
  return problems;
}

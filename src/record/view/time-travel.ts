/**
 * The team as it was at an entry: its state is folded from the nearest checkpoint before it, and the looks of today are
 * given that state, the time of that entry, and a journal that takes nothing. Checkpoints are made once, in turns, as far
 * as a caller asks; they and the last states are kept in memory. And the same for `status --at`, which folds from the
 * first entry.
 * Source: docs/protocol/record.md, section 22.
 */
import { ownTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { invariant } from "../../base/invariant.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { emptyHead, headAfter } from "../../journal/chain.ts";
import type { Entry, Head } from "../../journal/entry.ts";
import type { Context } from "../../perform/context.ts";
import { evolve, teamProjection } from "../../perform/projection.ts";
import { initialState, type TeamState } from "../../perform/state.ts";

/** Entries from one checkpoint to the next at first; once there are `checkpointsMax`, every other is dropped. */
const checkpointRows = 1_000;
const checkpointsMax = 128;
/** Most states that are kept whole. */
const statesMax = 8;
const turnRows = 128;

/** The state after an entry. Nobody changes it. */
export interface PastState {
  readonly state: TeamState;
  readonly head: Head;
  readonly recordedAt: string;
}

interface Checkpoint extends Omit<PastState, "state"> {
  /** The encoded state, compressed. */
  readonly bytes: Buffer;
}

interface Past {
  /** By seq, ascending. */
  readonly checkpoints: Checkpoint[];
  rows: number;
  /** The last states that were asked for, the latest last. */
  readonly states: Map<number, PastState>;
  /** One folding at a time. */
  folding: Promise<unknown>;
}

const pasts = new WeakMap<Context["journal"], Map<TeamName, Past>>();

/** The state at the entry `seq`; of a number that was lost that of the entry before. Refuses `not-found`. */
export async function stateAt(context: Context, seq: number): Promise<Result<PastState, Problem>> {
  const { journal, team } = context;
  const ofJournal = pasts.get(journal) ?? new Map<TeamName, Past>();
  pasts.set(journal, ofJournal);
  const past = ofJournal.get(team) ?? {
    checkpoints: [],
    rows: checkpointRows,
    states: new Map(),
    folding: Promise.resolve(),
  };
  ofJournal.set(team, past);
  const found = past.folding.then(() => foldTo(context, past, seq));
  past.folding = found;
  return await found;
}

async function foldTo({ journal, team }: Context, past: Past, seq: number): Promise<Result<PastState, Problem>> {
  const known = past.states.get(seq);
  if (known !== undefined) {
    past.states.delete(seq);
    past.states.set(seq, known);
    return ok(known);
  }
  const base = past.checkpoints.findLast(({ head }) => head.seq <= seq);
  let state = base === undefined ? initialState() : decoded(base.bytes);
  let { head, recordedAt }: { head: Head | null; recordedAt: string } = base ?? { head: null, recordedAt: "" };
  for (let after: number | null = head?.seq ?? 0; after !== null && after < seq; ) {
    const page = await journal.read(team, { after, limit: turnRows });
    if (!page.ok) return page;
    for (const entry of page.value.entries) {
      if (entry.seq > seq) break;
      state = evolve(state, entry);
      head = headAfter(entry);
      recordedAt = entry.recordedAt;
      keepCheckpoint(past, { state, head, recordedAt });
    }
    after = page.value.next;
    if (after !== null) await ownTurn();
  }
  if (head === null) return err(notReached(seq, 0));
  const reached = await journal.state(team);
  if (!reached.ok) return reached;
  if (seq > reached.value.head.seq) return err(notReached(seq, reached.value.head.seq));
  const found = { state, head, recordedAt };
  past.states.set(seq, found);
  for (const oldest of past.states.keys()) {
    if (past.states.size <= statesMax) break;
    past.states.delete(oldest);
  }
  return ok(found);
}

/** Keeps the state as a checkpoint where one is due behind the last. */
function keepCheckpoint(past: Past, { state, head, recordedAt }: PastState): void {
  const last = past.checkpoints.at(-1)?.head.seq ?? 0;
  if (head.seq < last + past.rows) return;
  past.checkpoints.push({ head, recordedAt, bytes: zlib().deflateRawSync(teamProjection.encode(state), { level: 1 }) });
  if (past.checkpoints.length < checkpointsMax) return;
  past.checkpoints.splice(0, past.checkpoints.length, ...past.checkpoints.filter((_, index) => index % 2 === 1));
  past.rows *= 2;
}

function decoded(bytes: Buffer): TeamState {
  return teamProjection.decode(zlib().inflateRawSync(bytes).toString("utf8"));
}

/** Loaded with the first checkpoint: most processes make none. */
function zlib() {
  return process.getBuiltinModule("node:zlib");
}

function notReached(seq: number, last: number): Problem {
  return makeProblem("not-found", "arguments.seq", `The team has no entry ${seq}; the last is ${last}.`, {
    expected: `1 to ${last}`,
    received: String(seq),
    hint: "`baton log` lists the entries with their numbers.",
  });
}

/** A context in which it is the moment of that entry: looks see its state, and nothing is recorded. */
export function contextAt(context: Context, { state, head, recordedAt }: PastState): Context {
  const { journal } = context;
  const nowMs = Date.parse(recordedAt);
  const refused = () => Promise.resolve(err(readOnly));
  return {
    ...context,
    clock: { ...context.clock, now: () => nowMs, steady: () => nowMs, monotonic: () => nowMs },
    journal: {
      ...journal,
      state: () => Promise.resolve(ok({ state, head })),
      heartbeats: () => Promise.resolve(ok(new Map())),
      notes: () => Promise.resolve(ok(new Map())),
      commit: refused,
      restore: refused,
      mark: refused,
      note: refused,
      heartbeat: refused,
    },
  };
}

const readOnly: Problem = makeProblem("journal-read-only", "journal", "The past takes no entries.", {
  hint: "Decide on the present.",
});

/*
 * The state of a team as it was at an entry: folded again from the first one, by the code of today. Changes nothing.
 * Source: docs/protocol/doors.md, section 1.
 */

/** A team's state at one of its entries; its maps are objects where their keys are inputs, else lists of pairs. */
interface Replayed {
  readonly team: TeamName;
  readonly head: Head;
  readonly recordedAt: string | null;
  readonly state: Json;
}

/** What can be walked through from the first entry. */
interface Entries {
  entries(team: TeamName): AsyncIterable<Result<Entry, Problem>>;
}

/** Folds up to the entry `at`; absent: to the head. Refuses `not-found` for a number that the team has not reached. */
export async function replay(record: Entries, team: TeamName, at?: number): Promise<Result<Replayed, Problem>> {
  let state = initialState();
  let head: Head = emptyHead;
  let recordedAt: string | null = null;
  if (at !== 0) {
    for await (const entry of record.entries(team)) {
      if (!entry.ok) return entry;
      // A number that was lost stands for what was before it.
      if (at !== undefined && entry.value.seq > at) break;
      state = evolve(state, entry.value);
      head = headAfter(entry.value);
      recordedAt = entry.value.recordedAt;
      if (entry.value.seq === at) break;
    }
  }
  if (at !== undefined && at > head.seq && !(await isReached(record, team, at)))
    return err(noSuchEntry(team, at, head.seq));
  return ok({ team, head, recordedAt, state: plain(state) });
}

/** Whether the stream goes on behind a number that was lost. */
async function isReached(record: Entries, team: TeamName, at: number): Promise<boolean> {
  for await (const entry of record.entries(team)) if (!entry.ok || entry.value.seq >= at) return entry.ok;
  return false;
}

function noSuchEntry(team: TeamName, at: number, last: number): Problem {
  return makeProblem("not-found", String(at), `The team ${team} has no entry ${at}; the last is ${last}.`, {
    expected: `0 to ${last}`,
    received: String(at),
    hint: "`baton log` lists the entries with their numbers.",
  });
}

/** State as plain JSON: it holds nothing but plain values and maps. */
function plain(value: unknown): Json {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value as Json; // a scalar of JSON
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) {
    const pairs = [...value].map(([key, inner]): readonly [unknown, Json] => [key, plain(inner)]);
    const isNamed = pairs.every(([key]) => typeof key === "string");
    return isNamed ? Object.fromEntries(pairs) : pairs.map(([key, inner]) => [plain(key), inner]);
  }
  invariant(typeof value === "object", "state holds plain values and maps");
  const object: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value ?? {})) if (inner !== undefined) object[key] = plain(inner);
  invariant(isJsonObject(object), "an object of plain values is one of JSON");
  return object;
}

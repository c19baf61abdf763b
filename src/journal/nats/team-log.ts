/**
 * What this process knows of a team's part of the log: in which message each entry is, who holds which id, and the last
 * rows it read. It begins with what processes before it kept (`runs`), is brought up to the last message before each
 * answer, and is dropped where the stream no longer has what it knew: a stream that was made again looks the same by name.
 */
import { systemClock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { broken, emptyHead } from "../chain.ts";
import type { Head } from "../entry.ts";
import type { Answer, Failure, Row } from "../remote/backend.ts";
import { type Batch, decodeBatch, endsOf, prevHashOf } from "./batch.ts";
import { unreachable } from "./failures.ts";
import { type IdRun, idKey, lowerBound, newRun, pairKey, type RunSource, runRows } from "./runs.ts";
import type { Stored, Stream } from "./streams.ts";

const freshMs = 1_000;

/** The part of one team. Calls wait for each other. */
export interface TeamLog {
  /** Reads what is new. */
  refresh(): Answer<void>;
  /** Whether it was refreshed within the last second: only that shows that the log was not taken back. */
  isFresh(): boolean;
  /** The connection was lost: whatever answers now may be another server. */
  doubt(): void;
  /** As of the last refresh. */
  head(): Head;
  /** The number of the last message; 0: there is none. */
  last(): number;
  entries(): number;
  rows(range: RowRange): Answer<readonly Row[]>;
  rowsAt(seqs: readonly number[]): Answer<readonly Row[]>;
  /** Numbers of entries that may hold the id, the latest first, for this agent where one is named. */
  candidates(id: string, agent?: string): readonly number[];
  /** How many ids are held by entries up to `seq`. */
  countIds(seq: number): number;
  /** Takes in a message that this process wrote behind the last one. */
  add(batch: Batch): void;
}

/** The log of the team whose subject is `subject`; `source` keeps runs for later processes. */
export function teamLog(stream: Stream, subject: string, source: RunSource): TeamLog {
  return new KnownLog(stream, subject, source);
}

class KnownLog implements TeamLog {
  readonly #stream: Stream;
  readonly #subject: string;
  readonly #source: RunSource;
  readonly #rows: LogRows;
  /** Null: nothing was read yet. */
  #known: Known | null = null;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<Result<void, Failure>> | null = null;
  /** The refresh behind the one that runs, for all who asked since that began. */
  #next: Promise<Result<void, Failure>> | null = null;

  constructor(stream: Stream, subject: string, source: RunSource) {
    this.#stream = stream;
    this.#subject = subject;
    this.#source = source;
    this.#rows = logRows(stream, subject, () => this.#now);
  }

  refresh(): Answer<void> {
    if (this.#refreshing === null) {
      this.#refreshing = this.#refreshed();
      return this.#refreshing;
    }
    this.#next ??= this.#refreshing.then(() => {
      this.#next = null;
      return this.refresh();
    });
    return this.#next;
  }

  isFresh(): boolean {
    return systemClock.monotonic() < this.#refreshedAt + freshMs;
  }

  doubt(): void {
    this.#refreshedAt = Number.NEGATIVE_INFINITY;
  }

  head(): Head {
    return this.#now.head;
  }

  last(): number {
    return lastOf(this.#now);
  }

  entries(): number {
    return this.#now.entries;
  }

  rows(range: RowRange): Answer<readonly Row[]> {
    return this.#rows.within(range);
  }

  rowsAt(seqs: readonly number[]): Answer<readonly Row[]> {
    return this.#rows.at(seqs);
  }

  candidates(id: string, agent?: string): readonly number[] {
    return candidatesOf(this.#now, id, agent);
  }

  countIds(seq: number): number {
    const { runs, recent } = this.#now;
    let count = 0;
    for (const { seqs } of runs) for (const held of seqs) if (held <= seq) count += 1;
    for (const holders of recent.values()) count += holders.filter((holder) => holder.seq <= seq).length;
    return count;
  }

  add(batch: Batch): void {
    if (this.#known === null || batch.at <= lastOf(this.#known)) return;
    if (this.#learn(this.#known, batch) !== null) this.#drop();
  }

  get #now(): Known {
    this.#known ??= nothingKnown();
    return this.#known;
  }

  #drop(): void {
    this.#known = null;
    this.#rows.forget();
  }

  async #refreshed(): Promise<Result<void, Failure>> {
    const begun = systemClock.monotonic();
    try {
      for (;;) {
        const done = await this.#readNew();
        if (done === "again") continue;
        if (done.ok) this.#refreshedAt = begun;
        return done;
      }
    } finally {
      this.#refreshing = null;
    }
  }

  /** Reads what is behind what is known; `again`: what was known is not so, or has moved meanwhile. */
  async #readNew(): Promise<Result<void, Failure> | "again"> {
    const before = this.#known;
    // What others kept is read first: they may keep more while this process looks at the last message.
    const begun =
      before === null ? await begin(this.#stream, this.#source, (batch) => this.#rows.keep(batch)) : ok(before);
    if (!begun.ok) return begun;
    const known = begun.value;
    const lastBefore = lastOf(known);
    const last = await this.#stream.last(this.#subject);
    if (!last.ok) return last;
    if (this.#known !== before || lastOf(known) !== lastBefore) return "again";
    if (last.value === null) {
      this.#drop();
      return ok(undefined);
    }
    this.#known = known;
    const ends = endsOf(last.value);
    if (!ends.ok) return ends;
    const { at } = last.value;
    if (at === lastOf(known) && ends.value.last.hash === known.head.hash) return ok(undefined);
    if (at > lastOf(known)) return await this.#takeUpTo(known, last.value, before === null);
    this.#drop();
    return before === null ? err(gap(this.#subject)) : "again";
  }

  /** Takes in what is behind what is known, up to the message `newest`. */
  async #takeUpTo(known: Known, newest: Stored, isNew: boolean): Promise<Result<void, Failure> | "again"> {
    const { head } = known;
    const from = lastOf(known) + 1;
    let isOther = false;
    const takeNext = (stored: Stored) => {
      if (stored.at <= lastOf(known)) return null;
      // The log was taken back and has grown again: nothing of what is known may be so.
      if (!isNew && known.head === head) isOther = prevHashOf(stored) !== head.hash;
      return isOther ? gap(this.#subject) : this.#take(known, stored);
    };
    const ends = endsOf(newest);
    const isNext = ends.ok && ends.value.first.seq === head.seq + 1;
    const problem = isNext ? takeNext(newest) : null;
    const done = isNext
      ? problem === null
        ? ok(undefined)
        : err(problem)
      : await this.#stream.each(this.#subject, { from, upTo: newest.at }, takeNext);
    if (isOther) {
      this.#drop();
      return "again";
    }
    if (!done.ok) return done;
    return lastOf(known) >= newest.at ? ok(undefined) : err(unreachable(this.#stream.place, behind));
  }

  #take(known: Known, stored: Stored): Failure | null {
    const batch = decodeBatch(stored);
    return batch.ok ? this.#learn(known, batch.value) : batch.error;
  }

  #learn(known: Known, batch: Batch): Failure | null {
    const problem = learn(known, batch);
    if (problem !== null) return problem;
    this.#rows.keep(batch);
    for (let run = newRun(known.runs.length, known); run !== null; run = newRun(known.runs.length, known)) {
      addRun(known, run);
      forgetRecent(known, run.to);
      this.#source.keep(run);
    }
    return null;
  }
}

/* The entries of a log by their numbers. */

/** Rows kept for who reads them again soon, in bytes. */
const cacheBytes = 4 * 1024 * 1024;
/** So many messages are read one by one; more by a consumer. */
const singlesMax = 3;
/** Messages that are asked for together. */
const atOnce = 16;

/** A consumer may be at a server that has not yet what the leader has. */
const behind = "a server of the cluster is behind";

/** Numbers of entries, both included, and how many are wanted. */
interface RowRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The rows of one team's log. */
interface LogRows {
  within(range: RowRange): Answer<readonly Row[]>;
  at(seqs: readonly number[]): Answer<readonly Row[]>;
  /** Keeps the rows of a message that was read or written, while there is room. */
  keep(batch: Batch): void;
  /** What was kept may be of another stream. */
  forget(): void;
}

/** The rows of the log whose subject is `subject`; `known` answers in which message each is, as far as is known now. */
function logRows(stream: Stream, subject: string, known: () => Known): LogRows {
  const cache = newCache();
  const log: Log = { stream, subject, known, cache };
  return {
    within: (range) => rowsWithin(log, range),
    at: (seqs) => rowsAt(log, seqs),
    keep: cache.keep,
    forget: cache.clear,
  };
}

interface Log {
  readonly stream: Stream;
  readonly subject: string;
  readonly known: () => Known;
  readonly cache: Cache;
}

async function rowsWithin(log: Log, { from, to, limit }: RowRange): Answer<readonly Row[]> {
  const { firsts, head } = log.known();
  const upTo = Math.min(to, head.seq);
  if (from > upTo || limit <= 0) return ok([]);
  const found: Row[] = [];
  let index = Math.max(0, lowerBound(firsts, from + 1) - 1);
  while (index < firsts.length && found.length < limit && (firsts[index] ?? upTo + 1) <= upTo) {
    // Each message holds one entry or more, so these are no more messages than needed, as far as is known before.
    const left = limit - found.length;
    const last = lowerBound(firsts, Math.min(upTo, Math.max(from, firsts[index] ?? 0) + left) + 1) - 1;
    const rows = await rowsBetween(log, index, Math.max(index, Math.min(last, index + left - 1)));
    if (!rows.ok) return rows;
    found.push(...rows.value.filter(({ seq }) => seq >= from && seq <= upTo));
    index = Math.max(index, Math.min(last, index + left - 1)) + 1;
  }
  return ok(found.slice(0, limit));
}

async function rowsAt(log: Log, seqs: readonly number[]): Answer<readonly Row[]> {
  const { firsts, head } = log.known();
  const wanted = new Set(seqs.filter((seq) => seq >= 1 && seq <= head.seq));
  const indexes = [...new Set([...wanted].map((seq) => lowerBound(firsts, seq + 1) - 1))].toSorted((a, b) => a - b);
  const found: Row[] = [];
  for (let from = 0; from < indexes.length; from += atOnce) {
    const read = await Promise.all(indexes.slice(from, from + atOnce).map((index) => rowsOf(log, index)));
    for (const rows of read) {
      if (!rows.ok) return rows;
      found.push(...rows.value.filter(({ seq }) => wanted.has(seq)));
    }
  }
  return ok(found);
}

/** The entries of the messages from one to another, by a consumer where they are many. */
async function rowsBetween(log: Log, first: number, last: number): Answer<readonly Row[]> {
  const { ats } = log.known();
  const rows: Row[] = [];
  if (last - first < singlesMax || ats.slice(first, last + 1).every((at) => log.cache.get(at) !== null)) {
    for (let index = first; index <= last; index += 1) {
      const read = await rowsOf(log, index);
      if (!read.ok) return read;
      rows.push(...read.value);
    }
    return ok(rows);
  }
  let messages = 0;
  const done = await log.stream.each(log.subject, { from: ats[first] ?? 1, upTo: ats[last] ?? 0 }, (stored) => {
    const batch = decodeBatch(stored);
    if (!batch.ok) return batch.error;
    rows.push(...batch.value.rows);
    messages += 1;
    return null;
  });
  if (!done.ok) return done;
  return messages > last - first ? ok(rows) : err(unreachable(log.stream.place, behind));
}

async function rowsOf({ stream, subject, known, cache }: Log, index: number): Answer<readonly Row[]> {
  const at = known().ats[index];
  if (at === undefined) return ok([]);
  const kept = cache.get(at);
  if (kept !== null) return ok(kept);
  const stored = await stream.at(at);
  if (!stored.ok) return stored;
  if (stored.value === null || stored.value.subject !== subject) return err(gap(subject));
  const batch = decodeBatch(stored.value);
  if (!batch.ok) return batch;
  cache.keep(batch.value);
  return ok(batch.value.rows);
}

interface Cache {
  get(at: number): readonly Row[] | null;
  keep(batch: Batch): void;
  clear(): void;
}

function newCache(): Cache {
  const kept = new Map<number, Batch>();
  let bytes = 0;
  return {
    get: (at) => kept.get(at)?.rows ?? null,
    keep(batch) {
      if (batch.bytes > cacheBytes / 4 || kept.has(batch.at)) return;
      kept.set(batch.at, batch);
      bytes += batch.bytes;
      for (const [at, oldest] of kept) {
        if (bytes <= cacheBytes) break;
        kept.delete(at);
        bytes -= oldest.bytes;
      }
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}

/* What a process knows of a team's log. */

interface Known {
  /** The first entry of each message, and the message's number, in order. */
  readonly firsts: number[];
  readonly ats: number[];
  head: Head;
  entries: number;
  readonly runs: IdRun[];
  readonly filter: IdFilter;
  /** Ids of entries behind the last run. */
  readonly recent: Map<string, { readonly agent: string; readonly seq: number }[]>;
  readonly recentRows: { readonly seq: number; readonly hash: string }[];
}

function nothingKnown(): Known {
  const runs: IdRun[] = [];
  const filter = new IdFilter(runs);
  return { firsts: [], ats: [], head: emptyHead, entries: 0, runs, filter, recent: new Map(), recentRows: [] };
}

/**
 * What processes before this one kept, as far as the log still has it. `read` is called with the message that shows it: the
 * newest snapshot mostly ends there, and who opens it need not read the message again.
 */
async function begin(stream: Stream, source: RunSource, read: (batch: Batch) => void): Promise<Result<Known, Failure>> {
  const kept = await source.load();
  if (!kept.ok) return kept;
  const runs = [...kept.value];
  for (let run = runs.at(-1); run !== undefined; run = runs.at(-1)) {
    const at = run.positions.at(-1)?.[1];
    const stored = at === undefined ? ok(null) : await stream.at(at);
    if (!stored.ok) return stored;
    const batch = stored.value === null ? null : decodeBatch(stored.value);
    const [seq, hash] = run.end;
    if (batch?.ok === true && batch.value.rows.some((row) => row.seq === seq && row.hash === hash)) {
      const now = nothingKnown();
      for (const each of runs) {
        addRun(now, each);
        for (const [first, number] of each.positions) {
          now.firsts.push(first);
          now.ats.push(number);
        }
        now.entries += each.entries;
      }
      // A message may go beyond the boundary of the run: its other entries are learned now.
      const beyond = batch.value.rows.filter((row) => row.seq > run.to);
      const last = batch.value.rows.at(-1);
      now.entries += beyond.length;
      now.recentRows.push(...beyond);
      for (const { id, agent, seq: held } of batch.value.ids) if (held > run.to) note(now, id, { agent, seq: held });
      now.head = { seq: last?.seq ?? seq, hash: last?.hash ?? hash, epoch: epochOf(last) };
      read(batch.value);
      return ok(now);
    }
    runs.pop();
  }
  return ok(nothingKnown());
}

function addRun({ runs, filter }: Known, run: IdRun): void {
  runs.push(run);
  filter.add(run);
}

function note({ recent }: Known, id: string, holder: { readonly agent: string; readonly seq: number }): void {
  const holders = recent.get(id);
  if (holders === undefined) recent.set(id, [holder]);
  else holders.push(holder);
}

/** Takes in a message behind the last one. */
function learn(now: Known, { at, rows, ids }: Batch): Failure | null {
  let before = now.head.seq;
  for (const { seq } of rows) {
    if (seq <= before)
      return { kind: "final", problem: broken(`message ${at}`, `This message holds entry ${seq} again.`) };
    before = seq;
  }
  const last = rows.at(-1);
  if (last === undefined) return null;
  now.firsts.push(rows[0]?.seq ?? last.seq);
  now.ats.push(at);
  now.entries += rows.length;
  now.head = { seq: last.seq, hash: last.hash, epoch: epochOf(last) };
  for (const { seq, hash } of rows) now.recentRows.push({ seq, hash });
  for (const { id, agent, seq } of ids) note(now, id, { agent, seq });
  return null;
}

function forgetRecent(now: Known, upTo: number): void {
  const { recent, recentRows } = now;
  for (const [id, holders] of recent) {
    const left = holders.filter(({ seq }) => seq > upTo);
    if (left.length === 0) recent.delete(id);
    else recent.set(id, left);
  }
  recentRows.splice(0, recentRows.length, ...recentRows.filter(({ seq }) => seq > upTo));
}

/** The epoch, which an entry's text says among its first members; the text is what `sealEntry` wrote. */
function epochOf(row: Row | undefined): number {
  const [, epoch = "1"] =
    /^\{"team":"[a-z0-9-]{1,64}","seq":\d+,"epoch":(\d+),/.exec(row?.text.slice(0, 200) ?? "") ?? [];
  return Number(epoch);
}

function candidatesOf({ runs, filter, recent }: Known, id: string, agent: string | undefined): readonly number[] {
  const found: number[] = [];
  const key = runs.length > 0 ? idKey(id) : 0;
  if (runs.length > 0 && filter.mayHold(key)) {
    const pairOf = () => (agent === undefined ? null : pairKey({ id, agent }));
    for (const run of runs) found.push(...runRows(run, key, pairOf));
  }
  for (const holder of recent.get(id) ?? []) if (agent === undefined || holder.agent === agent) found.push(holder.seq);
  return found.toSorted((one, other) => other - one);
}

function gap(subject: string): Failure {
  return { kind: "final", problem: broken(subject, "A message of the log is gone.") };
}

/** The number of the last message that is known; 0: none is. */
function lastOf({ ats }: Known): number {
  return ats.at(-1) ?? 0;
}

/* Which entries may hold an id, in few bytes an id. */

const bitsPerId = 16;
const marksPerId = 4;
const bitsMin = 2 ** 16;

export class IdFilter {
  readonly #runs: readonly IdRun[];
  #bits: Uint32Array = new Uint32Array(0);
  /** So many more ids fit. */
  #room = 0;

  /** The filter of these runs, to which more are added. */
  constructor(runs: readonly IdRun[]) {
    this.#runs = runs;
    this.#makeRoom();
  }

  /** Takes in the run that was added last. */
  add(run: IdRun): void {
    if (this.#room < run.keys.length) this.#makeRoom();
    else this.#mark(run);
  }

  /** False: no run holds an id with this number of 48 bits. */
  mayHold(key: number): boolean {
    const bits = this.#bits;
    const step = stepOf(key);
    let place = key | 0;
    for (let mark = 0; mark < marksPerId; mark += 1) {
      if (((bits[wordOf(place, bits)] ?? 0) & (1 << (place & 31))) === 0) return false;
      place = (place + step) | 0;
    }
    return true;
  }

  #mark({ keys }: IdRun): void {
    const bits = this.#bits;
    this.#room -= keys.length;
    for (const key of keys) {
      const step = stepOf(key);
      let place = key | 0;
      for (let mark = 0; mark < marksPerId; mark += 1) {
        const word = wordOf(place, bits);
        bits[word] = (bits[word] ?? 0) | (1 << (place & 31));
        place = (place + step) | 0;
      }
    }
  }

  /** Makes the filter again, twice as large as the ids need. */
  #makeRoom(): void {
    const ids = this.#runs.reduce((sum, { keys }) => sum + keys.length, 0);
    this.#bits = new Uint32Array(Math.max(bitsMin, 2 ** Math.ceil(Math.log2(2 * ids * bitsPerId))) / 32);
    this.#room = (this.#bits.length * 32) / bitsPerId;
    for (const run of this.#runs) this.#mark(run);
  }
}

/** From the other end of the number than the first place; odd, so that the places differ. */
function stepOf(key: number): number {
  return (key / 2 ** 24) | 1;
}

/** The word of a place; the number of words is a power of two. */
function wordOf(place: number, { length }: Uint32Array): number {
  return (place >>> 5) & (length - 1);
}

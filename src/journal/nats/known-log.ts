/**
 * What is known of a team's log: in which message each entry is, and who holds which id. The ids of whole runs of entries
 * are sorted numbers, those of the last entries are kept as they are.
 */
import { ok, type Result } from "../../base/result.ts";
import { broken, emptyHead } from "../chain.ts";
import type { Head } from "../entry.ts";
import type { Failure, Row } from "../remote/backend.ts";
import { type Batch, decodeBatch } from "./batch.ts";
import { type IdRun, idKey, pairKey, type RunSource, runRows } from "./runs.ts";
import type { Stream } from "./streams.ts";

export interface Known {
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

export function nothingKnown(): Known {
  const runs: IdRun[] = [];
  const filter = new IdFilter(runs);
  return { firsts: [], ats: [], head: emptyHead, entries: 0, runs, filter, recent: new Map(), recentRows: [] };
}

/**
 * What processes before this one kept, as far as the log still has it. `read` is called with the message that shows it: the
 * newest snapshot mostly ends there, and who opens it need not read the message again.
 */
export async function begin(
  stream: Stream,
  source: RunSource,
  read: (batch: Batch) => void,
): Promise<Result<Known, Failure>> {
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

export function addRun({ runs, filter }: Known, run: IdRun): void {
  runs.push(run);
  filter.add(run);
}

function note({ recent }: Known, id: string, holder: { readonly agent: string; readonly seq: number }): void {
  const holders = recent.get(id);
  if (holders === undefined) recent.set(id, [holder]);
  else holders.push(holder);
}

/** Takes in a message behind the last one. */
export function learn(now: Known, { at, rows, ids }: Batch): Failure | null {
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

export function forgetRecent(now: Known, upTo: number): void {
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

export function candidatesOf(
  { runs, filter, recent }: Known,
  id: string,
  agent: string | undefined,
): readonly number[] {
  const found: number[] = [];
  const key = runs.length > 0 ? idKey(id) : 0;
  if (runs.length > 0 && filter.mayHold(key)) {
    const pairOf = () => (agent === undefined ? null : pairKey({ id, agent }));
    for (const run of runs) found.push(...runRows(run, key, pairOf));
  }
  for (const holder of recent.get(id) ?? []) if (agent === undefined || holder.agent === agent) found.push(holder.seq);
  return found.toSorted((one, other) => other - one);
}

export function gap(subject: string): Failure {
  return { kind: "final", problem: broken(subject, "A message of the log is gone.") };
}

/** The number of the last message that is known; 0: none is. */
export function lastOf({ ats }: Known): number {
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

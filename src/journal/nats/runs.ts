/**
 * What is kept of a team's log for processes that open it later: for each 2,048 entries in which messages they are, and
 * which ids they hold, as sorted numbers. Every reader of the log makes the same runs of it, so they are overwritten freely;
 * one that is damaged, missing or of other entries is made again by reading.
 */

import { sha256 } from "../../base/canonical.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Answer, Failure, HeldPair } from "../remote/backend.ts";

/** Entries of one run, by their numbers. */
const runEntries = 2_048;
/** Raised when the form changes: a run of another form is as if it were not there. */
const form = 2;

/** A run: the entries from `number * 2048 + 1` to `to`. */
export interface IdRun {
  readonly number: number;
  readonly to: number;
  /** The last of its entries, which must still be in the log. */
  readonly end: readonly [seq: number, hash: string];
  /** The first entry of each message that begins in it, and the message's number in the stream. */
  readonly positions: readonly (readonly [first: number, at: number])[];
  readonly entries: number;
  /** Sorted: a number for each id that is held, one for the id with its agent, and the entry. */
  readonly keys: Float64Array;
  readonly pairs: Float64Array;
  readonly seqs: Float64Array;
}

/** Where runs are kept. */
export interface RunSource {
  /** Those of the team, from the first on without a gap. */
  load(): Answer<readonly IdRun[]>;
  /** Keeps a run; it only saves time, so nobody waits for it. */
  keep(run: IdRun): void;
}

const keyBound = 2 ** 48;
/** An id is asked for when it is used, and again when the run with it is made; so many are kept meanwhile. */
const keptKeysMax = 4 * runEntries;
const keptKeys = new Map<string, number>();

/** A number of 48 bits for an id. */
export function idKey(id: string): number {
  const kept = keptKeys.get(id);
  if (kept !== undefined) return kept;
  if (keptKeys.size >= keptKeysMax) keptKeys.clear();
  const key = Number.parseInt(sha256(id).slice(0, 12), 16);
  keptKeys.set(id, key);
  return key;
}

/** Tells the agents that use one id apart. */
export function pairKey({ id, agent }: HeldPair): number {
  return (idKey(id) + idKey(agent)) % keyBound;
}

/** The first index whose value is `value` or more. */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries of the run that hold the id, and the id for the agent where `pairOf` gives a number. */
export function runRows({ keys, pairs, seqs }: IdRun, key: number, pairOf: () => number | null): readonly number[] {
  let index = lowerBound(keys, key);
  // Mostly nobody has used the id.
  if (keys[index] !== key) return none;
  const found: number[] = [];
  const pair = pairOf();
  for (; keys[index] === key; index += 1) if (pair === null || pairs[index] === pair) found.push(seqs[index] ?? 0);
  return found;
}

const none: readonly number[] = [];

interface Material {
  readonly firsts: readonly number[];
  readonly ats: readonly number[];
  readonly recentRows: readonly { readonly seq: number; readonly hash: string }[];
  readonly recent: ReadonlyMap<string, readonly { readonly agent: string; readonly seq: number }[]>;
}

/** The run with this number, once all of its entries are known; null: not yet. */
export function newRun(number: number, { firsts, ats, recentRows, recent }: Material): IdRun | null {
  const to = (number + 1) * runEntries;
  if ((recentRows.at(-1)?.seq ?? 0) <= to) return null;
  const rows = recentRows.filter(({ seq }) => seq <= to);
  const end = rows.at(-1);
  if (end === undefined) return null;
  const [from, upTo] = [lowerBound(firsts, number * runEntries + 1), lowerBound(firsts, to + 1)];
  const positions = firsts.slice(from, upTo).map((first, index) => [first, ats[from + index] ?? 0] as const);
  const held: (readonly [key: number, pair: number, seq: number])[] = [];
  for (const [id, holders] of recent)
    for (const { agent, seq } of holders) if (seq <= to) held.push([idKey(id), pairKey({ id, agent }), seq]);
  held.sort((one, other) => one[0] - other[0] || one[2] - other[2]);
  const column = (index: 0 | 1 | 2) => Float64Array.from(held, (each) => each[index]);
  return {
    number,
    to,
    end: [end.seq, end.hash],
    positions,
    entries: rows.length,
    keys: column(0),
    pairs: column(1),
    seqs: column(2),
  };
}

/** The run as a message: a line of JSON, which holds the digest of the rest, and the numbers. */
export function encodeRun({ number, to, end, positions, entries, keys, pairs, seqs }: IdRun): Buffer {
  const numbers = Buffer.concat(
    [keys, pairs, seqs].map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength)),
  );
  const body = JSON.stringify({ form, number, to, end, positions, entries, held: keys.length });
  const digest = sha256(`${body}${sha256(numbers.toString("latin1"))}`);
  return Buffer.concat([Buffer.from(`${digest}${body}\n`, "utf8"), numbers]);
}

interface Kept extends Pick<IdRun, "number" | "to" | "end" | "positions" | "entries"> {
  readonly form: number;
  readonly held: number;
}

/** The run of a message; null: it is damaged or of another form. */
export function decodeRun(data: Buffer): IdRun | null {
  const end = data.indexOf(0x0a);
  if (end < 64) return null;
  const [digest, body, numbers] = [
    data.toString("utf8", 0, 64),
    data.toString("utf8", 64, end),
    data.subarray(end + 1),
  ];
  if (sha256(`${body}${sha256(numbers.toString("latin1"))}`) !== digest) return null;
  // By its digest it is what encodeRun wrote, in this form or another one.
  const kept = JSON.parse(body) as Kept;
  if (kept.form !== form || numbers.length !== kept.held * 24) return null;
  const copy = new Float64Array(kept.held * 3);
  Buffer.from(copy.buffer).set(numbers);
  const column = (index: number) => copy.subarray(index * kept.held, (index + 1) * kept.held);
  return { ...kept, keys: column(0), pairs: column(1), seqs: column(2) };
}

/** Those that follow one another from the first on. */
export function inSequence(runs: readonly IdRun[]): Result<readonly IdRun[], Failure> {
  const sorted = runs.toSorted((one, other) => one.number - other.number);
  const gap = sorted.findIndex(({ number }, index) => number !== index);
  return ok(gap === -1 ? sorted : sorted.slice(0, gap));
}

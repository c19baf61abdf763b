/**
 * Rows of a team's log, read from the messages that hold them: a few one by one, many by a consumer. The last ones are kept
 * for who reads them again soon.
 */
import { err, ok } from "../../base/result.ts";
import type { Answer, Row } from "../remote/backend.ts";
import { type Batch, decodeBatch } from "./batch.ts";
import { unreachable } from "./failures.ts";
import { gap, type Known } from "./known-log.ts";
import { lowerBound } from "./runs.ts";
import type { Stream } from "./streams.ts";

/** Rows kept for who reads them again soon, in bytes. */
const cacheBytes = 4 * 1024 * 1024;
/** So many messages are read one by one; more by a consumer. */
const singlesMax = 3;
/** Messages that are asked for together. */
const atOnce = 16;

/** A consumer may be at a server that has not yet what the leader has. */
export const behind = "a server of the cluster is behind";

/** Numbers of entries, both included, and how many are wanted. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The rows of one team's log. */
export interface LogRows {
  within(range: RowRange): Answer<readonly Row[]>;
  at(seqs: readonly number[]): Answer<readonly Row[]>;
  /** Keeps the rows of a message that was read or written, while there is room. */
  keep(batch: Batch): void;
  /** What was kept may be of another stream. */
  forget(): void;
}

/** The rows of the log whose subject is `subject`; `known` answers in which message each is, as far as is known now. */
export function logRows(stream: Stream, subject: string, known: () => Known): LogRows {
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

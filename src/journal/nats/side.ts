/**
 * What is kept next to the log: one message for each key, and a new one replaces it. Heartbeats and notes are one key for
 * each team, marks one for each agent. A writer of a key names the message that it read, and reads again where another
 * was quicker.
 */
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { err, ok, type Result } from "../../base/result.ts";
import type { Answer, Failure, KeptSnapshot } from "../remote/backend.ts";
import type { Stream } from "./streams.ts";

/** A key's value, and the number of its message; 0: there is none. */
export interface Kept<Value> {
  readonly value: Value;
  readonly at: number;
}

type Table<Value> = Readonly<Record<string, Value>>;

/** Reads a table of strings or numbers. A value that is none counts as empty: all of it can be written again. */
export async function readTable<Value>(side: Stream, subject: string): Answer<Kept<ReadonlyMap<string, Value>>> {
  const last = await side.last(subject);
  if (!last.ok) return last;
  if (last.value === null) return ok({ value: new Map(), at: 0 });
  return ok({ value: new Map(Object.entries(parsed<Table<Value>>(last.value.data) ?? {})), at: last.value.at });
}

/** Writes the table where the message it was read from is still the last. */
export async function writeTable<Value>(
  side: Stream,
  subject: string,
  { value, at }: Kept<ReadonlyMap<string, Value>>,
): Answer<void> {
  const done = await side.put(subject, JSON.stringify(Object.fromEntries(value)), at);
  return done.ok ? ok(undefined) : done;
}

/** Changes the table, again and again where others change it at once; null leaves it as it is. */
export async function changeTable<Value>(
  side: Stream,
  subject: string,
  change: (before: ReadonlyMap<string, Value>) => ReadonlyMap<string, Value> | null,
): Answer<void> {
  for (let tries = 0; ; tries += 1) {
    const before = await readTable<Value>(side, subject);
    if (!before.ok) return before;
    const value = change(before.value.value);
    if (value === null) return ok(undefined);
    const done = await writeTable(side, subject, { value, at: before.value.at });
    if (done.ok || done.error.kind !== "busy" || tries === triesMax) return done;
  }
}

/** Then the caller tries again, which waits a little. */
const triesMax = 20;

function parsed<Value>(data: Buffer): Value | null {
  try {
    return JSON.parse(data.toString("utf8")) as Value;
  } catch {
    return null; // Only hubs write here; what another wrote is replaced.
  }
}

/* Snapshots: a line with the entry's number, and the compressed text. */

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export async function readSnapshot(side: Stream, subject: string): Answer<KeptSnapshot | null> {
  const last = await side.last(subject);
  if (!last.ok) return last;
  const end = last.value?.data.indexOf(0x0a) ?? -1;
  if (last.value === null || end === -1) return ok(null);
  const seq = Number(last.value.data.toString("utf8", 0, end));
  try {
    return ok({ seq, text: (await decompress(last.value.data.subarray(end + 1))).toString("utf8") });
  } catch {
    return ok(null); // A damaged snapshot is as if it were not there.
  }
}

/** Keeps the snapshot unless a later one is kept, or it is too large for a message. */
export async function writeSnapshot(
  side: Stream,
  subject: string,
  { seq, text }: KeptSnapshot,
  bytesMax: number,
): Answer<void> {
  const before = await side.last(subject);
  if (!before.ok) return before;
  const kept = before.value;
  if (kept !== null && Number(kept.data.toString("utf8", 0, Math.max(0, kept.data.indexOf(0x0a)))) > seq)
    return ok(undefined);
  const body = Buffer.concat([Buffer.from(`${seq}\n`), await compress(Buffer.from(text, "utf8"))]);
  if (body.length > bytesMax) return ok(undefined);
  const done = await side.put(subject, body, kept?.at ?? 0);
  return done.ok || done.error.kind === "busy" ? ok(undefined) : err(done.error);
}

/** All last messages of a subject with a wildcard, by their subjects. */
export async function readAll(
  side: Stream,
  subject: string,
  from = 1,
): Promise<Result<readonly { readonly at: number; readonly data: Buffer }[], Failure>> {
  const last = await side.last(subject);
  if (!last.ok) return last;
  if (last.value === null || last.value.at < from) return ok([]);
  const found: { readonly at: number; readonly data: Buffer }[] = [];
  const done = await side.each(subject, { from, upTo: last.value.at }, (stored) => {
    found.push(stored);
    return null;
  });
  return done.ok ? ok(found) : done;
}

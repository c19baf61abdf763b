/**
 * The form of one message of the log: what one transaction recorded for one team. The first line is JSON: for each entry its
 * number, hash, length in bytes, and the id that it takes with its agent; then come the entries, one after
 * another. So a message is written and read as a whole, and ids are found without reading the entries.
 */

import { ok, type Result } from "../../base/result.ts";
import { broken } from "../chain.ts";
import type { Changes, Failure, Row } from "../remote/backend.ts";
import type { Stored } from "./streams.ts";

/** An entry in the first line; without id and agent where it takes none. */
type Line = readonly [seq: number, hash: string, bytes: number, id?: string, agent?: string];

/** A message that was read. */
export interface Batch {
  /** Its number in the stream. */
  readonly at: number;
  readonly rows: readonly Row[];
  readonly ids: readonly { readonly id: string; readonly agent: string; readonly seq: number }[];
  readonly bytes: number;
}

const lineEnd = 0x0a;

/** The message of these changes. */
export function encodeBatch({ rows, ids }: Pick<Changes, "rows" | "ids">): Buffer {
  const taken = new Map(ids.map((each) => [each.seq, each]));
  const texts: Buffer[] = [];
  const lines: Line[] = [];
  for (const { seq, hash, text } of rows) {
    const bytes = Buffer.from(text, "utf8");
    const held = taken.get(seq);
    lines.push(held === undefined ? [seq, hash, bytes.length] : [seq, hash, bytes.length, held.id, held.agent]);
    texts.push(bytes);
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(lines)}\n`, "utf8"), ...texts]);
}

/** The changes cut into parts whose messages have at most `bytesMax`, as far as single entries allow it. */
export function cutChanges(
  { rows, ids }: Pick<Changes, "rows" | "ids">,
  bytesMax: number,
): readonly Pick<Batch, "rows" | "ids">[] {
  const parts: { readonly rows: Row[]; bytes: number }[] = [];
  for (const row of rows) {
    // With its part of the first line.
    const bytes = Buffer.byteLength(row.text) + 1_024;
    const last = parts.at(-1);
    if (last === undefined || last.bytes + bytes > bytesMax) parts.push({ rows: [row], bytes });
    else {
      last.rows.push(row);
      last.bytes += bytes;
    }
  }
  return parts.map((part) => {
    const [first, last] = [part.rows[0]?.seq ?? 0, part.rows.at(-1)?.seq ?? 0];
    return { rows: part.rows, ids: ids.filter(({ seq }) => seq >= first && seq <= last) };
  });
}

/** The first and the last entry of a message, without reading the others. */
export function endsOf(
  stored: Stored,
): Result<
  { readonly first: { readonly seq: number }; readonly last: { readonly seq: number; readonly hash: string } },
  Failure
> {
  const lines = linesOf(stored.data);
  const [first, last] = [lines?.[0], lines?.at(-1)];
  if (first === undefined || last === undefined) return damaged(stored, foreign);
  return ok({ first: { seq: first[0] }, last: { seq: last[0], hash: last[1] } });
}

/** The hash of the entry before the first one, which its text names before anything that an agent wrote. */
export function prevHashOf({ data }: Stored): string | null {
  const from = data.indexOf(lineEnd) + 1;
  return /"prevHash":"([0-9a-f]{64})"/.exec(data.toString("utf8", from, from + 400))?.[1] ?? null;
}

const foreign = "This message of the log was not written by Baton.";

function damaged({ subject, at }: Stored, what: string): Result<never, Failure> {
  return { ok: false, error: { kind: "final", problem: broken(`${subject} ${at}`, what) } };
}

function linesOf(data: Buffer): readonly Line[] | null {
  const end = data.indexOf(lineEnd);
  return end === -1 ? null : readLines(data.toString("utf8", 0, end));
}

/** Reads a message of the log. A user who may publish to it could write anything, so all of it is checked. */
export function decodeBatch(stored: Stored): Result<Batch, Failure> {
  const { at, data } = stored;
  const lines = linesOf(data);
  if (lines === null || lines.length === 0) return damaged(stored, foreign);
  const rows: Row[] = [];
  const ids: { id: string; agent: string; seq: number }[] = [];
  let from = data.indexOf(lineEnd) + 1;
  for (const [seq, hash, bytes, id, agent] of lines) {
    if (from + bytes > data.length) return damaged(stored, "This message of the log is cut short.");
    rows.push({ seq, hash, text: data.toString("utf8", from, from + bytes) });
    if (id !== undefined && agent !== undefined) ids.push({ id, agent, seq });
    from += bytes;
  }
  return ok({ at, rows, ids, bytes: data.length });
}

function readLines(text: string): readonly Line[] | null {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) && read.every(isLine) ? read : null;
  } catch {
    return null; // The caller reports it as damage.
  }
}

function isLine(value: unknown): value is Line {
  if (!Array.isArray(value)) return false;
  const [seq, hash, bytes, id, agent] = value as readonly unknown[];
  return (
    Number.isSafeInteger(seq) &&
    typeof hash === "string" &&
    Number.isSafeInteger(bytes) &&
    Number(bytes) >= 0 &&
    (id === undefined || (typeof id === "string" && typeof agent === "string"))
  );
}

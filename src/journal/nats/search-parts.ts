/**
 * The search index of a journal on JetStream: for each entry a row of bits, in which its groups of three characters set one
 * bit each. Hubs keep parts of up to a thousand entries next to the log, and hold those of the teams that are searched in
 * memory. A bit may stand for two groups, which only proposes more entries.
 */

import { sha256 } from "../../base/canonical.ts";
import type { TeamName } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import type { Answer, IndexedRow, SearchRows } from "../remote/backend.ts";
import { indexForm } from "../searching.ts";
import { readAll } from "./side.ts";
import type { Stream } from "./streams.ts";

/** Bits for each group: one in seven of the others then seems to be there, too. */
const bitsPerGroup = 6;
const bytesMax = 16 * 1024;

interface Head {
  readonly form: number;
  readonly number: number;
  /** The part begins behind this entry and is complete up to the entry `seq`, which has this hash. */
  readonly from: number;
  readonly seq: number;
  readonly hash: string;
  /** Each entry, and how many bytes of bits it has. */
  readonly rows: readonly (readonly [seq: number, bytes: number])[];
}

interface Part extends Head {
  readonly bits: Buffer;
  /** The number of its message. */
  readonly at: number;
}

/** What the index asks of the rest of the engine. */
export interface SearchSource {
  readonly side: Stream;
  /** The key of a team's part; `*` for all of them. */
  key(team: TeamName, number: string): string;
  /** Whether the log has this entry with this hash. */
  has(team: TeamName, seq: number, hash: string): Answer<boolean>;
}

interface Known {
  /** Every part that was read, by its number. */
  readonly parts: Map<number, Part>;
  /** Messages up to this one were read. */
  readTo: number;
}

/** The index over the stream next to the log. */
export function searchParts({ side, key, has }: SearchSource): SearchRows {
  const teams = new Map<TeamName, Known>();
  /** The parts that are sound, in order. */
  const soundParts = async (team: TeamName): Answer<readonly Part[]> => {
    const known = teams.get(team) ?? { parts: new Map(), readTo: 0 };
    teams.set(team, known);
    const fresh = await readAll(side, key(team, "*"), known.readTo + 1);
    if (!fresh.ok) return fresh;
    for (const { at, data } of fresh.value) {
      const part = decodePart(data, at);
      if (part !== null) known.parts.set(part.number, part);
      known.readTo = Math.max(known.readTo, at);
    }
    const parts: Part[] = [];
    for (let part = known.parts.get(0); part !== undefined; part = known.parts.get(parts.length)) {
      if (part.from !== (parts.at(-1)?.seq ?? 0)) break;
      parts.push(part);
    }
    // Parts were added one behind the other, so the last one whose entry is there vouches for those before it.
    for (let last = parts.at(-1); last !== undefined; last = parts.at(-1)) {
      const isThere = await has(team, last.seq, last.hash);
      if (!isThere.ok) return isThere;
      if (isThere.value) break;
      parts.pop();
    }
    return ok(parts);
  };
  return {
    async indexedTo(team) {
      const parts = await soundParts(team);
      return parts.ok ? ok(parts.value.at(-1)?.seq ?? 0) : parts;
    },
    async propose(team, { grams, after, upTo, newestFirst, limit }) {
      const parts = await soundParts(team);
      if (!parts.ok) return parts;
      const found: number[] = [];
      const inOrder = newestFirst ? parts.value.toReversed() : parts.value;
      for (const part of inOrder) {
        if (found.length >= limit) break;
        if (part.seq <= after || part.from >= upTo) continue;
        const seqs = matches(part, grams).filter((seq) => seq > after && seq <= upTo);
        found.push(...(newestFirst ? seqs.toReversed() : seqs));
      }
      return ok({ reach: parts.value.at(-1)?.seq ?? 0, seqs: found.slice(0, limit) });
    },
    prepare: async () => ok(undefined),
    async add(team, rows, { from, seq, hash }) {
      const parts = await soundParts(team);
      if (!parts.ok) return parts;
      if ((parts.value.at(-1)?.seq ?? 0) !== from) return ok(false);
      const number = parts.value.length;
      const before = teams.get(team)?.parts.get(number)?.at ?? 0;
      const done = await side.put(
        key(team, String(number)),
        encodePart({ form: indexForm, number, from, seq, hash }, rows),
        before,
      );
      if (done.ok) return ok(true);
      return done.error.kind === "busy" ? ok(false) : done;
    },
  };
}

function matches({ rows, bits }: Part, grams: readonly number[]): readonly number[] {
  const found: number[] = [];
  let from = 0;
  for (const [seq, bytes] of rows) {
    const size = bytes * 8;
    const start = from;
    const isSet = (gram: number) => {
      const bit = (gram >>> 0) % size;
      return ((bits[start + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
    };
    if (size > 0 && grams.every(isSet)) found.push(seq);
    from += bytes;
  }
  return found;
}

function bitsOf({ grams }: IndexedRow): Buffer {
  const bytes = Math.min(bytesMax, Math.ceil((grams.length * bitsPerGroup) / 8));
  const bits = Buffer.alloc(bytes);
  for (const gram of grams) {
    const bit = (gram >>> 0) % (bytes * 8);
    bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
  return bits;
}

function encodePart(head: Omit<Head, "rows">, rows: readonly IndexedRow[]): Buffer {
  const bits = rows.map(bitsOf);
  const line = JSON.stringify({ ...head, rows: rows.map(({ seq }, index) => [seq, bits[index]?.length ?? 0]) });
  const all = Buffer.concat(bits);
  return Buffer.concat([Buffer.from(`${sha256(`${line}${sha256(all.toString("latin1"))}`)}${line}\n`, "utf8"), all]);
}

/** The part of a message; null: it is damaged or of another form. */
function decodePart(data: Buffer, at: number): Part | null {
  const end = data.indexOf(0x0a);
  if (end < 64) return null;
  const [line, bits] = [data.toString("utf8", 64, end), data.subarray(end + 1)];
  if (sha256(`${line}${sha256(bits.toString("latin1"))}`) !== data.toString("utf8", 0, 64)) return null;
  // By its digest it is what encodePart wrote, in this form or another one.
  const head = JSON.parse(line) as Head;
  return head.form === indexForm ? { ...head, bits, at } : null;
}

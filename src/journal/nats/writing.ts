/**
 * Writing a team's entries. There is no lock: a message names the one that it follows, so what was decided on an older head
 * is refused and decided again. A heartbeat that comes between the look at it and the message orders behind that message.
 * Source: docs/protocol/record.md, section 16.
 */

import type { TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import { makeProblem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { sameHead } from "../chain.ts";
import type { Durability } from "../entry.ts";
import type { EngineFacts } from "../journal.ts";
import type {
  Answer,
  Backend,
  Changes,
  Facts,
  Failure,
  HeldPair,
  Holder,
  Locked,
  Question,
  Row,
} from "../remote/backend.ts";
import { cutChanges, encodeBatch } from "./batch.ts";
import type { Link } from "./connection.ts";
import type { Names } from "./settings.ts";
import { changeTable, readTable, writeTable } from "./side.ts";
import type { Stream } from "./streams.ts";
import type { TeamLog } from "./team-log.ts";
import type { Turns } from "./turns.ts";
import { type DueIndex, dueHeaders } from "./watch.ts";

/** What a backend is made of. */
export interface Parts {
  readonly link: Link;
  readonly names: Names;
  /** What was read back last. */
  readonly durability: () => Durability;
  readonly mayWrite: boolean;
  readonly maxPayload: number;
  /** What was read back last. */
  readonly engine: () => EngineFacts;
  /** Why nothing may be sent, since what was read back last is too weak; null: it may. */
  readonly refused: () => Failure | null;
  /** Asks the server for its state and time. */
  readonly look: () => Answer<void>;
}

/** Room for the first line of a message. */
export const lineBytes = 256 * 1024;
/** Largest part of what a journal restores in one message. */
const partBytes = 1024 * 1024;

/** Its parts, as the files of this engine share them. */
export interface Inside extends Parts {
  readonly log: Stream;
  readonly side: Stream;
  readonly turns: Turns;
  readonly deadlines: DueIndex;
  team(name: TeamName): TeamLog;
}

/** The id that an entry takes, and its agent. The core checks the entry itself. */
export function idOf({ text }: Row): HeldPair | null {
  const end = text.indexOf("\n");
  const { id, principal } = JSON.parse(end === -1 ? text : text.slice(0, end)) as {
    readonly id?: string | null;
    readonly principal?: { readonly agent?: string };
  };
  return typeof id === "string" ? { id, agent: principal?.agent ?? "" } : null;
}

async function holdersOf(known: TeamLog, pairs: readonly HeldPair[]): Answer<readonly Holder[]> {
  const found: Holder[] = [];
  for (const { id, agent } of pairs) {
    const seqs = known.candidates(id, agent);
    if (seqs.length === 0) continue;
    const rows = await known.rowsAt(seqs);
    if (!rows.ok) return rows;
    for (const row of rows.value) {
      const held = idOf(row);
      if (held?.id === id && held.agent === agent) found.push({ id, agent, row });
    }
  }
  return ok(found);
}

/** Reads what a transaction asks for; the heartbeats and notes with the numbers of their messages. */
async function askedOf(
  { side, names }: Inside,
  team: TeamName,
  known: TeamLog,
  { from, pairs, notes }: Question,
): Answer<Facts & { readonly lifeAt: number; readonly noteAt: number }> {
  const [rows, holders, life, note] = await Promise.all([
    known.rows({ from, to: Number.MAX_SAFE_INTEGER, limit: pageRowsMax }),
    holdersOf(known, pairs),
    readTable<number>(side, names.key("life", team)),
    notes
      ? readTable<string>(side, names.key("note", team))
      : Promise.resolve(ok({ value: new Map<string, string>(), at: 0 })),
  ]);
  if (!rows.ok) return rows;
  if (!holders.ok) return holders;
  if (!life.ok) return life;
  if (!note.ok) return note;
  return ok({
    rows: rows.value,
    holders: holders.value,
    signs: life.value.value,
    notes: note.value.value,
    lifeAt: life.value.at,
    noteAt: note.value.at,
  });
}

export async function lockTeam(inside: Inside, team: TeamName, question: Question): Answer<Locked> {
  const known = inside.team(team);
  const { isTaken, end } = await inside.turns.take(team);
  const first = await known.refresh();
  // What others wrote until they knew comes with a second look.
  const done = isTaken && first.ok ? await known.refresh() : first;
  const facts = done.ok ? await askedOf(inside, team, known, question) : done;
  if (!facts.ok) {
    end(false);
    return facts;
  }
  const head = known.head();
  const last = known.last();
  let { noteAt } = facts.value;
  return ok({
    ...facts.value,
    head,
    release: () => end(false),
    async ask(more) {
      const again = await askedOf(inside, team, known, more);
      if (again.ok && more.notes) ({ noteAt } = again.value);
      return again;
    },
    async write(changes) {
      const notes = await writeNotes(inside, team, changes, noteAt);
      const signs = notes.ok ? await writeSigns(inside, team, changes) : notes;
      const done = signs.ok ? await writeRows(inside, team, changes, last) : signs;
      end(!done.ok && done.error.kind === "busy");
      return done;
    },
  });
}

/** Notes were changed as they were read with the lock, so they are written only where they are still that. */
async function writeNotes({ side, names }: Inside, team: TeamName, { notes }: Changes, at: number): Answer<void> {
  if (notes.size === 0) return ok(undefined);
  const key = names.key("note", team);
  const before = await readTable<string>(side, key);
  if (!before.ok) return before;
  if (before.value.at !== at) return err(raced(side.place));
  return await writeTable(side, key, { value: new Map([...before.value.value, ...notes]), at });
}

/** A heartbeat is the same however often it is written, so it may come before the entries that are not recorded then. */
async function writeSigns({ side, names }: Inside, team: TeamName, { signs }: Changes): Answer<void> {
  if (signs.size === 0) return ok(undefined);
  return await changeTable<number>(side, names.key("life", team), (before) => new Map([...before, ...signs]));
}

/** Adds the entries behind the message `last`. Many entries of another journal take several messages. */
async function writeRows(inside: Inside, team: TeamName, changes: Changes, last: number): Answer<void> {
  const weak = inside.refused();
  if (weak !== null) return err(weak);
  if (changes.rows.length === 0) return ok(undefined);
  const whole = encodeBatch(changes);
  const isOne = whole.length <= inside.maxPayload - lineBytes;
  const subject = inside.names.entries(team);
  let after = last;
  for (const part of isOne ? [changes] : cutChanges(changes, partBytes)) {
    const data = isOne ? whole : encodeBatch(part);
    // Of several parts only the last one is the state that the deadline was taken from.
    const due = part === changes || part.rows.at(-1)?.seq === changes.head.seq ? changes.due : null;
    const done = await inside.log.put(subject, data, after, dueHeaders(due));
    if (!done.ok) {
      if (done.error.kind === "busy") inside.turns.lost(team);
      return done;
    }
    after = done.value;
    inside.deadlines.note(team, after, due);
    inside.team(team).add({ at: after, rows: part.rows, ids: part.ids, bytes: data.length });
  }
  return ok(undefined);
}

export async function writeAt(
  inside: Inside,
  team: TeamName,
  { head, absent, signs }: Parameters<Backend["writeAt"]>[1],
  changes: Changes | null,
): Answer<boolean> {
  const known = inside.team(team);
  // A log that was taken back and has grown again may have a message with the expected number.
  if (changes === null || !known.isFresh()) {
    const done = await known.refresh();
    if (!done.ok) return err({ ...done.error, isUnsent: true });
  }
  if (!sameHead(known.head(), head)) return ok(false);
  if (absent.some(({ id, agent }) => known.candidates(id, agent).length > 0)) return ok(false);
  const last = known.last();
  if (signs.size > 0) {
    const life = await readTable<number>(inside.side, inside.names.key("life", team));
    if (!life.ok) return err({ ...life.error, isUnsent: true });
    for (const [agent, at] of signs) if ((life.value.value.get(agent) ?? null) !== at) return ok(false);
  }
  if (changes === null) return ok(true);
  const kept = await writeSigns(inside, team, changes);
  const done = kept.ok ? await writeRows(inside, team, changes, last) : kept;
  if (done.ok) return ok(true);
  return done.error.kind === "busy" ? ok(false) : done;
}

function raced(place: string): Failure {
  return { kind: "busy", problem: makeProblem("journal-busy", place, "Another process changed the notes meanwhile.") };
}

/**
 * The journal's rows on JetStream. One message of the log is one transaction of one team; heartbeats, notes, marks and what
 * is derived are next to the log, one message for each key.
 * Source: docs/protocol/record.md, section 16.
 */
import type { TeamName } from "../../base/ids.ts";
import { pageRowsMax } from "../../base/limits.ts";
import { makeProblem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { raiseMarks } from "../attempt.ts";
import { sameHead } from "../chain.ts";
import type { Durability } from "../entry.ts";
import type { EngineFacts, Marks } from "../journal.ts";
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
import { missingProblem } from "./failures.ts";
import { decodeRun, encodeRun, inSequence } from "./runs.ts";
import type { Names } from "./settings.ts";
import { changeTable, type Kept, readAll, readSnapshot, readTable, writeSnapshot, writeTable } from "./side.ts";
import { type Stream, streamInfo, streamOf } from "./streams.ts";
import { type TeamLog, teamLog } from "./team-log.ts";
import { newTurns, type Turns } from "./turns.ts";
import { type DueIndex, dueHeaders, dueIndexOf, watchLog } from "./watch.ts";

/** The backend over this connection. */
export function natsBackend(parts: Parts): Backend {
  const { link, names } = parts;
  const logs = new Map<TeamName, TeamLog>();
  const ended = new AbortController();
  const inside: Inside = {
    ...parts,
    log: streamOf(link, names.log),
    side: streamOf(link, names.side),
    turns: newTurns(link, names.turns, link.inbox()),
    deadlines: dueIndexOf(link, names.log, names.entries("*"), ended.signal),
    team(name) {
      const known = logs.get(name) ?? newTeamLog(inside, name);
      logs.set(name, known);
      return known;
    },
  };
  link.onReconnect(() => {
    for (const each of logs.values()) each.doubt();
  });
  return {
    place: link.place,
    get durability() {
      return parts.durability();
    },
    restoresWhole: false,
    // Nobody may take a message out of its log.
    ...logCalls(inside),
    ...sideCalls(inside),
    lock: (team, question) => lockTeam(inside, team, question),
    forget: (team) => void logs.delete(team),
    writeAt: (team, expected, changes) => writeAt(inside, team, expected, changes),
    facts: () => factsOf(inside),
    probe: async () => {
      const weak = parts.refused();
      const done = weak === null ? await inside.side.put(names.key("probe"), "", null) : err(weak);
      return done.ok ? ok(undefined) : done;
    },
    ping: parts.look,
    watch: (ring, signal) => void watchLog(link, names.log, names.entries("*"), ring, signal),
    onContention: inside.turns.onContention,
    due: inside.deadlines.due,
    async noteDue(team, { seq, hash }, mark) {
      // The message stays as it is: that the team needs no look is known to this process alone.
      const known = inside.team(team);
      if (known.head().seq === seq && known.head().hash === hash) inside.deadlines.note(team, known.last(), mark);
      return ok(undefined);
    },
    close() {
      ended.abort();
      return link.close();
    },
  };
}

/** Asks the team's log once it was brought up to the last message. */
async function fresh<Value>(
  inside: Inside,
  team: TeamName,
  read: (known: TeamLog) => Answer<Value> | Result<Value, Failure>,
): Answer<Value> {
  const known = inside.team(team);
  const done = await known.refresh();
  return done.ok ? await read(known) : done;
}

/** What is asked of the log. */
function logCalls(inside: Inside): Pick<Backend, "teams" | "head" | "rows" | "rowsAt" | "holdersOf" | "countIds"> {
  return {
    teams: () => teamsOf(inside),
    head: (team) => fresh(inside, team, (known) => ok(known.head().seq === 0 ? null : known.head())),
    rows: (team, { from, to = Number.MAX_SAFE_INTEGER, limit }) =>
      fresh(inside, team, (known) => known.rows({ from, to, limit })),
    rowsAt: (team, seqs) => fresh(inside, team, (known) => known.rowsAt(seqs)),
    holdersOf: (team, id, limit) =>
      fresh(inside, team, async (known) => {
        const rows = await known.rowsAt(known.candidates(id));
        if (!rows.ok) return rows;
        const held = rows.value.filter((row) => idOf(row)?.id === id);
        return ok(held.toReversed().slice(0, limit));
      }),
    countIds: (team, seq) => fresh(inside, team, (known) => ok(known.countIds(seq))),
  };
}

/** What is kept next to the log. */
function sideCalls(
  inside: Inside,
): Pick<Backend, "marks" | "raiseMarks" | "signs" | "notes" | "snapshot" | "keepSnapshot"> {
  const { side, names } = inside;
  return {
    marks: async (team, agent) => {
      const marks = await readTable<number>(side, marksKey(names, team, agent));
      return marks.ok ? ok(marksOf(marks.value.value)) : marks;
    },
    raiseMarks: async (team, agent, marks) => {
      const known = inside.team(team);
      const done = known.head().seq > 0 ? ok(undefined) : await known.refresh();
      if (!done.ok || known.head().seq === 0) return done;
      return await changeTable<number>(side, marksKey(names, team, agent), (before) => {
        const old = marksOf(before);
        const { offered, seen } = raiseMarks(old, marks);
        if (offered === old.offered && seen === old.seen) return null;
        return new Map([
          ["offered", offered],
          ["seen", seen],
        ]);
      });
    },
    signs: async (team) => tableOf(await readTable<number>(side, names.key("life", team))),
    notes: async (team) => tableOf(await readTable<string>(side, names.key("note", team))),
    snapshot: (team) => readSnapshot(side, names.key("snapshot", team)),
    keepSnapshot: (team, snapshot) =>
      writeSnapshot(side, names.key("snapshot", team), snapshot, inside.maxPayload - lineBytes),
  };
}

function newTeamLog({ log, side, names, mayWrite }: Inside, team: TeamName): TeamLog {
  return teamLog(log, names.entries(team), {
    async load() {
      const kept = await readAll(side, names.key("run", team, "*"));
      if (!kept.ok) return kept;
      return inSequence(kept.value.map(({ data }) => decodeRun(data)).filter((run) => run !== null));
    },
    keep(run) {
      if (mayWrite) void side.put(names.key("run", team, String(run.number)), encodeRun(run), null);
    },
  });
}

function marksKey(names: Names, team: TeamName, agent: string): string {
  // An agent's name may hold points, which divide a subject.
  return names.key("mark", team, Buffer.from(agent, "utf8").toString("base64url"));
}

function marksOf(table: ReadonlyMap<string, number>): Marks {
  return { offered: table.get("offered") ?? 0, seen: table.get("seen") ?? 0 };
}

function tableOf<Value>(kept: Result<Kept<Value>, Failure>): Result<Value, Failure> {
  return kept.ok ? ok(kept.value.value) : kept;
}

async function teamsOf({ link, names, log }: Inside): Answer<readonly TeamName[]> {
  const teams: string[] = [];
  for (;;) {
    const info = await streamInfo(link, log.name, { subjects_filter: names.entries("*"), offset: teams.length });
    if (!info.ok) return info;
    if (info.value === null) return err({ kind: "refused", problem: missingProblem(link.place) });
    const found = Object.keys(info.value.state.subjects ?? {});
    teams.push(...found.map((subject) => subject.slice(subject.lastIndexOf(".") + 1)));
    if (found.length === 0 || teams.length >= (info.value.total ?? 0)) return ok(teams.toSorted() as TeamName[]);
  }
}

async function factsOf(inside: Inside): ReturnType<Backend["facts"]> {
  const { link, log, side } = inside;
  const names = await teamsOf(inside);
  if (!names.ok) return names;
  let bytes = 0;
  for (const stream of [log, side]) {
    const info = await streamInfo(link, stream.name);
    if (!info.ok) return info;
    bytes += info.value?.state.bytes ?? 0;
  }
  const teams: { readonly team: TeamName; readonly entries: number; readonly head: ReturnType<TeamLog["head"]> }[] = [];
  for (const team of names.value) {
    const known = inside.team(team);
    const done = await known.refresh();
    if (!done.ok) return done;
    teams.push({ team, entries: known.entries(), head: known.head() });
  }
  return ok({ bytes, teams, engine: inside.engine() });
}

/* Writing to the log. */

/** What a backend is made of. */
interface Parts {
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
const lineBytes = 256 * 1024;
/** Largest part of what a journal restores in one message. */
const partBytes = 1024 * 1024;

/** Its parts, as the files of this engine share them. */
interface Inside extends Parts {
  readonly log: Stream;
  readonly side: Stream;
  readonly turns: Turns;
  readonly deadlines: DueIndex;
  team(name: TeamName): TeamLog;
}

/** The id that an entry takes, and its agent. The core checks the entry itself. */
function idOf({ text }: Row): HeldPair | null {
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

async function lockTeam(inside: Inside, team: TeamName, question: Question): Answer<Locked> {
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

async function writeAt(
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

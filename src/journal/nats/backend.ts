/**
 * The journal's rows on JetStream. One message of the log is one transaction of one team; heartbeats, notes, marks and what
 * is derived are next to the log, one message for each key.
 * Source: docs/protocol/record.md, section 16.
 */

import type { TeamName } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { raiseMarks } from "../attempt.ts";
import type { Marks } from "../journal.ts";
import type { Answer, Backend, Failure } from "../remote/backend.ts";
import { missingProblem } from "./failures.ts";
import { decodeRun, encodeRun, inSequence } from "./runs.ts";
import type { Names } from "./settings.ts";
import { changeTable, type Kept, readAll, readSnapshot, readTable, writeSnapshot } from "./side.ts";
import { streamInfo, streamOf } from "./streams.ts";
import { type TeamLog, teamLog } from "./team-log.ts";
import { newTurns } from "./turns.ts";
import { dueIndexOf, watchLog } from "./watch.ts";
import { type Inside, idOf, lineBytes, lockTeam, type Parts, writeAt } from "./writing.ts";

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

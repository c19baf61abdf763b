/**
 * What readers of the whole record need of each entry, kept in memory and brought up to the head when they ask: a row an
 * entry, the claims of each task with how they ended, and the reports. It is derived, begun with the first question, and
 * grows with what is new; reading is cut into turns, so that others are answered meanwhile.
 * Source: docs/protocol/record.md, section 22.
 */
import { ownTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Entry } from "../../journal/entry.ts";
import { remoteIn } from "../../perform/act-line.ts";
import { effectsOf } from "../../perform/content.ts";
import type { Context } from "../../perform/context.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import { becomes } from "../../perform/line-outcome.ts";
import { recordedGist } from "../../perform/recorded-message.ts";
import type { Ending, Report } from "../../tasks/state/task-state.ts";
import { partiesOf } from "./log-line.ts";

/** How a claim ended: by the report that its task is done, by silence, or as its event says. */
export type ClaimEnd =
  | "reported"
  | "expired"
  | "dropped"
  | Extract<CoordinationEvent, { readonly event: "claim-released" }>["reason"];

/** A claim from its grant to its end. */
export interface ClaimSpan {
  /** Key of its task. */
  readonly key: string;
  /** The task's id as first written. */
  readonly task: string;
  readonly holder: string;
  /** Seq of the grant. */
  readonly token: number;
  readonly files: readonly string[];
  readonly fromMs: number;
  /** Null: it goes on. */
  toMs: number | null;
  end: ClaimEnd | null;
  endSeq: number | null;
}

/** A report on a task. */
export interface ReportMark {
  readonly key: string;
  readonly seq: number;
  readonly atMs: number;
  readonly report: Report;
}

/** A word that ended a task undone, or had its work done again. */
export interface DecisionMark {
  readonly seq: number;
  readonly atMs: number;
  readonly outcome: "sent-back" | Ending["outcome"];
  readonly by: string;
  /** Null: none was given. */
  readonly reason: string | null;
}

/** One entry's row. */
export interface IndexRow {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: Entry["kind"];
  /** Of a remote its address, as of a receiver: `remote:shop`. */
  readonly sender: string;
  readonly receivers: readonly string[];
  /** What it says: the fact of a message, else the name of an operation, else null. */
  readonly what: string | null;
  /** The first task that it changes, as written; null: none. */
  readonly task: string | null;
  /** Its events, as far as something becomes of them. */
  readonly events: readonly CoordinationEvent[];
  /** Of a refusal the first problem's code. */
  readonly code: Problem["code"] | null;
  /** Of an acknowledgement: up to which entry; of the word of a remote: which entry it has taken. */
  readonly acknowledged: number | null;
}

/** What is known of a team's record up to `seq`. */
export interface RecordIndex {
  /** The last entry that is in it. */
  readonly seq: number;
  /** In order. */
  readonly rows: readonly IndexRow[];
  readonly claims: readonly ClaimSpan[];
  /** By key of the task, in order. */
  readonly claimsOf: ReadonlyMap<string, readonly ClaimSpan[]>;
  readonly reportsOf: ReadonlyMap<string, readonly ReportMark[]>;
  readonly decisionsOf: ReadonlyMap<string, readonly DecisionMark[]>;
}

interface Growing extends RecordIndex {
  seq: number;
  readonly rows: IndexRow[];
  readonly claims: ClaimSpan[];
  readonly claimsOf: Map<string, ClaimSpan[]>;
  readonly reportsOf: Map<string, ReportMark[]>;
  readonly decisionsOf: Map<string, DecisionMark[]>;
  /** By key of the task. */
  readonly open: Map<string, ClaimSpan>;
}

/** The row of the entry `seq`; undefined: it is lost, or not in the index. */
export function rowAt({ rows }: RecordIndex, seq: number): IndexRow | undefined {
  // Numbers are gapless but for lost entries, so a row is never behind the place that its number says.
  for (let at = Math.min(seq, rows.length) - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row === undefined || row.seq <= seq) return row?.seq === seq ? row : undefined;
  }
  return undefined;
}

/** What is known of one task up to the entry `at`: its claims as they were then, and its reports. */
export function indexOfTask(index: RecordIndex, key: string, at: number): RecordIndex {
  const reports = (index.reportsOf.get(key) ?? []).filter(({ seq }) => seq <= at);
  const decisions = (index.decisionsOf.get(key) ?? []).filter(({ seq }) => seq <= at);
  const claims = (index.claimsOf.get(key) ?? [])
    .filter(({ token }) => token <= at)
    .map((claim) => ((claim.endSeq ?? 0) <= at ? claim : { ...claim, toMs: null, end: null, endSeq: null }));
  const of = { claimsOf: new Map([[key, claims]]), reportsOf: new Map([[key, reports]]) };
  return { ...index, claims, ...of, decisionsOf: new Map([[key, decisions]]) };
}

/** How many entries are taken in one turn. */
const turnRows = 256;

const indexes = new WeakMap<Context["journal"], Map<TeamName, { index: Growing; growing: Promise<unknown> }>>();

/** The index up to the head. The caller reads it at once and keeps nothing of it: it grows in place. */
export async function recordIndex({ journal, team }: Context): Promise<Result<RecordIndex, Problem>> {
  const ofJournal = indexes.get(journal) ?? new Map<TeamName, { index: Growing; growing: Promise<unknown> }>();
  indexes.set(journal, ofJournal);
  const known = ofJournal.get(team) ?? { index: emptyIndex(), growing: Promise.resolve() };
  ofJournal.set(team, known);
  // Those who ask at once share one reading; each waits until what was there when it asked is in.
  const grown = known.growing.then(() => grow(journal, team, known.index));
  known.growing = grown;
  const done = await grown;
  return done.ok ? ok(known.index) : done;
}

function emptyIndex(): Growing {
  const of = { claimsOf: new Map(), reportsOf: new Map(), decisionsOf: new Map() };
  return { seq: 0, rows: [], claims: [], ...of, open: new Map() };
}

async function grow(journal: Context["journal"], team: TeamName, index: Growing): Promise<Result<void, Problem>> {
  for (let isOver = false; !isOver; ) {
    const page = await journal.read(team, { after: index.seq, limit: turnRows });
    if (!page.ok) return page;
    for (const entry of page.value.entries) take(index, entry);
    isOver = page.value.next === null;
    if (!isOver) await ownTurn();
  }
  return ok(undefined);
}

/** Adds an entry, in place. */
function take(index: Growing, entry: Entry): void {
  const { seq, kind, principal, receivers } = entry;
  const { events = [], problems = [], command, acknowledged } = effectsOf(entry);
  const atMs = Date.parse(entry.recordedAt);
  const remote = command === undefined ? undefined : remoteIn(command);
  const { from, to } = partiesOf({ sender: principal.agent, receivers, ...(remote === undefined ? {} : { remote }) });
  // A remote says which of the words that it was sent it has taken.
  const taken = remote === undefined || typeof command?.sent !== "number" ? null : command.sent;
  index.seq = seq;
  for (const event of events) followClaims(index, event, { seq, atMs });
  index.rows.push({
    seq,
    atMs,
    kind,
    sender: from,
    receivers: to,
    what: recordedGist(entry) ?? command?.name ?? null,
    task: taskIn(events),
    events: events.filter(becomes),
    code: kind === "refusal" ? (problems[0]?.code ?? null) : null,
    acknowledged: acknowledged ?? taken,
  });
}

function taskIn(events: readonly CoordinationEvent[]): string | null {
  for (const event of events) if ("task" in event && typeof event.task === "string") return event.task;
  return null;
}

interface At {
  readonly seq: number;
  readonly atMs: number;
}

function followClaims(index: Growing, event: CoordinationEvent, at: At): void {
  if (event.event === "task-claimed") {
    const { key, task, holder, token, files } = event;
    end(index, key, "replaced", at);
    const claim = { key, task, holder, token, files, fromMs: at.atMs, toMs: null, end: null, endSeq: null };
    index.open.set(key, claim);
    index.claims.push(claim);
    listAt(index.claimsOf, key).push(claim);
  } else if (event.event === "claim-released") end(index, event.key, event.reason, at);
  else if (event.event === "task-dropped") end(index, event.key, "dropped", at);
  else if (event.event === "leases-expired") {
    for (const { tasks } of event.holders) for (const key of tasks) end(index, key, "expired", at);
  } else if (event.event === "task-reported") {
    const { event: _, key, task: __, plan: ___, ...report } = event;
    if (report.status === "complete") end(index, key, "reported", at);
    listAt(index.reportsOf, key).push({ key, seq: report.seq, atMs: at.atMs, report });
  } else if (event.event === "task-reopened" || event.event === "task-ended") {
    const { key, by, reason } = event;
    const outcome = event.event === "task-ended" ? event.outcome : "sent-back";
    listAt(index.decisionsOf, key).push({ ...at, outcome, by, reason });
  }
}

function end(index: Growing, key: string, how: ClaimEnd, { seq, atMs }: At): void {
  const claim = index.open.get(key);
  if (claim === undefined) return;
  index.open.delete(key);
  claim.toMs = atMs;
  claim.end = how;
  claim.endSeq = seq;
}

function listAt<Value>(lists: Map<string, Value[]>, key: string): Value[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}

/**
 * Counts over the whole record, by agent, by reason and over time, from the table of the record. Outcomes are those of
 * now; a report that was ever disputed counts as disputed.
 * Source: docs/protocol/record.md, section 22.
 */
import { timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Context } from "../../perform/context.ts";
import type { CoordinationState } from "../../perform/deciders.ts";
import type { TeamMetrics as CallInput } from "../../perform/operations/generated/calls.ts";
import { tokenReportsOf } from "../../tasks/state/contract-terms.ts";
import { isContradicted } from "../../tasks/state/report-status.ts";
import type { TeamMetrics } from "../operations/lanes.ts";
import { becameOf, rangeOf, type TimeRange } from "./lanes.ts";
import { type IndexRow, type RecordIndex, recordIndex } from "./record-index.ts";

/** Most parts of the time, and most pairs of agents. */
const partsMax = 500;
const pairsMax = 1_000;

/** The counts of the entries recorded from one time to another; absent: all. Refuses `wrong-format`. */
export async function metrics(context: Context, asked: CallInput): Promise<Result<TeamMetrics, Problem>> {
  const range = rangeOf(asked.from, asked.to);
  if (!range.ok) return range;
  const index = await recordIndex(context);
  if (!index.ok) return index;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  return ok(countsOf(index.value, folded.value.state.coordination, { range: range.value, bucket: asked.bucket ?? 60 }));
}

interface Asked {
  readonly range: TimeRange;
  /** Seconds of a part. */
  readonly bucket: number;
}

/** The counts of one agent. */
interface Tally {
  readonly accepted: number[];
  readonly refused: number[];
  readonly disputed: number[];
  readonly repaired: number[];
  readonly firstReports: { verified: number; disputed: number; superseded: number; open: number };
  readonly acknowledged: number[];
}

function countsOf(index: RecordIndex, state: CoordinationState, { range, bucket }: Asked): TeamMetrics {
  const rows = index.rows.filter(({ atMs }) => atMs >= range.fromMs && atMs < range.toMs);
  const firstMs = rows[0]?.atMs ?? 0;
  const spanMs = (rows.at(-1)?.atMs ?? firstMs) - firstMs;
  const bucketSeconds = Math.max(bucket, Math.ceil(spanMs / 1_000 / (partsMax - 1)));
  const parts = rows.length === 0 ? 0 : Math.floor(spanMs / (bucketSeconds * 1_000)) + 1;
  const partOf = ({ atMs }: Pick<IndexRow, "atMs">) =>
    Math.min(parts - 1, Math.max(0, Math.floor((atMs - firstMs) / (bucketSeconds * 1_000))));
  const none = () => Array.from({ length: parts }, () => 0);
  const tallies = new Map<string, Tally>();
  const tallyOf = (agent: string): Tally => {
    const known = tallies.get(agent) ?? {
      accepted: none(),
      refused: none(),
      disputed: none(),
      repaired: none(),
      firstReports: { verified: 0, disputed: 0, superseded: 0, open: 0 },
      acknowledged: [],
    };
    tallies.set(agent, known);
    return known;
  };
  const everDisputed = new Set([...state.work.disputes.values()].flatMap((known) => [...known.keys()]));
  const codes = new Map<string, number[]>();
  for (const row of rows) {
    const tally = tallyOf(row.sender);
    if (row.kind === "refusal") {
      add(tally.refused, partOf(row));
      const known = codes.get(row.code ?? "none") ?? none();
      codes.set(row.code ?? "none", known);
      add(known, partOf(row));
    } else if (row.kind === "message" || row.kind === "command") add(tally.accepted, partOf(row));
    const { outcome, thread } = becameOf(state, row);
    const isDisputed = isContradicted(outcome) || everDisputed.has(row.seq);
    if (thread === row.seq && isDisputed) add(tally.disputed, partOf(row));
    if (thread === row.seq && outcome === "repaired") add(tally.repaired, partOf(row));
  }
  countFirstReports(index, state, range, tallyOf);
  countAcknowledgements(index.rows, range, tallyOf);
  return {
    seq: index.seq,
    bucketSeconds,
    starts: Array.from({ length: parts }, (_, part) => timestampOf(firstMs + part * bucketSeconds * 1_000)),
    agents: [...tallies].map(([agent, { acknowledged, ...counted }]) => ({
      agent,
      ...counted,
      acknowledgedMs: quantiles(acknowledged),
    })),
    codes: [...codes]
      .map(([code, refused]) => ({ code, refused }))
      .toSorted((a, b) => total(b.refused) - total(a.refused) || (a.code < b.code ? -1 : 1)),
    pairs: pairsOf(rows),
    work: workOf(index, state, range, parts, (atMs) => partOf({ atMs })),
    tokens: tokensOf(state),
  };
}

/** Who sent how many messages to whom, the most first. */
function pairsOf(rows: readonly IndexRow[]): TeamMetrics["pairs"] {
  const senders = new Map<string, Map<string, number>>();
  for (const { kind, sender, receivers } of rows) {
    if (kind !== "message") continue;
    const known = senders.get(sender) ?? new Map<string, number>();
    senders.set(sender, known);
    for (const to of receivers) known.set(to, (known.get(to) ?? 0) + 1);
  }
  return [...senders]
    .flatMap(([from, known]) => [...known].map(([to, messages]) => ({ from, to, messages })))
    .toSorted((a, b) => b.messages - a.messages)
    .slice(0, pairsMax);
}

/** How many tasks of today there were, were reported as done, are verified and were disputed, at the end of each part. */
function workOf(
  { rows, reportsOf }: RecordIndex,
  { work }: CoordinationState,
  { toMs }: TimeRange,
  parts: number,
  partOf: (atMs: number) => number,
): TeamMetrics["work"] {
  const counts = { tasks: levels(), reported: levels(), verified: levels(), disputed: levels() };
  function levels(): number[] {
    return Array.from({ length: parts }, () => 0);
  }
  const put = (into: number[], atMs: number | undefined) => {
    if (atMs === undefined || atMs >= toMs) return;
    for (let part = partOf(atMs); part < parts; part++) add(into, part);
  };
  const timeOf = new Map<number, number | undefined>();
  for (const { seq, verdict } of work.tasks.values()) {
    timeOf.set(seq, undefined);
    if (verdict?.state === "verified") timeOf.set(verdict.seq, undefined);
  }
  const disputesOf = (key: string) => [...(work.disputes.get(key)?.values() ?? [])];
  for (const key of work.tasks.keys())
    for (const { seq, repair } of disputesOf(key))
      for (const each of repair === null ? [seq] : [seq, repair.seq]) timeOf.set(each, undefined);
  for (const { seq, atMs } of rows) if (timeOf.has(seq)) timeOf.set(seq, atMs);
  for (const { key, seq, verdict } of work.tasks.values()) {
    put(counts.tasks, timeOf.get(seq));
    put(counts.reported, reportsOf.get(key)?.find(({ report }) => report.status === "complete")?.atMs);
    if (verdict?.state === "verified") put(counts.verified, timeOf.get(verdict.seq));
    // One task counts once, also where several reports on it were contradicted.
    const during = new Set<number>();
    for (const { seq: from, repair } of disputesOf(key)) {
      const [fromMs, untilMs] = [timeOf.get(from), repair === null ? undefined : timeOf.get(repair.seq)];
      if (fromMs === undefined || fromMs >= toMs) continue;
      const until = untilMs === undefined || untilMs >= toMs ? parts : partOf(untilMs);
      for (let part = partOf(fromMs); part < until; part++) during.add(part);
    }
    for (const part of during) add(counts.disputed, part);
  }
  return counts;
}

function tokensOf({ contracts, work }: CoordinationState): TeamMetrics["tokens"] {
  return [...contracts.tokens].flatMap(([plan, known]) =>
    tokenReportsOf(known).map(({ task, reporter, tokens }) => ({
      plan: contracts.plans.get(plan)?.terms.planId ?? plan,
      task: work.tasks.get(task)?.task ?? task,
      reporter,
      tokens,
    })),
  );
}

function add(counts: number[], part: number): void {
  counts[part] = (counts[part] ?? 0) + 1;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0);
}

/** Of each task the first report that it is done, by what became of it. */
function countFirstReports(
  { reportsOf }: RecordIndex,
  { work }: CoordinationState,
  { fromMs, toMs }: TimeRange,
  tallyOf: (agent: string) => Tally,
): void {
  for (const [key, reports] of reportsOf) {
    const first = reports.find(({ report }) => report.status === "complete");
    if (first === undefined || first.atMs < fromMs || first.atMs >= toMs) continue;
    const task = work.tasks.get(key);
    const { firstReports } = tallyOf(first.report.reporter);
    if (work.disputes.get(key)?.has(first.seq) === true) firstReports.disputed += 1;
    else if (task?.report?.seq !== first.seq) firstReports.superseded += 1;
    else if (task.verdict === null) firstReports.open += 1;
    else firstReports[task.verdict.state === "verified" ? "verified" : "disputed"] += 1;
  }
}

/** How long messages waited for the acknowledgements that came in the range. */
function countAcknowledgements(
  rows: readonly IndexRow[],
  { fromMs, toMs }: TimeRange,
  tallyOf: (agent: string) => Tally,
): void {
  const waiting = new Map<string, IndexRow[]>();
  for (const row of rows) {
    if (row.acknowledged !== null) {
      const upTo = row.acknowledged;
      const mail = waiting.get(row.sender) ?? [];
      const left = mail.findIndex(({ seq }) => seq > upTo);
      const read = mail.splice(0, left === -1 ? mail.length : left);
      if (row.atMs >= fromMs && row.atMs < toMs) {
        const { acknowledged } = tallyOf(row.sender);
        for (const { atMs } of read) acknowledged.push(Math.max(0, row.atMs - atMs));
      }
    }
    for (const agent of row.receivers) {
      const mail = waiting.get(agent);
      if (mail === undefined) waiting.set(agent, [row]);
      else mail.push(row);
    }
  }
}

function quantiles(times: readonly number[]): { readonly p50: number; readonly p95: number } | null {
  if (times.length === 0) return null;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

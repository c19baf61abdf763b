/**
 * The record over time, as a page draws it: columns of numbers with the words in lists, which take a small part of the bytes
 * of the lines, and the claims that were held in that time. Source: docs/protocol/record.md, section 22.
 */
import { timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Context } from "../../perform/context.ts";
import type { CoordinationState } from "../../perform/deciders.ts";
import { outcomeOf } from "../../perform/line-outcome.ts";
import type { FindSeq, ShowLanes } from "../../perform/operations/generated/calls.ts";
import { statusOfReport } from "../../tasks/state/report-status.ts";
import type { EntryAtTime, Lanes } from "../operations/lanes.ts";
import { type IndexRow, type RecordIndex, recordIndex } from "./record-index.ts";

/** The lanes of the entries recorded from one time to another; absent: all. Refuses `wrong-format`. */
export async function lanes(context: Context, { from, to }: ShowLanes): Promise<Result<Lanes, Problem>> {
  const range = rangeOf(from, to);
  if (!range.ok) return range;
  const index = await recordIndex(context);
  if (!index.ok) return index;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  return ok(lanesOf(index.value, folded.value.state.coordination, range.value));
}

/** The last entry that was recorded at a time or before. Refuses `wrong-format`. */
export async function seqAt(context: Context, { time }: FindSeq): Promise<Result<EntryAtTime, Problem>> {
  const timeMs = Date.parse(time);
  if (Number.isNaN(timeMs)) return err(notATime("time", time));
  const index = await recordIndex(context);
  if (!index.ok) return index;
  const row = index.value.rows.findLast(({ atMs }) => atMs <= timeMs);
  return ok({ seq: row?.seq ?? 0, at: row === undefined ? null : timestampOf(row.atMs) });
}

/** A part of the record's time; `toMs` is not in it. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The range between two RFC 3339 times, of which either may be absent. Refuses `wrong-format`, named by its argument. */
export function rangeOf(from: string | undefined, to: string | undefined): Result<TimeRange, Problem> {
  const [fromMs, toMs] = [from === undefined ? 0 : Date.parse(from), to === undefined ? Infinity : Date.parse(to)];
  if (Number.isNaN(fromMs)) return err(notATime("from", from ?? ""));
  if (Number.isNaN(toMs)) return err(notATime("to", to ?? ""));
  return ok({ fromMs, toMs });
}

function notATime(name: string, received: string): Problem {
  return makeProblem("wrong-format", `arguments.${name}`, "This is not a time.", {
    expected: "RFC 3339",
    hint: "Write it as 2026-02-12T10:00:00Z.",
    received: received.slice(0, 64).toWellFormed(),
  });
}

/** A list of words, each once; columns name them by their place. */
function dictionary<Word>(): { readonly words: Word[]; placeOf(word: Word): number } {
  const words: Word[] = [];
  const places = new Map<Word, number>();
  return {
    words,
    placeOf(word) {
      const known = places.get(word);
      if (known !== undefined) return known;
      places.set(word, words.length);
      return words.push(word) - 1;
    },
  };
}

function lanesOf(index: RecordIndex, state: CoordinationState, { fromMs, toMs }: TimeRange): Lanes {
  const [agents, kinds, tasks] = [dictionary<string>(), dictionary<string>(), dictionary<string>()];
  const outcomes = dictionary<Lanes["outcomes"][number]>();
  const rows = index.rows.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const entries: { [Column in keyof Lanes["entries"]]: Lanes["entries"][Column][number][] } = {
    seq: [],
    at: [],
    sender: [],
    receivers: [],
    kind: [],
    outcome: [],
    task: [],
    thread: [],
  };
  const acknowledged: Lanes["acknowledged"][number][] = [];
  let [seq, atMs] = [0, 0];
  for (const row of rows) {
    const { outcome, thread } = becameOf(state, row);
    entries.seq.push(row.seq - seq);
    entries.at.push(row.atMs - atMs);
    [seq, atMs] = [row.seq, row.atMs];
    entries.sender.push(agents.placeOf(row.sender));
    entries.receivers.push(row.receivers.map((agent) => agents.placeOf(agent)));
    entries.kind.push(kinds.placeOf(row.what ?? row.kind));
    entries.outcome.push(outcomes.placeOf(outcome));
    entries.task.push(row.task === null ? -1 : tasks.placeOf(row.task));
    entries.thread.push(thread ?? 0);
    if (row.acknowledged !== null)
      acknowledged.push({ agent: agents.placeOf(row.sender), seq: row.acknowledged, at: row.atMs });
  }
  const claims = index.claims
    .filter((claim) => claim.fromMs < toMs && (claim.toMs ?? Infinity) >= fromMs)
    .map(({ holder, task, key, token, fromMs: from, toMs: to, end, endSeq }) => ({
      agent: agents.placeOf(holder),
      task: tasks.placeOf(task),
      seq: token,
      from,
      to,
      end: end ?? ("held" as const),
      // Of a claim that ended with a report, what became of that.
      outcome: outcomes.placeOf(end === "reported" && endSeq !== null ? reportOutcome(state, key, endSeq) : null),
    }));
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    seq: index.seq,
    from: first === undefined ? null : timestampOf(first.atMs),
    to: last === undefined ? null : timestampOf(last.atMs),
    agents: agents.words,
    kinds: kinds.words,
    outcomes: outcomes.words,
    tasks: tasks.words,
    entries,
    claims,
    acknowledged,
  };
}

/** What became of a row's entry. */
export function becameOf(state: CoordinationState, { kind, seq, events }: IndexRow) {
  if (kind === "refusal") return { outcome: "refused" as const, thread: null };
  return outcomeOf(state, seq, events);
}

function reportOutcome({ work }: CoordinationState, key: string, seq: number) {
  const status = statusOfReport(work, seq, { key, status: "complete" });
  return status === "complete" ? "reported" : status;
}

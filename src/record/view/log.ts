/**
 * Reading the record: entries as lines for people and programs, page by page, and the stream as it grows. Nothing here
 * changes anything. Reading is cut into turns of a few entries, so that others are answered in between, ends when its
 * caller goes, and looks at a bounded number of entries for one page; the page says where to go on. Rules:
 * docs/protocol/record.md, section 19.
 */
import { ownTurn } from "../../base/clock.ts";
import { pageRowsMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import type { Entry, Page } from "../../journal/entry.ts";
import type { Found } from "../../journal/journal.ts";
import { isRemote } from "../../messages/remote-address.ts";
import { meansTask } from "../../messages/task-ids.ts";
import { remoteIn } from "../../perform/act-line.ts";
import { type Content, contentOf, effectsOf, refusalSentence, taskOfRefused } from "../../perform/content.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import { noOutcome, outcomeOf } from "../../perform/line-outcome.ts";
import { type Reported, reportStatusOf, worstOf } from "../../tasks/state/report-status.ts";
import { findTask, type Work } from "../../tasks/state/task-state.ts";
import type { LogLine, LogPage, MatchCount } from "../operations/entries.ts";
import { isInView, isParty, type LogOptions } from "./log-line.ts";
import { summaryOf } from "./summary.ts";

/** How many entries one turn looks at, some milliseconds of work. */
const stepRows = 128;

/** A few entries in the order asked for, and where the next few begin; null: there are no more. */
export type Step = Result<Found, Problem>;

/** The entries of a range, a few at a time, in the order asked for; of those with `text` only the ones that have it. */
export function stepsOf(context: TeamContext, options: LogOptions, head: number): AsyncIterable<Step> {
  if (options.text !== undefined) return stepsFound(context, { ...options, text: options.text }, head);
  return options.newestFirst === true ? stepsBack(context, options, head) : stepsOn(context, options);
}

/** The entries that contain a string. */
async function* stepsFound(
  { journal, team }: TeamContext,
  { text, newestFirst = false, ...range }: LogOptions & { readonly text: string },
  head: number,
): AsyncIterable<Step> {
  // What arrives during the search comes when the caller follows from the head that the page reports.
  let { after = 0, before = Number.POSITIVE_INFINITY } = range;
  before = Math.min(before, head + 1);
  for (let isOver = false; !isOver; ) {
    const step: Step = await journal.search(team, { text, after, before, newestFirst });
    yield step;
    if (!step.ok || step.value.next === null) isOver = true;
    else if (newestFirst) before = step.value.next;
    else after = step.value.next;
  }
}

async function* stepsOn({ journal, team }: TeamContext, options: LogOptions): AsyncIterable<Step> {
  const before = options.before ?? Number.POSITIVE_INFINITY;
  for (let after: number | null = options.after ?? 0; after !== null && after + 1 < before; ) {
    const page: Result<Page, Problem> = await journal.read(team, { after, limit: stepRows });
    if (!page.ok) {
      yield page;
      return;
    }
    const isLast: boolean = page.value.next === null || page.value.next + 1 >= before;
    after = isLast ? null : page.value.next;
    const { entries } = page.value;
    yield ok({ entries: entries.filter(({ seq }) => seq < before), next: after, examined: entries.length });
  }
}

/** The same from the head down. Seqs are gapless but for lost ranges, so a step is the entries of a range of seqs. */
async function* stepsBack({ journal, team }: TeamContext, options: LogOptions, head: number): AsyncIterable<Step> {
  const first = options.after ?? 0;
  let before = Math.min(options.before ?? Number.POSITIVE_INFINITY, head + 1);
  let rows = stepRows;
  while (before > first + 1) {
    const after = Math.max(first, before - 1 - rows);
    const end = before;
    const page: Result<Page, Problem> = await journal.read(team, { after, limit: end - after - 1 });
    if (!page.ok) {
      yield page;
      return;
    }
    const { entries, next } = page.value;
    // Large entries ended the page before the range did: its newest would be left out.
    if (next !== null && next < end - 1 && rows > 1) {
      rows = Math.max(1, rows >>> 2);
      continue;
    }
    before = after + 1;
    const found = entries.filter(({ seq }) => seq < end).toReversed();
    yield ok({ entries: found, next: before > first + 1 ? before : null, examined: entries.length });
    rows = stepRows;
  }
}

const summaryCharactersMax = 120;
/** How many entries one page looks at. */
const examinedMax = 20_000;

/**
 * An entry as one line; a report in it is what it says, and nothing is known of what became of it but that it was
 * refused.
 */
export function logLine(entry: Entry): LogLine {
  const content = contentOf(entry);
  const [refusal] = entry.kind === "refusal" ? (content.problems ?? []) : [];
  const remote = content.command === undefined ? undefined : remoteIn(content.command);
  return {
    seq: entry.seq,
    epoch: entry.epoch,
    kind: entry.kind,
    id: entry.id,
    dialect: content.message?.dialect ?? content.refused?.dialect ?? null,
    type: content.message?.type ?? content.refused?.type ?? content.command?.name ?? null,
    sender: entry.principal.agent,
    ...(entry.principal.person === undefined ? {} : { person: entry.principal.person }),
    receivers: entry.receivers,
    recordedAt: entry.recordedAt,
    task: tasksOf(content)[0]?.task ?? null,
    fact: content.message?.fact?.kind ?? null,
    report: worstOf(reportsIn(content).map(({ status }) => status)),
    ...noOutcome,
    outcome: entry.kind === "refusal" ? "refused" : null,
    problem: refusal === undefined ? null : { code: refusal.code, message: refusalSentence(refusal) },
    ...(remote === undefined ? {} : { remote }),
    summary: shorten(summaryOf(content), summaryCharactersMax),
  };
}

/** A task as an entry names it, with the plan that is named beside it, and its key where that is known. */
interface Named {
  readonly task: string;
  readonly plan: string | null;
  readonly key: string | null;
}

/** The tasks that an entry is about: what its message belongs to, what follows for tasks, and what is said of them. */
function tasksOf({ message, command, refused, events = [] }: Content): readonly Named[] {
  const named = (task: unknown, plan: unknown = null): readonly Named[] =>
    typeof task === "string" && task !== "" ? [{ task, plan: typeof plan === "string" ? plan : null, key: null }] : [];
  if (refused !== undefined) return named(taskOfRefused(refused));
  const said: unknown = message?.fact?.body; // some kinds have these fields
  const { taskId, planId } = (said ?? {}) as { readonly taskId?: unknown; readonly planId?: unknown };
  const met = events.flatMap((event): readonly Named[] => {
    if (!("task" in event) || typeof event.task !== "string") return [];
    return [{ task: event.task, plan: null, key: "key" in event ? event.key : null }];
  });
  return [
    ...named(message?.fact?.head.task, planId),
    ...met,
    ...named(taskId, planId),
    ...named(command?.task, command?.plan),
  ];
}

export function reportsIn({ events = [] }: Content): readonly Reported[] {
  return events.flatMap((event) => (event.event === "task-reported" ? [event] : []));
}

/** The lines that match, in the order asked for; a problem ends them. */
export function log(context: TeamContext, options: LogOptions = {}): AsyncIterable<Result<LogLine, Problem>> {
  return linesOf((page) => logPage(context, page), options);
}

/** The lines that match, page after page as `readPage` answers them; a problem ends them. */
export async function* linesOf(
  readPage: (options: LogOptions) => Promise<Result<LogPage, Problem>>,
  options: LogOptions,
): AsyncIterable<Result<LogLine, Problem>> {
  const { newestFirst = false, looked } = options;
  let at: Pick<LogOptions, "after" | "before"> = {};
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const page = await readPage({ ...options, ...at, limit: Math.min(left, pageRowsMax) });
    if (!page.ok) {
      yield page;
      return;
    }
    const { entries, next, head } = page.value;
    for (const line of entries) yield ok(line);
    left -= entries.length;
    if (next === null) return;
    looked?.(next, head);
    at = newestFirst ? { before: next } : { after: next };
  }
}

/** The lines that match among the next `rowsMax` entries or a few more, in the order asked for. */
export async function logPage(
  context: TeamContext,
  options: LogOptions = {},
  rowsMax: number = examinedMax,
): Promise<Result<LogPage, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head, state } = folded.value;
  const wanted = matcher(options, state.coordination.work);
  const limit = options.limit ?? pageRowsMax;
  const lines: LogLine[] = [];
  const effects = new Map<number, readonly CoordinationEvent[]>();
  const answer = async (next: number | null): Promise<Result<LogPage, Problem>> => {
    const entries = await asTheyStand(context, lines, effects);
    if (!entries.ok) return entries;
    const page = { entries: entries.value, next, head: head.seq };
    if (options.count !== true) return ok(page);
    const counted = await countOf(context, options, head.seq, wanted);
    return counted.ok ? ok({ ...page, count: counted.value }) : counted;
  };
  const steps = stepsOf(context, options, head.seq);
  let examined = 0;
  for await (const step of steps) {
    if (!step.ok) return step;
    const became = await outcomesIn(context, options);
    if (!became.ok) return became;
    for (const entry of step.value.entries) {
      if (!wanted(entry) || !became.value(entry)) continue;
      // One more than asked for tells that there is a next page.
      if (lines.length >= limit) return answer(lines.at(-1)?.seq ?? null);
      lines.push(logLine(entry));
      const { events = [] } = effectsOf(entry);
      if (events.length > 0) effects.set(entry.seq, events);
    }
    if (step.value.next === null) break;
    examined += step.value.examined;
    if (examined >= rowsMax) return answer(step.value.next);
    if (options.signal?.aborted === true) return err(cancelled);
    await ownTurn();
  }
  return answer(null);
}

/** How many entries of the range match, among the newest that one page looks at. */
async function countOf(
  context: TeamContext,
  asked: LogOptions,
  head: number,
  wanted: (entry: Entry) => boolean,
): Promise<Result<MatchCount, Problem>> {
  const options: LogOptions = { ...asked, newestFirst: true };
  const { signal } = options;
  let [matched, examined] = [0, 0];
  for await (const step of stepsOf(context, options, head)) {
    if (!step.ok) return step;
    const became = await outcomesIn(context, options);
    if (!became.ok) return became;
    for (const entry of step.value.entries) if (wanted(entry) && became.value(entry)) matched += 1;
    if (step.value.next === null) return ok({ matched, isAll: true });
    examined += step.value.examined;
    if (examined >= examinedMax) return ok({ matched, isAll: false });
    if (signal?.aborted === true) return err(cancelled);
    await ownTurn();
  }
  return ok({ matched, isAll: true });
}

/** Whether an entry has become what is asked for, by the state at the head; to be asked again after each wait. */
async function outcomesIn(
  { journal, team }: TeamContext,
  { outcomes }: Pick<LogOptions, "outcomes">,
): Promise<Result<(entry: Entry) => boolean, Problem>> {
  if (outcomes === undefined) return ok(() => true);
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { coordination } = folded.value.state;
  return ok((entry) => {
    if (entry.kind === "refusal") return outcomes.includes("refused");
    const { outcome } = outcomeOf(coordination, entry.seq, effectsOf(entry).events ?? []);
    return outcome !== null && outcomes.includes(outcome);
  });
}

/** The lines with what became of their entries, whose events are given by seq. */
async function asTheyStand(
  { journal, team }: TeamContext,
  lines: readonly LogLine[],
  effects: ReadonlyMap<number, readonly CoordinationEvent[]>,
): Promise<Result<readonly LogLine[], Problem>> {
  if (effects.size === 0) return ok(lines);
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { coordination } = folded.value.state;
  return ok(
    lines.map((line) => {
      const events = effects.get(line.seq);
      if (events === undefined) return line;
      const report = reportStatusOf(coordination.work, line.seq, reportsIn({ events }));
      return { ...line, report, ...outcomeOf(coordination, line.seq, events) };
    }),
  );
}

/** The lines of new entries as they come, each with what became of it at the head; a report in it is what it says. */
export async function* followLines(
  { journal, team }: TeamContext,
  options: { readonly after: number; readonly signal: AbortSignal },
): AsyncIterable<LogLine> {
  for await (const entry of journal.follow(team, options)) {
    const line = logLine(entry);
    const { events = [] } = effectsOf(entry);
    const folded = events.length === 0 ? null : await journal.state(team);
    // Without the state the line says less; the next request of its reader says why.
    yield folded?.ok === true ? { ...line, ...outcomeOf(folded.value.state.coordination, line.seq, events) } : line;
  }
}

const cancelled = makeProblem("interrupted", "log", "Reading the record was cancelled.");

/** Whether an entry passes the filters; `text` is the journal's to search for. */
function matcher(options: LogOptions, work: Work): (entry: Entry) => boolean {
  const { task } = options;
  const known = task === undefined ? null : findTask(work, task, null);
  const isMeant = ({ task: name, plan, key }: Named): boolean =>
    known === null
      ? task !== undefined && meansTask(task, name)
      : (key ?? findTask(work, name, plan)?.key) === known.key;
  const since = options.since === undefined ? null : Date.parse(options.since);
  const until = options.until === undefined ? null : Date.parse(options.until);
  return (entry) => {
    if (options.kinds !== undefined && !options.kinds.includes(entry.kind)) return false;
    if (options.view !== undefined && !isInView(gistOf(entry), options.view)) return false;
    if (options.sender !== undefined && entry.principal.agent !== options.sender) return false;
    if (options.agent !== undefined && !concerns(entry, options.agent)) return false;
    if (since !== null && Date.parse(entry.recordedAt) < since) return false;
    if (until !== null && Date.parse(entry.recordedAt) >= until) return false;
    if (options.type === undefined && options.task === undefined) return true;
    const content = contentOf(entry);
    if (task !== undefined && !tasksOf(content).some(isMeant)) return false;
    return options.type === undefined || logLine(entry).type === options.type;
  };
}

/** What a view judges of an entry. Only of a command does it ask the fact, which takes reading the content. */
function gistOf(entry: Entry): Parameters<typeof isInView>[0] {
  const { message, command } = entry.kind === "command" ? contentOf(entry) : {};
  const said = { fact: message?.fact?.kind ?? null, type: command?.name ?? null };
  return { kind: entry.kind, sender: entry.principal.agent, receivers: entry.receivers, ...said };
}

function concerns(entry: Entry, agent: string): boolean {
  // Only what a remote is asked or says takes reading the content.
  if (isRemote(agent)) return entry.kind === "command" && isParty(logLine(entry), agent);
  return entry.principal.agent === agent || entry.receivers.includes(agent);
}

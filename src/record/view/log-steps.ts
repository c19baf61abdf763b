/**
 * The entries of a part of the record a few at a time: forwards, from the newest back, or those that a search finds. A few
 * take some milliseconds, so that others are answered in between.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Page } from "../../journal/entry.ts";
import type { Found } from "../../journal/journal.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { LogOptions } from "./log-line.ts";

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

/**
 * Reading the record: entries as lines for people and programs, one entry whole, and the stream as it grows. Nothing
 * here changes anything.
 */
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { shorten } from "../base/text.ts";
import type { Entry } from "../journal/entry.ts";
import { type Content, contentOf } from "./content.ts";
import type { Context } from "./context.ts";
import type { LogLine, LogOptions, Shown } from "./log-line.ts";
import { isInView } from "./log-view.ts";
import { summaryOf } from "./summary.ts";

const summaryCharactersMax = 120;
/** How many entries a page from the head down reads: most who read backwards look at a screenful. */
const backwardRows = 200;

/** An entry as one line. */
export function logLine(entry: Entry): LogLine {
  const content = contentOf(entry);
  return {
    seq: entry.seq,
    epoch: entry.epoch,
    kind: entry.kind,
    id: entry.id,
    dialect: content.message?.dialect ?? content.refused?.dialect ?? null,
    type: content.message?.type ?? content.refused?.type ?? content.command?.name ?? null,
    sender: entry.principal.agent,
    receivers: entry.receivers,
    recordedAt: entry.recordedAt,
    task: content.message?.fact?.head.task ?? null,
    fact: content.message?.fact?.kind ?? null,
    summary: shorten(summaryOf(content), summaryCharactersMax),
  };
}

/** The lines that match, in the order asked for, a page at a time; a problem ends them. */
export async function* log(context: Context, options: LogOptions = {}): AsyncIterable<Result<LogLine, Problem>> {
  const wanted = matcher(options);
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for await (const page of options.newestFirst === true ? pagesBack(context, options) : pages(context, options)) {
    if (!page.ok) {
      yield page;
      return;
    }
    for (const entry of page.value) {
      if (!wanted(entry)) continue;
      yield ok(logLine(entry));
      left -= 1;
      if (left === 0) return;
    }
  }
}

type EntryPage = Result<readonly Entry[], Problem>;

async function* pages(context: Context, options: LogOptions): AsyncIterable<EntryPage> {
  const before = options.before ?? Number.POSITIVE_INFINITY;
  let after: number | null = options.after ?? 0;
  while (after !== null && after + 1 < before) {
    const page = await context.journal.read(context.team, { after });
    if (!page.ok) {
      yield page;
      return;
    }
    yield ok(page.value.entries.filter(({ seq }) => seq < before));
    after = page.value.next;
  }
}

/** Pages from the head down. Seqs are gapless but for lost ranges, so a page is the entries of a range of seqs. */
async function* pagesBack(context: Context, options: LogOptions): AsyncIterable<EntryPage> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) {
    yield folded;
    return;
  }
  const first = options.after ?? 0;
  let before = Math.min(options.before ?? Number.POSITIVE_INFINITY, folded.value.head.seq + 1);
  while (before > first + 1) {
    const after = Math.max(first, before - 1 - backwardRows);
    const end = before;
    const page = await context.journal.read(context.team, { after, limit: end - after - 1 });
    if (!page.ok) {
      yield page;
      return;
    }
    yield ok(page.value.entries.filter(({ seq }) => seq < end).toReversed());
    before = after + 1;
  }
}

/** One entry by its seq or its id, with how far its delivery came. */
export async function show(context: Context, key: string): Promise<Result<Shown, Problem>> {
  const found = await findEntry(context, key);
  if (!found.ok) return found;
  const entry = found.value;
  const content = contentOf(entry);
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { mail } = folded.value.state;
  // Taken out before the next await: the state is only lent.
  const cursors = entry.receivers.map((agent) => ({ agent, acknowledged: mail.get(agent)?.acknowledged ?? 0 }));
  const delivery: Shown["delivery"][number][] = [];
  for (const { agent, acknowledged } of cursors) {
    const marks = await context.journal.marks(context.team, agent);
    if (!marks.ok) return marks;
    delivery.push({ agent, state: stageOf(entry.seq, { ...marks.value, acknowledged }) });
  }
  return ok({
    ...logLine(entry),
    entry,
    durability: context.journal.abilities.durability,
    message: content.message ?? null,
    problems: content.problems ?? [],
    notes: content.notes ?? [],
    delivery,
  });
}

function stageOf(seq: number, at: { readonly offered: number; readonly seen: number; readonly acknowledged: number }) {
  if (seq <= at.acknowledged) return "acknowledged" as const;
  if (seq <= at.seen) return "seen" as const;
  return seq <= at.offered ? ("offered" as const) : ("waiting" as const);
}

async function findEntry(context: Context, key: string): Promise<Result<Entry, Problem>> {
  const { journal, team } = context;
  if (/^\d{1,15}$/.test(key)) {
    const page = await journal.read(team, { after: Number(key) - 1, limit: 1 });
    if (!page.ok) return page;
    const entry = page.value.entries[0];
    if (entry?.seq === Number(key)) return ok(entry);
  }
  const found = await journal.find(team, key);
  if (!found.ok) return found;
  if (found.value !== null) return ok(found.value);
  return err(
    problem("not-found", key, `There is no entry with the number or id "${key}" in team "${team}".`, {
      hint: "`baton log` lists the entries with their numbers, `baton log --json` with their ids too.",
    }),
  );
}

function matcher(options: LogOptions): (entry: Entry) => boolean {
  const text = options.text?.toLowerCase();
  const since = options.since === undefined ? null : Date.parse(options.since);
  return (entry) => {
    if (options.kinds !== undefined && !options.kinds.includes(entry.kind)) return false;
    if (options.view !== undefined && !isInView(gistOf(entry), options.view)) return false;
    if (options.sender !== undefined && entry.principal.agent !== options.sender) return false;
    if (options.agent !== undefined && !concerns(entry, options.agent)) return false;
    if (since !== null && Date.parse(entry.recordedAt) < since) return false;
    if (options.type === undefined && options.task === undefined && text === undefined) return true;
    const content = contentOf(entry);
    if (options.task !== undefined && content.message?.fact?.head.task !== options.task) return false;
    if (options.type !== undefined && logLine(entry).type !== options.type) return false;
    return text === undefined || searchedText(content).toLowerCase().includes(text);
  };
}

/** What a view judges of an entry. Only of a command does it ask the fact, which takes reading the content. */
function gistOf(entry: Entry): Parameters<typeof isInView>[0] {
  const fact = entry.kind === "command" ? (contentOf(entry).message?.fact?.kind ?? null) : null;
  return { kind: entry.kind, sender: entry.principal.agent, receivers: entry.receivers, fact };
}

function concerns(entry: Entry, agent: string): boolean {
  return entry.principal.agent === agent || entry.receivers.includes(agent);
}

function searchedText(content: Content): string {
  return content.message?.text ?? content.refused?.excerpt ?? JSON.stringify(content);
}

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
import type { LogLine, LogOptions, Shown } from "./team.ts";

const summaryCharactersMax = 120;

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
    summary: shorten(summaryOf(content), summaryCharactersMax),
  };
}

/** The lines that match, in order, a page at a time; a problem ends them. */
export async function* log(context: Context, options: LogOptions = {}): AsyncIterable<Result<LogLine, Problem>> {
  const wanted = matcher(options);
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  let after: number | null = options.after ?? 0;
  while (after !== null && left > 0) {
    const page = await context.journal.read(context.team, { after });
    if (!page.ok) {
      yield page;
      return;
    }
    for (const entry of page.value.entries) {
      if (!wanted(entry)) continue;
      yield ok(logLine(entry));
      left -= 1;
      if (left === 0) return;
    }
    after = page.value.next;
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
      hint: "`baton log` lists the entries with their numbers and ids.",
    }),
  );
}

function matcher(options: LogOptions): (entry: Entry) => boolean {
  const text = options.text?.toLowerCase();
  const since = options.since === undefined ? null : Date.parse(options.since);
  return (entry) => {
    if (options.sender !== undefined && entry.principal.agent !== options.sender) return false;
    if (since !== null && Date.parse(entry.recordedAt) < since) return false;
    if (options.type === undefined && text === undefined) return true;
    const content = contentOf(entry);
    if (options.type !== undefined && logLine(entry).type !== options.type) return false;
    return text === undefined || searchedText(content).toLowerCase().includes(text);
  };
}

function searchedText(content: Content): string {
  return content.message?.text ?? content.refused?.excerpt ?? JSON.stringify(content);
}

/** What the entry says, in one line. */
function summaryOf(content: Content): string {
  if (content.problems !== undefined && content.message === undefined) {
    return `refused: ${content.problems.map((each) => `${each.code} ${each.path}`).join(", ")}`;
  }
  if (content.message !== undefined) return messageSummary(content);
  if (content.acknowledged !== undefined) return `acknowledged up to ${content.acknowledged}`;
  if (content.command !== undefined) {
    const { name, ...rest } = content.command;
    return `${name} ${Object.values(rest)
      .filter((value) => typeof value === "string")
      .join(" ")}`;
  }
  if (content.team !== undefined) return content.team.map((event) => event.event).join(", ");
  return content.reason ?? (content.events ?? []).map((event) => event.event).join(", ");
}

const tellingFields = ["objective", "subject", "blocker", "status", "result", "reason", "hypothesis", "domain"];

function messageSummary(content: Content): string {
  const message = content.message;
  if (message === undefined) return "";
  if (message.fact === null) return message.text.trimStart().split("\n", 1)[0] ?? "";
  const task = message.fact.head.task;
  const body: { readonly [field: string]: unknown } = message.fact.body;
  const telling = tellingFields.map((field) => body[field]).find((value) => typeof value === "string");
  const words = [task, telling].filter((word) => typeof word === "string" && word !== "");
  return words.length > 0 ? words.join(": ") : message.text;
}

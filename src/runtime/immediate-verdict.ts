/**
 * The verdict on a report, and on artifacts that a message names, right after it was recorded, for a command or program that
 * works on the journal itself: without a hub nobody else would look. Baton records the verdict; the reply contains it.
 * Source: docs/protocol/verdicts.md, section 1.
 */
import type { Problem } from "../base/problem.ts";
import { findTask } from "../coordination/work-state.ts";
import type { Note } from "../message/message.ts";
import type { Reply } from "../operations/reply.ts";
import { artifactVerdicts } from "./artifact-verdicts.ts";
import { batonActor, type Context } from "./context.ts";
import { verifyWithFixes } from "./fixes.ts";
import { entryOf } from "./reply.ts";
import { inspectRounds } from "./shutdown-inspection.ts";

/**
 * The reply, with the verdicts on the tasks that it reports as complete, and with what the repository shows against the
 * artifacts that it names as notes, where a repository is at hand (`Context.judgesAt`). A repeated report is
 * judged again. Where the journal cannot be read, the reply stays as it is: the report is recorded.
 */
export async function withVerdicts(context: Context, reply: Reply): Promise<Reply> {
  const { judgesAt } = context;
  if (judgesAt === undefined || reply.outcome !== "accepted") return reply;
  const { seq } = reply.receipt;
  await inspectEnded(context, seq, judgesAt);
  const named = await artifactVerdicts(context, batonActor, judgesAt, { messages: [seq] });
  const found = named.ok ? named.value.flatMap(({ problems }) => problems) : [];
  const noted = found.length === 0 ? reply : { ...reply, notes: [...reply.notes, ...found.map(asNote)] };
  return await withTaskVerdicts(context, noted, judgesAt);
}

function asNote({ code, path, message }: Problem): Note {
  return { code, path, message };
}

async function withTaskVerdicts(
  context: Context,
  reply: Extract<Reply, { readonly outcome: "accepted" }>,
  judgesAt: NonNullable<Context["judgesAt"]>,
): Promise<Reply> {
  const reports = await reportsIn(context, reply.receipt.seq);
  if (reports.length === 0) return reply;
  const verdicts = await verifyWithFixes(context, batonActor, judgesAt, { reports });
  return verdicts.ok && verdicts.value.length > 0 ? { ...reply, verdicts: verdicts.value } : reply;
}

/** Seqs of the reports of complete work that the entry holds, or repeats. */
async function reportsIn(context: Context, seq: number): Promise<readonly number[]> {
  const entry = await entryOf(context, seq);
  if (!entry.ok) return [];
  const { events = [], command } = entry.value;
  const reported = events.filter((event) => event.event === "task-reported" && event.status === "complete");
  if (reported.length > 0) return [seq];
  if (command?.name !== "complete-task" || typeof command.task !== "string") return [];
  const folded = await context.journal.state(context.team);
  const plan = typeof command.plan === "string" ? command.plan : null;
  const report = folded.ok ? findTask(folded.value.state.coordination.work, command.task, plan)?.report : null;
  return report?.status === "complete" ? [report.seq] : [];
}

/** Completes the certificate of a round that ended by the entry: nobody else may look for uncommitted files. */
async function inspectEnded(context: Context, seq: number, place: NonNullable<Context["judgesAt"]>): Promise<void> {
  const entry = await entryOf(context, seq);
  if (entry.ok && entry.value.events?.some(({ event }) => event === "shutdown-ended") === true)
    await inspectRounds(context, batonActor, place);
}

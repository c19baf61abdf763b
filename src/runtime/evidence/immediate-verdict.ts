/**
 * The verdict on a report, and on artifacts that a message names, right after it was recorded, for a command or program that
 * works on the journal itself: without a hub nobody else would look. Baton records the verdict; the reply contains it.
 * Source: docs/protocol/verdicts.md, section 1.
 */
import type { Problem } from "../../base/problem.ts";
import { findTask } from "../../coordination/tasks/task-state.ts";
import type { Note } from "../../message/message.ts";
import type { Reply, TaskVerdict } from "../../operations/reply.ts";
import { batonActor, type Context } from "../context.ts";
import { verifyWithFixes } from "../phases/fixes.ts";
import { entryOf } from "../record/recorded-act.ts";
import { inspectRounds } from "../shutdown/shutdown-inspection.ts";
import { artifactVerdicts } from "./artifact-verdicts.ts";

/**
 * The reply, with the verdicts on the tasks that it reports as complete, with disputes on others' reports that it settles,
 * and with what the repository shows against the
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
  const judged = await verifyWithFixes(context, batonActor, judgesAt, { reports });
  const folded = await context.journal.state(context.team);
  if (!judged.ok || !folded.ok) return reply;
  const { work } = folded.value.state.coordination;
  const isOwn = ({ task, plan }: TaskVerdict): boolean =>
    reports.includes(findTask(work, task, plan)?.report?.seq ?? 0);
  const verdicts = judged.value.filter(isOwn);
  // The others were disputed and name a commit of this report; what is still disputed is no news.
  const settled = judged.value.filter((each) => !isOwn(each) && isConfirmed(each));
  return {
    ...reply,
    ...(verdicts.length === 0 ? {} : { verdicts }),
    ...(settled.length === 0 ? {} : { settled }),
  };
}

function isConfirmed({ state }: TaskVerdict): boolean {
  return state === "verified" || state === "complete";
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

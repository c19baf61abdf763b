/** What a commit's outcome means to the one who asked: accepted, refused, or failed. */
import { invariant } from "../base/invariant.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { Entry, Receipt } from "../journal/entry.ts";
import type { Committed } from "../journal/journal.ts";
import type { Reply } from "../operations/reply.ts";
import type { Context } from "./context.ts";
import { type Content, effectsOf } from "./record/content.ts";

/** The reply to a commit. A duplicate is answered with what was recorded the first time, which takes a look at it. */
export function replyTo(context: Context, committed: Result<Committed, Problem>): Reply | Promise<Reply> {
  if (!committed.ok) return { outcome: "failed", problem: committed.error };
  const outcome = committed.value;
  switch (outcome.outcome) {
    case "recorded":
      return replyOf(outcome.entry, outcome.receipt);
    case "duplicate":
      return firstReply(context, outcome.receipt);
    case "declined":
      return { outcome: "refused", receipt: null, problems: outcome.problems, notes: [] };
  }
}

async function firstReply(context: Context, receipt: Receipt): Promise<Reply> {
  const first = await entryAt(context, receipt.seq);
  if (!first.ok) return { outcome: "failed", problem: first.error };
  if (first.value === null) return { outcome: "accepted", receipt, receivers: [], notes: [] };
  return replyOf(first.value, receipt);
}

function replyOf(entry: Entry, receipt: Receipt): Reply {
  const content = effectsOf(entry);
  const notes = content.notes ?? [];
  if (entry.kind === "refusal") return { outcome: "refused", receipt, problems: content.problems ?? [], notes };
  return { outcome: "accepted", receipt, receivers: entry.receivers, notes };
}

/** What the entry of that number says; the chain holds it, so it is there. */
export async function entryOf(context: Context, seq: number): Promise<Result<Omit<Content, "message">, Problem>> {
  const entry = await entryAt(context, seq);
  if (!entry.ok) return entry;
  invariant(entry.value !== null, `an entry with a receipt can be read: ${seq}`);
  return ok(effectsOf(entry.value));
}

/** The entry of that number; null: there is none. */
export async function entryAt(context: Context, seq: number): Promise<Result<Entry | null, Problem>> {
  const page = await context.journal.read(context.team, { after: seq - 1, limit: 1 });
  if (!page.ok) return page;
  const entry = page.value.entries[0];
  return ok(entry?.seq === seq ? entry : null);
}

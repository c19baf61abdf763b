/** The answer to an operation, read from the entry that was just written or is repeated; and the problems of an id. */
import { invariant } from "../base/invariant.ts";
import { isJsonObject } from "../base/json.ts";
import { messageIdCharactersMax } from "../base/limits.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { shorten } from "../base/text.ts";
import type { Entry, Receipt } from "../journal/entry.ts";
import type { Committed } from "../journal/journal.ts";
import { type Address, writeAddress } from "../messages/role.ts";
import { denialReasonOf } from "../tasks/decide/claim-denials.ts";
import { type Content, contentOfDraft, type Denial, effectsOf } from "./content.ts";
import type { TeamContext } from "./context.ts";
import type { ClaimAnswer, Grant, Reply } from "./operations/reply.ts";

/** A reply with what its entry holds in addition: what the operation gave, or who is in the way. */
export type Done =
  | (Extract<Reply, { readonly outcome: "accepted" }> & Told)
  | (Extract<Reply, { readonly outcome: "refused" }> & { readonly denial?: Denial | undefined })
  | Extract<Reply, { readonly outcome: "failed" }>;

interface Told {
  readonly told?: Content["command"] | undefined;
  readonly events?: Content["events"] | undefined;
}

/** The error of an invalid id; `path` says where it was given. */
export function invalidId(received: string, path: string): Problem {
  return makeProblem("invalid-id", path, "This cannot be an id.", {
    expected: `1 to ${messageIdCharactersMax} of A-Z a-z 0-9 . _ : / @ -`,
    received: received.slice(0, 160).toWellFormed(),
    hint: "Use a UUID, or leave the id out and one is made.",
  });
}

/** The error of an id under which this principal had something else recorded. */
export function idConflict(id: string, earlier: Pick<Entry, "seq" | "digest">, path: string): Problem {
  return makeProblem(
    "id-conflict",
    path,
    `You used the id "${id}" before, for something else: it is entry ${earlier.seq}.`,
    {
      expected: `content with digest ${earlier.digest ?? "unknown"}`,
      hint: "To repeat that, send it unchanged, to the same receivers. Something new needs a new id.",
    },
  );
}

/**
 * The error of an id under which this principal sent the same text, but to others. `to`: the receivers that are named
 * now.
 */
export function sentToOthers(id: string, earlier: Entry, to: readonly Address[] | null, path: string): Problem {
  return makeProblem(
    "id-conflict",
    path,
    `You sent this same text before under the id "${id}", but to other receivers: it is entry ${earlier.seq}.`,
    {
      expected: `the receivers named then; it went to ${earlier.receivers.join(", ") || "nobody"}`,
      received: to === null ? "no receiver named" : shorten(to.map(writeAddress).join(", "), 160),
      hint: "To repeat that, name the receivers as you did then. To send it to others too, use a new id.",
    },
  );
}

/** The reply to a commit. A repeat under the same id is answered from the first entry. */
export async function replyTo(context: TeamContext, committed: Result<Committed, Problem>): Promise<Done> {
  if (!committed.ok) return { outcome: "failed", problem: committed.error };
  const outcome = committed.value;
  if (outcome.outcome === "declined") {
    const denial = outcome.draft === undefined ? undefined : contentOfDraft(outcome.draft).denial;
    return { outcome: "refused", receipt: null, problems: outcome.problems, notes: [], denial };
  }
  if (outcome.outcome === "recorded") return doneBy(outcome.entry, outcome.receipt);
  const first = await entryAt(context, outcome.receipt.seq);
  if (!first.ok) return { outcome: "failed", problem: first.error };
  if (first.value === null) return { outcome: "accepted", receipt: outcome.receipt, receivers: [], notes: [] };
  return doneBy(first.value, outcome.receipt);
}

function doneBy(entry: Entry, receipt: Receipt): Done {
  const { notes = [], problems = [], denial, command: told, events } = effectsOf(entry);
  return entry.kind === "refusal"
    ? { outcome: "refused", receipt, problems, notes, denial }
    : { outcome: "accepted", receipt, receivers: entry.receivers, notes, told, events };
}

/** A refusal before anything was asked of the journal. */
export function refusedOutright(problem: Problem): Done {
  return { outcome: "refused", receipt: null, problems: [problem], notes: [] };
}

/** What the entry of that number says; the chain holds it, so it is there. */
export async function entryOf(context: TeamContext, seq: number): Promise<Result<Omit<Content, "message">, Problem>> {
  const entry = await entryAt(context, seq);
  if (!entry.ok) return entry;
  invariant(entry.value !== null, `an entry with a receipt can be read: ${seq}`);
  return ok(effectsOf(entry.value));
}

/** The entry of that number; null: there is none. */
export async function entryAt(context: TeamContext, seq: number): Promise<Result<Entry | null, Problem>> {
  const page = await context.journal.read(context.team, { after: seq - 1, limit: 1 });
  if (!page.ok) return page;
  const entry = page.value.entries[0];
  return ok(entry?.seq === seq ? entry : null);
}

/** The reply without what only `claimAnswer` and handlers read. */
export function replyOf(done: Done): Reply {
  if (done.outcome === "failed") return done;
  if (done.outcome === "accepted") {
    const { told: _, events: __, ...reply } = done;
    return reply;
  }
  const { denial: _, ...reply } = done;
  return reply;
}

/** The answer to a claim. An entry of an earlier version may not say who is in the way. */
export function claimAnswer(done: Done): ClaimAnswer {
  const reply = replyOf(done);
  if (done.outcome === "accepted") return { granted: true, ...grantIn(done.told), reply };
  const [first] = done.outcome === "refused" ? done.problems : [];
  const reason = first === undefined ? null : denialReasonOf(first.code);
  const denial = done.outcome === "refused" ? done.denial : undefined;
  return { granted: false, reason, holder: null, paths: [], ...denial, reply };
}

/** The grant in the entry of a claim. */
function grantIn(told: Told["told"]): Grant {
  const granted = told?.granted;
  invariant(isJsonObject(granted ?? null), "the entry of a granted claim says what was granted");
  // The claim itself wrote it.
  return granted as unknown as Grant;
}

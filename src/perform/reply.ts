/** The answer to an operation, read from the entry that was just written or is repeated; and the problems of an id. */
import { invariant } from "../base/invariant.ts";
import { messageIdCharactersMax } from "../base/limits.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { shorten } from "../base/text.ts";
import type { Entry, Receipt } from "../journal/entry.ts";
import type { Committed } from "../journal/journal.ts";
import type { Note } from "../messages/message.ts";
import { type Address, writeAddress } from "../messages/role.ts";
import { denialReasonOf } from "../tasks/decide/claims.ts";
import { type Content, contentOfDraft, effectsOf } from "./content.ts";
import type { TeamContext } from "./context.ts";
import type { Refused, Reply } from "./operations/reply.ts";

/** How the reply to an operation is made of its entry. */
export interface Answering<More> {
  /** What an accepted one gives besides its receipt, by what its entry says. Absent: nothing. */
  gives?(content: Omit<Content, "message">, receipt: Receipt): More;
  /** It claims a task: a refusal says what denies it. */
  readonly denies?: true;
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
export async function replyTo<More>(
  context: TeamContext,
  committed: Result<Committed, Problem>,
  operation: Answering<More>,
): Promise<Reply<More>> {
  if (!committed.ok) return { outcome: "failed", problem: committed.error };
  const outcome = committed.value;
  if (outcome.outcome === "declined") {
    const { denial } = outcome.draft === undefined ? {} : contentOfDraft(outcome.draft);
    return refusedBy(operation, { receipt: null, problems: outcome.problems, denial });
  }
  const { receipt } = outcome;
  const entry = outcome.outcome === "recorded" ? ok(outcome.entry) : await entryAt(context, receipt.seq);
  if (!entry.ok) return { outcome: "failed", problem: entry.error };
  const content = entry.value === null ? {} : effectsOf(entry.value);
  if (entry.value?.kind === "refusal") return refusedBy(operation, { receipt, ...content });
  const { receivers } = entry.value ?? { receivers: [] };
  // Without `gives` it gives nothing, and `More` is no more than an object.
  const more = operation.gives?.(content, receipt) ?? ({} as More);
  const { effect, notes = [] } = content;
  return { outcome: "accepted", receipt, receivers, notes: effect === false ? [...notes, shownOnly] : notes, ...more };
}

/** What the sender is told of a message that \`observe\` let pass with an error. */
const shownOnly: Note = {
  code: "without-effect",
  path: "",
  message: "It is delivered and shown, and nothing follows from it.",
};

/** A refusal; of a claim with what denies it. An entry of an earlier version may not say who is in the way. */
function refusedBy(
  { denies }: Pick<Answering<unknown>, "denies">,
  said: Pick<Refused, "receipt"> & { readonly [Part in "problems" | "notes" | "denial"]?: Content[Part] | undefined },
): Refused {
  const { receipt, problems = [], notes = [], denial } = said;
  const refused = { outcome: "refused", receipt, problems, notes } as const;
  if (denies === undefined) return refused;
  const [first] = problems;
  const reason = first === undefined ? null : denialReasonOf(first.code);
  return { ...refused, denial: { granted: false, reason, holder: null, paths: [], ...denial } };
}

/** A refusal before anything was asked of the journal. */
export function refusedOutright(problem: Problem, operation: Pick<Answering<unknown>, "denies"> = {}): Refused {
  return refusedBy(operation, { receipt: null, problems: [problem] });
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

/**
 * One attempt, decided: the order of checks that every journal follows. What differs between engines (how an earlier
 * entry is found, when the entry becomes durable) comes in from them. And what else they answer alike.
 */
import type { TeamName } from "../base/ids.ts";
import { invariant } from "../base/invariant.ts";
import { pageRowsMax } from "../base/limits.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { receiptOf } from "./chain.ts";
import { type Durability, type Entry, type EntryDraft, entryKinds, type Head } from "./entry.ts";
import type { Attempt, Committed, Decline, Marks, Moment, Once } from "./journal.ts";

/** What the engine knows at the head. */
export interface Situation<State> {
  readonly team: TeamName;
  readonly head: Head;
  readonly state: State;
  readonly durability: Durability;
  /** The entry that holds `id` for `principal`, or null. */
  findEarlier(principal: string, id: string): Entry | null;
  /** The agent's last heartbeat, read where the attempt is decided; null: it sent none. */
  heartbeat(agent: string): number | null;
}

/** Either an answer that records nothing, or the draft to record. */
export type Decision =
  | { readonly answer: Exclude<Committed, { readonly outcome: "recorded" }> }
  | { readonly draft: EntryDraft };

/** Decides `attempt` at the head. Throws what `decide` throws, and `InvariantError` for a draft that may not be. */
export function decideAttempt<State>(attempt: Attempt<State>, situation: Situation<State>): Decision {
  const { once } = attempt;
  const earlier = entryUnder(once?.id, once, situation);
  if (earlier !== null && earlier.digest === once?.digest) return duplicateOf(earlier, situation);
  const orEarlier = entryUnder(once?.orId, once, situation);
  if (orEarlier !== null && orEarlier.digest === once?.digest) return duplicateOf(orEarlier, situation);
  const decided: EntryDraft | Decline = attempt.decide(situation.state, {
    team: situation.team,
    seq: situation.head.seq + 1,
    earlier,
    orEarlier,
    heartbeat: (agent) => situation.heartbeat(agent),
  });
  if ("decline" in decided) {
    const { decline: problems, ...aside } = decided;
    return { answer: { outcome: "declined", problems, ...aside } };
  }
  checkDraft(decided, situation, once, { earlier, orEarlier });
  return { draft: decided };
}

function duplicateOf(entry: Entry, { durability }: Situation<unknown>): Decision {
  return { answer: { outcome: "duplicate", receipt: receiptOf(entry, durability, true) } };
}

/** The entry that holds `id` for the one who asks; null: there is none, or no id to ask for. */
function entryUnder(id: string | undefined, once: Once | null, situation: Situation<unknown>): Entry | null {
  return id === undefined || once === null ? null : situation.findEarlier(once.principal, id);
}

function checkDraft(
  draft: EntryDraft,
  situation: Situation<unknown>,
  once: Once | null,
  { earlier, orEarlier }: Pick<Moment, "earlier" | "orEarlier">,
): void {
  invariant(
    entryKinds.includes(draft.kind) && draft.kind !== "epoch",
    "decide returns a draft of a kind that may be committed",
  );
  invariant(
    draft.text === undefined || (draft.text.isWellFormed() && !draft.text.includes("\0")),
    "the text that an entry keeps can be read back verbatim",
  );
  if (!takesId(draft)) return;
  const agent = draft.principal.agent;
  const known = once?.principal === agent ? once : null;
  const holder =
    known?.id === draft.id ? earlier : known?.orId === draft.id ? orEarlier : situation.findEarlier(agent, draft.id);
  invariant(holder === null, `the id ${draft.id} of ${agent} is recorded once`);
}

/** Whether an entry holds its id for its principal: all that have one do, except refusals. */
export function takesId<Draft extends Pick<EntryDraft, "kind" | "id">>(
  draft: Draft,
): draft is Draft & { readonly id: NonNullable<Draft["id"]> } {
  return draft.id !== null && draft.kind !== "refusal";
}

/* What else every journal answers alike. */

/** The marks of an agent that none were set for. */
export const noMarks: Marks = { offered: 0, seen: 0 };

/** The higher of both, each mark for itself. */
export function raiseMarks(known: Marks, raised: Partial<Marks>): Marks {
  return { offered: Math.max(known.offered, raised.offered ?? 0), seen: Math.max(known.seen, raised.seen ?? 0) };
}

/** The answer to `acceptLoss` where nothing is known to be lost. */
export function nothingLost(team: TeamName): Problem {
  return makeProblem("wrong-usage", team, "Nothing of this team is known to be lost, so there is no loss to accept.", {
    hint: "Run `baton journal verify` to see the state of the journal.",
  });
}

/** `limit` as a page takes it: a whole number from 1 to `pageRowsMax`. */
export function pageLimit(limit: number | undefined): number {
  return Math.max(1, Math.min(pageRowsMax, Math.trunc(limit ?? pageRowsMax)));
}

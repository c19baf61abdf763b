/**
 * One attempt, decided: the order of checks that every journal follows. What differs between engines (how an earlier
 * entry is found, when the entry becomes durable) comes in from them.
 */
import type { TeamName } from "../base/ids.ts";
import { invariant } from "../base/invariant.ts";
import type { Problem } from "../base/problem.ts";
import { receiptOf } from "./chain.ts";
import { type Durability, type Entry, type EntryDraft, entryKinds, type Receipt } from "./entry.ts";
import type { Attempt, Committed, Head } from "./journal.ts";

/** What the engine knows at the head. */
export interface Situation<State> {
  readonly team: TeamName;
  readonly head: Head;
  readonly state: State;
  readonly durability: Durability;
  /** The entry that holds `id` for `principal`, or null. */
  findEarlier(principal: string, id: string): Entry | null;
}

/** Either an answer that records nothing, or the draft to record. */
export type Decision =
  | { readonly answer: Exclude<Committed, { readonly outcome: "recorded" }> }
  | { readonly draft: EntryDraft };

/** Decides `attempt` at the head. Throws what `decide` throws, and `InvariantError` for a draft that may not be. */
export function decideAttempt<State>(attempt: Attempt<State>, situation: Situation<State>): Decision {
  const { once } = attempt;
  const earlierEntry = once === null ? null : situation.findEarlier(once.principal, once.id);
  if (earlierEntry !== null && earlierEntry.digest === once?.digest) {
    return { answer: { outcome: "duplicate", receipt: receiptOf(earlierEntry, situation.durability, true) } };
  }
  const earlier: Receipt | null = earlierEntry === null ? null : receiptOf(earlierEntry, situation.durability, true);
  const decided: EntryDraft | { readonly decline: readonly Problem[] } = attempt.decide(situation.state, {
    team: situation.team,
    seq: situation.head.seq + 1,
    earlier,
  });
  if ("decline" in decided) return { answer: { outcome: "declined", problems: decided.decline } };
  checkDraft(decided, situation, attempt, earlier !== null);
  return { draft: decided };
}

function checkDraft<State>(
  draft: EntryDraft,
  situation: Situation<State>,
  attempt: Attempt<State>,
  isTaken: boolean,
): void {
  invariant(
    entryKinds.includes(draft.kind) && draft.kind !== "epoch",
    "decide returns a draft of a kind that may be committed",
  );
  invariant(
    draft.text === undefined || (draft.text.isWellFormed() && !draft.text.includes("\0")),
    "a text that an entry keeps can be read back to the letter",
  );
  if (!takesId(draft)) return;
  const agent = draft.principal.agent;
  const isAsked = attempt.once?.id === draft.id && attempt.once.principal === agent;
  const taken = isAsked ? isTaken : situation.findEarlier(agent, draft.id) !== null;
  invariant(!taken, `the id ${draft.id} of ${agent} is recorded once`);
}

/** Whether an entry holds its id for its principal: all that have one do, except refusals. */
export function takesId<Draft extends Pick<EntryDraft, "kind" | "id">>(
  draft: Draft,
): draft is Draft & { readonly id: NonNullable<Draft["id"]> } {
  return draft.id !== null && draft.kind !== "refusal";
}

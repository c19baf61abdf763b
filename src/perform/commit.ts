/**
 * Every entry is recorded here: an attempt behind a list of gates. A gate runs under the write lock, on the state at the
 * head. It lets the attempt through, answers in place of its decision, or returns a remedy, which runs outside the lock
 * before the next try. The gates are in `gates.ts`. Source: docs/protocol/record.md, section 1.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Attempt, Committed, Decline, Moment } from "../journal/journal.ts";
import { archivedProblem, movedProblem } from "./closed-team.ts";
import type { TeamContext } from "./context.ts";
import type { TeamState } from "./state.ts";

/** Both functions are pure and may run again. */
export interface Gate {
  /** Runs before the decision. Null lets it through. */
  before?(state: TeamState, moment: Moment): Decline | null;
  /** Runs after a decision to record something; returns what is recorded instead. */
  after?(draft: EntryDraft, state: TeamState, moment: Moment): EntryDraft | Decline;
}

/**
 * The first gate: a team that an older version moved into another journal, or archived, records nothing more. In a copy at
 * the place to which it moved, the team continues.
 */
const closedAt = (place: string): Gate => ({
  before({ moved, archived }, { team }) {
    if (moved && moved !== place) return { decline: [movedProblem(team, moved)] };
    return archived ? { decline: [archivedProblem(team, archived)] } : null;
  },
});

/** Commits an attempt behind these gates. Fails as the journal's `commit` does, or as a remedy does. */
export async function commitBehind(
  { journal, team }: Pick<TeamContext, "journal" | "team">,
  gates: readonly Gate[],
  attempt: Attempt<TeamState>,
): Promise<Result<Committed, Problem>> {
  const decide = decideBehind([closedAt(journal.place), ...gates], attempt.decide);
  for (;;) {
    const committed = await journal.commit(team, { ...attempt, decide });
    if (!committed.ok || committed.value.outcome !== "declined" || committed.value.remedy === undefined)
      return committed;
    const cleared = await committed.value.remedy();
    if (!cleared.ok) return cleared;
    if (cleared.value === "done") return committed;
  }
}

type Decide = Attempt<TeamState>["decide"];

function decideBehind(gates: readonly Gate[], decide: Decide): Decide {
  return (state, moment) => {
    for (const gate of gates) {
      const stopped = gate.before?.(state, moment) ?? null;
      if (stopped !== null) return stopped;
    }
    let draft = decide(state, moment);
    for (const gate of gates) if (!("decline" in draft)) draft = gate.after?.(draft, state, moment) ?? draft;
    return draft;
  };
}

/**
 * Deadlines become facts only here: late, never early, once. Whoever uses the journal fires what is due, so that a
 * deadline passes with and without a hub; the decision is taken again under the write lock, where only one can win.
 * Source: guarantees.md section 1.9.
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { decideDue, isDue } from "../coordination/deciders.ts";
import type { Attempt, Committed } from "../journal/journal.ts";
import { batonName } from "../message/principal.ts";
import { asJson } from "./content.ts";
import type { Context } from "./context.ts";
import type { TeamState } from "./state.ts";

/**
 * Commits an attempt behind every deadline that has passed, so that nothing slips in after one. Looking for one happens in
 * the decision itself and costs no extra round. Fails as `commit` does, and where a deadline cannot be recorded.
 */
export async function commitInTime(context: Context, attempt: Attempt<TeamState>): Promise<Result<Committed, Problem>> {
  for (;;) {
    let isDeadlineMet = false;
    const committed = await context.journal.commit(context.team, {
      once: attempt.once,
      decide(state, moment) {
        isDeadlineMet = isDue(state.coordination, context.clock.now());
        return isDeadlineMet ? { decline: [] } : attempt.decide(state, moment);
      },
    });
    if (!isDeadlineMet) return committed;
    const fired = await fireDue(context);
    if (!fired.ok) return fired;
  }
}

/**
 * Records every deadline that has passed. Costs one look at the earliest deadline when nothing is due. A journal that
 * cannot be written is left as it is: nothing is decided by a clock alone.
 */
export async function fireDue(context: Context): Promise<Result<void, Problem>> {
  const { journal, team, clock } = context;
  if (journal.condition().condition !== "ready") return ok(undefined);
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  if (!isDue(folded.value.state.coordination, clock.now())) return ok(undefined);
  const committed = await journal.commit(team, {
    once: null,
    decide: (state) => {
      const due = decideDue(state.coordination, clock.now());
      if (due.events.length === 0) return { decline: [] };
      return {
        kind: "timer",
        principal: { agent: batonName, role: null, via: "launcher" },
        id: null,
        digest: null,
        receivers: [],
        content: asJson({ events: due.events }),
      };
    },
  });
  return committed.ok ? ok(undefined) : committed;
}

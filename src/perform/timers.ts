/**
 * Deadlines become facts only here: late, never early, once. Every process that uses the journal records what expired,
 * so that a deadline passes with and without a hub; the decision is taken again under the write lock, where only one
 * can win. Source: docs/protocol/record.md, section 10.
 */
import { surelyNow } from "../base/clock.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { awayMsOf } from "../team/state/definition.ts";
import { commitBehind } from "./commit.ts";
import { type TeamContext, withDialects } from "./context.ts";
import { type Due, isDue, nextDue } from "./expired-deadlines.ts";
import { dueTermsOf } from "./projection.ts";
import type { TeamState } from "./state.ts";

/**
 * Records every deadline that has passed, and answers when the next one does (milliseconds of the clock; null: nothing
 * waits). Costs one look at the earliest deadline when nothing is due. A journal that cannot be written is left as it
 * is: nothing is decided by a clock alone.
 */
export async function fireDue(context: TeamContext): Promise<Result<number | null, Problem>> {
  const { journal, team } = context;
  if (journal.condition().condition !== "ready") return ok(null);
  for (let together = 1; ; together = Math.min(together * 4, togetherMax)) {
    const folded = await journal.state(team);
    if (!folded.ok) return folded;
    const { state } = folded.value;
    const due = dueIn(context, state);
    if (!isDue(state.coordination, due)) return ok(nextDue(state.coordination, due));
    // Seldom is something due, so nothing else loads what it becomes.
    const { passDeadlines } = await import("./expired-entries.ts");
    const speaking = await withDialects(context);
    const attempts = Array.from({ length: together }, () =>
      commitBehind(context, [], {
        once: null,
        decide: (now, moment) => passDeadlines(speaking, now, { moment, due: dueIn(context, now) }),
      }),
    );
    const committed = await Promise.all(attempts);
    const failed = committed.find((each) => !each.ok);
    if (failed !== undefined) return failed;
    const isDone = committed.every((each) => each.ok && each.value.outcome === "declined");
    if (isDone) return ok(nextDue(state.coordination, due));
  }
}

/**
 * Puts the team's next deadline into the index of a file on this machine, where that names one that has passed: a hub does
 * so as it looks, and there may be none.
 */
export async function keepDeadlineIndex(
  { journal, team, clock }: TeamContext,
  fired: Result<unknown, Problem>,
): Promise<void> {
  if (!fired.ok || journal.abilities.reach !== "machine") return;
  const known = await journal.due(surelyNow(clock));
  // The index is derived: what cannot be written is found again by the next look.
  if (known.ok && known.value.teams.includes(team)) await journal.noteDue(team);
}

/**
 * Most entries for deadlines that are asked of the journal at once, so that many of one instant become durable together;
 * each is decided when its turn comes, and finds what those before it left.
 */
const togetherMax = 64;

/**
 * What is due by now, by the terms of the team. After a pause nothing that ran out in it or soon after is due for as long as
 * the pause was, at most for a lease: whoever it stopped, too, comes first.
 */
export function dueIn({ clock, listeningSinceMs, pause }: TeamContext, { team: { definition } }: TeamState): Due {
  const terms = dueTermsOf(definition);
  const [nowMs, last] = [surelyNow(clock), pause?.() ?? null];
  const isEarly = last !== null && nowMs < last.endMs + Math.min(last.forMs, terms.silentMs);
  return {
    atMs: isEarly ? Math.min(nowMs, last.endMs - last.forMs) : nowMs,
    ...terms,
    listeningSinceMs: listeningSinceMs?.(awayMsOf(definition)) ?? 0,
  };
}

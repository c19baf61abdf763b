/**
 * Signs of life: that an agent asked for its mail, or that its program is still there. They stand beside the record, so
 * that an agent which only listens is known to be alive without an entry every half minute.
 * Source: docs/protocol/health.md.
 */
import { steadyNow } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { beatMsOf, signsApartMsOf } from "../../team/definition.ts";
import type { Actor, Context } from "../context.ts";
import { replacedFault } from "../team/replaced.ts";
import { isNews, recordHeard } from "./heard.ts";

/**
 * Keeps a sign of life of the acting agent; of somebody who is not in the team, none. A journal that cannot be written,
 * such as that of a copied project, keeps none either, which is no fault of the one who is alive. Refuses
 * `session-replaced`.
 */
export async function signOfLife(context: Context, actor: Actor): Promise<Result<void, Problem>> {
  const { journal, team, clock } = context;
  if (journal.condition().condition !== "ready") return ok(undefined);
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const { definition, roster } = state.team;
  if (!roster.has(actor.agent)) return ok(undefined);
  const replaced = replacedFault(state, actor);
  if (replaced !== null) return err(replaced);
  if (isNews(context, state, actor)) {
    const recorded = await recordHeard(context, actor);
    if (!recorded.ok) return recorded;
  }
  const signsApartMs = signsApartMsOf(definition);
  const known = await journal.signsOfLife(team);
  if (!known.ok) return known;
  const now = steadyNow(clock);
  // A clock that was set back must not keep an agent silent until it has caught up.
  if (Math.abs(now - (known.value.get(actor.agent) ?? 0)) < signsApartMs) return ok(undefined);
  const kept = await journal.signOfLife(team, actor.agent, () => steadyNow(clock));
  const isStorage = !kept.ok && ["journal-read-only", "journal-copied", "journal-full"].includes(kept.error.code);
  return isStorage ? ok(undefined) : kept;
}

/**
 * Does something that may wait for as long as `waitMs`, and keeps signs of life of the acting agent meanwhile: it is
 * there as long as it waits. A sign that cannot be kept is no fault of the waiting; what ails the journal shows there too.
 */
export async function aliveWhile<Value>(
  context: Context,
  actor: Actor,
  wait: { readonly waitMs?: number; readonly signal?: AbortSignal },
  act: () => Promise<Value>,
): Promise<Value> {
  const { waitMs = 0, signal } = wait;
  if (waitMs <= 0) return act();
  const over = new AbortController();
  const beating = beat(
    context,
    actor,
    waitMs,
    signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]),
  );
  try {
    return await act();
  } finally {
    over.abort();
    await beating;
  }
}

async function beat(context: Context, actor: Actor, waitMs: number, signal: AbortSignal): Promise<void> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return;
  const stepMs = beatMsOf(folded.value.state.team.definition);
  for (let left = waitMs; left > 0; left -= stepMs) {
    await context.clock.wait(Math.min(stepMs, left), signal);
    if (signal.aborted) return;
    await signOfLife(context, actor);
  }
}

/**
 * Signs of life: that an agent asked for its mail, or that its program is still there. They stand beside the record, so
 * that an agent which only listens is known to be alive without an entry every half minute.
 * Source: semantics.md section 3 (Health).
 */
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { signsApartMsOf } from "../team/definition.ts";
import type { Actor, Context } from "./context.ts";

/**
 * Keeps a sign of life of the acting agent; of somebody who is not in the team, none. A journal that cannot be written
 * keeps none either, which is no fault of the one who is alive.
 */
export async function signOfLife(context: Context, actor: Actor): Promise<Result<void, Problem>> {
  const { journal, team, clock } = context;
  if (journal.condition().condition !== "ready") return ok(undefined);
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { definition, roster } = folded.value.state.team;
  if (!roster.has(actor.agent)) return ok(undefined);
  const signsApartMs = signsApartMsOf(definition);
  const known = await journal.signsOfLife(team);
  if (!known.ok) return known;
  const now = clock.now();
  // A clock that was set back must not keep an agent silent until it has caught up.
  if (Math.abs(now - (known.value.get(actor.agent) ?? 0)) < signsApartMs) return ok(undefined);
  const kept = await journal.signOfLife(team, actor.agent, now);
  const isStorage = !kept.ok && ["journal-read-only", "journal-full"].includes(kept.error.code);
  return isStorage ? ok(undefined) : kept;
}

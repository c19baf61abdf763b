/**
 * Recording the team's definition: when the team file says something else than the revision in force, its content
 * becomes the next revision, an entry like any other, and messages are judged by it from there on.
 * Source: guarantees.md section 0.
 */
import { steadyNow } from "../base/clock.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { ownerName } from "../message/principal.ts";
import type { TeamDefinition } from "../team/definition.ts";
import { decideTeam } from "../team/revision.ts";
import { asJson } from "./content.ts";
import type { Context } from "./context.ts";
import { leavingBy, toldOfLeaving } from "./leaving.ts";

/** Records `definition` where it differs from what is in force. A journal that is not writable keeps what it has. */
export async function reviseTeam(
  context: Context,
  definition: TeamDefinition,
): Promise<Result<void, readonly Problem[]>> {
  const { journal, team } = context;
  const folded = await journal.state(team);
  if (!folded.ok) return { ok: false, error: [folded.error] };
  const wanted = decideTeam({ command: "revise-team", definition }, folded.value.state.team);
  if (!wanted.ok) return wanted;
  if (wanted.value.length === 0 || journal.condition().condition !== "ready") return ok(undefined);
  const committed = await journal.commit(team, {
    once: null,
    decide: (state, { seq }) => {
      const events = decideTeam({ command: "revise-team", definition }, state.team);
      if (!events.ok) return { decline: events.error };
      if (events.value.length === 0) return { decline: [] };
      const left = leavingBy(state, events.value, { seq, atMs: steadyNow(context.clock) });
      const told = toldOfLeaving(state, left, ownerName);
      return {
        kind: "team",
        principal: { agent: ownerName, role: "owner", via: "launcher" },
        id: null,
        digest: null,
        receivers: told?.receivers ?? [],
        content: asJson({
          ...(told === null ? {} : { message: told.message }),
          team: events.value,
          ...(left.length === 0 ? {} : { events: left }),
        }),
      };
    },
  });
  if (!committed.ok) return { ok: false, error: [committed.error] };
  const outcome = committed.value;
  return outcome.outcome === "declined" && outcome.problems.length > 0
    ? { ok: false, error: outcome.problems }
    : ok(undefined);
}

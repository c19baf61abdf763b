/**
 * What a tool is about to write, asked before it writes: the files are judged as the gate judges them, and where claims
 * are made by edits the agent takes those that nobody holds. Rules: docs/protocol/claims.md, section 4.
 */
import { steadyNow } from "../../base/clock.ts";
import { withoutShared } from "../../base/paths/shared-files.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { decideWork } from "../../coordination/deciders.ts";
import { judgeWriting } from "../../evidence/gate.ts";
import type { EditAnswer } from "../../operations/verification.ts";
import { claimsRuleOf } from "../../team/definition.ts";
import { act } from "../command.ts";
import type { Actor, Context } from "../context.ts";
import type { TeamState } from "../state.ts";
import { freeEndedEdits } from "./edits.ts";
import { permissionsOf } from "./gate.ts";

/**
 * Judges the files for the acting agent, and takes them where the team's rule says so: all of them or none. Nothing is
 * recorded where nothing is taken. Refuses what the journal refuses; only an active agent of the team holds files.
 */
export async function editFiles(
  context: Context,
  actor: Actor,
  files: readonly string[],
): Promise<Result<EditAnswer, Problem>> {
  const freed = await freeEndedEdits(context, { by: actor.agent, globs: files });
  if (!freed.ok) return freed;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const judged = await judgeWriting(files, permissionsOf(state, actor.agent, "now"));
  if (!judged.ok) return judged;
  if (judged.value.length > 0) return ok({ problems: judged.value, notes: [], taken: [] });
  const wanted = takenByEdit(state, actor, files);
  const nothing = { problems: [], notes: [], taken: [] };
  if (wanted.length === 0) return ok(nothing);
  const known = decide(context, actor, wanted)(state, { seq: 0 });
  if (known.ok && known.value.events.length === 0) return ok(nothing);
  const command = { name: "take-files", asked: { files: wanted }, decide: decide(context, actor, wanted) } as const;
  const reply = await act(context, actor, command, undefined);
  if (reply.outcome === "failed") return err(reply.problem);
  if (reply.outcome === "refused") return ok({ problems: reply.problems, notes: [], taken: [] });
  return ok({ problems: [], notes: reply.notes, taken: wanted });
}

/** Files that an edit of this agent takes: none in a team that declares its claims. */
function takenByEdit({ team }: TeamState, { agent }: Actor, files: readonly string[]): readonly string[] {
  const { definition, roster } = team;
  if (claimsRuleOf(definition) === "declared" || roster.get(agent)?.status !== "active") return [];
  return withoutShared(files, definition?.shared);
}

function decide(context: Context, { agent: holder }: Actor, files: readonly string[]) {
  return (state: TeamState, { seq }: { readonly seq: number }) => {
    const session = state.team.roster.get(holder)?.session ?? 0;
    const atMs = steadyNow(context.clock);
    return decideWork(state.coordination, { command: "take-files", holder, session, files, seq, atMs });
  };
}

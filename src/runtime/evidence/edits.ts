/**
 * Edits that are over are freed when somebody else wants the file: a commit has them, or their agent was silent for a
 * lease. The repository is read before the lock; what changed meanwhile stays. Rules: docs/protocol/claims.md, section 4.
 */
import { surelyNow } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { decideWork } from "../../coordination/deciders.ts";
import { tipsAt } from "../../coordination/tasks/branches.ts";
import type { FilesFreed } from "../../coordination/tasks/claim-events.ts";
import { editsMeeting } from "../../coordination/tasks/edit-claims.ts";
import type { Edit } from "../../coordination/tasks/task-state.ts";
import { committedSince } from "../../evidence/uncommitted.ts";
import { leaseMsOf } from "../../team/definition.ts";
import { act } from "../command.ts";
import { batonActor, type Context } from "../context.ts";
import type { TeamState } from "../state.ts";
import type { Clearable } from "../timers.ts";

/** Which edits are looked at: those of others than `by` in files that `globs` match; null: all. */
interface EditsAsked {
  readonly by: string | null;
  readonly globs: readonly string[] | null;
}

/** The edits that an operation meets, freed before it is decided where they are over. */
export function endedEdits(context: Context, asked: EditsAsked): Clearable {
  return {
    isInTheWay: (state) => wanted(state, asked).length > 0,
    clear: () => freeEndedEdits(context, asked),
  };
}

/** Frees those of the edits that are over. Refuses what the journal refuses; what git does not answer stays held. */
export async function freeEndedEdits(context: Context, asked: EditsAsked): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const edits = wanted(folded.value.state, asked);
  if (edits.length === 0) return ok(undefined);
  const signs = await context.journal.signsOfLife(context.team);
  if (!signs.ok) return signs;
  const isSilent = ({ holder, atMs }: Edit, state: TeamState): boolean => {
    const recorded = Date.parse(state.lastActs.get(holder) ?? "") || 0;
    const signMs = Math.max(recorded, signs.value.get(holder) ?? 0, atMs);
    return signMs + leaseMsOf(state.team.definition) <= surelyNow(context.clock);
  };
  const { state } = folded.value;
  const silent = edits.filter((edit) => isSilent(edit, state));
  const others = edits.filter((edit) => !silent.includes(edit));
  await free(context, silent, "silent", (edit, now) => isSilent(edit, now));
  await free(context, await committed(context, state, others), "committed", () => true);
  return ok(undefined);
}

function wanted({ coordination: { work } }: TeamState, { by, globs }: EditsAsked): readonly Edit[] {
  if (work.edits.size === 0) return [];
  if (globs === null) return [...work.edits.values()].filter(({ holder }) => holder !== by);
  return editsMeeting(work, globs, by, Number.POSITIVE_INFINITY);
}

/** Those whose files are as a commit has them that came after the edit. */
async function committed(context: Context, state: TeamState, edits: readonly Edit[]): Promise<readonly Edit[]> {
  const { repository } = context;
  if (repository === undefined) return [];
  const asked = edits.flatMap((edit) => {
    const tips = tipsAt(state.coordination.work.branches, edit.branches);
    return tips === null || tips.isCut ? [] : [{ file: edit.file, before: tips.ids, edit }];
  });
  if (asked.length === 0) return [];
  const found = await committedSince(repository.directory, repository, asked);
  return found.ok ? found.value.map(({ edit }) => edit) : [];
}

async function free(
  context: Context,
  edits: readonly Edit[],
  reason: FilesFreed["reason"],
  isStill: (edit: Edit, state: TeamState) => boolean,
): Promise<void> {
  if (edits.length === 0) return;
  const command = {
    name: "free-files",
    asked: { files: edits.map(({ file }) => file), reason },
    decide(state: TeamState) {
      const same = edits.filter((edit) => isStill(edit, state));
      return decideWork(state.coordination, { command: "free-files", edits: same, reason });
    },
  } as const;
  await act(context, batonActor, command, undefined);
}

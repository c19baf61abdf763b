/**
 * Edits that are over are freed when somebody else wants the file: a commit has them, their agent ended its turn and left
 * the file as it was, or it was silent for a lease. The repository is read before the lock; what changed meanwhile stays.
 * Rules: docs/protocol/tasks.md, section 15.
 */
import { surelyNow } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { deliveryState } from "../../mail/services/delivery-note.ts";
import { batonActor, type TeamContext } from "../../perform/context.ts";
import type { Clearable } from "../../perform/gates.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { TeamState } from "../../perform/state.ts";
import { freeFiles as decideFreed, editOf, editsMeeting } from "../../tasks/decide/edit-claims.ts";
import { tipsAt } from "../../tasks/state/branches.ts";
import type { FilesFreed } from "../../tasks/state/claim-events.ts";
import type { Edit } from "../../tasks/state/task-state.ts";
import { leaseMsOf } from "../../team/state/definition.ts";
import { asCommitted, committedSince } from "../decide/ended-edits.ts";

/** Which edits are looked at: those of others than `by` in files that `globs` match; null: all. */
interface EditsAsked {
  readonly by: string | null;
  readonly globs: readonly string[] | null;
}

/** The edits that an operation meets, freed before it is decided where they are over. */
export function endedEdits(context: TeamContext, asked: EditsAsked): Clearable {
  return {
    isInTheWay: (state) => wanted(state, asked).length > 0,
    clear: () => freeEndedEdits(context, asked),
  };
}

/** Frees those of the edits that are over. Refuses what the journal refuses; what git does not answer stays held. */
export async function freeEndedEdits(context: TeamContext, asked: EditsAsked): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const edits = wanted(folded.value.state, asked);
  if (edits.length === 0) return ok(undefined);
  const signs = await context.journal.heartbeats(context.team);
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
  const ended = await committed(context, state, others);
  await free(context, ended, "committed", () => true);
  const left = others.filter((edit) => !ended.includes(edit));
  await free(context, await unchanged(context, left), "unchanged", () => true);
  return ok(undefined);
}

/** Frees what an agent holds by edits of these files: its tool left them as they were. Refuses what the journal refuses. */
export async function freeLeft(
  context: TeamContext,
  agent: string,
  files: readonly string[],
): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { work } = folded.value.state.coordination;
  const own = files.flatMap((file) => editOf(work, file) ?? []).filter(({ holder }) => holder === agent);
  await free(context, own, "unchanged", () => true);
  return ok(undefined);
}

function wanted({ coordination: { work } }: TeamState, { by, globs }: EditsAsked): readonly Edit[] {
  if (work.edits.size === 0) return [];
  if (globs === null) return [...work.edits.values()].filter(({ holder }) => holder !== by);
  return editsMeeting(work, globs, by, Number.POSITIVE_INFINITY);
}

/** Those whose files are as a commit has them that came after the edit. */
async function committed(context: TeamContext, state: TeamState, edits: readonly Edit[]): Promise<readonly Edit[]> {
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

/** So long after an edit was taken it is noted that its agent works, so that its turn before is not taken for this one. */
const turnNotedMs = 10_000;

/**
 * Those whose agent has ended its turn and left the file as the last commit has it. While the turn goes on, the tool that
 * took the file may still wait for a person's consent, and nothing shows when that tool failed.
 */
async function unchanged(context: TeamContext, edits: readonly Edit[]): Promise<readonly Edit[]> {
  const { repository, journal, clock } = context;
  // The work trees of other machines cannot be seen from here.
  if (repository === undefined || journal.abilities.reach === "network") return [];
  const old = edits.filter(({ atMs }) => atMs + turnNotedMs <= surelyNow(clock));
  const near: Edit[] = [];
  for (const edit of await waiting(context, old)) if (await isTakenHere(context, edit)) near.push(edit);
  if (near.length === 0) return [];
  const found = await asCommitted(repository.directory, repository, near);
  // The next turn may have begun meanwhile.
  return found.ok ? await waiting(context, found.value) : [];
}

/** Those whose agent waits, as the hooks of its program say. */
async function waiting({ journal, team }: TeamContext, edits: readonly Edit[]): Promise<readonly Edit[]> {
  if (edits.length === 0) return [];
  const notes = await journal.notes(team);
  return notes.ok ? edits.filter(({ holder }) => deliveryState(notes.value.get(holder)).idle) : [];
}

/** Whether a program of this machine took the file; one that has a token may be anywhere. */
async function isTakenHere({ journal, team }: TeamContext, { seq }: Edit): Promise<boolean> {
  const page = await journal.read(team, { after: seq - 1, limit: 1 });
  const entry = page.ok ? page.value.entries[0] : undefined;
  return entry?.seq === seq && entry.principal.via !== "token";
}

async function free(
  context: TeamContext,
  edits: readonly Edit[],
  reason: FilesFreed["reason"],
  isStill: (edit: Edit, state: TeamState) => boolean,
): Promise<void> {
  if (edits.length === 0) return;
  await perform({ context, actor: batonActor }, freeFiles, { edits, reason, isStill });
}

interface EndedEdits {
  readonly edits: readonly Edit[];
  readonly reason: FilesFreed["reason"];
  isStill(edit: Edit, state: TeamState): boolean;
}

const freeFiles: Operation<EndedEdits, TeamContext> = {
  name: "free-files",
  recorded: ({ edits, reason }) => ({ files: edits.map(({ file }) => file), reason }),
  decide(state, { edits, reason, isStill }) {
    const same = edits.filter((edit) => isStill(edit, state));
    return ok({ events: decideFreed({ edits: same, reason }, state.coordination.work), notes: [] });
  },
};

/**
 * What an agent should merge before it begins: verified work in the files that it will edit, or on which its task depends,
 * that its work tree does not have. Rules: docs/protocol/verdicts.md, section 5.
 */
import { allowsAny } from "../../base/paths/scope.ts";
import { shortList, shownMax } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { ClaimTask } from "../../perform/operations/generated/calls.ts";
import type { LackingWork } from "../../tasks/decide/claims.ts";
import { findTask, type Task, type Work } from "../../tasks/state/task-state.ts";
import { isBefore } from "../../tasks/view/dependencies.ts";
import { lackedBy } from "../decide/following.ts";
import { lookingAt, mergeLine } from "../decide/looking.ts";
import { linesOf, look } from "../git/questions.ts";
import { openRepository } from "../git/repository.ts";
import type { TakenWork } from "../state.ts";

/** Longest time of one call of git: a hook waits for the answer. */
const gitMsMax = 400;

/** Work that is about to begin. */
export interface Begun {
  /** Paths and globs. */
  readonly files: readonly string[];
  /** For which task; null: for none that is known. */
  readonly task: Task | null;
  /** The commit that is checked out where it begins, as its door names it; undefined: `checkedOut` of the context says. */
  readonly head: string | undefined;
}

/** Work that a task's report was verified for. */
interface Known {
  readonly key: string;
  readonly task: string;
  readonly reporter: string;
  readonly branch: string | null;
  readonly work: TakenWork;
  readonly since: string | null;
  /** The commit that brought it to where it is. */
  readonly commit: string;
  readonly seq: number;
}

/** Each work that is lacking, with a note; none where the repository cannot be asked: what nobody knows holds nobody up. */
export async function lackingWork(
  context: Pick<TeamContext, "journal" | "team" | "repository" | "checkedOut">,
  begun: (work: Work) => Begun,
): Promise<readonly LackingWork[]> {
  const { repository: place } = context;
  if (place === undefined) return [];
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return [];
  const { work } = folded.value.state.coordination;
  const about = begun(work);
  const known = knownTo(work, about);
  if (known.length === 0) return [];
  const head = about.head ?? (await context.checkedOut?.());
  if (head === undefined) return [];
  const opened = await openRepository(place.directory, { ...place, msMax: gitMsMax });
  if (!opened.ok) return [];
  await using repository = opened.value;
  const found = await look(async () => {
    const input = `${known.map(({ commit }) => commit).join("\n")}\n^${head}\n`;
    const missing = new Set(await linesOf(repository, ["rev-list", "--ignore-missing", "--stdin"], input));
    const apart = known.filter(({ commit }) => missing.has(commit));
    return await lackedBy(lookingAt(repository), apart.toSorted((a, b) => b.seq - a.seq).slice(0, shownMax), head);
  });
  return found.ok ? found.value.map((each) => ({ key: each.key, note: noteOf(each) })) : [];
}

/** Verified work of other tasks that is there, in these files or before this task. */
function knownTo(all: Work, { files, task: own }: Pick<Begun, "files" | "task">): readonly Known[] {
  return [...all.tasks.values()].flatMap(({ key, task, report, verdict }): readonly Known[] => {
    const { place, work = null, grown = work } = verdict ?? {};
    if (verdict?.state !== "verified" || grown === null || key === own?.key || place?.at === "settled") return [];
    const isMeant = (own !== null && isBefore(all, own, key)) || grown.files.some(({ path }) => allowsAny(files, path));
    const since = place?.since ?? null;
    const commit = since ?? grown.commits.at(-1);
    if (!isMeant || commit === undefined) return [];
    const about = { key, task, reporter: report?.reporter ?? "", branch: place?.branch ?? null };
    return [{ ...about, work: grown, since, commit, seq: verdict.seq }];
  });
}

function noteOf({ task, reporter, branch, work, commit }: Known): Note {
  const where = shortList(work.files.map(({ path }) => path));
  const message = `Your work tree does not have the work of ${task} (${reporter}) in ${where}. First: ${mergeLine(branch, commit)}`;
  return { code: "lacks", path: task, message };
}

/** What begins with a claim. */
export function begunByClaim({ task, plan, files, head }: ClaimTask, work: Work): Begun {
  const known = findTask(work, task, plan ?? null);
  return { files: files ?? known?.files ?? [], task: known, head };
}

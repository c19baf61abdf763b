/** Takes landed work back by a commit that says so. Rules: docs/protocol/verdicts.md, section 12. */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList, visible } from "../../base/text.ts";
import { mergedTree, treeOf } from "../../evidence/git/merged-tree.ts";
import { factsOf, linesOf } from "../../evidence/git/questions.ts";
import type { Repository } from "../../evidence/git/repository.ts";
import { idsOf, isReverted } from "../../tasks/state/report-status.ts";
import { findTask, type Work } from "../../tasks/state/task-state.ts";
import { mergeCommit } from "./landing-branch.ts";

/** Landed work that is to be taken back. */
export interface Undoing {
  readonly task: string;
  readonly title: string | null;
  /** Its own commits, each behind those that it descends from. */
  readonly commits: readonly string[];
  /** The commit by which Baton landed it; null: somebody else did. */
  readonly merge: string | null;
  /** The commit of the main branch on which it was found; null: that is not known. */
  readonly since: string | null;
  /** Commits of other landed work, which stays. */
  readonly others: ReadonlySet<string>;
  /** Landed tasks that come after it. */
  readonly restOnIt: readonly string[];
}

/** The landed work of a task. Refuses `unknown-task`, and `not-ready` where none has landed, or it is taken back already. */
export function undoingOf(work: Work, id: string): Result<Undoing, Problem> {
  const task = findTask(work, id, null);
  if (task === null) return err(makeProblem("unknown-task", id, `There is no task ${visible(id)}.`));
  const { key, verdict, landed, report } = task;
  if (isReverted(task)) return err(undoneBefore(task.task, verdict?.problems[0]?.message ?? ""));
  const commits = idsOf(verdict);
  if (verdict?.state !== "verified" || verdict.place?.at !== "landed" || commits.length === 0)
    return err(notLanded(task.task));
  const all = [...work.tasks.values()].filter((other) => other.key !== key && other.verdict?.place?.at === "landed");
  return ok({
    task: task.task,
    title: task.title,
    commits,
    merge: landed !== undefined && landed.report === report?.seq ? landed.commit : null,
    since: verdict.place.since,
    others: new Set(all.flatMap((other) => idsOf(other.verdict))),
    restOnIt: all.flatMap((other) => (other.needs.includes(key) ? [other.task] : [])),
  });
}

/**
 * A commit behind `base` without the work: what its merge brought, where that brought nothing else that landed, else what
 * its commits did, the last first. Refuses `not-ready` where git cannot do so, or nothing of the work is there any more.
 */
export async function takenBack(
  repository: Repository,
  base: string,
  undoing: Undoing,
): Promise<Result<string, Problem>> {
  const { task, title, commits, others, since } = undoing;
  for (const commit of commits) if ((await factsOf(repository, commit)) === null) return err(lost(task, since));
  const parentsOf = async (commit: string) =>
    ((await linesOf(repository, ["rev-list", "--parents", "--max-count=1", commit]))[0] ?? "").split(" ").slice(1);
  const merge = undoing.merge ?? "";
  const [before, second] = merge === "" ? [] : await parentsOf(merge);
  const brought = second === undefined ? [] : await linesOf(repository, ["rev-list", merge, `^${before ?? ""}`]);
  const isAlone = brought.length > 0 && !brought.some((commit) => others.has(commit));
  const steps = isAlone ? [merge] : commits.toReversed();
  const byHand = steps.map((commit) => (isAlone ? `-m 1 ${commit}` : commit)).join(" ");
  const whole = await treeOf(repository, base);
  let tree = whole;
  for (const commit of steps) {
    const [parent, other] = await parentsOf(commit);
    if (parent === undefined || (other !== undefined && !isAlone)) return err(onlyByHand(task, byHand));
    // A merge whose common ancestor is the work: git takes away from the tip what the work brought.
    const side = async (of: string) => await mergeCommit(repository, of, [commit], "");
    const merged = await mergedTree(repository, await side(tree), await side(await treeOf(repository, parent)));
    if (!merged.ok) return err(entangled(task, byHand, merged.error));
    tree = merged.value;
  }
  if (tree === whole) return err(undoneBefore(task, "Nothing of it is there."));
  const what = title === null ? task : `${task}: ${shorten(visible(title), titleMax)}`;
  const message = `Revert ${what}\n\nThis reverts commit ${steps.join(", ")}.\n\nBaton-Undone: ${task}\n`;
  return ok(await mergeCommit(repository, tree, [base], message));
}

const titleMax = 60;

function notLanded(task: string): Problem {
  return makeProblem("not-ready", task, `${visible(task)} has not landed, so there is nothing to undo.`, {
    hint: `\`baton task list ${task}\` says where its work is.`,
  });
}

function undoneBefore(task: string, how: string): Problem {
  return makeProblem("not-ready", task, `The work of ${visible(task)} is taken back already. ${how}`.trimEnd(), {
    hint: `To have it done again: baton task claim ${task}`,
  });
}

function entangled(
  task: string,
  byHand: string,
  { files, words }: { files: readonly string[]; words: string },
): Problem {
  const why = files.length === 0 ? words : `Later work changed the same lines of ${shortList(files)}.`;
  return makeProblem("not-ready", task, `The work of ${visible(task)} does not come out by itself. ${why}`, {
    hint: `In your work tree: git revert ${byHand} -- then solve what conflicts and commit; Baton sees that it is reverted.`,
  });
}

function lost(task: string, since: string | null): Problem {
  const message = `Only the branch that brought the work of ${visible(task)} had its commits, and that is gone.`;
  const where = since === null ? "the commit that brought it" : `what brought it (git show ${since})`;
  return makeProblem("not-ready", task, message, { hint: `Undo ${where} in your work tree by git revert.` });
}

function onlyByHand(task: string, byHand: string): Problem {
  const message = `The work of ${visible(task)} came with a merge, or began the repository, so git cannot tell what to take back.`;
  return makeProblem("not-ready", task, message, { hint: `Undo it in your work tree: git revert ${byHand}` });
}

/** The refusal where the checks pass with the work only. */
export function needed({ task, restOnIt }: Undoing, why: string): Problem {
  const message = `Without the work of ${visible(task)} the checks do not pass. ${why}`;
  const rests = restOnIt.length === 0 ? "" : ` Undo first what rests on it: ${shortList(restOnIt)}.`;
  return makeProblem("not-ready", task, message, { hint: `Nothing has changed.${rests}` });
}

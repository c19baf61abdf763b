/**
 * A completion that was reported, judged: verified, disputed with reasons, or undecided, because the repository could
 * not be asked or does not reach back far enough. Nothing that could not be checked is ever verified.
 * Source: semantics.md section 3 (Completion).
 */
import { inOrder, type Problem, type ProblemCode } from "../base/problem.ts";
import type { Scope } from "../base/scope.ts";
import { branchTips } from "./branch-tips.ts";
import { type ChangeView, type CommitChanges, changesOf } from "./changes.ts";
import { findCommit, unreachable } from "./commits.ts";
import type { Commit } from "./git-objects.ts";
import { isReached } from "./history-walk.ts";
import { compareListed, listedProblems } from "./listed-files.ts";
import type { ChangedPath } from "./raw-diff.ts";
import { renamedPaths } from "./renames.ts";
import type { Repository } from "./repository.ts";
import { judgeChanges, type Limits } from "./scope-judgement.ts";
import { walkTree } from "./tree-walk.ts";

/** What was reported, and what it may have touched. */
export interface ReportedWork {
  /** The commit as the message names it. */
  readonly commit: string;
  /** `files_modified` of the message; null: it names none. */
  readonly filesModified: readonly string[] | null;
  /** The contract's scope; null: there is no contract. */
  readonly scope: Scope | null;
  /** Paths and globs of the claim; null: there was none, or it named no files. */
  readonly claimed: readonly string[] | null;
}

/** What the verdict rests on. */
export interface CommitEvidence {
  /** Full id of the commit, its tree, and the parent that it was compared with (null: it has none). */
  readonly commit: string;
  readonly tree: string;
  readonly base: string | null;
  readonly changed: readonly ChangedPath[];
}

export interface Verdict {
  readonly state: "verified" | "disputed" | "undecided";
  /** In their order of precedence; empty exactly when it is verified. */
  readonly problems: readonly Problem[];
  /** Null: the commit was not found or not read. */
  readonly evidence: CommitEvidence | null;
}

/** Problems that say nothing about the work: it could not be looked at. */
const undecided: ReadonlySet<ProblemCode> = new Set([
  "shallow-clone",
  "repository-unreadable",
  "repository-missing",
  "git-missing",
  "timed-out",
  "too-large",
]);

/** Whether problems only say that nothing could be seen. */
export function isUndecided(problems: readonly Problem[]): boolean {
  return problems.length > 0 && problems.every(({ code }) => undecided.has(code));
}

/** The verdict on reported work. Total: what goes wrong on the way makes it undecided. */
export async function verifyCompletion(repository: Repository, work: ReportedWork): Promise<Verdict> {
  // Programs that git starts take longer than what they are asked, so they start together.
  const [tips, commit] = await Promise.all([branchTips(repository), findCommit(repository, work.commit)]);
  if (!commit.ok) return verdictOf([commit.error], null);
  const { id } = commit.value;
  const [held, changes] = await Promise.all([
    tips.ok ? isReached(repository, id, tips.value.ids) : tips,
    changesOf(repository, commit.value),
  ]);
  const reach = held.ok ? (held.value ? [] : [unreachable(commit.value.id)]) : [held.error];
  if (!changes.ok) return verdictOf([...reach, changes.error], null);
  return bestView(repository, work, commit.value, changes.value, reach);
}

/** A merge is good when it is good as seen from one of its parents; else it is told as seen from where it looks best. */
async function bestView(
  repository: Repository,
  work: ReportedWork,
  commit: Commit,
  { views, made }: CommitChanges,
  reach: readonly Problem[],
): Promise<Verdict> {
  let told: Verdict | null = null;
  for (const view of views) {
    const problems = await viewProblems(repository, work, view, made);
    const verdict = verdictOf([...reach, ...problems], evidenceOf(commit, view, made));
    if (problems.length === 0) return verdict; // Whatever is said of its reach holds for every view.
    if (told === null || verdict.problems.length < told.problems.length) told = verdict;
  }
  return told ?? verdictOf(reach, null);
}

async function viewProblems(
  repository: Repository,
  work: ReportedWork,
  view: ChangeView,
  made: readonly ChangedPath[],
): Promise<readonly Problem[]> {
  const limits: Limits = { contract: work.scope, claim: work.claimed };
  const walk = walkTree(repository.objects, view.trees.after);
  const judged = await judgeChanges(together(view, made), limits, walk);
  const listed = work.filesModified === null ? [] : await fileProblems(repository, work.filesModified, view, made);
  return [...(judged.ok ? judged.value : [judged.error]), ...listed];
}

async function fileProblems(
  repository: Repository,
  filesModified: readonly string[],
  view: ChangeView,
  made: readonly ChangedPath[],
): Promise<readonly Problem[]> {
  const compared = compareListed(filesModified, view.changed, made);
  const deleted = compared.unlisted.filter(({ change }) => change === "deleted");
  const added = view.changed.filter(({ change }) => change === "added");
  if (deleted.length === 0 || added.length === 0) return listedProblems(compared);
  const renamed = await renamedPaths(repository.objects, deleted, added);
  if (!renamed.ok) return [renamed.error];
  return listedProblems({ ...compared, unlisted: compared.unlisted.filter(({ path }) => !renamed.value.has(path)) });
}

function together(view: ChangeView, made: readonly ChangedPath[]): readonly ChangedPath[] {
  const own = new Set(view.changed.map(({ path }) => path));
  return [...view.changed, ...made.filter(({ path }) => !own.has(path))];
}

function evidenceOf(commit: Commit, view: ChangeView, made: readonly ChangedPath[]): CommitEvidence {
  return { commit: commit.id, tree: commit.tree, base: view.base, changed: together(view, made) };
}

function verdictOf(problems: readonly Problem[], evidence: CommitEvidence | null): Verdict {
  const state = problems.length === 0 ? "verified" : isUndecided(problems) ? "undecided" : "disputed";
  return { state, problems: inOrder(problems), evidence };
}

/**
 * A completion that was reported, judged: verified, disputed with reasons, or undecided, because the repository could
 * not be asked or does not reach back far enough. Nothing that could not be checked is ever verified. Several commits of
 * one report are judged by all that they change together. Rules: docs/protocol/verdicts.md.
 */
import { reportCommitsMax } from "../../base/limits.ts";
import type { Scope } from "../../base/paths/scope.ts";
import { inOrder, makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { counted } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import type { ChangedPath } from "../git/changed-paths.ts";
import { changesOf } from "../git/changes.ts";
import { branchTips, findCommit, type ReadTips, unreachable } from "../git/commits.ts";
import { walkTree } from "../git/git-objects.ts";
import { isReached, oldestFirst } from "../git/history-walk.ts";
import { renamedPaths } from "../git/renames.ts";
import type { Repository } from "../git/repository.ts";
import { forecastNotes, type HeldFiles, heldProblems, holdersOf } from "./claim-cover.ts";
import { type AgeFindings, judgeAge, type KnownBranches } from "./commit-age.ts";
import { type Found, joined, type Seen, together, viewsOf } from "./commit-views.ts";
import { judgeCredit, type OtherWork, ownChanges, sharing } from "./credit.ts";
import { compareListed, listedProblems } from "./listed-files.ts";
import { judgeChanges } from "./scope-judgement.ts";

/** What was reported, and what it may have touched. */
export interface ReportedWork {
  /** The commits as the message names them. */
  readonly commits: readonly string[];
  /** `files_modified` of the message; null: it names none. */
  readonly filesModified: readonly string[] | null;
  /** The contract's scope; null: there is no contract. */
  readonly scope: Scope | null;
  /** Paths and globs of the claim; null: there was none, or it named no files. */
  readonly claimed: readonly string[] | null;
  /** Paths and globs that the claim expected and that bind nobody; null or absent: none. */
  readonly forecast?: readonly string[] | null;
  /** Where branches were before the work; absent: its age is not checked. */
  readonly branches?: KnownBranches;
  /** Files that other agents hold by claims of theirs; absent: none. */
  readonly held?: readonly HeldFiles[];
  /** What other tasks reported; absent: nothing. */
  readonly others?: readonly OtherWork[];
}

/** What the verdict rests on. */
export interface CommitEvidence {
  /** Full id of the last commit, its tree, and the parent that it was compared with (null: it has none). */
  readonly commit: string;
  readonly tree: string;
  readonly base: string | null;
  /** Full ids of all commits, each behind those that it descends from. */
  readonly commits: readonly string[];
  /** What they change together. */
  readonly changed: readonly ChangedPath[];
}

export interface Verdict {
  readonly state: "verified" | "disputed" | "undecided";
  /** In their order of precedence; empty exactly when it is verified. */
  readonly problems: readonly Problem[];
  /** What is worth knowing and disputes nothing. */
  readonly notes: readonly Note[];
  /** Null: a commit was not found or not read. */
  readonly evidence: CommitEvidence | null;
}

/** Problems that say nothing about the work: it could not be looked at. */
const undecided: ReadonlySet<ProblemCode> = new Set([
  "shallow-clone",
  "repository-unreadable",
  "repository-missing",
  "git-missing",
  "timed-out",
  "interrupted",
  "too-large",
]);

/** Whether problems only say that nothing could be seen. */
export function isUndecided(problems: readonly Problem[]): boolean {
  return problems.length > 0 && problems.every(({ code }) => undecided.has(code));
}

/** The verdict on reported work. Total: what goes wrong on the way makes it undecided. */
export async function verifyCompletion(repository: Repository, work: ReportedWork): Promise<Verdict> {
  const names = [...new Set(work.commits)];
  if (names.length === 0) names.push("");
  if (names.length > reportCommitsMax) return verdictOf([tooMany(names.length)], [], null);
  // Programs that git starts take longer than what they are asked, so they start together.
  const [tips, ...named] = await Promise.all([
    branchTips(repository),
    ...names.map((name) => findCommit(repository, name)),
  ]);
  const byId = new Map(named.flatMap((each) => (each.ok ? [[each.value.id, each.value] as const] : [])));
  const lost = named.flatMap((each) => (each.ok ? [] : [each.error]));
  if (lost.length > 0) return verdictOf(lost, [], null);
  // What they change together goes from the oldest to the newest, however they are listed.
  const ordered = await oldestFirst(repository, [...byId.keys()]);
  const ids = ordered.ok ? ordered.value : [...byId.keys()];
  const commits = ids.flatMap((id) => byId.get(id) ?? []);
  const [reach, age, ...changes] = await Promise.all([
    reachProblems(repository, ids, tips),
    ageOf(repository, ids, work.branches),
    ...commits.map((commit) => changesOf(repository, commit)),
  ]);
  const problems = [...reach, ...age.problems];
  const unread = changes.flatMap((each) => (each.ok ? [] : [each.error]));
  if (unread.length > 0) return verdictOf([...problems, ...unread], age.notes, null);
  const found = commits.flatMap((commit, index): Found[] => {
    const each = changes[index];
    return each?.ok === true ? [{ commit, changes: each.value }] : [];
  });
  const present = tips.ok ? tips.value.ids : [];
  return bestView(repository, { ...work, present }, found, { problems, notes: age.notes });
}

async function reachProblems(
  repository: Repository,
  commits: readonly string[],
  tips: Result<ReadTips, Problem>,
): Promise<readonly Problem[]> {
  if (!tips.ok) return [tips.error];
  const problems: Problem[] = [];
  for (const commit of commits) {
    const held = await isReached(repository, commit, tips.value.ids);
    if (!held.ok) problems.push(held.error);
    else if (!held.value) problems.push(unreachable(commit));
  }
  return problems;
}

async function ageOf(
  repository: Repository,
  commits: readonly string[],
  branches: KnownBranches | undefined,
): Promise<AgeFindings> {
  return branches === undefined ? { problems: [], notes: [] } : await judgeAge(repository, commits, branches);
}

/** Reported work in a repository; `present`: the commits that branches point to. */
interface WorkHere extends ReportedWork {
  readonly present: readonly string[];
}

/**
 * A merge is good when it is good as seen from one of its parents; else it is reported as seen from where it looks
 * best. While one view could not be looked at, the others dispute nothing.
 */
async function bestView(
  repository: Repository,
  work: WorkHere,
  found: readonly Found[],
  { problems, notes }: Pick<Verdict, "problems" | "notes">,
): Promise<Verdict> {
  let told: Verdict | null = null;
  const { views, unseen } = viewsOf(found);
  if (unseen !== null) told = verdictOf([...problems, unseen], notes, null);
  for (const seen of views) {
    const judged = await judgeView(repository, work, seen);
    const verdict = verdictOf([...problems, ...judged.problems], [...notes, ...judged.notes], evidenceOf(seen));
    if (judged.problems.length === 0) return verdict; // What is said of reach and age holds for every view.
    if (told?.state === "undecided") continue;
    const isFewer = told === null || verdict.problems.length < told.problems.length;
    if (isFewer || verdict.state === "undecided") told = verdict;
  }
  return told ?? verdictOf(problems, notes, null);
}

async function judgeView(
  repository: Repository,
  work: WorkHere,
  seen: readonly Seen[],
): Promise<Pick<Verdict, "problems" | "notes">> {
  const ids = seen.map(({ commit }) => commit.id);
  const { others = [], forecast = null } = work;
  const shared = sharing(others, ids);
  // Of several tasks with one commit, each answers for the files that it expected.
  const claimed = work.claimed ?? (shared.length > 0 ? forecast : null);
  const problems = new Map<string, Problem>();
  const tell = (found: Result<readonly Problem[], Problem>): void => {
    for (const each of found.ok ? found.value : [found.error])
      problems.set(`${each.code} ${each.path} ${each.message}`, each);
  };
  for (const each of seen) {
    const walk = walkTree(repository.objects, each.view.trees.after);
    const changed = await ownChanges(together(each), claimed, shared);
    tell(await judgeChanges(changed, { contract: work.scope, claim: work.claimed }, walk));
  }
  const changed = joined(seen.map(together));
  const { branches, present } = work;
  const credit = await judgeCredit(repository, ids, { changed, claimed, others, branches, present });
  tell(credit.ok ? ok(credit.value.problems) : credit);
  // Who names no files answers for all that the commits change, also for what others hold.
  const holders = await holdersOf(changed, work.claimed === null ? (work.held ?? []) : []);
  tell(ok(heldProblems(changed, holders)));
  const listed =
    work.filesModified === null ? [] : await fileProblems(repository, work.filesModified, seen, { claimed }, shared);
  const notes = [...(credit.ok ? credit.value.notes : []), ...(await forecastNotes(changed, forecast, holders))];
  return { problems: [...problems.values(), ...listed], notes };
}

async function fileProblems(
  repository: Repository,
  filesModified: readonly string[],
  seen: readonly Seen[],
  { claimed }: Pick<ReportedWork, "claimed">,
  shared: readonly OtherWork[],
): Promise<readonly Problem[]> {
  const all = joined(seen.map(({ view }) => view.changed));
  const own = await ownChanges(all, claimed, shared);
  const owned = new Set(own);
  const optional = [...seen.flatMap(({ made }) => made), ...all.filter((change) => !owned.has(change))];
  const compared = compareListed(filesModified, own, optional);
  const deleted = compared.unlisted.filter(({ change }) => change === "deleted");
  const added = all.filter(({ change }) => change === "added");
  if (deleted.length === 0 || added.length === 0) return listedProblems(compared);
  const unsure = new Set<string>();
  const renamed = await renamedPaths(repository.objects, deleted, added, { unsure });
  if (!renamed.ok) return [renamed.error];
  const isClear = ({ path }: ChangedPath): boolean => !renamed.value.has(path) && !unsure.has(path);
  const problems = listedProblems({ ...compared, unlisted: compared.unlisted.filter(isClear) });
  return unsure.size === 0 ? problems : [...problems, notCompared([...unsure])];
}

/** Deleted files that may be renamed: whether they had to be listed was not found out, so nothing is said against them. */
function notCompared(paths: readonly string[]): Problem {
  const [first = "$"] = paths;
  const message = `Whether ${counted(paths.length, "deleted file")} live on under another name takes more comparing than is done.`;
  return makeProblem("too-large", first, message, {
    hint: "Report again with the old paths in files_modified, too.",
  });
}

function evidenceOf(seen: readonly Seen[]): CommitEvidence | null {
  const last = seen.at(-1);
  if (last === undefined) return null;
  const { id, tree } = last.commit;
  const commits = seen.map(({ commit }) => commit.id);
  return { commit: id, tree, base: last.view.base, commits, changed: joined(seen.map(together)) };
}

function verdictOf(found: readonly Problem[], notes: readonly Note[], evidence: CommitEvidence | null): Verdict {
  // Age and credit may be open for the same reason.
  const problems = [...new Map(found.map((each) => [`${each.code} ${each.path} ${each.message}`, each])).values()];
  const state = problems.length === 0 ? "verified" : isUndecided(problems) ? "undecided" : "disputed";
  return { state, problems: inOrder(problems), notes, evidence };
}

function tooMany(count: number): Problem {
  return makeProblem(
    "too-large",
    "$.body.commits",
    `The report names ${count} commits; at most ${reportCommitsMax} are looked at.`,
  );
}

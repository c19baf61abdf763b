/**
 * A completion that was reported, judged: verified, disputed with reasons, or undecided, because the repository could
 * not be asked or does not tell. Nothing that could not be checked is ever verified. Several commits of one report are
 * judged by all that they change together. Rules: docs/protocol/verdicts.md.
 */
import { reportCommitsMax } from "../../base/limits.ts";
import type { Scope } from "../../base/paths/scope.ts";
import { inOrder, makeProblem, type Problem, type ProblemCode } from "../../base/problem.ts";
import { shortList, visible } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import { type ChangedPath, eachChange, submoduleMode } from "../git/changes.ts";
import { type Commit, commitsWith, findCommit, unreachable } from "../git/commits.ts";
import { bytesOf, entriesAt, fileWorkOf, isAncestor, look, textOf } from "../git/questions.ts";
import { cutOffCommits, type Repository } from "../git/repository.ts";
import type { Tip } from "../git/tips.ts";
import { isHeld, isNone, shareIn } from "../git/work.ts";
import type { FileWork, TakenWork } from "../state.ts";
import { type Age, ageOf, beforeReopening, earlierOf, type KnownBranches, partOfLost } from "./age.ts";
import { forecastNotes, type HeldFiles, heldProblems, holdersOf } from "./claim-cover.ts";
import { droppedBy, lackedBy, movedOn, type Rested } from "./following.ts";
import { compareListed, listedProblems } from "./listed-files.ts";
import { holding, holdingApart, type Looking, lookingAt, mergeLine, tipsOn } from "./looking.ts";
import { judgeChanges } from "./scope-judgement.ts";
import { coverOf, isChange, type Taken, takeWork } from "./taking.ts";

/** What was reported, and what it may have touched. */
export interface ReportedWork {
  /** The task, as messages of commits name it; absent: none does. */
  readonly task?: string;
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
  /** Commits that were reported before the task was reopened, as written or as full ids; absent: none were. */
  readonly reopened?: readonly string[];
  /** Commits of its work that did not land and came back: what is built on them brings them, too. Absent: none did. */
  readonly returned?: readonly string[];
  /** Commits of one report whose work was gone when the task was reopened; absent: none were. */
  readonly lost?: readonly string[];
  /** Files that other agents hold by claims of theirs; absent: none. */
  readonly held?: readonly HeldFiles[];
  /** What other tasks reported and nothing contradicts; absent: nothing. */
  readonly others?: readonly OtherWork[];
  /** Names of those of them on which this task depends; absent: none. */
  readonly needs?: readonly string[];
}

/** What another task reported. */
export interface OtherWork {
  readonly task: string;
  /** Full ids, or as reported. */
  readonly commits: readonly string[];
  /** Paths and globs of its claim; null: it named none, and answers for all that its commits change. */
  readonly claimed: readonly string[] | null;
  /** Its work, where it is verified; null: it is not yet. */
  readonly work: TakenWork | null;
  /** The same as its branch went on with it, and where it landed; absent: nobody has looked since. */
  readonly now?: Rested;
}

/** What the verdict rests on. */
export interface CommitEvidence {
  /** Full id of the last commit, and of all, each behind those that it descends from. */
  readonly commit: string;
  readonly commits: readonly string[];
  /** Paths that they changed; null: they are too many to be named. */
  readonly files: readonly string[] | null;
  readonly work: TakenWork;
  /** A branch that holds the work; null: none was looked for, or none does. */
  readonly branch: string | null;
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

/** Problems that say nothing against the work: it could not be looked at, or what is there has two readings. */
const undecided: ReadonlySet<ProblemCode> = new Set([
  "same-change",
  "work-apart",
  "shallow-clone",
  "repository-unreadable",
  "repository-missing",
  "git-missing",
  "timed-out",
  "interrupted",
  "too-large",
]);

/** Whether problems only say that nothing could be seen, or that a person has to say what is meant. */
export function isUndecided(problems: readonly Problem[]): boolean {
  return problems.length > 0 && problems.every(({ code }) => undecided.has(code));
}

/** From which share on two works in a file are the same. */
const sameShare = 0.9;

/** The verdict on reported work. Total: what goes wrong on the way makes it undecided. */
export async function verifyCompletion(
  repository: Repository,
  work: ReportedWork,
  looking = lookingAt(repository),
): Promise<Verdict> {
  const judged = await look(() => judge(looking, work));
  return judged.ok ? judged.value : verdictOf([judged.error], [], null);
}

/** The commits to judge: a part of what was gone stands for all of it, which is to be there again. */
function namesOf({ commits, lost = [] }: ReportedWork): readonly string[] {
  const isPart = commits.length > 0 && commits.every((name) => namesSame([name], lost));
  return commits.length === 0 ? [""] : [...new Set(isPart ? lost : commits)];
}

async function judge(looking: Looking, work: ReportedWork): Promise<Verdict> {
  const { repository } = looking;
  const names = namesOf(work);
  if (names.length > reportCommitsMax) return verdictOf([tooMany(names.length)], [], null);
  const found = await Promise.all(names.map((name) => findCommit(repository, name)));
  const lost = found.flatMap((each) => (each.ok ? [] : [each.error]));
  if (lost.length > 0) return verdictOf(lost, [], null);
  const named = [...new Set(found.flatMap((each) => (each.ok ? [each.value] : [])))];
  const cut = named.find((id) => cutOffCommits(repository).has(id));
  if (cut !== undefined) return verdictOf([isCutOff(cut)], [], null);
  const isKnown = (id: string) => namesSame(work.reopened ?? [], [id]);
  if (work.branches?.isFinishedBefore !== true && named.every(isKnown)) {
    const again = await commitsWith(repository, named);
    return verdictOf(named.map(beforeReopening), [], await evidenceOfOld(repository, again, work));
  }
  const judged = await ageOf(looking, named, work);
  const { young: commits } = judged;
  const isOnTop = await isOnTopOf(looking, commits, work.reopened ?? []);
  // What builds on work that is to be done again may go back behind it.
  const recorded = judged.recorded?.filter((id) => !judged.ground.has(id)) ?? null;
  const age = isOnTop ? { ...judged, recorded, ground: new Set<string>() } : judged;
  if (commits.length === 0) return verdictOf(age.problems, age.notes, await evidenceOfOld(repository, age.old, work));
  const { others = [], forecast = null } = work;
  const beside = others.filter((other) => namesSame(other.commits, named));
  // Of several tasks with one commit, each answers for the files that it expected.
  const claimed = work.claimed ?? (beside.length > 0 ? forecast : null);
  // Who names no files answers for what no other task claims of the commit.
  const covers =
    claimed === null ? beside.filter((each) => each.claimed !== null).map((each) => coverOf(each.claimed)) : [];
  const isOthers = (path: string) => covers.some((covered) => covered(path));
  const main = commits.some(({ parents }) => parents.length > 1) ? await looking.main() : [];
  const whole = await takeWork(repository, commits, { claimed, scope: work.scope, isOthers, main });
  const taken = await asLeft(looking, whole, commits);
  const repeated =
    work.branches?.isFinishedBefore === true ? null : await repeatedIn(looking, taken, { ...work, claimed, isOnTop });
  if (repeated !== null) return verdictOf(named.map(repeated), age.notes, evidenceOf({ taken, commits, named }, null));
  const report = { repository, looking, work, claimed, commits, taken, age, beside, named };
  const scope = await scopeFindings(report);
  const problems = [...age.problems, ...scope.problems];
  const notes = [...age.notes, ...scope.notes];
  const isNothing = taken.work.files.length === 0;
  const isBeyond = problems.some(({ code }) => code === "outside-contract" || code === "invalid-path");
  if (isNothing && !isBeyond) problems.push(nothingChanged(commits, taken.count));
  const own = isNothing ? { problems: [], notes: [] } : await ownFindings(report);
  const evidence = evidenceOf(report, null);
  const all = { problems: [...problems, ...own.problems], notes: [...notes, ...own.notes] };
  if (all.problems.length > 0) return verdictOf(all.problems, all.notes, evidence);
  const place = await placeFindings(report);
  return verdictOf(place.problems, [...all.notes, ...place.notes], evidenceOf(report, place.on));
}

/**
 * What is said of work that only repeats, in other commits, what was reported before the task was reopened, amended, rebased
 * or squashed; or a part of what was gone, without the rest of it. Null: it does neither.
 */
async function repeatedIn(
  looking: Looking,
  { work: { files, commits } }: Taken,
  {
    reopened = [],
    lost = [],
    isOnTop,
    ...limits
  }: Pick<ReportedWork, "reopened" | "lost" | "claimed" | "scope"> & { readonly isOnTop: boolean },
): Promise<((commit: string) => Problem) | null> {
  const knownOf = async (names: readonly string[]) => {
    const ids = await knownAmong(looking.repository, names);
    if (ids.length === 0) return [];
    return (await takeWork(looking.repository, await commitsWith(looking.repository, ids), limits)).work.files;
  };
  const isIn = (known: readonly FileWork[], isAll: boolean) =>
    files.length > 0 &&
    files.every((file) => {
      const other = known.find(({ path }) => path === file.path);
      if (isAll && isOnTop && file.content.after !== other?.content.after) return false;
      return other !== undefined && shareIn(file, other) === 1 && (!isAll || shareIn(other, file) === 1);
    });
  if (isIn(await knownOf(reopened), true)) return beforeReopening;
  const gone = await knownOf(lost);
  const isPart = isIn(gone, false) && !isHeld(await looking.at(gone, commits.at(-1) ?? ""));
  return isPart ? partOfLost : null;
}

/** The ids of those commits that are in the repository, each once. */
async function knownAmong(repository: Repository, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => findCommit(repository, name)));
  return [...new Set(found.flatMap((each) => (each.ok ? [each.value] : [])))];
}

/** Whether all of the work was done on top of what was reported before the task was reopened. */
async function isOnTopOf(looking: Looking, commits: readonly Commit[], reopened: readonly string[]): Promise<boolean> {
  const before = await knownAmong(looking.repository, reopened);
  if (before.length === 0) return false;
  for (const { id } of commits) for (const each of before) if (!(await looking.isIn(each, id))) return false;
  return true;
}

/**
 * The work as the last commit has it, where all others lie below it: what its author took out or wrote anew in between, in a
 * commit that is not reported, is no part of it. Nothing left of it, or a merge that lost some: as the commits have it.
 */
async function asLeft(looking: Looking, taken: Taken, commits: readonly Commit[]): Promise<Taken> {
  const { repository } = looking;
  const [first, last] = [commits[0]?.id ?? "", commits.at(-1)?.id ?? ""];
  const seen = first === last ? [] : await looking.at(taken.work.files, last);
  const left = new Map<string, ChangedPath>();
  for (const [index, file] of taken.work.files.entries()) {
    const known = taken.inside.find(({ path }) => path === file.path);
    if (known === undefined || seen[index]?.holds !== false) continue;
    if ((await droppedBy(looking, file, first, last)) !== null) continue;
    const none = { mode: "000000", id: "0".repeat(known.content.after.length) };
    const { mode, id } = (await entriesAt(repository, last, [file.path])).get(file.path) ?? none;
    const content = { before: known.content.before, after: id };
    left.set(file.path, { ...known, mode: { before: known.mode.before, after: mode }, content });
  }
  if (left.size === 0) return taken;
  for (const { id } of commits) if (!(await isAncestor(repository, id, last))) return taken;
  const inside = taken.inside.map((each) => left.get(each.path) ?? each).filter(isChange);
  const files: FileWork[] = [];
  for (const file of taken.work.files) {
    const now = left.get(file.path);
    if (now === undefined) files.push(file);
    else if (isChange(now)) files.push(await fileWorkOf(repository, now));
  }
  return files.length === 0 ? taken : { ...taken, inside, work: { ...taken.work, files } };
}

/** A report on its way to a verdict. */
interface Judging {
  readonly repository: Repository;
  readonly looking: Looking;
  readonly work: ReportedWork;
  /** What binds it. */
  readonly claimed: readonly string[] | null;
  readonly commits: readonly Commit[];
  readonly taken: Taken;
  readonly age: Age;
  /** Others that name one of its commits. */
  readonly beside: readonly OtherWork[];
  /** Full ids of the commits that it names. */
  readonly named: readonly string[];
}

interface Findings {
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Whether two lists name a commit in common, as far as their digits tell. */
export function namesSame(one: readonly string[], other: readonly string[]): boolean {
  const begins = (a: string, b: string) => a !== "" && b.toLowerCase().startsWith(a.toLowerCase());
  return one.some((a) => other.some((b) => begins(a, b) || begins(b, a)));
}

/** What is said of changes beyond claim and contract, of held files, and of files that were listed or were not. */
async function scopeFindings(report: Judging): Promise<Findings> {
  const { repository, work, commits, taken } = report;
  const outside = await ownOutside(report);
  const changed = [...taken.inside, ...outside];
  const judged = await judgeChanges(
    changed,
    { contract: work.scope, claim: report.claimed === null ? null : work.claimed },
    { repository, tree: commits.at(-1)?.id ?? "" },
  );
  // Who names no files answers for all that the commits change, also for what others hold.
  const holders = await holdersOf(changed, work.claimed === null ? (work.held ?? []) : []);
  const problems = [...judged, ...heldProblems(changed, holders)];
  if (work.filesModified !== null) problems.push(...(await listedFindings(report, work.filesModified, outside)));
  const notes = [...forecastNotes(changed, work.forecast ?? null, holders), ...(await pointerNotes(report))];
  return { problems, notes };
}

/** The changes outside for which no other task answers: it claims them and names the commit, or did the same itself. */
async function ownOutside({ repository, work, taken, beside }: Judging): Promise<readonly ChangedPath[]> {
  const covers = beside.map(({ claimed }) => coverOf(claimed));
  const own: ChangedPath[] = [];
  for (const change of taken.outside) {
    if (covers.some((covered) => covered(change.path))) continue;
    const theirs = (work.others ?? []).flatMap(
      (other) => other.work?.files.find(({ path }) => path === change.path) ?? [],
    );
    const file = theirs.length === 0 ? null : await fileWorkOf(repository, change);
    if (file === null || !theirs.some((other) => shareIn(file, other) === 1)) own.push(change);
  }
  return own;
}

async function listedFindings(
  { repository, taken }: Judging,
  listed: readonly string[],
  outside: readonly ChangedPath[],
): Promise<readonly Problem[]> {
  const optional = [...outside, ...taken.outside];
  const compared = compareListed(listed, taken.inside, optional);
  let { unlisted } = compared;
  // Of a renamed file the new name is enough, also where one commit adds it and another takes the old one away.
  const [first, last] = [taken.pairs[0]?.[0] ?? "", taken.pairs.at(-1)?.[1] ?? ""];
  const spans = taken.pairs.length > 1 ? [...taken.pairs, [first, last] as const] : taken.pairs;
  for (const [before, commit] of unlisted.some(({ content }) => isNone(content.after)) ? spans : []) {
    const moved = new Set<string>();
    await eachChange(repository, before, commit, ({ from }) => from !== undefined && moved.add(from), "told");
    unlisted = unlisted.filter(({ path }) => !moved.has(path));
  }
  return listedProblems({ ...compared, unlisted });
}

/** Contents that only point elsewhere, and a change of format alone. */
async function pointerNotes({ repository, taken }: Judging): Promise<readonly Note[]> {
  const notes: Note[] = [];
  for (const { path, mode, content } of taken.work.files) {
    const isSubmodule = mode.after === submoduleMode;
    const isPointer =
      isSubmodule ||
      (mode.after.startsWith("100") && !isNone(content.after) && (await isLargeFile(repository, content.after)));
    if (!isPointer) continue;
    const what = isSubmodule ? "a submodule" : "a Git LFS pointer";
    notes.push({ code: "pointer", path, message: `${path} is ${what}: what it points to was not looked at.` });
  }
  const { files } = taken.work;
  const isPlain = files.every(isPlainChange);
  if (files.length > 0 && isPlain && (await isFormat(repository, files)))
    notes.push({
      code: "only-format",
      path: "$",
      message: "Only white space, punctuation or the order of lines changed.",
    });
  return notes;
}

async function isLargeFile(repository: Repository, id: string): Promise<boolean> {
  const bytes = await bytesOf(repository, id, 1_024);
  return bytes?.toString("utf8").startsWith("version https://git-lfs.github.com/spec/") === true;
}

/** A file that was and is there, with another content of which no line counts. */
function isPlainChange({ mode, content, lines }: FileWork): boolean {
  const isFile = mode.before.startsWith("100") && mode.after.startsWith("100");
  return lines === undefined && isFile && content.before !== content.after;
}

async function isFormat(repository: Repository, files: readonly FileWork[]): Promise<boolean> {
  for (const { content } of files)
    for (const id of [content.before, content.after]) if ((await textOf(repository, id)) === null) return false;
  return true;
}

/** What is said of older work, and of work that another task is credited with. */
async function ownFindings(report: Judging): Promise<Findings> {
  const { looking, taken, age, commits } = report;
  const { files } = taken.work;
  const last = commits.at(-1)?.id ?? "";
  // What takes back or goes on from another task's verified work is no older work, whatever it looks like.
  const works = (report.work.others ?? []).flatMap(({ work }) => work?.files ?? []);
  const isLater = ({ path, content }: FileWork) =>
    works.some((each) => each.path === path && each.content.after === content.before);
  const earlier = files.some(isLater) ? { problem: null, note: null } : await earlierOf(looking, files, age, last);
  const credit = await creditOf(report, last);
  return {
    problems: [...(earlier.problem === null ? [] : [earlier.problem]), ...credit.problems],
    notes: [...(earlier.note === null ? [] : [earlier.note]), ...credit.notes],
  };
}

/** Who did each file's work before: the same in the same commit, or in another one that this one does not build on. */
async function creditOf(report: Judging, last: string): Promise<Findings> {
  const { work, taken, named } = report;
  const credited = new Map<string, { readonly task: string; readonly isSame: boolean; readonly share: number }>();
  const { files } = taken.work;
  for (const { task, work: other, claimed } of work.others ?? []) {
    if (other === null) continue;
    const isNamed = other.commits.some((id) => named.includes(id));
    const theirs = other.commits.at(-1) ?? "";
    const covered = coverOf(claimed);
    const shared = files.flatMap((file) => {
      const known = other.files.find(({ path }) => path === file.path && covered(path));
      return known === undefined ? [] : [[file, shareIn(file, known)] as const];
    });
    if (shared.length === 0 || (!isNamed && (await isOnTop(report, theirs)))) continue;
    // A merge brings their commit itself.
    const isSame = isNamed || (await isAncestor(report.repository, theirs, last));
    for (const [{ path }, share] of shared)
      if (share >= sameShare && share > (credited.get(path)?.share ?? 0)) credited.set(path, { task, isSame, share });
  }
  if (credited.size < files.length) return { problems: [], notes: [] };
  const all = [...credited.values()];
  const tasks = [...new Set(all.map(({ task }) => task))].join(", ");
  const isSame = all.some((each) => each.isSame);
  const found = isSame ? creditedTo(tasks, last) : sameAs(tasks, last);
  const isNoted = all.some(({ share }) => share < 1) || (work.branches?.isFinishedBefore === true && !isSame);
  const { code, path, message } = found;
  return isNoted ? { problems: [], notes: [{ code, path, message }] } : { problems: [found], notes: [] };
}

/**
 * Whether the changes begin where that commit is in already: they are new, its own were taken back in between. A merge that
 * only brings the commit does not.
 */
async function isOnTop({ repository, taken: { pairs } }: Judging, theirs: string): Promise<boolean> {
  for (const [before] of pairs) if (await isAncestor(repository, theirs, before)) return true;
  return false;
}

/** Where the work is now, and what its commit lacks. */
async function placeFindings(report: Judging): Promise<Findings & { readonly on: Tip | null }> {
  const { looking, work, taken, commits } = report;
  const last = commits.at(-1)?.id ?? "";
  const tips = await looking.tips();
  const known = (work.others ?? []).flatMap(({ task, work: need, now }) =>
    need === null ? [] : [{ task, since: null, work: need, ...now }],
  );
  const movedTo = async () =>
    await movedOn(looking, { work: taken.work, others: known }, { tips, main: await looking.main() });
  const on =
    (await holding(looking, taken.work.files, tips, last)) ??
    (await writtenOn(looking, taken.work.files, tips, last)) ??
    (await movedTo())?.tip ??
    null;
  if (on === null) {
    const parts = await holdingApart(looking, taken.work.files, tips);
    if (parts.length > 0) return { problems: [apart(last, parts)], notes: [], on };
    const isThere = (await tipsOn(looking, last, tips)).length > 0;
    return { problems: [isThere ? undone(last) : unreachable(last)], notes: [], on };
  }
  const notes: Note[] = [];
  if (on.isDetached)
    notes.push({
      code: "detached",
      path: on.name,
      message: `Only the working tree ${on.name} has it: put it on a branch (git branch NAME ${last.slice(0, 12)}).`,
    });
  const needs = known.filter(({ task }) => work.needs?.includes(task));
  for (const { task, work: need } of await lackedBy(looking, needs, last, known)) {
    const line = mergeLine(null, need.commits.at(-1) ?? "");
    const message = `This commit does not have the work of ${task}, on which the task depends. First: ${line}`;
    notes.push({ code: "lacks", path: task, message });
  }
  return { problems: [], notes, on };
}

/** A branch that went on from the commit and has half of each file's work, and none undone; null: none has. */
async function writtenOn(
  looking: Looking,
  files: readonly FileWork[],
  tips: readonly Tip[],
  commit: string,
): Promise<Tip | null> {
  for (const tip of await tipsOn(looking, commit, tips))
    if ((await looking.at(files, tip.id)).every(({ hasHalf }) => hasHalf)) return tip;
  return null;
}

/** Most paths that a verdict names. */
const evidenceFilesMax = 2_000;

/** What commits changed that are all older than the task; null: it is too much to look at. */
async function evidenceOfOld(
  repository: Repository,
  commits: readonly Commit[],
  { claimed, scope }: ReportedWork,
): Promise<CommitEvidence | null> {
  const taken = await look(() => takeWork(repository, commits, { claimed, scope }));
  return taken.ok ? evidenceOf({ taken: taken.value, commits, named: commits.map(({ id }) => id) }, null) : null;
}

function evidenceOf(
  { taken, commits, named }: Pick<Judging, "taken" | "commits" | "named">,
  on: Tip | null,
): CommitEvidence {
  const paths = [...taken.inside, ...taken.outside].map(({ path }) => path).toSorted();
  const ids = commits.map(({ id }) => id).filter((id) => named.includes(id));
  return {
    commit: ids.at(-1) ?? "",
    commits: ids,
    files: taken.isCut || paths.length > evidenceFilesMax ? null : paths,
    work: taken.work,
    branch: on === null || on.isDetached ? null : on.name,
  };
}

function verdictOf(found: readonly Problem[], notes: readonly Note[], evidence: CommitEvidence | null): Verdict {
  const problems = [...new Map(found.map((each) => [`${each.code} ${each.path} ${each.message}`, each])).values()];
  const state = problems.length === 0 ? "verified" : isUndecided(problems) ? "undecided" : "disputed";
  return { state, problems: inOrder(problems), notes, evidence };
}

function tooMany(count: number): Problem {
  const message = `The report names ${count} commits; at most ${reportCommitsMax} are looked at.`;
  return makeProblem("too-large", "$.body.commits", message);
}

function isCutOff(id: string): Problem {
  return makeProblem("shallow-clone", id, "This is a shallow clone, and its history is cut off at this commit.", {
    hint: "Fetch the whole history (git fetch --unshallow), then verify again.",
  });
}

function nothingChanged(commits: readonly Commit[], count: number): Problem {
  const message = count === 0 ? "The commits change nothing." : "The commits change nothing that the task claims.";
  return makeProblem("nothing-changed", commits.at(-1)?.id ?? "$", message, {
    expected: "a change in a file of the task",
    hint: "Report the commit that does the work. A task that needs no change is added with `--files none`.",
  });
}

function creditedTo(tasks: string, commit: string): Problem {
  return makeProblem("commit-credited", commit, `This work is credited to ${tasks}, in this commit.`, {
    received: commit,
    hint: "Report the commit with the work of this task. A commit counts again only for a file that this task alone claims.",
  });
}

function sameAs(tasks: string, commit: string): Problem {
  return makeProblem("same-change", commit, `${tasks} made the same change in another commit.`, {
    received: commit,
    hint: "Where it is meant, as on a release branch, a lead says so: `baton task settle TASK verified`.",
  });
}

function apart(commit: string, parts: readonly Tip[]): Problem {
  const message = `No branch has all of the work: its parts are on ${shortList(parts.map(({ name }) => visible(name)))}.`;
  return makeProblem("work-apart", commit, message, {
    received: commit,
    hint: "Merge them into one branch; then it counts by itself.",
  });
}

function undone(commit: string): Problem {
  return makeProblem("work-reverted", commit, "The branch with this commit does not have its work any more.", {
    received: commit,
    hint: "Report the commit that has the work again. Where a later commit changed it on purpose, report all of them together.",
  });
}

/**
 * Where verified work is now: on the team's main branch, on another one, or gone. What is asked is whether a commit's tree
 * has it, so it is found again however it landed. Rules: docs/protocol/verdicts.md, section 6.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { shorten, visible } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import { type ChangedPath, eachChange } from "../git/changes.ts";
import { arrivalOf, contentAt, entriesAt, factsOf, fileWorkOf, isAncestor, linesOf, textOf } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import type { Tip } from "../git/tips.ts";
import {
  besides,
  countedOf,
  deltasIn,
  hasMost,
  isHeld,
  isNone,
  replaces,
  type Seen,
  seenAs,
  shareIn,
  statusOf,
  wholeOf,
} from "../git/work.ts";
import type { FileWork, TakenWork, Whereabouts } from "../state.ts";
import { holding, holdingApart, isSide, type Looking, mergesBetween, tipsOn } from "./looking.ts";

/** What is followed, and among which others. */
export interface Following {
  /** As Baton's undo names it; absent: only what the work is tells that it was taken back. */
  readonly task?: string;
  readonly work: TakenWork;
  /** What the last look found; absent: nobody has looked. */
  readonly before?: Whereabouts;
  /** The work of other verified tasks. */
  readonly others: readonly { readonly task: string; readonly work: TakenWork }[];
}

/** Where branches are now. */
export interface Places {
  readonly tips: readonly Tip[];
  /** Those of the team's main branch. */
  readonly main: readonly Tip[];
}

/** What a look found. */
export interface Followed {
  /** Null: nothing can be said, so what was known stays. */
  readonly place: Whereabouts | null;
  readonly notes: readonly Note[];
  /** Why it is gone; null: it is not. */
  readonly problem: Problem | null;
  /** The work as its branch goes on with it, which is what will land; absent: as it was. */
  readonly grown?: TakenWork;
}

/** The commit that took work back and says so, and the tip that has it. */
interface Revert {
  readonly commit: string;
  readonly tip: Tip;
}

/** It was on the main branch, and nothing of it is any more. `by`: what a person is told of how; null: nothing is known. */
interface Lost {
  readonly by: Note | null;
  /** Absent: no commit took it back and says so. */
  readonly reverted?: Revert;
}

/** Looks where the work is. Landed work is looked for on the main branch alone. */
export async function follow(looking: Looking, following: Following, { tips, main }: Places): Promise<Followed> {
  const { work, before } = following;
  const since = before?.since ?? null;
  const last = work.commits.at(-1) ?? "";
  // What its branch no longer had is not waited for on the main branch.
  const parts = before?.at === "branch" ? (before.notes ?? []).filter(({ code }) => code === "part-gone") : [];
  const isAwaited = (_: Seen, index: number) => parts.every(({ path }) => path !== work.files[index]?.path);
  let isUnsure = false;
  let lost: Lost | null = since === null ? null : { by: null };
  const reverted = since === null ? null : await revertedOn(looking, following, since, main);
  const isTakenBack = reverted !== null || before?.at === "reverted";
  for (const tip of main) {
    // Another tip of it may not have what took it back.
    if (reverted !== null && !(await looking.isIn(reverted.commit, tip.id))) continue;
    const seen = await seenOnMain(looking, following, tip.id, since, isTakenBack);
    // What landed on Baton's own branch is on the main one once that has it.
    const wasHere =
      before?.at === "landed" && (before.branch === tip.name || (await looking.isIn(since ?? "", tip.id)));
    const isHere = isTakenBack
      ? wholeOf(seen.files) === "kept"
      : wasHere
        ? wholeOf(seen.files) !== "gone"
        : isHeld(seen.files.filter(isAwaited));
    isUnsure ||= seen.files.every(({ status }) => status === "unknown");
    if (isHere) {
      const isWhole = since !== null || seen.files.every(({ holds }) => holds);
      const merged = isWhole ? null : await mergedInto(looking, following, [last], tip);
      return merged === null || "by" in merged ? await landedOn(looking, following, tip, seen) : merged;
    }
    if (reverted !== null) lost = { by: await noteOf(looking.repository, [reverted.commit], "took it back"), reverted };
    else if (lost !== null) lost = { by: lost.by ?? (await lostBy(looking, work.files, seen, since, tip.id)) };
  }
  // Its undo stands until the work itself is back, also where history does not show the undo any more.
  if (isTakenBack && lost?.reverted === undefined) return { place: null, notes: [], problem: null };
  const known = [last];
  const isOpen = async (tip: Tip) => {
    const base = await sharedWith(looking, work, tip, main);
    if (base !== null) known.push(base);
    return base === null;
  };
  const held = since === null ? await holding(looking, work.files, tips, last, isOpen) : null;
  // What the main branch has in its history, and no branch brings again, landed, or was lost there.
  for (const tip of since === null && held === null ? main : []) {
    const merged = await mergedInto(looking, following, known, tip);
    if (merged === null) continue;
    if (!("by" in merged)) return merged;
    lost = merged;
    isUnsure = false;
  }
  const on = () => (held === null ? goingOn(looking, work, tips) : wentOn(looking, work.files, last, held));
  const at = lost === null ? await on() : null;
  const moved = lost === null && at === null ? await movedOn(looking, following, { tips, main }) : null;
  if (moved !== null && main.includes(moved.tip)) return await landedOn(looking, following, moved.tip, moved.seen);
  if (moved !== null) return { ...onBranch(moved.tip), grown: { ...work, files: moved.seen.at } };
  if (at === null) {
    // A branch that was split brings its parts one after the other.
    const isApart = lost === null && (await holdingApart(looking, work.files, tips)).length > 0;
    if (isUnsure || isApart) return { place: null, notes: [], problem: null };
    const { at: where, branch } = lost?.reverted === undefined ? nowhere : backAt(lost.reverted.tip);
    return { place: { at: where, branch, since, isChanged: false }, notes: [], problem: gone(last, lost) };
  }
  const { tip, files, seen } = at;
  const isChanged = wholeOf(seen) !== "kept";
  const found = onBranch(tip, isChanged, partNotes(work.files, seen));
  if (since === null && found.notes.length > parts.length) {
    const now = { ...found.place, notes: found.notes };
    const again = await follow(looking, { ...following, before: now }, { tips, main });
    if (again.place?.at === "landed") return again;
  }
  return isChanged ? { ...found, grown: { ...work, files } } : found;
}

/** What is said of work that a branch has, or a tree without one. */
function onBranch({ name, isDetached }: Tip, isChanged = false, notes: readonly Note[] = []) {
  const place = { at: "branch", branch: isDetached ? null : name, since: null, isChanged } as const;
  return { place, notes, problem: null };
}

const nowhere = { at: "gone", branch: null } as const;
const backAt = ({ name }: Tip) => ({ at: "reverted", branch: name }) as const;

/** How commits say that they take something back: `git revert`, a forge's button, and Baton. */
const revertWords = ['Revert "', "This reverts commit ", "Baton-Undone: "] as const;
const revertsMax = 20;

/**
 * The newest commit since the work landed that says so and leaves nothing of it, or is Baton's undo of the task, where a tip
 * does not have all of the work; null: none.
 */
async function revertedOn(
  looking: Looking,
  { task, work: { files }, before }: Following,
  since: string,
  main: readonly Tip[],
): Promise<Revert | null> {
  const paths = files.slice(0, 100).map(({ path }) => path);
  const words = revertWords.map((each) => `--grep=^${each}`);
  const format = "--format=%H %P%x09%(trailers:key=Baton-Undone,valueonly,separator=%x09)";
  const said = ["log", `--max-count=${revertsMax}`, format, "--basic-regexp", ...words];
  const wholeAt = async (commit: string) => wholeOf(await looking.at(files, commit));
  for (const tip of main.toReversed()) {
    const now = await wholeAt(tip.id);
    if (now === "kept" || (await factsOf(looking.repository, since)) === null) continue;
    for (const line of await linesOf(looking.repository, [...said, `${since}..${tip.id}`, "--", ...paths])) {
      const [ids = "", ...undone] = line.split("\t");
      const [commit = "", parent = ""] = ids.split(" ");
      if (task !== undefined && undone.includes(task)) return { commit, tip };
      if (parent === "" || (now !== "gone" && before?.at !== "reverted")) continue;
      if ((await wholeAt(commit)) === "gone" && (await wholeAt(parent)) !== "gone") return { commit, tip };
    }
  }
  return null;
}

/** What is said of work that a tip of the main branch has. */
async function landedOn(looking: Looking, { work, before }: Following, tip: Tip, seen: SeenOnMain): Promise<Followed> {
  const since = before?.since ?? null;
  const { at } = seen;
  // It is followed from here on where it landed, under the names of then.
  const isRenamed = since === null && at.some(({ path }, index) => path !== work.files[index]?.path);
  const files = isRenamed ? await looking.at(at, tip.id) : seen.files;
  const notes = isRenamed ? seen.notes.filter(({ code }) => code !== "moved") : seen.notes;
  const isChanged = wholeOf(files) !== "kept";
  // A merge that brought it may have changed it already.
  const last = work.commits.at(-1) ?? "";
  const from = isChanged && (await looking.isIn(last, tip.id)) ? last : since;
  const later = isChanged ? await changedBy(looking.repository, work.files, from, tip.id) : null;
  return {
    // What came back is followed from there: what took it back before says nothing any more.
    place: { at: "landed", branch: tip.name, since: before?.at === "reverted" ? tip.id : (since ?? tip.id), isChanged },
    notes: [...notes, ...partNotes(work.files, files), ...(later === null ? [] : [later])],
    problem: null,
    ...(isRenamed ? { grown: { ...work, files: at } } : {}),
  };
}

/** A commit with the work that a tip shares with the main branch, so that merging the tip does not bring it; null: none. */
async function sharedWith(
  looking: Looking,
  { files, commits }: TakenWork,
  tip: Tip,
  main: readonly Tip[],
): Promise<string | null> {
  for (const { id } of main) {
    if (!(await looking.isIn(tip.id, id)) && !(await looking.isIn(commits.at(-1) ?? "", id))) continue;
    const [base] = await linesOf(looking.repository, ["merge-base", tip.id, id]);
    if (base !== undefined && isHeld(await looking.at(files, base))) return base;
  }
  return null;
}

/**
 * What became of work that is in the history of a tip of the main branch by one of the `known` commits, though its tree
 * does not hold it: it is there as its branch went on with it, or others changed it, or it was lost. Null: it is not in its
 * history.
 */
async function mergedInto(
  looking: Looking,
  following: Following,
  known: readonly string[],
  tip: Tip,
): Promise<Followed | Lost | null> {
  const { repository } = looking;
  const { work } = following;
  for (const commit of known) {
    if (!(await looking.isIn(commit, tip.id))) continue;
    const by = (await arrivalOf(repository, commit, tip.id))?.by ?? tip.id;
    const went = await wentOn(looking, work.files, commit, { ...tip, id: by });
    const isMore = went !== null && wholeOf(went.seen) !== "kept";
    const grown = isMore ? { ...work, files: went.files } : work;
    const seen = await seenOnMain(looking, { ...following, work: grown }, tip.id, commit);
    if (wholeOf(seen.files) === "gone") return { by: await lostBy(looking, grown.files, seen, commit, tip.id) };
    const landed = await landedOn(looking, { ...following, work: grown }, tip, seen);
    return isMore ? { grown, ...landed } : landed;
  }
  return null;
}

/** Work that something rests on. */
export interface Rested {
  readonly work: TakenWork;
  /** A commit of the main branch that had it; null: none is known. */
  readonly since: string | null;
}

/** Those of the works that a commit does not have: they are not in its files, or it comes from them and lost them. */
export async function lackedBy<Known extends Rested>(
  looking: Looking,
  works: readonly Known[],
  commit: string,
  others: Following["others"] = [],
): Promise<readonly Known[]> {
  const lacked: Known[] = [];
  for (const each of works) {
    const { work, since } = each;
    const from = since ?? work.commits.at(-1) ?? "";
    const renamed = await renamedAt(looking, work.files, from, commit);
    if (work.files.length === 0 || isHeld(await looking.at(renamed, commit))) continue;
    const isBelow = await isAncestor(looking.repository, from, commit);
    const seen = isBelow ? await seenOnMain(looking, { work, others }, commit, from) : null;
    if (seen === null || wholeOf(seen.files) === "gone") lacked.push(each);
  }
  return lacked;
}

interface SeenOnMain {
  readonly files: readonly Seen[];
  readonly notes: readonly Note[];
  /** The work under the names its files have there. */
  readonly at: readonly FileWork[];
  /** The merge that dropped a file of it; null: none did. */
  readonly merge: string | null;
}

/** What a tip of the main branch has of the work, and why files without it are no loss, or are one. */
async function seenOnMain(
  looking: Looking,
  { work, others }: Following,
  tip: string,
  since: string | null,
  isReverted = false,
): Promise<SeenOnMain> {
  const renamed = await renamedAt(looking, work.files, since ?? work.commits.at(-1) ?? "", tip);
  const isOthers = (path: string, of: (each: FileWork, all: readonly FileWork[]) => boolean) =>
    others.some(({ work: { files: all } }) => all.some((each) => each.path === path && of(each, all)));
  // Who says that work was taken back has moved nothing, and a file that another task made may only look alike.
  const isNew = (path: string, from: string) =>
    !isReverted &&
    !isOthers(path, ({ content }, all) => isNone(content.before) && all.every((each) => each.path !== from));
  // What only looks alike is no new name of work that was never there: another task's file, or one without a word.
  const isNamed = ({ path, lines }: FileWork, from: string) =>
    since === null ? lines !== undefined && !isOthers(path, () => true) : isNew(path, from);
  const named = work.files.map((file, index) => {
    const now = renamed[index] ?? file;
    return isNamed(now, file.path) ? now : file;
  });
  const files = [...(await looking.at(named, tip))];
  const at = [...named];
  const notes: Note[] = [];
  let merge: string | null = null;
  for (const [index, file] of work.files.entries()) {
    const seen = files[index];
    const isRenamed = at[index]?.path !== file.path && seen?.status !== "gone";
    if (since !== null && isRenamed) {
      files[index] = seenAs("changed", true);
      notes.push(movedNote(file.path, at[index]?.path ?? ""));
      continue;
    }
    if (seen === undefined || seen.status === "kept") continue;
    if (since === null && seen.holds && (await isAnothers(looking, file, others, tip))) {
      files[index] = seenAs("changed");
      continue;
    }
    const by = seen.holds || isReverted ? null : await replacedBy(looking, file, others, tip);
    if (by !== null) {
      files[index] = seenAs("changed", true);
      notes.push({ code: "replaced", path: file.path, message: `${by} put other lines in its place in ${file.path}.` });
    } else if (since === null) {
      // What was never there cannot have been dropped.
    } else if (seen.status === "gone") {
      const isOwn = (path: string) => isNew(path, file.path);
      const moving = { since, now: tip, files: work.files, isOwn };
      const to = isReverted ? null : await movedTo(looking.repository, file, moving);
      if (to === null) continue;
      at[index] = to;
      files[index] = seenAs("changed", true);
      notes.push(movedNote(file.path, to.path));
    } else {
      const dropping = await droppedBy(looking, file, since, tip);
      if (dropping !== null) files[index] = seenAs("gone");
      merge ??= dropping;
    }
  }
  return { files, notes, at, merge };
}

const movedNote = (path: string, to: string): Note => ({
  code: "moved",
  path,
  message: `What was in ${path} is in ${to} now.`,
});

/** Whether a change leaves one of the files as it was before the work. */
function isBack(files: readonly FileWork[], { path, content: now }: ChangedPath): boolean {
  return files.some((file) => file.path === path && file.content.before === now.after);
}

/** The work of the files under the names that they have at `now`, as git tells renames from a commit that has the work. */
async function renamedAt(
  { repository }: Looking,
  files: readonly FileWork[],
  from: string,
  now: string,
): Promise<readonly FileWork[]> {
  if (from === now) return files;
  const after = files.filter(({ content }) => !isNone(content.after)).map(({ path }) => path);
  // What its name does not bring may still be in the tree: a submodule's pointer, a content that is not in this clone.
  const facts = await Promise.all(after.map((path) => contentAt(repository, now, path)));
  const unseen = after.filter((_, index) => facts[index] === null);
  if (unseen.length === 0) return files;
  const here = await entriesAt(repository, now, unseen);
  const away = new Set(unseen.filter((path) => !here.has(path)));
  if (away.size === 0 || (await factsOf(repository, from)) === null) return files;
  const names = new Map<string, string>();
  const take = (each: ChangedPath) => {
    if (each.from !== undefined && each.isText && !isBack(files, each)) names.set(each.from, each.path);
  };
  await eachChange(repository, from, now, take, "told");
  return files.map((file) => (away.has(file.path) ? { ...file, path: names.get(file.path) ?? file.path } : file));
}

/** The task whose verified work put other lines in the place of these, and that the commit holds; null: none. */
async function replacedBy(
  looking: Looking,
  file: FileWork,
  others: Following["others"],
  commit: string,
): Promise<string | null> {
  for (const { task, work } of others) {
    const later = work.files.find(({ path }) => path === file.path);
    if (later !== undefined && replaces(later, file) && isHeld(await looking.at([later], commit))) return task;
  }
  return null;
}

/** Whether another task's work, which did in part the same, is what a commit has of it: its own part is not there. */
async function isAnothers(
  looking: Looking,
  file: FileWork,
  others: Following["others"],
  commit: string,
): Promise<boolean> {
  for (const { work } of others) {
    const theirs = work.files.find(({ path }) => path === file.path);
    const own = theirs === undefined ? null : besides(file, theirs);
    if (theirs === undefined || own === null || (own.lines === file.lines && own.words === file.words)) continue;
    if (!(await looking.at([own], commit))[0]?.holds && (await looking.at([theirs], commit))[0]?.status === "kept")
      return true;
  }
  return false;
}

function partNotes(files: readonly FileWork[], seen: readonly Seen[]): readonly Note[] {
  const isAll = seen.every(({ status }) => status === "gone");
  return files.flatMap(({ path }, index) => {
    if (isAll || seen[index]?.status !== "gone") return [];
    return [{ code: "part-gone", path, message: `Nothing of the work is in ${path} any more.` }];
  });
}

/** Who changed the files between two commits, as a note; null: history does not say. */
async function changedBy(
  repository: Repository,
  files: readonly FileWork[],
  since: string | null,
  now: string,
): Promise<Note | null> {
  if (since === null || since === now) return null;
  const paths = files.slice(0, 100).map(({ path }) => path);
  return await noteOf(repository, [`${since}..${now}`, "--", ...paths], "changed it later");
}

/** By what work was lost between two commits: by a merge that dropped it, else by who changed it last. */
async function lostBy(
  looking: Looking,
  files: readonly FileWork[],
  seen: SeenOnMain,
  since: string | null,
  now: string,
): Promise<Note | null> {
  let { merge } = seen;
  for (const file of since === null ? [] : files) merge ??= await droppedBy(looking, file, since ?? "", now);
  const { repository } = looking;
  if (merge === null) return await changedBy(repository, files, since, now);
  return await noteOf(repository, [merge], "merged, and kept what the other side had");
}

/** The last commit that git lists for these words, with its author, and what it did; null: there is none. */
async function noteOf(repository: Repository, words: readonly string[], did: string): Promise<Note | null> {
  const [line] = await linesOf(repository, ["log", "-1", "--format=%h %an", ...words]);
  if (line === undefined) return null;
  const [commit = "", ...name] = line.split(" ");
  const by = shorten(visible(name.join(" ")), 80);
  return { code: "changed-since", path: commit, message: `The commit ${commit} by ${by} ${did}.` };
}

/** The files' work as a later commit of its branch has it; their names stay those of the work's commit. */
async function grownAt(
  { repository }: Looking,
  files: readonly FileWork[],
  renamed: readonly FileWork[],
  commit: string,
): Promise<readonly FileWork[]> {
  const grown: FileWork[] = [];
  for (const [index, file] of files.entries()) {
    const id = (await contentAt(repository, commit, renamed[index]?.path ?? file.path))?.id;
    const { path, content, mode } = file;
    if (id === undefined || isSide(file, id)) grown.push(file);
    else grown.push(await fileWorkOf(repository, { path, mode, content: { before: content.before, after: id } }));
  }
  return grown;
}

/** The work as a later commit has it that was built on it. */
interface Grown {
  readonly tip: Tip;
  readonly files: readonly FileWork[];
  readonly seen: readonly Seen[];
}

/** A branch that was built on the commit and went on with its work; null: none did. */
async function goingOn(looking: Looking, { files, commits }: TakenWork, tips: readonly Tip[]): Promise<Grown | null> {
  const commit = commits.at(-1) ?? "";
  for (const tip of await tipsOn(looking, commit, tips)) {
    const grown = await wentOn(looking, files, commit, tip);
    if (grown !== null) return grown;
  }
  return null;
}

/** The work at a tip that has most of it, or put something in its place since `commit`; null: it has neither. */
async function wentOn(looking: Looking, files: readonly FileWork[], commit: string, tip: Tip): Promise<Grown | null> {
  const renamed = await renamedAt(looking, files, commit, tip.id);
  const seen = [...(await looking.at(renamed, tip.id))];
  const grown = [...(await grownAt(looking, files, renamed, tip.id))];
  let isMore = false;
  for (const [index, file] of files.entries()) {
    if (seen[index]?.holds !== false || grown[index] === file) continue;
    if ((await droppedBy(looking, file, commit, tip.id)) === null) {
      isMore ||= deltasIn(grown[index]?.lines).some(([, b, a]) => a > b);
      continue;
    }
    seen[index] = seenAs("gone");
    grown[index] = file;
  }
  return hasMost(seen) || isMore ? { tip, files: grown, seen } : null;
}

/** Most files in which moved lines are looked for. */
const movedMax = 200;

interface Moving {
  readonly since: string;
  readonly now: string;
  readonly files: readonly FileWork[];
  /** Whether most of the lines are enough; false: it may only look alike, so all of them must be there. */
  isOwn(path: string): boolean;
}

/** The work in the file that got its lines since under another name; null: none did, or it is back as it was. */
async function movedTo(
  repository: Repository,
  file: FileWork,
  { since, now, files, isOwn }: Moving,
): Promise<FileWork | null> {
  const isNothing = since === now || isNone(file.content.after) || file.content.before === file.content.after;
  if (isNothing || (await factsOf(repository, since)) === null) return null;
  const others: ChangedPath[] = [];
  await eachChange(repository, since, now, (each) => {
    if (each.path !== file.path && !isNone(each.content.after) && !isBack(files, each)) others.push(each);
  });
  const same = others.find(({ content }) => content.after === file.content.after);
  if (same !== undefined) return { ...file, path: same.path };
  const lines = deltasIn(file.lines).filter(([, b, a]) => a > b);
  for (const { content, path, mode } of lines.length === 0 ? [] : others.slice(0, movedMax)) {
    await nextTurn();
    const text = await textOf(repository, content.after);
    const counted = text === null ? null : await countedOf(text);
    const before = lines.some(([key]) => counted?.lines.has(key)) ? await textOf(repository, content.before) : null;
    if (before === null) continue;
    const was = (await countedOf(before)).lines;
    const wanted = lines.map(([key, b, a]) => `${key}.${was.get(key) ?? 0}.${(was.get(key) ?? 0) + a - b}`);
    const moved = { path, mode, content: { before: "", after: "-" }, lines: wanted.join(" ") };
    const seen = statusOf(moved, { id: content.after }, counted);
    if (seen.holds && (seen.status === "kept" || isOwn(path))) return { ...moved, content };
  }
  return null;
}

/**
 * The tip of the main branch, or of one that was built on it, where the work is whole once its lines are looked for in other
 * files: its branch moved them, or who brought it and solved a conflict did. Null: there is none.
 */
export async function movedOn(
  looking: Looking,
  { work: { files, commits }, others }: Pick<Following, "work" | "others">,
  { tips, main }: Places,
): Promise<{ readonly tip: Tip; readonly seen: SeenOnMain } | null> {
  const { repository } = looking;
  const last = commits.at(-1) ?? "";
  for (const tip of [...main, ...(await tipsOn(looking, last, tips))]) {
    const [since = last] = await linesOf(repository, ["merge-base", last, tip.id]);
    // What only looks alike is another task's, where it does not come from this commit.
    const isAnothers = (moved: FileWork) =>
      since !== last &&
      others.some(({ work }) => work.files.some((each) => each.path === moved.path && shareIn(moved, each) === 1));
    const at = [...files];
    for (const [index, seen] of (await looking.at(files, tip.id)).entries()) {
      const file = files[index];
      if (file?.lines === undefined || seen.holds) continue;
      const moved = await movedTo(repository, file, { since, now: tip.id, files, isOwn: () => false });
      if (moved !== null && !isAnothers(moved)) at[index] = moved;
    }
    const seen = { files: await looking.at(at, tip.id), notes: [], at, merge: null };
    if (isHeld(seen.files)) return { tip, seen };
  }
  return null;
}

/**
 * The merge since then that left nothing of the work in the file though a side had it, and took what another side had
 * instead that never had it; null: none. Lines that no side had are somebody's answer to both.
 */
export async function droppedBy(looking: Looking, file: FileWork, since: string, now: string): Promise<string | null> {
  const { repository } = looking;
  if (since === now || (await factsOf(repository, since)) === null) return null;
  const merges = (await looking.merges(since, now)) ?? (await mergesBetween(repository, since, now, file.path)) ?? [];
  for (const [merge = "", ...parents] of merges) {
    const result = await contentAt(repository, merge, file.path);
    const sides = [];
    for (const id of parents) {
      const [seen] = await looking.at([file], id);
      sides.push({ id, content: (await contentAt(repository, id, file.path))?.id, status: seen?.status });
    }
    const kept = sides.find(({ status }) => status === "kept");
    const lacking = sides.filter(({ status }) => status !== "kept");
    const taken = lacking.find(({ content }) => content === result?.id) ?? lacking[0];
    if (kept === undefined || taken === undefined || (await looking.at([file], merge))[0]?.holds !== false) continue;
    if (taken.content !== result?.id && !(await isOfSides(repository, result?.id, sides))) continue;
    // Where both sides come from the work, the side that was taken changed it knowingly.
    const [base] = await linesOf(repository, ["merge-base", kept.id, taken.id]);
    if (base === undefined || (await looking.at([file], base))[0]?.status !== "kept") return merge;
  }
  return null;
}

/** Whether each line of a merge's content is one of its sides'. */
async function isOfSides(
  repository: Repository,
  result: string | undefined,
  sides: readonly { readonly content: string | undefined }[],
): Promise<boolean> {
  const known = new Set<string>();
  for (const { content } of sides)
    for (const line of (await countedOf((content && (await textOf(repository, content))) || "")).lines.keys())
      known.add(line);
  const text = result === undefined ? null : await textOf(repository, result);
  return text !== null && [...(await countedOf(text)).lines.keys()].every((line) => known.has(line));
}

function gone(commit: string, lost: Lost | null): Problem {
  const by = lost?.by ?? null;
  if (lost?.reverted !== undefined)
    return makeProblem("work-reverted", commit, by?.message ?? "A commit took the work back.", {
      received: commit,
      hint: "To have it done again: `baton task claim TASK`. If it is not to be done: `baton task settle TASK superseded`. Brought back, it counts again by itself.",
    });
  const where = lost === null ? "No branch has the work" : "Nothing of the work is on the main branch";
  const who = by === null ? "" : ` ${by.message}`;
  return makeProblem("work-reverted", commit, `${where} any more.${who}`, {
    received: commit,
    hint: "If it was meant: `baton task settle TASK superseded`. If it is to be done again: `baton task reopen TASK`. Brought back, it counts again by itself.",
  });
}

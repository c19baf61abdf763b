/**
 * Where verified work is now: on the team's main branch, on another one, or gone. What is asked is whether a commit's tree
 * has it, so it is found again however it landed. Rules: docs/protocol/verdicts.md, section 6.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { shorten, visible } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import { type ChangedPath, eachChange } from "../git/changes.ts";
import { factsOf, fileWorkOf, linesOf, textOf } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import type { Tip } from "../git/tips.ts";
import { countedOf, deltasIn, isHeld, isNone, replaces, type Seen, statusOf, wholeOf } from "../git/work.ts";
import type { FileWork, TakenWork, Whereabouts } from "../state.ts";
import { holding, isSide, type Looking, mergesBetween } from "./looking.ts";

/** What is followed, and among which others. */
export interface Following {
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

/** Looks where the work is. Landed work is looked for on the main branch alone. */
export async function follow(looking: Looking, following: Following, { tips, main }: Places): Promise<Followed> {
  const { work, before } = following;
  const { repository } = looking;
  const since = before?.since ?? null;
  const wasLanded = since !== null;
  let isUnsure = false;
  for (const tip of main) {
    const seen = await seenOnMain(looking, following, tip);
    const isHere = before?.at === "landed" ? wholeOf(seen.files) !== "gone" : isHeld(seen.files);
    isUnsure ||= seen.files.every(({ status }) => status === "unknown");
    if (!isHere) continue;
    const isChanged = wholeOf(seen.files) === "changed";
    const later = isChanged ? await changedBy(repository, work, since, tip.id) : null;
    const notes = [...seen.notes, ...partNotes(work.files, seen.files), ...(later === null ? [] : [later])];
    return { place: { at: "landed", branch: tip.name, since: since ?? tip.id, isChanged }, notes, problem: null };
  }
  const last = work.commits.at(-1) ?? "";
  const at = wasLanded
    ? null
    : ((await holding(looking, work.files, tips, last)) ?? (await goingOn(looking, work, tips)));
  if (at === null && isUnsure) return { place: null, notes: [], problem: null };
  if (at === null) {
    const [tip] = main;
    const by = since === null || tip === undefined ? null : await changedBy(repository, work, since, tip.id);
    const place = { at: "gone", branch: null, since, isChanged: false } as const;
    return { place, notes: [], problem: gone(last, by, wasLanded) };
  }
  const seen = await looking.at(work.files, at.id);
  const isKept = wholeOf(seen) === "kept";
  const place = { at: "branch", branch: at.isDetached ? null : at.name, since: null, isChanged: !isKept } as const;
  const grown = isKept ? {} : { grown: { ...work, files: await grownAt(repository, work.files, at.id) } };
  return { place, notes: partNotes(work.files, seen), problem: null, ...grown };
}

/** What a tip of the main branch has of the work, and why files without it are no loss, or are one. */
async function seenOnMain(
  looking: Looking,
  { work, before, others }: Following,
  tip: Tip,
): Promise<{ readonly files: readonly Seen[]; readonly notes: readonly Note[] }> {
  const files = [...(await looking.at(work.files, tip.id))];
  const notes: Note[] = [];
  const since = before?.since ?? null;
  for (const [index, file] of work.files.entries()) {
    const seen = files[index];
    const isBack = (each: ChangedPath) =>
      work.files.some(({ path, content }) => path === each.path && content.before === each.content.after);
    if (seen === undefined || seen.status === "kept" || seen.status === "unknown") continue;
    const by = seen.holds ? null : await replacedBy(looking, file, others, tip.id);
    if (by !== null) {
      files[index] = { status: "changed", holds: true };
      notes.push({ code: "replaced", path: file.path, message: `${by} put other lines in its place in ${file.path}.` });
    } else if (since === null) {
      // What was never there cannot have moved or been dropped.
    } else if (seen.status === "gone" && (await isMoved(looking.repository, file, { since, now: tip.id, isBack }))) {
      files[index] = { status: "changed", holds: true };
      notes.push({ code: "moved", path: file.path, message: `What was in ${file.path} is in another file now.` });
    } else if (seen.status === "changed" && (await isDropped(looking, file, since, tip.id))) {
      files[index] = { status: "gone", holds: false };
    }
  }
  return { files, notes };
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
  { files }: TakenWork,
  since: string | null,
  now: string,
): Promise<Note | null> {
  if (since === null || since === now) return null;
  const words = [
    "log",
    "-1",
    "--format=%h %an",
    `${since}..${now}`,
    "--",
    ...files.slice(0, 100).map(({ path }) => path),
  ];
  const [line] = await linesOf(repository, words);
  if (line === undefined) return null;
  const [commit = "", ...name] = line.split(" ");
  const by = shorten(visible(name.join(" ")), 80);
  return { code: "changed-since", path: commit, message: `The commit ${commit} by ${by} changed it later.` };
}

/** The file's work as a later commit of its branch has it. */
async function grownAt(
  repository: Repository,
  files: readonly FileWork[],
  commit: string,
): Promise<readonly FileWork[]> {
  const grown: FileWork[] = [];
  for (const file of files) {
    const id = (await factsOf(repository, `${commit}:${file.path}`))?.id;
    const { path, content, mode } = file;
    if (id === undefined || isSide(file, id)) grown.push(file);
    else grown.push(await fileWorkOf(repository, { path, mode, content: { before: content.before, after: id } }));
  }
  return grown;
}

/** A branch that was built on the commit and has something in the place of all of its work; null: none has. */
async function goingOn(
  { repository }: Looking,
  { files, commits }: TakenWork,
  tips: readonly Tip[],
): Promise<Tip | null> {
  const commit = commits.at(-1) ?? "";
  const format = ["--count=5", "--sort=-committerdate", "--format=%(objectname)", "refs/heads/", "refs/remotes/"];
  for (const id of await linesOf(repository, ["for-each-ref", `--contains=${commit}`, ...format])) {
    const grown = await grownAt(repository, files, id);
    const isMore = grown.some((file, index) => file !== files[index] && deltasIn(file.lines).some(([, b, a]) => a > b));
    const tip = tips.find((each) => each.id === id);
    if (isMore && tip !== undefined) return tip;
  }
  return null;
}

/** Most files in which moved lines are looked for. */
const movedMax = 200;

/** Whether a file that was changed since under another name holds the lines now; one that `isBack` as it was does not. */
async function isMoved(
  repository: Repository,
  file: FileWork,
  { since, now, isBack }: { readonly since: string; readonly now: string; isBack(change: ChangedPath): boolean },
): Promise<boolean> {
  const isNothing = since === now || isNone(file.content.after) || file.content.before === file.content.after;
  if (isNothing || (await factsOf(repository, since)) === null) return false;
  const others: ChangedPath[] = [];
  await eachChange(repository, since, now, (each) => {
    if (each.path !== file.path && !isNone(each.content.after) && !isBack(each)) others.push(each);
  });
  if (others.some(({ content }) => content.after === file.content.after)) return true;
  const lines = deltasIn(file.lines).filter(([, b, a]) => a > b);
  const alone = { path: file.path, mode: file.mode, content: { before: "", after: "-" } };
  const wanted = { ...alone, lines: lines.map(([key, b, a]) => `${key}.0.${a - b}`).join(" ") };
  for (const { content } of lines.length === 0 ? [] : others.slice(0, movedMax)) {
    const text = await textOf(repository, content.after);
    if (text !== null && statusOf(wanted, { id: content.after }, await countedOf(text)).holds) return true;
    await nextTurn();
  }
  return false;
}

/** Whether a merge since then left the file as a side had it that never had the work, though another side did. */
async function isDropped(looking: Looking, file: FileWork, since: string, now: string): Promise<boolean> {
  const { repository } = looking;
  if (since === now || (await factsOf(repository, since)) === null) return false;
  const merges = (await looking.merges(since, now)) ?? (await mergesBetween(repository, since, now, file.path)) ?? [];
  for (const [merge = "", ...parents] of merges) {
    const result = await factsOf(repository, `${merge}:${file.path}`);
    const sides = [];
    for (const id of parents) {
      const [seen] = await looking.at([file], id);
      sides.push({ id, content: (await factsOf(repository, `${id}:${file.path}`))?.id, status: seen?.status });
    }
    const kept = sides.find(({ status }) => status === "kept");
    const taken = sides.find(({ content, status }) => content === result?.id && status !== "kept");
    if (kept === undefined || taken === undefined) continue;
    // Where both sides come from the work, the side that was taken changed it knowingly.
    const [base] = await linesOf(repository, ["merge-base", kept.id, taken.id]);
    if (base === undefined || (await looking.at([file], base))[0]?.status !== "kept") return true;
  }
  return false;
}

function gone(commit: string, by: Note | null, wasLanded: boolean): Problem {
  const where = wasLanded ? "Nothing of the work is on the main branch" : "No branch has the work";
  const who = by === null ? "" : ` ${by.message}`;
  return makeProblem("work-reverted", commit, `${where} any more.${who}`, {
    received: commit,
    hint: "If it was meant: `baton task settle TASK superseded`. If it is to be done again: `baton task reopen TASK`. Brought back, it counts again by itself.",
  });
}

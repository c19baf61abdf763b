/**
 * Where verified work is now: on the team's main branch, on another one, or gone. What is asked is whether a commit's tree
 * has it, so it is found again however it landed. Rules: docs/protocol/verdicts.md, section 6.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { shorten, visible } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import { type ChangedPath, eachChange } from "../git/changes.ts";
import { entriesAt, factsOf, fileWorkOf, linesOf, textOf } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import type { Tip } from "../git/tips.ts";
import { countedOf, deltasIn, hasMost, isHeld, isNone, replaces, type Seen, statusOf, wholeOf } from "../git/work.ts";
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
  const last = work.commits.at(-1) ?? "";
  // What its branch no longer had is not waited for on the main branch.
  const parts = before?.at === "branch" ? (before.notes ?? []).filter(({ code }) => code === "part-gone") : [];
  const isAwaited = (_: Seen, index: number) => parts.every(({ path }) => path !== work.files[index]?.path);
  let isUnsure = false;
  for (const tip of main) {
    const seen = await seenOnMain(looking, following, tip);
    const isHere = before?.at === "landed" ? wholeOf(seen.files) !== "gone" : isHeld(seen.files.filter(isAwaited));
    isUnsure ||= seen.files.every(({ status }) => status === "unknown");
    if (!isHere) continue;
    const isChanged = wholeOf(seen.files) === "changed";
    const later = isChanged ? await changedBy(repository, work, since, tip.id) : null;
    const notes = [...seen.notes, ...partNotes(work.files, seen.files), ...(later === null ? [] : [later])];
    const isRenamed = !wasLanded && seen.at.some(({ path }, index) => path !== work.files[index]?.path);
    const grown = isRenamed ? { grown: { ...work, files: seen.at } } : {};
    return {
      place: { at: "landed", branch: tip.name, since: since ?? tip.id, isChanged },
      notes,
      problem: null,
      ...grown,
    };
  }
  const held = wasLanded ? null : await holding(looking, work.files, tips, last);
  const at = wasLanded ? null : (held ?? (await goingOn(looking, work, tips)));
  if (at === null && isUnsure) return { place: null, notes: [], problem: null };
  if (at === null) {
    const [tip] = main;
    const by = since === null || tip === undefined ? null : await changedBy(repository, work, since, tip.id);
    const place = { at: "gone", branch: null, since, isChanged: false } as const;
    return { place, notes: [], problem: gone(last, by, wasLanded) };
  }
  // Where all is held, nothing has another name.
  const renamed = held === null ? await renamedAt(looking, work.files, last, at.id) : work.files;
  const seen = await looking.at(renamed, at.id);
  const isKept = wholeOf(seen) === "kept";
  const place = { at: "branch", branch: at.isDetached ? null : at.name, since: null, isChanged: !isKept } as const;
  const grown = isKept ? {} : { grown: { ...work, files: await grownAt(looking, work.files, renamed, at.id) } };
  return { place, notes: partNotes(work.files, seen), problem: null, ...grown };
}

interface SeenOnMain {
  readonly files: readonly Seen[];
  readonly notes: readonly Note[];
  /** The work under the names its files have there. */
  readonly at: readonly FileWork[];
}

/** What a tip of the main branch has of the work, and why files without it are no loss, or are one. */
async function seenOnMain(looking: Looking, { work, before, others }: Following, tip: Tip): Promise<SeenOnMain> {
  const since = before?.since ?? null;
  const at = await renamedAt(looking, work.files, since ?? work.commits.at(-1) ?? "", tip.id);
  const files = [...(await looking.at(at, tip.id))];
  const notes: Note[] = [];
  for (const [index, file] of work.files.entries()) {
    const seen = files[index];
    const isRenamed = at[index]?.path !== file.path && seen?.status !== "gone";
    const isBack = (each: ChangedPath) =>
      work.files.some(({ path, content }) => path === each.path && content.before === each.content.after);
    if (since !== null && isRenamed) {
      files[index] = { status: "changed", holds: true };
      notes.push(movedNote(file.path));
      continue;
    }
    if (seen === undefined || seen.status === "kept" || seen.status === "unknown") continue;
    const by = seen.holds ? null : await replacedBy(looking, file, others, tip.id);
    if (by !== null) {
      files[index] = { status: "changed", holds: true };
      notes.push({ code: "replaced", path: file.path, message: `${by} put other lines in its place in ${file.path}.` });
    } else if (since === null) {
      // What was never there cannot have been dropped.
    } else if (seen.status === "gone" && (await isMoved(looking.repository, file, { since, now: tip.id, isBack }))) {
      files[index] = { status: "changed", holds: true };
      notes.push(movedNote(file.path));
    } else if (seen.status === "changed" && (await isDropped(looking, file, since, tip.id))) {
      files[index] = { status: "gone", holds: false };
    }
  }
  return { files, notes, at };
}

const movedNote = (path: string): Note => ({
  code: "moved",
  path,
  message: `What was in ${path} is in another file now.`,
});

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
  const facts = await Promise.all(after.map((path) => factsOf(repository, `${now}:${path}`)));
  const unseen = after.filter((_, index) => facts[index] === null);
  if (unseen.length === 0) return files;
  const here = await entriesAt(repository, now, unseen);
  const away = new Set(unseen.filter((path) => !here.has(path)));
  if (away.size === 0 || (await factsOf(repository, from)) === null) return files;
  const names = new Map<string, string>();
  const take = ({ path, from: old, isText }: ChangedPath) => old !== undefined && isText && names.set(old, path);
  await eachChange(repository, from, now, (each) => void take(each), "told");
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

/** The files' work as a later commit of its branch has it; their names stay those of the work's commit. */
async function grownAt(
  { repository }: Looking,
  files: readonly FileWork[],
  renamed: readonly FileWork[],
  commit: string,
): Promise<readonly FileWork[]> {
  const grown: FileWork[] = [];
  for (const [index, file] of files.entries()) {
    const id = (await factsOf(repository, `${commit}:${renamed[index]?.path ?? file.path}`))?.id;
    const { path, content, mode } = file;
    if (id === undefined || isSide(file, id)) grown.push(file);
    else grown.push(await fileWorkOf(repository, { path, mode, content: { before: content.before, after: id } }));
  }
  return grown;
}

/** A branch that was built on the commit and has most of its work, or something in its place; null: none has. */
async function goingOn(looking: Looking, work: TakenWork, tips: readonly Tip[]): Promise<Tip | null> {
  const { files, commits } = work;
  const commit = commits.at(-1) ?? "";
  const format = ["--count=5", "--sort=-committerdate", "--format=%(objectname)", "refs/heads/", "refs/remotes/"];
  for (const id of await linesOf(looking.repository, ["for-each-ref", `--contains=${commit}`, ...format])) {
    const tip = tips.find((each) => each.id === id);
    if (tip === undefined) continue;
    const renamed = await renamedAt(looking, files, commit, id);
    if (hasMost(await looking.at(renamed, id))) return tip;
    const grown = await grownAt(looking, files, renamed, id);
    if (grown.some((file, index) => file !== files[index] && deltasIn(file.lines).some(([, b, a]) => a > b)))
      return tip;
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

/**
 * Which of some work a commit's tree has: asked of branches, of where branches were, of dependencies, and again later. Two
 * trees are looked at, no history. Rules: docs/protocol/verdicts.md.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { submoduleMode } from "../git/changes.ts";
import { isStillThere } from "../git/overlap.ts";
import { contentAt, entriesAt, giveUp, isAncestor, linesOf, textOf } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import { mainTipsOf, type Tip, tipsOf } from "../git/tips.ts";
import { type Counted, countedOf, isHeld, keyOf, type Seen, seenAs, statusOf } from "../git/work.ts";
import type { FileWork } from "../state.ts";

/** Most branches that are asked whether they hold work. */
const tipsMax = 200;

/** One look at a repository. */
export interface Looking {
  readonly repository: Repository;
  /** What a commit has of each of the files' work; the same list is compared with a commit once. */
  at(files: readonly FileWork[], commit: string): Promise<readonly Seen[]>;
  /** Where branches were when it was first asked. */
  tips(): Promise<readonly Tip[]>;
  /** Those of the team's main branch. */
  main(): Promise<readonly Tip[]>;
  /** Whether a commit is in the history of another, as of the main branch; quick for what branches have besides. */
  isIn(commit: string, other: string): Promise<boolean>;
  /** The merges between two commits, each with its parents; null: they are too many to be looked at for each file. */
  merges(since: string, now: string): Promise<readonly (readonly string[])[] | null>;
}

/** What contents have of work, by their ids, so that a later look reads only what moved; a start forgets it. */
const answers = new Map<string, Seen>();
const answersMax = 20_000;

/** `main`: the branch that the team names as its main one; null: it names none. */
export function lookingAt(repository: Repository, main: string | null = null): Looking {
  let last: { readonly id: string; readonly text: Counted | null } | null = null;
  let lane: Promise<unknown> = Promise.resolve();
  let tips: Promise<readonly Tip[]> | null = null;
  const tipsNow = () => (tips ??= tipsOf(repository));
  let mains: Promise<readonly Tip[]> | null = null;
  const merges = new Map<string, ReturnType<Looking["merges"]>>();
  const besides = new Map<string, Promise<ReadonlySet<string>>>();
  const looked = new WeakMap<readonly FileWork[], Map<string, Promise<readonly Seen[]>>>();
  const besidesOf = async (commit: string): Promise<ReadonlySet<string>> => {
    const input = `${(await tipsNow()).map(({ id }) => id).join("\n")}\n^${commit}\n`;
    return new Set(await linesOf(repository, ["rev-list", `--max-count=${besidesMax}`, "--stdin"], input));
  };
  const compared = async (file: FileWork, id: string): Promise<Seen> => {
    if (last?.id !== id) {
      await nextTurn();
      const text = await textOf(repository, id);
      last = { id, text: text === null ? null : await countedOf(text) };
    }
    const seen = statusOf(file, { id }, last.text);
    const isThere = seen.status === "gone" && (await isStillThere(repository, file, id));
    return isThere ? seenAs("changed", true) : seen;
  };
  const seenOf = async (file: FileWork, here: { readonly id: string } | null): Promise<Seen> => {
    if (here === null || file.lines === undefined || isSide(file, here.id)) return statusOf(file, here, null);
    const { before, after } = file.content;
    const key = `${before} ${after} ${here.id} ${keyOf(`${file.lines}/${file.words}`)}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    // One text after the other: each is taken apart at once.
    const turn = lane.then(() => compared(file, here.id));
    lane = turn.catch(() => undefined);
    const seen = await turn;
    if (answers.size >= answersMax) answers.clear();
    answers.set(key, seen);
    return seen;
  };
  const lookAt = async (files: readonly FileWork[], commit: string): Promise<readonly Seen[]> => {
    const contents = await contentsAt(repository, files, commit);
    return await Promise.all(files.map((file, index) => seenOf(file, contents[index] ?? null)));
  };
  return {
    repository,
    at: (files, commit) => {
      const known = looked.get(files) ?? new Map<string, Promise<readonly Seen[]>>();
      looked.set(files, known);
      const seen = known.get(commit) ?? lookAt(files, commit);
      known.set(commit, seen);
      return seen;
    },
    tips: tipsNow,
    main: () => (mains ??= tipsNow().then((all) => mainTipsOf(repository, all, main))),
    isIn: async (commit, other) => {
      const known = besides.get(other) ?? besidesOf(other);
      besides.set(other, known);
      return !(await known).has(commit) && (await isAncestor(repository, commit, other));
    },
    merges: (since, now) => {
      const known = merges.get(`${since} ${now}`) ?? mergesBetween(repository, since, now);
      merges.set(`${since} ${now}`, known);
      return known;
    },
  };
}

/** Most commits of branches that are known not to be in another's history. */
const besidesMax = 50_000;
/** Most merges of which each is looked at for each file. */
const mergesMax = 50;

/** Merges from `since` to `now`, each with its parents: the last that concern `path`, or all; null: all are too many. */
export async function mergesBetween(
  repository: Repository,
  since: string,
  now: string,
  path?: string,
): Promise<readonly (readonly string[])[] | null> {
  const words = ["--merges", "--parents", "--full-history", `--max-count=${mergesMax + 1}`, now, `^${since}`];
  const lines = await linesOf(repository, ["rev-list", ...words, "--", ...(path === undefined ? [] : [path])]);
  return lines.length > mergesMax && path === undefined ? null : lines.map((line) => line.split(" "));
}

/** Whether only its tree entry tells what became of a file: its mode changed alone, or it is a submodule's pointer. */
function isOdd({ content, mode }: FileWork): boolean {
  return content.before === content.after || mode.before === submoduleMode || mode.after === submoduleMode;
}

/** Whether a content is what the file was before or after the work. */
export function isSide({ content }: FileWork, id: string): boolean {
  return content.before === id || content.after === id;
}

/** What lies at the files' paths; ends the look where the tree has a file that is not here, as in a partial clone. */
async function contentsAt(
  repository: Repository,
  files: readonly FileWork[],
  commit: string,
): Promise<readonly ({ readonly id: string; readonly mode?: string } | null)[]> {
  const found = await Promise.all(
    files.map(async (file) => (isOdd(file) ? null : await contentAt(repository, commit, file.path))),
  );
  const paths = files.flatMap(({ path }, index) => (found[index] === null ? [path] : []));
  const listed = paths.length === 0 ? new Map<string, never>() : await entriesAt(repository, commit, paths);
  return files.map((file, index) => {
    const known = found[index] ?? null;
    const entry = listed.get(file.path);
    if (known !== null || entry === undefined) return known;
    if (isOdd(file)) return entry;
    return entry.mode === submoduleMode ? null : giveUp(notHere(file, entry.id));
  });
}

function notHere({ path }: FileWork, id: string): Problem {
  return makeProblem("repository-unreadable", path, "The tree has this file, and its content is not in this clone.", {
    received: id,
    hint: "Fetch it (git fetch), or verify in a clone that has all contents.",
  });
}

/** The command that brings work: by its branch, or its commit where no branch has it or a shell would read the name. */
export function mergeLine(branch: string | null, commit: string): string {
  const isPlain = branch !== null && /^[\w@+][\w./@+-]*$/.test(branch);
  return `git merge ${isPlain ? branch : commit.slice(0, 12)}`;
}

/** The first tip that holds the work, of those that count: the commit's own, then the newest; null: none does. */
export async function holding(
  looking: Looking,
  files: readonly FileWork[],
  tips: readonly Tip[],
  commit: string,
  counts: (tip: Tip) => Promise<boolean> = async () => true,
): Promise<Tip | null> {
  for (const tip of [...tips.filter(({ id }) => id === commit), ...tips.slice(0, tipsMax)])
    if (isHeld(await looking.at(files, tip.id)) && (await counts(tip))) return tip;
  return null;
}

/** Tips that were built on the commit; of many the newest. */
export async function tipsOn({ repository }: Looking, commit: string, tips: readonly Tip[]): Promise<readonly Tip[]> {
  const format = ["--count=20", "--sort=-committerdate", "--format=%(objectname)", "refs/heads/", "refs/remotes/"];
  const ids = await linesOf(repository, ["for-each-ref", `--contains=${commit}`, ...format]);
  return ids.flatMap((id) => tips.find((tip) => tip.id === id) ?? []);
}

/** The tips that hold the work of the files together, where none does alone; empty: some of it is on none. */
export async function holdingApart(
  looking: Looking,
  files: readonly FileWork[],
  tips: readonly Tip[],
): Promise<readonly Tip[]> {
  const left = new Set(files.length < 2 ? [] : files.keys());
  const parts: Tip[] = [];
  for (const tip of left.size === 0 ? [] : tips.slice(0, tipsMax)) {
    const seen = await looking.at(files, tip.id);
    const held = [...left].filter((index) => seen[index]?.holds === true);
    if (held.length > 0) parts.push(tip);
    for (const index of held) left.delete(index);
    if (left.size === 0) return parts;
  }
  return [];
}

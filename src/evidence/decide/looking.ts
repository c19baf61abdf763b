/**
 * Which of some work a commit's tree has: asked of branches, of where branches were, of dependencies, and again later. Two
 * trees are looked at, no history. Rules: docs/protocol/verdicts.md.
 */
import { nextTurn } from "../../base/clock.ts";
import { makeProblem } from "../../base/problem.ts";
import { submoduleMode } from "../git/changes.ts";
import { entriesAt, factsOf, giveUp, textOf } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import type { Tip } from "../git/tips.ts";
import { type Counted, countedOf, isHeld, type Seen, standingOf } from "../git/work.ts";
import type { FileWork } from "../state.ts";

/** Most branches that are asked whether they hold work. */
const tipsMax = 200;

/** One look at a repository: what was found is kept as long, and of texts the last one. */
export interface Looking {
  readonly repository: Repository;
  /** What a commit has of each of the files' work. */
  at(files: readonly FileWork[], commit: string): Promise<readonly Seen[]>;
}

export function lookingAt(repository: Repository): Looking {
  const answers = new Map<string, Seen>();
  let last: { readonly id: string; readonly text: Counted | null } | null = null;
  let lane: Promise<unknown> = Promise.resolve();
  const compared = async (file: FileWork, id: string): Promise<Seen> => {
    if (last?.id !== id) {
      await nextTurn();
      const text = await textOf(repository, id);
      last = { id, text: text === null ? null : await countedOf(text) };
    }
    return standingOf(file, { id }, last.text);
  };
  const seenOf = async (file: FileWork, commit: string, listed: Listed | null): Promise<Seen> => {
    const here = listed === null ? await contentAt(repository, file, commit) : (listed.get(file.path) ?? null);
    if (here === null || file.lines === undefined || isSide(file, here.id)) return standingOf(file, here, null);
    const key = `${file.path}\0${file.content.before} ${file.content.after}\0${here.id}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    // One text after the other: each is taken apart at once.
    const turn = lane.then(() => compared(file, here.id));
    lane = turn.catch(() => undefined);
    const seen = await turn;
    answers.set(key, seen);
    return seen;
  };
  return {
    repository,
    at: async (files, commit) => {
      const odd = files.filter(isOdd);
      const paths = odd.map(({ path }) => path);
      const listed = odd.length > 0 ? await entriesAt(repository, commit, paths) : null;
      return await Promise.all(files.map((file) => seenOf(file, commit, odd.includes(file) ? listed : null)));
    },
  };
}

type Listed = Awaited<ReturnType<typeof entriesAt>>;

/** Whether only its tree entry tells what became of a file: its mode changed alone, or it is a submodule's pointer. */
function isOdd({ content, mode }: FileWork): boolean {
  return content.before === content.after || mode.before === submoduleMode || mode.after === submoduleMode;
}

/** Whether a content is what the file was before or after the work. */
export function isSide({ content }: FileWork, id: string): boolean {
  return content.before === id || content.after === id;
}

/** The content at a path; ends the look where the tree has one that is not here, as in a partial clone. */
async function contentAt(
  repository: Repository,
  { path }: FileWork,
  commit: string,
): Promise<{ readonly id: string } | null> {
  const found = await factsOf(repository, `${commit}:${path}`);
  if (found !== null) return found;
  const entry = (await entriesAt(repository, commit, [path])).get(path);
  if (entry === undefined || entry.mode === submoduleMode) return null;
  return giveUp(
    makeProblem("repository-unreadable", path, "The tree has this file, and its content is not in this clone.", {
      received: entry.id,
      hint: "Fetch it (git fetch), or verify in a clone that has all contents.",
    }),
  );
}

/** The first tip that holds the work: the commit's own, then the newest; null: none does. */
export async function holding(
  looking: Looking,
  files: readonly FileWork[],
  tips: readonly Tip[],
  commit: string,
): Promise<Tip | null> {
  for (const tip of [...tips.filter(({ id }) => id === commit), ...tips.slice(0, tipsMax)])
    if (isHeld(await looking.at(files, tip.id))) return tip;
  return null;
}

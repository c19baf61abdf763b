/**
 * Whether reported work is older than the task that it is reported for: a branch held the commits when the task was recorded
 * (dates do not count), or the files are as one had them then. Rules: docs/protocol/verdicts.md.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Note } from "../../messages/message.ts";
import { type Commit, commitsFor, commitsWith, hiddenHistory } from "../git/commits.ts";
import { ask, factsOf, linesOf } from "../git/questions.ts";
import { cutOffCommits, type Repository } from "../git/repository.ts";
import type { ReadTips } from "../git/tips.ts";
import type { FileWork } from "../state.ts";
import { type Looking, tipsOn } from "./looking.ts";

/** Where the branches were when the task was recorded; null: nobody knows. */
export interface KnownBranches {
  /** `gone`: commits that branches held at an earlier look, and no longer when the task was recorded. */
  readonly recorded: (ReadTips & { readonly gone?: readonly string[] }) | null;
  /** A lead says that the work was finished before the task was recorded. */
  readonly isFinishedBefore: boolean;
}

/** Most recorded commits whose trees are looked at: of those that the work builds on, and of others. */
const groundMax = 20;
const besideMax = 100;

/** The commits of a report, and what their age says. */
export interface Age {
  /**
   * Those that are new, and those below them that name the task or are work of it that came back, whoever reports them: each
   * behind those that it descends from.
   */
  readonly young: readonly Commit[];
  readonly old: readonly Commit[];
  /** Recorded commits that are here, and those of the commits of then that the work builds on; null: no age is judged. */
  readonly recorded: readonly string[] | null;
  readonly ground: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** What of a report says how old its work may be. */
interface Aged {
  readonly task?: string;
  readonly branches?: KnownBranches;
  /** Commits that were reported before the task was reopened; absent: it was not. */
  readonly reopened?: readonly string[];
  /** Commits of its work that did not land, as full ids; absent: all landed. */
  readonly returned?: readonly string[];
}

/** Judges the age of the commits (full ids) themselves. An old one beside a new one is only noted: it gains nothing. */
export async function ageOf(
  looking: Looking,
  named: readonly string[],
  { task, branches, reopened = [], returned = [] }: Aged,
): Promise<Age> {
  const { repository } = looking;
  const known = branches?.isFinishedBefore === true ? null : (branches?.recorded ?? null);
  const here = await Promise.all([...(known?.ids ?? []), ...(known?.gone ?? [])].map((id) => factsOf(repository, id)));
  const recorded = [...new Set(here.flatMap((each) => (each === null ? [] : [each.id])))];
  const hidden = recorded.length > 0 && cutOffCommits(repository).size > 0 ? await hiddenHistory(repository) : null;
  if (recorded.length === 0 || hidden !== null) {
    const notes =
      branches === undefined || known !== null ? [] : [branches.isFinishedBefore ? finishedNote : unknownNote];
    const young = await oldestFirst(repository, named);
    const problems = hidden === null ? [] : [hidden];
    return { young, old: [], recorded: known === null ? null : recorded, ground: new Set(), problems, notes };
  }
  const since = await sinceThen(repository, named, recorded);
  const old = await commitsWith(
    repository,
    named.filter((id) => !since.ids.has(id)),
  );
  // A message may not name the task where no hook of git runs, as in the shell of an agent program.
  const isMeant = ({ id, tasks }: Commit): boolean =>
    (task !== undefined && tasks.includes(task)) || returned.includes(id);
  // What a task did before it was reopened has the same trailer, and was reported then.
  const isPast = async ({ id }: Commit): Promise<boolean> => {
    if (reopened.length === 0 && returned.length === 0) return false;
    for (const tip of await looking.main()) if (await looking.isIn(id, tip.id)) return true;
    return false;
  };
  const listed: Commit[] = [];
  for (const each of since.listed)
    if (named.includes(each.id) || (isMeant(each) && !(await isPast(each)))) listed.push(each);
  const beyond = named.filter((id) => since.ids.has(id) && !listed.some((each) => each.id === id));
  const young = [...(await oldestFirst(repository, beyond)), ...listed.toReversed()];
  const problems: Problem[] = [];
  // The person may have written the main branch anew since.
  const mains = async () => (await looking.main()).map(({ id }) => id);
  for (const id of named.filter((each) => since.ids.has(each)))
    if (known?.isCut === true) problems.push(tooManyBranches(id));
    else if (since.mayBeApart && !(await isRelated(looking, id, [...recorded, ...(await mains())])))
      problems.push(unrelated(id));
  const older = old.map(({ id }) => beforeTask(id, heldThen));
  const ground = since.ends;
  if (old.length === named.length) return { young: [], old, recorded, ground, problems: older, notes: [] };
  const notes = older.map(({ code, path, message }) => ({ code, path, message }));
  return { young, old, recorded, ground, problems, notes };
}

/** Each behind those that it descends from; dates do not count. */
async function oldestFirst(repository: Repository, ids: readonly string[]): Promise<readonly Commit[]> {
  const commits = await commitsWith(repository, ids);
  if (commits.length < 2) return commits;
  const left = new Map(commits.map((each) => [each.id, each]));
  const sorted: Commit[] = [];
  await eachLine(repository, ["--topo-order", "--stdin"], `${ids.join("\n")}\n`, (id) => {
    const commit = left.get(id);
    if (commit !== undefined && left.delete(id)) sorted.unshift(commit);
  });
  return sorted;
}

/** Most commits whose messages are read. */
const listedMax = 500;

/** What is in the histories of commits and in none of `then`. */
interface Since {
  /** The last of them, each before those that it descends from. */
  readonly listed: readonly Commit[];
  readonly ids: ReadonlySet<string>;
  /** Commits of then on which they build. */
  readonly ends: ReadonlySet<string>;
  /** One of the commits may have nothing in common with then. */
  readonly mayBeApart: boolean;
}

async function sinceThen(repository: Repository, named: readonly string[], then: readonly string[]): Promise<Since> {
  const input = `${named.join("\n")}\n^${then.join("\n^")}\n`;
  const listed = await commitsFor(repository, ["--topo-order", `--max-count=${listedMax + 1}`, "--stdin"], input);
  const ids = new Set(listed.map(({ id }) => id));
  const parents = listed.flatMap((each) => each.parents);
  if (listed.length <= listedMax) {
    const ends = new Set(parents.filter((id) => !ids.has(id)));
    return { listed, ids, ends, mayBeApart: listed.some((each) => each.parents.length === 0) };
  }
  const ends = new Set<string>();
  await eachLine(repository, ["--boundary", "--stdin"], input, (line) => {
    if (line.startsWith("-")) ends.add(line.slice(1));
    else if (named.includes(line)) ids.add(line);
  });
  return { listed, ids, ends, mayBeApart: named.length > 1 || ends.size === 0 };
}

/** Gives each line of git's list of commits as it comes: histories may be long. */
async function eachLine(
  repository: Repository,
  words: readonly string[],
  input: string,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  const each = (piece: Buffer): void => {
    const lines = (rest + piece.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  };
  await ask(repository, ["rev-list", ...words], { input, each });
}

/** Whether the commit has history in common with one of the others, or came to a branch that has by a merge. */
async function isRelated(looking: Looking, id: string, others: readonly string[]): Promise<boolean> {
  const isAkin = async (one: string) =>
    (await ask(looking.repository, ["merge-base", one, ...others], { answers: [0, 1] })).code === 0;
  if (await isAkin(id)) return true;
  for (const tip of await tipsOn(looking, id, await looking.tips())) if (await isAkin(tip.id)) return true;
  return false;
}

/**
 * What is said where the files are as a recorded commit had them: a commit that the work builds on, or one that no branch
 * holds any more and that changed them itself, which is older work written again. Where one holds it still, it is noted.
 */
export async function earlierOf(
  looking: Looking,
  files: readonly FileWork[],
  { recorded, ground }: Age,
  commit: string,
): Promise<{ readonly problem: Problem | null; readonly note: Note | null }> {
  const old = new Map<string, Problem>();
  let beside: string | null = null;
  const others = (recorded ?? []).filter((id) => !ground.has(id)).slice(-besideMax);
  for (const id of recorded === null ? [] : [...[...ground].slice(0, groundMax), ...others]) {
    const seen = await looking.at(files, id);
    const kept = files.filter((_, index) => seen[index]?.status === "kept");
    // What lies behind the ground does not count: to go back to it is work.
    if (kept.length === 0 || (!ground.has(id) && !(await changedThemselves(looking, kept, id, commit)))) continue;
    const isHeld = !ground.has(id) && (await tipsOn(looking, id, await looking.tips())).length > 0;
    if (!isHeld)
      for (const { path } of kept)
        old.set(path, beforeTask(path, `It was so in ${id.slice(0, 12)} before the task was recorded.`));
    else if (kept.length === files.length) beside = id;
  }
  const [first] = old.values();
  if (first !== undefined && old.size === files.length) return { problem: first, note: null };
  return { problem: null, note: beside === null ? null : elsewhereNote(beside) };
}

/** Whether a line of history beside the work has the files so by its own doing, and not since before it left the work's. */
async function changedThemselves(
  looking: Looking,
  kept: readonly FileWork[],
  id: string,
  commit: string,
): Promise<boolean> {
  const [base] = await linesOf(looking.repository, ["merge-base", id, commit]);
  return base === undefined || (await looking.at(kept, base)).some(({ status }) => status !== "kept");
}

const finishedNote: Note = {
  code: "finished-before",
  path: "$",
  message: "The work was finished before the task was recorded, as the lead says who reported it.",
};

const unknownNote: Note = {
  code: "branches-unknown",
  path: "$",
  message: "Nobody recorded where the branches were when the task was recorded, so its commit may be older than it.",
};

const heldThen = "A branch held this commit before the task was recorded.";

/** A commit that was reported before a lead had the work done again. */
export function beforeReopening(commit: string): Problem {
  return beforeTask(commit, "This commit was reported before the task was reopened, and its work is to be done again.");
}

/** A commit with a part of the work that was gone when a lead reopened the task. */
export function partOfLost(commit: string): Problem {
  const message = "This is a part of the work that was gone before the task was reopened, and the rest is not there.";
  return beforeTask(
    commit,
    message,
    "Bring back all of it, or do it anew. If the part is enough, a lead settles it: `baton task settle TASK verified`.",
  );
}

function beforeTask(path: string, message: string, hint = newWork): Problem {
  return makeProblem("commit-before-task", path, message, {
    expected: "work that was done for the task",
    received: path,
    hint,
  });
}

const newWork =
  "Report the commit that does the work. Where it was done before, a lead reports it: `baton task complete TASK --commit HASH --finished-before`.";

function elsewhereNote(commit: string): Note {
  const message = `Another branch had the same in ${commit.slice(0, 12)} before the task was recorded.`;
  return { code: "same-on-another-branch", path: commit, message };
}

function unrelated(commit: string): Problem {
  return makeProblem(
    "unrelated-history",
    commit,
    "This commit shares no history with any branch, so it cannot be merged.",
    {
      received: commit,
      hint: "Do the work on a branch of the repository, and report that commit.",
    },
  );
}

/** Work of which more branches than are recorded may speak. */
function tooManyBranches(commit: string): Problem {
  const message = "There were more branches than are recorded when the task was, so its age is open.";
  return makeProblem("too-large", commit, message, {
    hint: "Remove branches that nobody needs; then add the task under another id.",
  });
}

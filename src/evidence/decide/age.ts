/**
 * Whether reported work is older than the task that it is reported for: a branch held the commits when the task was recorded
 * (dates do not count), or the files are as one had them then. Rules: docs/protocol/verdicts.md.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Note } from "../../messages/message.ts";
import { type Commit, hiddenHistory } from "../git/commits.ts";
import { ask, factsOf, linesOf } from "../git/questions.ts";
import { cutOffCommits, type Repository } from "../git/repository.ts";
import type { ReadTips } from "../git/tips.ts";
import type { FileWork } from "../state.ts";
import type { Looking } from "./looking.ts";

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

/** What the age of the commits says. */
export interface Age {
  /** Those that are new, in their order. */
  readonly young: readonly Commit[];
  /** Recorded commits that are here, and those of the commits of then that the work builds on; null: no age is judged. */
  readonly recorded: readonly string[] | null;
  readonly ground: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Judges the age of the commits themselves. An old one beside a new one is only noted: it gains nothing. */
export async function ageOf(
  repository: Repository,
  commits: readonly Commit[],
  branches: KnownBranches | undefined,
): Promise<Age> {
  const none = { young: commits, recorded: null, ground: new Set<string>(), problems: [], notes: [] };
  if (branches === undefined) return none;
  if (branches.isFinishedBefore) return { ...none, notes: [finishedNote] };
  if (branches.recorded === null) return { ...none, notes: [unknownNote] };
  const { ids, gone = [], isCut } = branches.recorded;
  const recorded: string[] = [];
  for (const id of new Set([...ids, ...gone])) if ((await factsOf(repository, id)) !== null) recorded.push(id);
  if (recorded.length === 0) return { ...none, recorded };
  const hidden = cutOffCommits(repository).size === 0 ? null : await hiddenHistory(repository);
  if (hidden !== null) return { ...none, recorded, problems: [hidden] };
  const [ground, problems, young] = [new Set<string>(), [] as Problem[], [] as Commit[]];
  for (const commit of commits) {
    const since = await sinceThen(repository, commit.id, recorded);
    for (const id of since.ends) ground.add(id);
    if (!since.isNew) continue;
    young.push(commit);
    if (isCut) problems.push(tooManyBranches(commit.id));
    else if (since.ends.length === 0) problems.push(unrelated(commit.id));
  }
  const old = commits.filter((commit) => !young.includes(commit)).map(({ id }) => beforeTask(id, heldThen));
  if (young.length === 0) return { young, recorded, ground, problems: old, notes: [] };
  const notes = old.map(({ code, path, message }) => ({ code, path, message }));
  return { young, recorded, ground, problems, notes };
}

/** Whether a commit is in none of the histories of `then`, and where its own history meets them. */
async function sinceThen(
  repository: Repository,
  id: string,
  then: readonly string[],
): Promise<{ readonly isNew: boolean; readonly ends: readonly string[] }> {
  const ends: string[] = [];
  let [isNew, rest] = [false, ""];
  await ask(repository, ["rev-list", "--boundary", "--stdin"], {
    input: `${id}\n^${then.join("\n^")}\n`,
    each: (piece) => {
      const lines = (rest + piece.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines)
        if (line.startsWith("-")) ends.push(line.slice(1));
        else isNew = true;
    },
  });
  return { isNew, ends };
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
    const kept = files.filter((_, index) => seen[index]?.standing === "kept");
    // What lies behind the ground does not count: to go back to it is work.
    if (kept.length === 0 || (!ground.has(id) && !(await changedThemselves(looking, kept, id, commit)))) continue;
    const isHeld = !ground.has(id) && (await isOnBranch(looking.repository, id));
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
  return base === undefined || (await looking.at(kept, base)).some(({ standing }) => standing !== "kept");
}

/** Whether a branch holds the commit. */
async function isOnBranch(repository: Repository, id: string): Promise<boolean> {
  const words = [
    "for-each-ref",
    "--count=1",
    `--contains=${id}`,
    "--format=%(refname)",
    "refs/heads/",
    "refs/remotes/",
  ];
  return (await linesOf(repository, words)).length > 0;
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

function beforeTask(path: string, message: string): Problem {
  return makeProblem("commit-before-task", path, message, {
    expected: "work that was done for the task",
    received: path,
    hint: "Report the commit that does the work. Where it was done before, a lead reports it: `baton task complete TASK --commit HASH --finished-before`.",
  });
}

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

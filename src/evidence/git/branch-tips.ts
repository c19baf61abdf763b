/**
 * The commits that branches point to, local and remote-tracking ones: a commit that was pushed and fetched is on a branch.
 * Tags, stashes and detached heads are none.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Git, gitAt } from "./git.ts";
import type { RepositoryOptions } from "./repository.ts";

/** Branches as they are. */
export interface ReadTips {
  /** Full ids, each once. */
  readonly ids: readonly string[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

/** Most commits of branches that are recorded with a task. */
export const recordedTipsMax = 10_000;
/** How long recording a task waits for git, in milliseconds. */
const readMsMax = 10_000;

/** The tips of all branches of a repository, at most `most` of them. Refuses what `Git.run` refuses. */
export async function branchTips(
  { git }: { readonly git: Git },
  most = Number.POSITIVE_INFINITY,
): Promise<Result<ReadTips, Problem>> {
  const words = ["for-each-ref", "--format=%(objecttype) %(objectname)", "refs/heads/", "refs/remotes/"];
  const answer = await git.run(words);
  if (!answer.ok) return answer;
  const ids = new Set<string>();
  for (const line of answer.value.output.toString("latin1").split("\n")) {
    const [kind, id = ""] = line.split(" ");
    if (kind !== "commit" || ids.has(id)) continue;
    if (ids.size >= most) return ok({ ids: [...ids], isCut: true });
    ids.add(id);
  }
  return ok({ ids: [...ids], isCut: false });
}

/**
 * Reads the tips of the repository around `directory` to record them with a task, in one call of git. Null: there is no
 * repository, or git gave no answer in time.
 */
export async function readTips(directory: string, options: RepositoryOptions): Promise<ReadTips | null> {
  const tips = await branchTips({ git: gitAt({ msMax: readMsMax, ...options, directory }) }, recordedTipsMax);
  return tips.ok ? tips.value : null;
}

/**
 * `readTips` for many who ask at once, as at a hub that is given a whole plan: those who ask while a reading is under way
 * share the next one, which begins after each of them asked.
 */
export function sharedTips(directory: string, options: RepositoryOptions): () => Promise<ReadTips | null> {
  let running: Promise<ReadTips | null> | null = null;
  let next: Promise<ReadTips | null> | null = null;
  const start = (): Promise<ReadTips | null> => {
    next = null;
    const reading = readTips(directory, options).finally(() => {
      running = null;
    });
    running = reading;
    return reading;
  };
  return () => {
    if (next !== null) return next;
    if (running === null) return start();
    next = running.then(start, start);
    return next;
  };
}

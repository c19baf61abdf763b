/**
 * What judging work asks of a repository. A question that git does not answer ends the look that asks it: `look` answers
 * with the problem, so that nothing is concluded from silence.
 */
import { nextTurn } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileWork } from "../state.ts";
import type { GitAnswer, GitCall, ObjectFacts } from "./git.ts";
import type { Repository } from "./repository.ts";
import { isNone, sketchOf } from "./work.ts";

/** Largest content that is looked into, in bytes. */
const contentBytesMax = 1_048_576;
/** Most paths that git is asked for in one call. */
const pathsTogether = 500;

/** Why a look has no result. */
class Unanswered extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** What `act` finds; where a question of it has no answer, the problem. */
export async function look<Found>(act: () => Promise<Found>): Promise<Result<Found, Problem>> {
  try {
    return ok(await act());
  } catch (cause) {
    if (cause instanceof Unanswered) return err(cause.problem);
    throw cause;
  }
}

/** Ends the look. */
export function giveUp(problem: Problem): never {
  throw new Unanswered(problem);
}

/** What an answer holds; a problem ends the look. */
export function answerOf<Value>(asked: Result<Value, Problem>): Value {
  return asked.ok ? asked.value : giveUp(asked.error);
}

/** One call of git. */
export async function ask({ git }: Repository, words: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
  return answerOf(await git.run(words, call));
}

/** The lines of git's answer; none where it says that there is nothing. */
export async function linesOf(
  repository: Repository,
  words: readonly string[],
  input?: string,
): Promise<readonly string[]> {
  const call = input === undefined ? {} : { input };
  const { code, output } = await ask(repository, words, { answers: [0, 1, 128], ...call });
  return code === 0
    ? output
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** What a name stands for; null: nothing that is here. */
export async function factsOf({ objects }: Repository, name: string): Promise<ObjectFacts | null> {
  return answerOf(await objects.facts(name));
}

/** What a file of a commit's tree holds; null: no file of this name is there, or its content is not here. */
export async function contentAt(repository: Repository, commit: string, path: string): Promise<ObjectFacts | null> {
  const found = await factsOf(repository, `${commit}:${path}`);
  return found?.kind === "blob" ? found : null;
}

/** The bytes of a content; null: it is not here, or is larger than `bytesMax`. */
export async function bytesOf({ objects }: Repository, id: string, bytesMax: number): Promise<Buffer | null> {
  const found = await objects.read(id, bytesMax);
  if (!found.ok && found.error.code === "too-large") return null;
  return answerOf(found);
}

/** The text of a content, of none the empty one; null: it is no text, or too large. */
export async function textOf(repository: Repository, id: string): Promise<string | null> {
  if (isNone(id)) return "";
  const bytes = await bytesOf(repository, id, contentBytesMax);
  return bytes === null || bytes.subarray(0, 8_000).includes(0) ? null : bytes.toString("utf8");
}

/** Mode and id of what lies at the paths of a commit's tree; of folders none. */
export async function entriesAt(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, { readonly mode: string; readonly id: string }>> {
  const entries = new Map<string, { readonly mode: string; readonly id: string }>();
  for (let at = 0; at < paths.length; at += pathsTogether) {
    const words = ["ls-tree", "-z", "--full-tree", commit, "--", ...paths.slice(at, at + pathsTogether)];
    for (const line of (await ask(repository, words)).output.toString("utf8").split("\0")) {
      const [head = "", path] = line.split("\t");
      const [mode = "", kind, id = ""] = head.split(" ");
      if (path !== undefined && kind !== "tree") entries.set(path, { mode, id });
    }
  }
  return entries;
}

/** Whether one commit is the other or lies in its history. */
export async function isAncestor(repository: Repository, old: string, young: string): Promise<boolean> {
  const { code } = await ask(repository, ["merge-base", "--is-ancestor", old, young], { answers: [0, 1, 128] });
  return code === 0;
}

/**
 * How the line of a branch's own commits came to have a commit in its history: what it had before, and the side that brought
 * it. Null: the commit lies on that line itself.
 */
export async function arrivalOf(
  repository: Repository,
  commit: string,
  tip: string,
): Promise<{ readonly before: string; readonly by: string } | null> {
  const later = new Set([commit, ...(await linesOf(repository, ["rev-list", "--ancestry-path", tip, `^${commit}`]))]);
  const line = await linesOf(repository, ["rev-list", "--first-parent", "--parents", tip, `^${commit}`]);
  const [, before = "", ...sides] = line.map((each) => each.split(" ")).findLast(([id = ""]) => later.has(id)) ?? [];
  const by = later.has(before) ? undefined : sides.find((id) => later.has(id));
  return by === undefined ? null : { before, by };
}

/** What was done to one file. `most`: lines that are kept of it. */
export async function fileWorkOf(
  repository: Repository,
  change: Pick<FileWork, "path" | "mode" | "content">,
  most?: number,
): Promise<FileWork> {
  await nextTurn();
  const { path, mode, content } = change;
  const sides = [mode.before, mode.after];
  const isFile = sides.every((each) => isNone(each) || each.startsWith("100"));
  const isRead = isFile && content.before !== content.after;
  const before = isRead ? await textOf(repository, content.before) : null;
  const after = before === null ? null : await textOf(repository, content.after);
  const sketch = before === null || after === null ? {} : await sketchOf(before, after, most);
  return { path, mode, content, ...sketch };
}

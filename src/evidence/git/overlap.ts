/**
 * What an agent's tree changes, committed or not, and whether two trees change the same lines of a file. Git only lists and
 * merges texts here: no filter and no merge program of its configuration runs, and links are not followed.
 * Rules: docs/protocol/verdicts.md, section 6.
 */
import { lstatSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { readPlainFile } from "../../base/plain-file.ts";
import type { FileWork } from "../state.ts";
import { gitAt } from "./git.ts";
import type { OwnTree } from "./own-tree.ts";
import { answerOf, linesOf, textOf } from "./questions.ts";
import type { Repository, RepositoryOptions } from "./repository.ts";
import { deltasIn } from "./work.ts";

/** Most names that one tree may change, and the largest file that is compared. */
const namesMax = 10_000;
const textBytesMax = 1024 * 1024;
const gitMsMax = 20_000;

/**
 * Paths that the tree has otherwise than the commit where it left what has landed: committed, staged, changed or new. Some
 * may be unchanged. Empty also where they are too many to be compared.
 */
export async function namesChanged(
  repository: Repository,
  { directory, from, to }: Pick<OwnTree, "directory" | "from" | "to">,
  options: RepositoryOptions,
): Promise<readonly string[]> {
  const [fork] = await linesOf(repository, ["merge-base", from, to]);
  if (fork === undefined) return [];
  const there = gitAt({ ...options, directory, own: { GIT_WORK_TREE: directory }, msMax: gitMsMax });
  const changed = ["diff-index", "-z", "--name-only", "--no-renames", "--ignore-submodules=all", fork, "--"];
  const listed = answerOf(await there.run(changed)).output;
  const fresh = answerOf(await there.run(["ls-files", "-z", "--others", "--exclude-standard"])).output;
  const names = Buffer.concat([listed, fresh]).toString("utf8").split("\0");
  const found = [...new Set(names.filter((name) => name !== ""))];
  return found.length > namesMax ? [] : found;
}

/** What two trees do to one file; null: not both change it. `line` null: git can merge them, or nobody can say. */
export interface Overlap {
  readonly line: number | null;
}

export async function overlapIn(
  repository: Repository,
  file: string,
  [one, other]: readonly [OwnTree, OwnTree],
): Promise<Overlap | null> {
  const [fork] = await linesOf(repository, ["merge-base", one.from, other.from]);
  if (fork === undefined) return null;
  const before = await textAt(repository, fork, file);
  const [ours, theirs] = [textIn(one.directory, file), textIn(other.directory, file)];
  if (ours === before || theirs === before || (ours !== null && ours === theirs)) return null;
  if ((await isLanded(repository, file, one, ours)) || (await isLanded(repository, file, other, theirs))) return null;
  if (typeof ours !== "string" || typeof theirs !== "string" || before === null) return { line: null };
  return { line: await conflictLine(repository, [ours, before ?? "", theirs]) };
}

/** Whether a tree has a file as what has landed has it, or had it where the tree left that: its agent does not change it. */
async function isLanded(
  repository: Repository,
  file: string,
  { from, to }: OwnTree,
  text: string | null | undefined,
): Promise<boolean> {
  if (text === null) return false;
  const forks = await linesOf(repository, ["merge-base", from, to]);
  for (const commit of [...forks, to]) if ((await textAt(repository, commit, file)) === text) return true;
  return false;
}

/** The text of a commit's file; undefined: it is not there. Null: it is no text. */
async function textAt(repository: Repository, commit: string, file: string): Promise<string | null | undefined> {
  const entry = answerOf(await repository.objects.facts(`${commit}:${file}`));
  return entry === null ? undefined : await textOf(repository, entry.id);
}

/** The text of a tree's file; undefined: it is not there. Null: it is no text, too large, or lies behind a link. */
function textIn(directory: string, file: string): string | null | undefined {
  const path = join(directory, file);
  try {
    const folder = dirname(path);
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return undefined;
    const [root, real] = [realpathSync(directory), realpathSync(folder)];
    if (real !== root && !real.startsWith(root + sep)) return null;
  } catch {
    // It went away meanwhile, or a file stands in place of its folder.
    return undefined;
  }
  const read = readPlainFile(path, textBytesMax);
  if (!read.ok) return null;
  const text = read.value?.text;
  return text?.includes("\0") === true ? null : text;
}

/** Longer than marks in any text that somebody wrote. */
const markSize = 47;

/** The line of the merge at which the first conflict begins; null: there is none, or git does not say. */
async function conflictLine(repository: Repository, texts: Texts): Promise<number | null> {
  const merged = await mergedText(repository, texts);
  if (merged?.isClean !== false) return null;
  return merged.text.split("\n").findIndex((line) => line.startsWith("<".repeat(markSize))) + 1;
}

/** Two texts, and between them the one from which both come. */
type Texts = readonly [ours: string, before: string, theirs: string];

/** The merge of two texts, with both sides marked where they conflict; null: git makes none. */
async function mergedText(
  { git }: Repository,
  texts: Texts,
): Promise<{ readonly text: string; readonly isClean: boolean } | null> {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "baton-texts-"));
  try {
    const files = texts.map((text, at) => {
      const file = join(directory, String(at));
      writeFileSync(file, text);
      return file;
    });
    const answers = Array.from({ length: 128 }, (_, code) => code);
    const words = ["merge-file", "-p", "-q", `--marker-size=${markSize}`, ...files];
    const merged = await git.run(["-c", "merge.conflictStyle=merge", ...words], { answers, msMax: gitMsMax });
    return merged.ok ? { text: merged.value.output.toString("utf8"), isClean: merged.value.code === 0 } : null;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Whether a later content of the file still has what was done to it, though its lines are counted as before: another copy
 * of a line went, or one came elsewhere. Git would then change something by undoing it.
 */
export async function isStillThere(
  repository: Repository,
  { content, lines }: FileWork,
  now: string,
): Promise<boolean> {
  if (deltasIn(lines).some(([, before, after]) => before === 0 && after > 0)) return false;
  const [ours, base, theirs] = [
    await textOf(repository, now),
    await textOf(repository, content.after),
    await textOf(repository, content.before),
  ];
  if (ours === null || base === null || theirs === null) return false;
  const undone = await mergedText(repository, [ours, base, theirs]);
  return undone?.isClean === true && undone.text !== ours;
}

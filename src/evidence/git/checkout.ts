/**
 * What stands in the way of moving a branch and the files of its work tree, and what git's configuration would start then.
 * Rules: docs/protocol/verdicts.md, section 12.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { eachChange } from "./changes.ts";
import { type Environment, type GitAnswer, type GitPlace, gitAt } from "./git.ts";
import { durable } from "./new-commit.ts";
import type { Repository } from "./repository.ts";
import { isNone } from "./work.ts";

/** Why files stay as they are; `code` 1: nothing has changed. */
export type Unmoved = Pick<GitAnswer, "code" | "words">;

/**
 * Moves the branch that a work tree has checked out, and its files, from one commit to another; null: it is there. No hook
 * and no filter runs, a setting cannot name another folder for the files, and git overwrites nothing. It goes only forward,
 * or with `leaves` also where that leaves commits behind, which the reflog keeps.
 */
export async function moveFiles(
  repository: Repository,
  place: Omit<GitPlace, "own">,
  { from, to, leaves = false }: { readonly from: string; readonly to: string; readonly leaves?: boolean },
): Promise<Result<Unmoved | null, Problem>> {
  const { directory } = place;
  const inWay = await firstInWay(repository, directory, { from, to });
  if (inWay !== null) return ok({ code: 1, words: `${visible(inWay)} is in the way, which git does not track` });
  const there = gitAt({ ...place, own: { GIT_WORK_TREE: directory }, msMax: checkoutMsMax });
  const own = await withoutFilters(repository);
  const done = await there.run([...durable, ...(leaves ? keeping : forward), to], { answers: [0, 1, 128], own });
  return done.ok ? ok(done.value.code === 0 ? null : done.value) : done;
}

const plain = [
  "--no-squash",
  "--commit",
  "--no-overwrite-ignore",
  "--no-autostash",
  "--no-verify-signatures",
  "--quiet",
];
const forward = ["merge", "--ff-only", ...plain];
const keeping = ["reset", "--keep", "--quiet"];

/** The files may be many, and git is not ended in the middle of writing them. */
export const checkoutMsMax = 30 * 60_000;

/** A file that the branch gets and that lies there already, ignored or not: git would take some of these for its own. */
async function firstInWay(
  repository: Repository,
  directory: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | null> {
  const added: string[] = [];
  await eachChange(repository, from, to, ({ path, mode }) => {
    if (isNone(mode.before)) added.push(path);
  });
  return added.find((path) => lstatSync(join(directory, path), { throwIfNoEntry: false }) !== undefined) ?? null;
}

/** Whether a rebase will move the branch when it ends. */
export function isRebased({ commonDirectory }: Repository, name: string): boolean {
  const linked = join(commonDirectory, "worktrees");
  const trees = existsSync(linked) ? readdirSync(linked).map((tree) => join(linked, tree)) : [];
  const heads = [commonDirectory, ...trees].flatMap((folder) =>
    ["rebase-merge", "rebase-apply"].map((state) => readPlainFile(join(folder, state, "head-name"), textBytesMax)),
  );
  return heads.some((read) => read.ok && read.value?.text.trim() === `refs/heads/${name}`);
}

/** What names programs that would merge. */
export const mergeDrivers = "^merge\\..*\\.driver$";

/** Whether no program of the configuration would merge; false also where git does not say. */
export async function hasNoDriver({ git }: Repository): Promise<boolean> {
  const drivers = await git.run(["config", "--get-regexp", mergeDrivers], { answers: [0, 1] });
  return drivers.ok && drivers.value.code === 1;
}

/** Whether attributes that lie in git's own folder say how files merge. */
export function mergesOtherwise({ commonDirectory, gitDirectory }: Repository): boolean {
  const places = [join(commonDirectory, "info/attributes"), join(gitDirectory, ".gitattributes")];
  return places.some((path) => {
    const read = readPlainFile(path, textBytesMax);
    return !read.ok || /\bmerge\b/.test(read.value?.text ?? "");
  });
}

const textBytesMax = 1024 * 1024;

/** What keeps git from starting the filters of its configuration: whoever writes there may not run programs outside. */
export async function withoutFilters({ git }: Repository): Promise<Environment> {
  const listed = await git.run(["config", "--name-only", "-z", "--get-regexp", "^filter\\."], { answers: [0, 1] });
  const keys = listed.ok ? listed.value.output.toString("utf8").split("\0") : [];
  const names = new Set(keys.flatMap((key) => /^(filter\.[\s\S]*)\.[^.]*$/.exec(key)?.[1] ?? []));
  const settings = [...names].flatMap((name) => [
    ...["smudge", "clean", "process"].map((part) => [`${name}.${part}`, ""]),
    [`${name}.required`, "false"],
  ]);
  const numbered = settings.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(settings.length) };
}

/** Removes a lock that a killed git left on a branch that only Baton moves, in milliseconds. Whether one was there. */
export async function isLeftLocked(clock: Clock, { commonDirectory }: Repository, name: string): Promise<boolean> {
  const path = join(commonDirectory, "refs/heads", `${name}.lock`);
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined) return false;
  await clock.wait(lockMs, new AbortController().signal);
  const after = lstatSync(path, { throwIfNoEntry: false });
  if (after?.ino === before.ino && after.mtimeMs === before.mtimeMs) rmSync(path, { force: true });
  return true;
}

const lockMs = 1_000;

/**
 * What stands in the way of moving a branch and the files of its work tree, and what git's configuration would start then.
 * Rules: docs/protocol/verdicts.md, section 12.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readPlainFile } from "../../base/plain-file.ts";
import { eachChange } from "./changes.ts";
import type { Environment } from "./git.ts";
import type { Repository } from "./repository.ts";
import { isNone } from "./work.ts";

/** A file that the branch gets and that lies there already, ignored or not: git would take some of these for its own. */
export async function firstInWay(
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

/**
 * A file that a tool names, as a path of the team's repository: as the program reads the name, where links lead, so that no
 * other name of a file gets past, and relative to the root of its checkout, because every worktree has the same paths. Files
 * of other repositories, and of none, are not checked here.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { asCheckedOut, uncommittedIn } from "../../evidence/decide/uncommitted.ts";
import { checkedOutIn } from "../../evidence/git/tips.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { checkoutAround, findWorkspace } from "../../perform/workspace/workspace.ts";
import type { Asked } from "../hooks/hook-question.ts";

/** Where a tool names files: `directory` is where it works, the team is that of `teamDirectory`; both absolute. */
export interface NamedFrom {
  readonly program: HookProgram;
  readonly teamDirectory: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Longest time of one call of git: the hook must answer. */
const gitMsMax = 400;

/** What the paths mean that a tool names. */
export function filesFrom(from: NamedFrom): Pick<Asked, "pathsOf" | "head" | "unchanged" | "isThere" | "changedAs"> {
  const { program, teamDirectory, directory, environment } = from;
  // Most events name no file, so they need not look.
  let home: ReturnType<typeof rootsOf> | null = null;
  return {
    pathsOf: (file) => {
      home ??= rootsOf(teamDirectory);
      const roots = home;
      const reals = placesOf(program, directory, file).flatMap((place) => [
        join(realOf(dirname(place)), basename(place)),
        realOf(place),
      ]);
      return [...new Set(reals.map((real) => resolve(real)))].flatMap((real) => pathOf(roots, real));
    },
    head: async () => (existsSync(directory) ? checkedOutIn(directory, { environment, msMax: gitMsMax }) : undefined),
    unchanged: async (paths) => {
      const root = checkoutAround(directory)?.root;
      return root === undefined ? [] : await asCheckedOut(root, paths, { environment, msMax: gitMsMax });
    },
    // Of a folder on another machine nothing can be seen.
    isThere: (file) =>
      !existsSync(directory) || namesOf(program, directory, file).some((name) => existsSync(resolve(directory, name))),
    changedAs: async (file) => await changedAs(from, file),
  };
}

/** The names that a file may have that a tool calls so. Gemini CLI takes an `@` at the beginning for no part of a name. */
function namesOf(program: HookProgram, directory: string, file: string): readonly string[] {
  const name = file.replaceAll("\0", "");
  if (program !== "gemini" || !name.startsWith("@") || existsSync(resolve(directory, name))) return [name];
  const [first = ""] = name.split(/[\\/]/);
  const isFolder = first !== "@" && existsSync(resolve(directory, first));
  return isFolder ? [name] : [name, name.slice(1).replace(/^[\\/]+/, "")];
}

/**
 * Where the file may lie. Gemini CLI takes `..` back in the text, where others follow links first, and reads `%2E` in a path
 * as a browser does, before or after that.
 */
function placesOf(program: HookProgram, directory: string, file: string): readonly string[] {
  return namesOf(program, directory, file).flatMap((name) => {
    const named = isAbsolute(name) ? name : `${directory}${sep}${name}`;
    if (program !== "gemini") return [named];
    const plain = resolve(named);
    return [...new Set([named, plain, ...decoded(named), ...decoded(plain)])];
  });
}

function decoded(path: string): readonly string[] {
  try {
    return path.includes("%") ? [resolve(decodeURIComponent(path))] : [];
  } catch {
    // It is no such text, so it is taken as it is.
    return [];
  }
}

/** The only uncommitted file whose path ends with that name; empty: there is none, or more than one. */
async function changedAs({ program, directory, environment }: NamedFrom, file: string): Promise<readonly string[]> {
  const root = checkoutAround(directory)?.root;
  const changed = root === undefined ? null : await uncommittedIn(root, { environment, msMax: gitMsMax });
  if (root === undefined || changed?.ok !== true) return [];
  const names = namesOf(program, directory, file);
  const found = changed.value
    .map((path) => join(root, path))
    .filter((place) => names.some((name) => endsSo(place, name)));
  return found.length === 1 ? found : [];
}

function endsSo(place: string, name: string): boolean {
  return basename(place) === basename(name) && place.endsWith(name);
}

/** The repository of the team: whatever worktree it is asked from. Without a repository, the folder that holds `.baton/`. */
function rootsOf(directory: string): { readonly repository: string | null; readonly root: string } {
  const checkout = checkoutAround(directory);
  const root = findWorkspace(directory)?.root ?? directory;
  return { repository: checkout === null ? null : realOf(checkout.repository), root: realOf(root) };
}

function pathOf(home: ReturnType<typeof rootsOf>, place: string): readonly string[] {
  const checkout = checkoutAround(dirname(place));
  const repository = checkout === null ? null : realOf(checkout.repository);
  if (repository !== home.repository) return [];
  const path = relative(checkout === null ? home.root : realOf(checkout.root), place);
  const isInside = path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  return isInside ? [path.split(sep).join("/")] : [];
}

/** Where `path` leads as far as it exists, and the rest as it is written. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // It does not exist yet, may not be looked at, or leads in a circle: its folder says where it would lie.
    const folder = dirname(path);
    return folder === path ? path : join(realOf(folder), basename(path));
  }
}

/**
 * A file that a tool names, as a path of the team's repository: where links lead, so that no other name of a file gets
 * past, and relative to the root of its checkout, because every worktree has the same paths. Files of other
 * repositories, and of none, are not checked here.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { checkoutAround, findWorkspace } from "../../workspace/workspace.ts";

/**
 * Gives the paths of the files that a tool names in `directory`, where the team is that of `teamDirectory`; both
 * absolute.
 */
export function pathsIn(teamDirectory: string, directory: string): (file: string) => readonly string[] {
  // Most events name no file, so they need not look.
  let home: ReturnType<typeof rootsOf> | null = null;
  return (file) => {
    if (file.includes("\0")) return [];
    home ??= rootsOf(teamDirectory);
    const roots = home;
    const named = isAbsolute(file) ? file : `${directory}${sep}${file}`;
    const place = join(realOf(dirname(named)), basename(named));
    return [...new Set([place, realOf(named)])].flatMap((real) => pathOf(roots, resolve(real)));
  };
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

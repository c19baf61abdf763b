/**
 * The folder whose settings an agent program reads: the nearest repository or `.baton/`, a linked worktree being one of its
 * own. A user's home, whose settings are those of all projects, has to be asked for.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { Call } from "../kernel/command.ts";
import { findUpwards } from "../place/workspace.ts";

export interface ProjectFolder {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Whether its settings are those of all of the user's projects. */
  readonly isHome: boolean;
}

/**
 * The project that `--project` names, or the nearest one. Refuses `not-found` a folder that is not there, `not-initialised`
 * where no project is around, and `wrong-usage` the user's home where nobody named it.
 */
export function projectFolder({ given, config }: Pick<Call, "given" | "config">): Result<ProjectFolder, Problem> {
  const named = given.text("project");
  const found = named === undefined ? nearestProject(config.directory) : resolve(config.directory, named);
  if (found === null) return err(noProject(config.directory));
  if (statSync(found, { throwIfNoEntry: false })?.isDirectory() !== true) return err(noFolder(found));
  const root = realpathSync(found);
  const isHome = config.home !== null && existsSync(config.home) && realpathSync(config.home) === root;
  return isHome && named === undefined ? err(isEverybodys(root)) : ok({ root, isHome });
}

/** The nearest folder upwards that has a repository or a `.baton/`; null: none has. */
export function nearestProject(from: string): string | null {
  return findUpwards(from, "", (path) => [".git", ".baton"].some((name) => existsSync(resolve(path, name))));
}

function noProject(directory: string): Problem {
  return problem("not-initialised", directory, "There is no repository and no .baton/ here or above.", {
    hint: "Go to your project, run `baton init` in it, or name it with --project DIR.",
  });
}

function noFolder(path: string): Problem {
  return problem("not-found", path, "There is no such folder.", { hint: "Name the project's folder." });
}

function isEverybodys(root: string): Problem {
  return problem("wrong-usage", root, "This is your home folder, whose settings are those of all your projects.", {
    hint: "Go to your project; or, if you mean every project, say so with --project and this folder.",
  });
}

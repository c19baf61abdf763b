/**
 * A settings file of a program in a project, read so that it may be changed: a plain file of UTF-8 that may be written,
 * reached through no link, for a link could lead to the settings of all of a user's projects. And the
 * changes of such files, carried out one after another.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { settingsBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { replaceFile } from "../../doors/cli/kernel/document-file.ts";
import { findUpwards, mainWorktree } from "../../perform/workspace/workspace.ts";
import type { SettingsFile } from "./program-settings.ts";

/** An error of a settings file. */
export function settingsProblem(
  file: string,
  message: string,
  { hint = "Correct the file by hand, then run the command again." }: { readonly hint?: string | undefined } = {},
): Problem {
  return makeProblem("settings-file", file, message, { hint });
}

/** The folder in which a program reads a file of the project at `root`; `isMains` as of a settings file. */
export function folderOf(root: string, { isMains = false }: { readonly isMains?: boolean }): string {
  return isMains ? (mainWorktree(root) ?? root) : root;
}

/** The text of the settings file at `path` in the folder `root`, or null: there is none. Refuses `settings-file`. */
export function readSettings(root: string, path: string): Result<string | null, Problem> {
  const parts = path.split("/");
  const file = join(root, ...parts);
  for (let count = 1; count < parts.length; count++) {
    const folder = join(root, ...parts.slice(0, count));
    const facts = lstatSync(folder, { throwIfNoEntry: false });
    if (facts === undefined) return unwritable(root) ?? ok(null);
    if (facts.isSymbolicLink())
      return err(settingsProblem(folder, "This is a symbolic link, so nothing is written behind it.", noLink));
    if (!facts.isDirectory())
      return err(settingsProblem(folder, "This is no folder, so no settings can be in it.", { hint: "Move it away." }));
  }
  const closed = unwritable(join(file, ".."));
  if (closed !== null) return closed;
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return ok(null);
  if (facts.isSymbolicLink())
    return err(settingsProblem(file, "This is a symbolic link, so nothing is written through it.", noLink));
  if (!facts.isFile())
    return err(settingsProblem(file, "This is no plain file, so no settings can be in it.", { hint: "Move it away." }));
  if (facts.size > settingsBytesMax) return err(settingsProblem(file, `This has more than ${settingsBytesMax} bytes.`));
  // Somebody who may write anyway, as root, learns from this that it is not wanted.
  if ((facts.mode & 0o222) === 0) return err(readOnly(file));
  return unwritable(file) ?? textOf(file);
}

const noLink = { hint: "Put a plain file or folder in its place, or name the project that is meant with --project." };

function textOf(file: string): Result<string, Problem> {
  const bytes = readFileSync(file);
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // The only error of a strict decoder.
    return err(settingsProblem(file, "This is not UTF-8, so nothing was changed."));
  }
}

function unwritable(path: string): Result<never, Problem> | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch {
    // Whatever the reason is, it may not be written.
    return err(readOnly(path));
  }
}

function readOnly(path: string): Problem {
  return settingsProblem(path, "This may not be written.", {
    hint: "Let yourself write there, then run the command again.",
  });
}

/*
 * The folder whose settings an agent program reads: the nearest repository or `.baton/`, a linked worktree counts as
 * one. A user's home, whose settings are those of all projects, has to be asked for.
 */
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
  return makeProblem("not-initialised", directory, "There is no repository and no .baton/ here or above.", {
    hint: "Go to your project, run `baton init` in it, or name it with --project DIR.",
  });
}

function noFolder(path: string): Problem {
  return makeProblem("not-found", path, "There is no such folder.", { hint: "Name the project's folder." });
}

function isEverybodys(root: string): Problem {
  return makeProblem("wrong-usage", root, "This is your home folder, whose settings are those of all your projects.", {
    hint: "Go to your project; or, if you mean every project, say so with --project and this folder.",
  });
}

/**
 * Does what a plan says. Refuses `settings-file` where a file is not any more as the plan saw it, before anything is
 * written, and where one cannot be written; then the plan can be made again.
 */
export function carryOutSettings(changes: readonly SettingsChange[]): Result<void, Problem> {
  const wanted = changes.filter(({ action }) => action !== "leave" && action !== "paste");
  for (const { root, path, file, before } of wanted) {
    const now = readSettings(root, path);
    if (!now.ok) return now;
    if (now.value !== before) {
      const hint = "Run the command again.";
      return err(settingsProblem(file, "Somebody has changed this file meanwhile, so nothing was written.", { hint }));
    }
  }
  for (const change of wanted) {
    const done = carryOutOne(change);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

function carryOutOne({ root, file, after }: SettingsChange): Result<void, Problem> {
  const folder = dirname(file);
  try {
    if (after === null) {
      rmSync(file);
      if (folder !== root && readdirSync(folder).length === 0) rmdirSync(folder);
      return ok(undefined);
    }
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    return err(notWritten(file, cause instanceof Error ? cause.message : String(cause)));
  }
  const written = replaceFile(file, after);
  return written.ok ? written : err(notWritten(file, written.error.message));
}

function notWritten(file: string, reason: string): Problem {
  return settingsProblem(file, `This could not be written: ${reason}`, {
    hint: "See who may write there, then run the command again.",
  });
}

/** What becomes of one settings file. */
export interface SettingsChange {
  /** The project's folder, absolute. */
  readonly root: string;
  /** From there, with `/`. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
  /** What of Baton is in it. */
  readonly holds: SettingsFile["holds"];
  /** `write`: it is new; `leave`: there is nothing to do; `paste`: a person puts `after` into it. */
  readonly action: "write" | "change" | "remove" | "leave" | "paste";
  /** The whole text, before and after; null: there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

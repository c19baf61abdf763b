/**
 * The gate's hooks in a repository: where git looks for them, what they say, how a hook that stood there before is kept
 * and called, and how all of it is taken back. Nothing is written that was not shown by the plan.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Repository } from "./git/repository.ts";
import { foldersMadeFor, hookNames, hookText, isOurHook } from "./hook-text.ts";

/** What becomes of one hook. */
export interface HookChange {
  readonly hook: string;
  /** Absolute. */
  readonly file: string;
  /** `keep` writes too, after it has put aside the hook that stood there; `leave` does nothing. */
  readonly action: "write" | "update" | "keep" | "remove" | "restore" | "leave";
  /** Where a hook that stood there before is, or will be. */
  readonly aside: string;
  /** What will be written; null: nothing. */
  readonly text: string | null;
  /** How many folders had to be made for it, from its own upwards: they go with it, as far as they are empty. */
  readonly foldersMade: number;
}

/** How what stood before is called while ours stands. */
const asideEnding = ".before-baton";

/**
 * What installing would do. `program`: the words that start Baton. Refuses `already-exists` where a foreign hook stands
 * and another was put aside before, or something lies where one would be put, and `wrong-usage` where hooks are kept
 * for all repositories of a user or machine.
 */
export async function planInstall(
  repository: Repository,
  program: readonly string[],
): Promise<Result<readonly HookChange[], Problem>> {
  const directory = await hooksDirectory(repository);
  if (!directory.ok) return directory;
  const changes: HookChange[] = [];
  const missing = missingFolders(directory.value);
  for (const hook of hookNames) {
    const file = join(directory.value, hook);
    const aside = `${file}${asideEnding}`;
    const standing = standingAt(file);
    if (standing !== "ours" && standingAt(aside) !== null) return err(twoHooks(file, aside));
    const own = standing === "ours" ? readFileSync(file, "utf8") : null;
    const foldersMade = own === null ? missing : foldersMadeFor(own);
    const text = hookText(hook, program, foldersMade);
    const action = standing === "foreign" ? "keep" : standing === null ? "write" : "update";
    const isSame = own === text;
    changes.push({ hook, file, aside, action: isSame ? "leave" : action, text: isSame ? null : text, foldersMade });
  }
  return ok(changes);
}

/** What taking the hooks away would do: ours go, and what stood before comes back. Refuses as `planInstall`. */
export async function planUninstall(repository: Repository): Promise<Result<readonly HookChange[], Problem>> {
  const directory = await hooksDirectory(repository);
  if (!directory.ok) return directory;
  return ok(
    hookNames.map((hook): HookChange => {
      const file = join(directory.value, hook);
      const aside = `${file}${asideEnding}`;
      const isOurs = standingAt(file) === "ours";
      const action = !isOurs ? "leave" : standingAt(aside) === null ? "remove" : "restore";
      const foldersMade = isOurs ? foldersMadeFor(readFileSync(file, "utf8")) : 0;
      return { hook, file, aside, action, text: null, foldersMade };
    }),
  );
}

/** Does what a plan says. A fault of the file system is returned, and the plan can be made again. */
export function carryOut(changes: readonly HookChange[]): Result<void, Problem> {
  for (const change of changes) {
    try {
      carryOutOne(change);
    } catch (cause) {
      return err(notWritten(change.file, cause));
    }
  }
  return ok(undefined);
}

function carryOutOne({ file, aside, action, text, foldersMade }: HookChange): void {
  if (action === "remove") removeWithFolders(file, foldersMade);
  if (action === "restore") restore(aside, file);
  if (text === null) return;
  mkdirSync(dirname(file), { recursive: true });
  // Complete or not at all: git must never run half a hook.
  const whole = `${file}.new-baton`;
  writeFileSync(whole, text);
  chmodSync(whole, 0o755);
  if (action === "keep") renameSync(file, aside);
  renameSync(whole, file);
}

/** In one step, but for a folder, which cannot take the place of a file. */
function restore(aside: string, file: string): void {
  if (lstatSync(aside).isDirectory()) rmSync(file);
  renameSync(aside, file);
}

/** Takes a hook away, and the folders that were made for it; one in which something else lies by now stays. */
function removeWithFolders(file: string, foldersMade: number): void {
  rmSync(file);
  let folder = dirname(file);
  for (let left = foldersMade; left > 0 && readdirSync(folder).length === 0; left--) {
    rmdirSync(folder);
    folder = dirname(folder);
  }
}

/** How many folders must be made for `directory` to stand. */
function missingFolders(directory: string): number {
  let count = 0;
  for (let at = directory; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) count++;
  return count;
}

/** The directory in which git looks for the repository's hooks. */
async function hooksDirectory(repository: Repository): Promise<Result<string, Problem>> {
  const answer = await repository.git.run(["config", "--show-scope", "--get-all", "core.hooksPath"], {
    answers: [0, 1],
  });
  if (!answer.ok) return answer;
  const settings = answer.value.output
    .toString("utf8")
    .split("\n")
    .map((line) => line.split("\t"))
    // What our own call sets is not the repository's.
    .filter(([scope, path]) => scope !== "command" && path !== undefined);
  const [scope, path] = settings.at(-1) ?? [];
  if (path === undefined) return ok(join(repository.commonDirectory, "hooks"));
  const root = repository.workTree ?? repository.gitDirectory;
  const whole = isAbsolute(path) ? path : resolve(root, path);
  if ((scope === "local" || scope === "worktree") && isBelow(whole, [root, repository.commonDirectory]))
    return ok(whole);
  return err(foreignPlace(whole));
}

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(root, path);
    return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
}

function standingAt(file: string): "ours" | "foreign" | null {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  // A link that leads nowhere, and what is no file, is somebody's, too.
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return isFile && isOurHook(readFileSync(file, "utf8")) ? "ours" : "foreign";
}

function twoHooks(file: string, aside: string): Problem {
  return problem("already-exists", file, "Something lies already where a hook that stands here is put aside.", {
    received: aside,
    hint: "Move it away, or join it with the hook into one file, then install again.",
  });
}

function foreignPlace(path: string): Problem {
  return problem("wrong-usage", "core.hooksPath", "Hooks here are those of more than this repository.", {
    expected: "hooks inside the repository",
    received: path,
    hint: "Give it hooks of its own (git config core.hooksPath .githooks), or call `baton verify --staged` from the hook there.",
  });
}

function notWritten(file: string, cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return problem("repository-unreadable", file, `The hook could not be changed: ${reason}`, {
    hint: "See who may write there, then run the command again.",
  });
}

/**
 * The gate's hooks in a repository: where git looks for them, what they say, how a hook that was there before is kept
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
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Repository } from "../git/repository.ts";

/** What becomes of one hook. */
export interface HookChange {
  readonly hook: string;
  /** Absolute. */
  readonly file: string;
  /** `keep` writes too, after it has put aside the hook that was there; `leave` does nothing. */
  readonly action: "write" | "update" | "keep" | "remove" | "restore" | "leave";
  /** Where a hook that was there before is, or will be. */
  readonly aside: string;
  /** What will be written; null: nothing. */
  readonly text: string | null;
  /** How many folders had to be made for it, from its own upwards: they go with it, as far as they are empty. */
  readonly foldersMade: number;
}

/** How the earlier hook is called while ours is installed. */
const asideEnding = ".before-baton";

/**
 * What installing would do. `program`: the words that start Baton. Refuses `already-exists` where there is a foreign
 * hook and another was put aside before, or something is where one would be put, and `wrong-usage` where hooks are kept
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

/** What taking the hooks away would do: ours go, and what was before comes back. Refuses as `planInstall`. */
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

/** Does what a plan says. An error of the file system is returned, and the plan can be made again. */
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

/** How many folders must be created for `directory` to exist. */
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
  return makeProblem("already-exists", file, "Something is already where the existing hook would be put aside.", {
    received: aside,
    hint: "Move it away, or join it with the hook into one file, then install again.",
  });
}

function foreignPlace(path: string): Problem {
  return makeProblem("wrong-usage", "core.hooksPath", "Hooks here are those of more than this repository.", {
    expected: "hooks inside the repository",
    received: path,
    hint: "Give it its own hooks (git config core.hooksPath .githooks), or call `baton verify --staged` from the hook there.",
  });
}

function notWritten(file: string, cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return makeProblem("repository-unreadable", file, `The hook could not be changed: ${reason}`, {
    hint: "See who may write there, then run the command again.",
  });
}

/*
 * What the gate's hooks say: they ask Baton, stop git when it refuses or cannot answer, and then call the hook that was
 * there before. POSIX shell, because that is what git brings everywhere.
 */

/** The hooks that the gate needs. */
const hookNames = ["pre-commit", "pre-push"] as const;
export type HookName = (typeof hookNames)[number];

const mark = "# Written by `baton install git-hooks`; `baton uninstall git-hooks` takes it away.";

/** Whether a hook is one of ours. */
function isOurHook(text: string): boolean {
  return text.split("\n").slice(0, 3).includes(mark);
}

/** How many folders were made for a hook of ours, by its text; they go with it. */
function foldersMadeFor(text: string): number {
  return Number(/^# Folders made for it: (\d{1,2})\.$/m.exec(text)?.[1] ?? 0);
}

/**
 * The text of a hook. `program`: the words that start Baton; where they lead nowhere, `baton` on the path is tried.
 * `foldersMade`: how many folders had to be made for it.
 */
function hookText(hook: HookName, program: readonly string[], foldersMade = 0): string {
  const last = quoted(program.at(-1) ?? "");
  const made = foldersMade === 0 ? "" : `# Folders made for it: ${foldersMade}.\n`;
  return `#!/bin/sh
${mark}
${made}baton() {
  if [ -f ${last} ]; then ${program.map(quoted).join(" ")} "$@"; else command baton "$@"; fi
}
stop() {
  echo "baton: $1 was stopped by the gate. Do what is said above, then try again." >&2
  exit 2
}
before="$0.before-baton"
${bodies[hook]}`;
}

const bodies: Readonly<Record<HookName, string>> = {
  "pre-commit": `baton verify --staged >&2 || stop "the commit"
if [ -f "$before" ] && [ -x "$before" ]; then exec "$before" "$@"; fi
`,
  // Git says on standard input what is pushed: local name and id, remote name and id; an id of zeros is none.
  "pre-push": `pushed=$(cat)
printf '%s\\n' "$pushed" | while read -r _ local_id _ remote_id; do
  case "$local_id" in *[!0]*) baton verify --range "$remote_id..$local_id" >&2 || exit 2 ;; esac
done || stop "the push"
if [ -f "$before" ] && [ -x "$before" ]; then printf '%s\\n' "$pushed" | "$before" "$@"; fi
`,
};

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\\\''")}'`;
}

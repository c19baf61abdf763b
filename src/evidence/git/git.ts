/**
 * The only place that starts the `git` program: with lists of arguments, never a shell; in the environment of
 * `git.ts`; with a limit on its time and its output. What comes from agents reaches it as full object ids
 * only. Source: docs/protocol/verdicts.md; docs/protocol/record.md.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { devNull } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { type Clock, systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, visible } from "../../base/text.ts";

/** Longest time of one call, and its largest output. */
const callMsMax = 60_000;
const outputBytesMax = 64 * 1024 * 1024;
/** Most that is taken as it comes: a commit of half a million files. A few small trees can name billions of paths. */
const streamedBytesMax = 64 * 1024 * 1024;
const errorBytesMax = 8 * 1024;

export interface GitCall {
  /** Given on standard input; absent: it is empty. */
  readonly input?: string;
  /** Exit codes that are an answer; absent: 0 alone. */
  readonly answers?: readonly number[];
  /** Takes the output as it comes, however much it is; absent: it is kept for the answer. */
  readonly each?: (piece: Buffer) => void;
  /** Variables of git that are meant for this call, besides those of its place. */
  readonly own?: Environment;
}

/** An answer of git. */
export interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
  /** What it wrote to standard error, shortened. */
  readonly words: string;
}

/** Git for one place. */
export interface Git {
  /**
   * Runs one command to its end. Problems: `git-missing` (no such program), `timed-out`, `too-large` (more output than
   * is looked at), `repository-unreadable` (any other exit code, with git's own words).
   */
  run(words: readonly string[], call?: GitCall): Promise<Result<GitAnswer, Problem>>;
  /** Starts a command that lives on and is spoken to; who starts it ends it. */
  start(words: readonly string[]): ChildProcessWithoutNullStreams;
}

export interface GitPlace {
  /** Where it runs, an absolute path. */
  readonly directory: string;
  readonly environment: Environment;
  /** Git's own variables that are meant, such as `GIT_DIR`. */
  readonly own?: Environment;
  readonly clock?: Clock;
  readonly msMax?: number;
  readonly bytesMax?: number;
  /**
   * It gets a session without a terminal, and is ended with every program that it started. For calls that reach other
   * machines: nothing that they start can then ask a person anything.
   */
  readonly isApart?: true;
}

/** Git as it runs in `place`. */
export function gitAt(place: GitPlace): Git {
  const start = (words: readonly string[], own: Environment = {}): ChildProcessWithoutNullStreams =>
    // Loaded with the first call: it brings half of Node's network code, and most commands run no git.
    process.getBuiltinModule("node:child_process").spawn("git", [...gitOptions, ...words], {
      cwd: place.directory,
      env: { ...gitEnvironment(place.environment), ...place.own, ...own },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      detached: place.isApart === true,
    });
  const run: Git["run"] = async (words, call = {}) => {
    // What reaches other machines may take long, and holds up nobody.
    const leave = place.isApart === true ? null : await enter();
    try {
      return await finish(start(words, call.own), words, call, place);
    } finally {
      leave?.();
    }
  };
  return { start, run };
}

/** Most calls at once: each start of a program takes some milliseconds of this process. */
const runningMax = 4;
let running = 0;
const waiting: (() => void)[] = [];

/** Waits until a call may begin; what is answered ends it. */
async function enter(): Promise<() => void> {
  if (running >= runningMax) await new Promise<void>((begin) => waiting.push(begin));
  else running++;
  return () => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
}

async function finish(
  child: ChildProcessWithoutNullStreams,
  words: readonly string[],
  call: GitCall,
  place: GitPlace,
): Promise<Result<GitAnswer, Problem>> {
  const bytesMax = call.each === undefined ? (place.bytesMax ?? outputBytesMax) : streamedBytesMax;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let complaint = "";
  let stopped: Problem | null = null;
  const stop = (why: Problem): void => {
    stopped ??= why;
    if (place.isApart !== true || !endGroup(child.pid)) child.kill("SIGKILL");
  };
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) stop(tooMuch(words, bytesMax));
    else if (call.each !== undefined) call.each(chunk);
    else chunks.push(chunk);
  });
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    complaint = (complaint + text).slice(0, errorBytesMax);
  });
  child.stdin.on("error", () => {
    // It ended before it read everything; its exit code tells more than the broken pipe.
  });
  child.stdin.end(call.input ?? "");
  const { promise, resolve } = Promise.withResolvers<number | NodeJS.ErrnoException>();
  child.on("error", resolve);
  child.on("close", (code) => resolve(code ?? -1));
  const over = new AbortController();
  const msMax = place.msMax ?? callMsMax;
  void (place.clock ?? systemClock)
    .wait(msMax, over.signal)
    .then(() => over.signal.aborted || stop(tooSlow(words, msMax)));
  const end = await promise;
  over.abort();
  if (stopped !== null) return err(stopped);
  if (typeof end !== "number") return err(notStarted(end));
  if (!(call.answers ?? [0]).includes(end)) return err(unreadable(`git ${words[0] ?? ""}`, complaint));
  return ok({ code: end, output: Buffer.concat(chunks), words: complaint });
}

/** Ends a process with all of its group; false: there is no such group, as on Windows. */
function endGroup(id: number | undefined): boolean {
  try {
    return id !== undefined && process.kill(-id, "SIGKILL");
  } catch {
    // It has ended, or the machine knows no groups.
    return false;
  }
}

/** What git says, on one line that a terminal may show. */
function said(words: string): string {
  const lines = words.split("\n").filter((line) => line.trim() !== "" && !/^(?:hint|warning): /.test(line));
  const first = lines[0] ?? "it gave no reason";
  return shorten(visible(first.replace(/^(?:fatal|error): /, "")), 300);
}

/** Why a program could not be started. */
export function notStarted(problem: NodeJS.ErrnoException): Problem {
  if (problem.code !== "ENOENT") return unreadable("git", problem.message);
  return makeProblem("git-missing", "git", "The program git cannot be started here, so nothing can be checked.", {
    hint: "Install git (2.34 or newer), or put it on the search path.",
  });
}

/** A repository that git cannot read: the reason is git's own. */
export function unreadable(what: string, words: string): Problem {
  return makeProblem("repository-unreadable", what, `The repository cannot be read: ${said(words)}.`, {
    hint: `${remedyFor(words)} Nothing is said about the work until it can be read.`,
  });
}

/** What makes a repository readable of which git says this. */
function remedyFor(words: string): string {
  const [, foreign] = /dubious ownership in repository at '([^']+)'/.exec(words) ?? [];
  if (foreign !== undefined)
    return `It belongs to another user. If you trust it: git config --global --add safe.directory ${visible(foreign)}`;
  if (/promisor|lazy fetch/i.test(words))
    return "This clone is partial, and what it lacks is not fetched here. Complete it: git config --unset remote.origin.partialclonefilter, then git fetch --refetch.";
  return "Run git fsck in it.";
}

/** A call that took too long. */
export function tooSlow(words: readonly string[], msMax: number): Problem {
  return makeProblem("timed-out", `git ${words[0] ?? ""}`, `Git gave no answer within ${msMax / 1000} s.`);
}

function tooMuch(words: readonly string[], bytesMax: number): Problem {
  return makeProblem("too-large", `git ${words[0] ?? ""}`, `Git's answer is larger than ${bytesMax} bytes.`, {
    hint: "Split the commit; one of this size is not checked.",
  });
}

/*
 * The surroundings in which git is run: nothing that a repository, an agent or a calling hook could use to start another
 * program, reach a network, wait for a person, or make git see other objects than those that are named by their content.
 * The operator's own global configuration stays in force where it says which repositories are trusted
 * (`safe.directory`); what matters to our questions is fixed here, above it.
 */

/** Variables of a process. */
export type Environment = Readonly<Record<string, string>>;

/** What git and the machine need to run at all. Everything else, git's own variables first, is left behind. */
const kept: ReadonlySet<string> = new Set([
  "HOME",
  "XDG_CONFIG_HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
]);

const fixed: Environment = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_PAGER: "cat",
  // An empty list of protocols: no fetch, not even one that a promisor remote would start by itself.
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: devNull,
  GIT_ATTR_NOSYSTEM: "1",
};

/** Options before the subcommand: what a repository's own configuration may not decide. */
export const gitOptions: readonly string[] = [
  "--no-pager",
  "--literal-pathspecs",
  "-c",
  `core.hooksPath=${devNull}`,
  "-c",
  "core.fsmonitor=false",
  "-c",
  `core.attributesFile=${devNull}`,
  "-c",
  "core.quotePath=false",
  "-c",
  "core.pager=cat",
  "-c",
  "protocol.allow=never",
  "-c",
  "submodule.recurse=false",
  "-c",
  "log.showSignature=false",
  "-c",
  "diff.external=",
  "-c",
  "advice.graftFileDeprecated=false",
  "-c",
  "gc.auto=0",
  "-c",
  "maintenance.auto=false",
];

/**
 * The environment for git, from that of this process. Relative folders are taken out of the search path, because git
 * runs inside the repository and a program there must not replace another.
 */
export function gitEnvironment(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => kept.has(name.toUpperCase()));
  const path = Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return { ...Object.fromEntries(own), PATH: folders.join(delimiter), ...fixed };
}

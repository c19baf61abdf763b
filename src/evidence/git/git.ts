/**
 * The only place that starts the `git` program: with lists of arguments, never a shell; in surroundings of its own; with a
 * limit on its time and its output. Names of commits from agents reach it as hex digits only, paths as literal ones.
 * Source: docs/protocol/verdicts.md; docs/protocol/record.md.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { devNull } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { type Clock, ownTurn, systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { saidBy, visible } from "../../base/text.ts";

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
  /** Longest time, in milliseconds; absent: that of the place. */
  readonly msMax?: number;
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
  /** Ends a call early, as its time limit does. */
  readonly signal?: AbortSignal;
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
    // Each start of a program takes some milliseconds of this process, so others have their turn in between.
    await ownTurn();
    try {
      return await finish(start(words, call.own), words, call, place);
    } finally {
      leave?.();
    }
  };
  return { start, run };
}

/** Most calls at once. */
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
  const msMax = call.msMax ?? place.msMax ?? callMsMax;
  void (place.clock ?? systemClock)
    .wait(msMax, place.signal === undefined ? over.signal : AbortSignal.any([over.signal, place.signal]))
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
  const [first = "it gave no reason"] = words.split("\n").filter((line) => saidBy(line, 1) !== "");
  return saidBy(first.replace(/^(?:fatal|error): /, ""), 300);
}

/** Why a program could not be started. */
export function notStarted(problem: NodeJS.ErrnoException): Problem {
  if (problem.code !== "ENOENT") return unreadable("git", problem.message);
  return makeProblem("git-missing", "git", "The program git cannot be started here, so nothing can be checked.", {
    hint: "Install git (2.34 or newer), or put it on the search path, in a folder that lies in no checkout.",
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

/** The only allowed protocol, which there is not: no program is called `git remote-/`. An empty name is that of `::x`. */
export const noProtocol = "/";

const fixed: Environment = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_PAGER: "cat",
  // No fetch, not even one that a promisor remote would start by itself.
  GIT_ALLOW_PROTOCOL: noProtocol,
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
  ...[
    `core.hooksPath=${devNull}`,
    "core.fsmonitor=false",
    `core.attributesFile=${devNull}`,
    "core.quotePath=false",
    "core.pager=cat",
    "protocol.allow=never",
    "submodule.recurse=false",
    "log.showSignature=false",
    "log.follow=false",
    "diff.external=",
    // Git takes larger contents for binary ones: it compares no lines of them.
    "core.bigFileThreshold=16m",
    "advice.graftFileDeprecated=false",
    "gc.auto=0",
    "maintenance.auto=false",
  ].flatMap((setting) => ["-c", setting]),
];

/**
 * The environment for git, from that of this process. Folders of a checkout are taken out of the search path, as those of
 * npm are, and relative ones: what agents write there must not take git's place.
 */
export function gitEnvironment(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => kept.has(name.toUpperCase()));
  const path = Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  return { ...Object.fromEntries(own), PATH: outsideCheckouts(path), ...fixed };
}

const paths = new Map<string, string>();

function outsideCheckouts(path: string): string {
  const known = paths.get(path);
  if (known !== undefined) return known;
  const left = path.split(delimiter).filter((folder) => isAbsolute(folder) && !isInCheckout(folder));
  paths.set(path, left.join(delimiter));
  return left.join(delimiter);
}

function isInCheckout(folder: string): boolean {
  let at = existsSync(folder) ? realpathSync(folder) : folder;
  for (; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, ".git"))) return true;
  return false;
}

/*
 * Objects of a repository by name, through two programs that live on and are asked line by line: `git cat-file
 * --batch-check` says what a name is, `--batch` also brings its bytes. Git holds each object to its id.
 */

/** What a name stands for. */
export interface ObjectFacts {
  /** The full id. */
  readonly id: string;
  /** `commit`, `tree`, `blob` or `tag`. */
  readonly kind: string;
  readonly size: number;
}

export interface ObjectReader extends AsyncDisposable {
  /**
   * What a name is, such as `COMMIT:PATH` (a submodule's pointer is an object that is not here); null: nothing that is here,
   * or several objects. Problems: `timed-out`, `git-missing`, `repository-unreadable`.
   */
  facts(name: string): Promise<Result<ObjectFacts | null, Problem>>;
  /** The bytes of the object of a name. Problems: as of `facts`, and `too-large` (more than `bytesMax`). */
  read(name: string, bytesMax: number): Promise<Result<Buffer | null, Problem>>;
}

/** Reads objects with `git`. Its programs start with the first question, and again after they ended. */
export function objectReader(git: Git, clock: Clock = systemClock): ObjectReader {
  let [asked, read]: (Session | null)[] = [null, null];
  const factsOf = async (name: string): Promise<Result<Answer | null, Problem>> => {
    if (asked?.isOver() !== false) asked = sessionOf(git, false, clock);
    return await asked.ask(name);
  };
  return {
    facts: factsOf,
    read: async (name, bytesMax) => {
      const known = await factsOf(name);
      if (!known.ok || known.value === null) return known.ok ? ok(null) : known;
      if (known.value.size > bytesMax) return err(tooLarge(known.value, bytesMax));
      if (read?.isOver() !== false) read = sessionOf(git, true, clock);
      const found = await read.ask(known.value.id);
      return found.ok ? ok(found.value?.content ?? null) : found;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([asked?.end(), read?.end()]);
      asked = read = null;
    },
  };
}

/** What one question brought. */
type Answer = ObjectFacts & { readonly content: Buffer };

/** One program that is asked again and again. */
interface Session {
  isOver(): boolean;
  ask(name: string): Promise<Result<Answer | null, Problem>>;
  end(): Promise<void>;
}

function sessionOf(git: Git, isWhole: boolean, clock: Clock): Session {
  const child = git.start(["cat-file", isWhole ? "--batch" : "--batch-check"]);
  const waiting: ((answer: Result<Answer | null, Problem>) => void)[] = [];
  let [words, isOver] = ["", false];
  let guard: AbortController | null = null;
  const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
  const stop = (why: Problem): void => {
    isOver = true;
    guard?.abort();
    for (const answer of waiting.splice(0)) answer(err(why));
  };
  const watch = (): void => {
    const watching = new AbortController();
    guard = watching;
    void clock.wait(callMsMax, watching.signal).then(() => {
      if (watching.signal.aborted) return;
      stop(tooSlow(["cat-file"], callMsMax));
      child.kill("SIGKILL");
    });
  };
  takeAnswers(child, isWhole, (answer) => {
    waiting.shift()?.(ok(answer));
    guard?.abort();
    guard = null;
    if (waiting.length > 0) watch();
  });
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    words = (words + text).slice(-errorBytesMax);
  });
  child.stdin.on("error", () => {
    // It ended; that it did is told.
  });
  child.on("error", (cause) => {
    stop(notStarted(cause));
    finish();
  });
  child.on("close", () => {
    stop(unreadable("git cat-file", words));
    finish();
  });
  return {
    isOver: () => isOver,
    ask: (name) => {
      // Nothing that git knows has such a name in a place that its answers could be told apart.
      if (/[\n\0]/.test(name)) return Promise.resolve(ok(null));
      if (isOver) return Promise.resolve(err(unreadable("git cat-file", words)));
      const { promise, resolve } = Promise.withResolvers<Result<Answer | null, Problem>>();
      waiting.push(resolve);
      if (guard === null) watch();
      child.stdin.write(`${name}\n`);
      return promise;
    },
    end: async () => {
      stop(unreadable("git cat-file", "it was ended"));
      child.kill("SIGKILL");
      // Answers that nobody takes any more would keep the process from being over.
      child.stdout.destroy();
      await ended;
    },
  };
}

const lineFeed = 10;

/** Takes the program's output apart. */
function takeAnswers(
  { stdout }: ChildProcessWithoutNullStreams,
  isWhole: boolean,
  take: (answer: Answer | null) => void,
): void {
  let held: Buffer[] = [];
  let [size, need] = [0, 1];
  stdout.on("data", (piece: Buffer) => {
    held.push(piece);
    size += piece.length;
    while (size >= need) {
      const [only] = held;
      const all = held.length === 1 && only !== undefined ? only : Buffer.concat(held);
      held = [all];
      const end = all.indexOf(lineFeed);
      const known = end < 0 ? null : factsIn(all.toString("utf8", 0, end));
      const length = isWhole && known !== null ? known.size + 1 : 0;
      need = end < 0 ? size + 1 : end + 1 + length;
      if (size < need) continue;
      const rest = all.subarray(need);
      const content = all.subarray(end + 1, Math.max(end + 1, need - 1));
      [held, size, need] = [rest.length === 0 ? [] : [rest], rest.length, 1];
      take(known === null ? null : { ...known, content });
    }
  });
}

/** What a line of git says; null: that it has nothing of this name. */
function factsIn(line: string): ObjectFacts | null {
  const [, id = "", kind = "", size = ""] = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d{1,15})$/.exec(line) ?? [];
  return id === "" ? null : { id, kind, size: Number(size) };
}

function tooLarge({ id, kind, size }: ObjectFacts, bytesMax: number): Problem {
  return makeProblem("too-large", id, `The ${kind} has ${size} bytes; at most ${bytesMax} are read.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${size} bytes`,
  });
}

/**
 * The only reader of the environment. Everything a command knows of its surroundings, apart from its arguments, comes
 * from here as a value, so nothing further down depends on the machine it happens to run on. What asks one of the
 * process's ends is a question put when it is needed: opening an end that nobody uses costs a command a tenth of its
 * start.
 */

import { fstatSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import { ownerName } from "../../messages/principal.ts";
import { boundAgent } from "./agent-sessions.ts";
import { programOnPath } from "./program-path.ts";
import { agentOfTree, findWorkspace } from "./workspace.ts";

/** What the surroundings say. */
export interface Config {
  /** The working directory, absolute. */
  readonly directory: string;
  /** Whether results, and words for people, may be coloured (no-color.org; never for a dumb terminal). */
  readonly colour: { stdout(): boolean; stderr(): boolean };
  /** How wide the terminal on standard output is now, for its window may change; null: there is none. */
  columns(): number | null;
  /** The terminal that a person looks at and types into, as large as it is now; null: there is none, or it is a dumb one. */
  screen(): { readonly rows: number; readonly columns: number } | null;
  /** Whether standard output is a terminal, which a person reads. */
  isShown(): boolean;
  /** Whether standard error is a terminal on which a line can be replaced. */
  readonly isWatched: () => boolean;
  /** Whether a person can be asked: both ends are terminals. */
  isInteractive(): boolean;
  /** `BATON_HUB`: the hub to speak to where the command names neither hub nor journal; null where it is not set. */
  readonly hub: string | null;
  /** `BATON_TOKEN`: the credential for the hub; null where it is not set. */
  readonly token: string | null;
  /**
   * The agent whose work a git hook judges, and whom `baton mcp` serves: of the session of Codex that runs this as a shell,
   * else `BATON_AGENT`; null where neither says one.
   */
  readonly agent: string | null;
  /** Whether an agent program says of this shell that it is its own. */
  readonly isInProgram: boolean;
  /** `CLAUDE_CODE_SESSION_ID`: the session of Claude Code that started this process; null where it is not set. */
  readonly session: string | null;
  /**
   * `GIT_DIR` and `GIT_INDEX_FILE`: what git tells a hook of the commit that is being made; null where it is not set.
   * `isCalled`: git itself runs this, as a hook of a push, because `GIT_PREFIX` is set.
   */
  readonly gitHook: {
    readonly directory: string | null;
    readonly indexFile: string | null;
    readonly isCalled: boolean;
  };
  /**
   * `BATON_HOOK_SECONDS`: how long a hook of an agent program may take, in milliseconds; null where it is not set, or
   * no such time.
   */
  readonly hookMs: number | null;
  /**
   * Whether a person may be at the agent program that started this process, as far as the program says
   * (`CLAUDE_CODE_SESSION_ATTENDED`); a program without one ends when its agent has stopped.
   */
  readonly isAttended: boolean;
  /** `CODEX_HOME`, else `.codex` in the home folder: where Codex keeps its user's settings; null where neither is known. */
  readonly codexHome: string | null;
  /** The user's home folder; null where nothing says it. */
  readonly home: string | null;
  /** `VBW_PLANNING_DIR`: where today's scripts keep their planning directory; null where it is not set. */
  readonly planningDirectory: string | null;
  /**
   * How the command is called here: `baton`, or where npm or npx started it, and it may be on no path, `npx baton`; where
   * npx fetched the package for this call, by the package's name. Where an installed line started the launcher and no
   * folder of the path has a `baton`, it is Node and the launcher's file.
   */
  readonly program: string;
  /** Whether npm started this process, as a script or by npx. */
  readonly isRunByNpm: boolean;
  /** Every variable, to be handed on to other programs; nothing is decided by it. */
  environment(): Readonly<Record<string, string>>;
}

/** What of a process says where it is: its variables, its directory, and which of its ends are terminals. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: { readonly isTTY?: boolean };
  /** The second word is the file that was started. */
  readonly argv?: readonly string[];
  cwd(): string;
}

/** What the environment says of the agent; null: nothing. */
export interface Shell {
  readonly agent: string | null;
}

/** Reads the surroundings, which are those of this process where none are given. An empty variable counts as not set. */
export function readConfig(surroundings: Surroundings = thisProcess): Config {
  const { env } = surroundings;
  const isTerminal = (end: "stdin" | "stdout" | "stderr") => surroundings[end].isTTY === true;
  const plain = Boolean(env.NO_COLOR) || env.TERM === "dumb";
  return {
    directory: surroundings.cwd(),
    colour: { stdout: () => !plain && isTerminal("stdout"), stderr: () => !plain && isTerminal("stderr") },
    // A terminal that does not know its width says 0.
    columns: () => (isTerminal("stdout") ? surroundings.stdout.columns || null : null),
    screen: () => {
      const { rows, columns } = surroundings.stdout;
      const isThere = isTerminal("stdin") && isTerminal("stdout") && env.TERM !== "dumb";
      return isThere && rows && columns ? { rows, columns } : null;
    },
    isShown: () => isTerminal("stdout"),
    isWatched: () => isTerminal("stderr") && env.TERM !== "dumb",
    isInteractive: () => isTerminal("stdin") && isTerminal("stderr"),
    hub: env.BATON_HUB || null,
    token: env.BATON_TOKEN || null,
    agent: agentOfThread(surroundings) ?? (env.BATON_AGENT || null),
    isInProgram: programMarks.some((name) => Boolean(env[name])),
    session: env.CLAUDE_CODE_SESSION_ID || null,
    gitHook: {
      directory: env.GIT_DIR || null,
      indexFile: env.GIT_INDEX_FILE || null,
      isCalled: env.GIT_PREFIX !== undefined,
    },
    hookMs: /^[1-9]\d?$/.test(env.BATON_HOOK_SECONDS ?? "") ? Number(env.BATON_HOOK_SECONDS) * 1000 : null,
    isAttended: env.CLAUDE_CODE_SESSION_ATTENDED !== "0",
    codexHome: env.CODEX_HOME || (env.HOME ? `${env.HOME}/.codex` : null),
    home: env.HOME || env.USERPROFILE || null,
    planningDirectory: env.VBW_PLANNING_DIR || null,
    get program() {
      return programOf(surroundings);
    },
    isRunByNpm: Boolean(env.npm_lifecycle_event),
    environment: () =>
      Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  };
}

/** What Claude Code, Codex and Gemini CLI set in the shells that they run commands in. */
export const programMarks = [
  "CLAUDECODE",
  "CLAUDE_CODE_SESSION_ID",
  "CODEX_SESSION_ID",
  "CODEX_THREAD_ID",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "GEMINI_CLI",
];

/** This process. Its ends that are no terminal for certain are not opened: for a pipe that loads Node's network code. */
const thisProcess: Surroundings = {
  env: process.env,
  argv: process.argv,
  cwd: () => process.cwd(),
  get stdin() {
    return isNoTerminal(0) ? {} : process.stdin;
  },
  get stdout() {
    return isNoTerminal(1) ? {} : process.stdout;
  },
  get stderr() {
    return isNoTerminal(2) ? {} : process.stderr;
  },
};

function isNoTerminal(descriptor: number): boolean {
  try {
    return !fstatSync(descriptor).isCharacterDevice();
  } catch {
    // It is closed, or cannot be looked at: Node's stream knows what to do then.
    return false;
  }
}

/** The agent of the session of Codex in whose shell this process runs: its environment may be that of another session. */
function agentOfThread({ env, cwd }: Surroundings): string | null {
  const session = env.CODEX_SESSION_ID || null;
  const state = session === null ? undefined : findWorkspace(cwd())?.state;
  return session === null || state === undefined ? null : boundAgent(join(state, "sessions"), "codex", session);
}

function programOf({ env, argv }: Surroundings): string {
  if (!env.npm_lifecycle_event) return launcherLine(argv ?? [], env.PATH ?? "") ?? "baton";
  // npx keeps what it fetches in a folder of this name; what it finds in the project it calls by the command's name.
  const [before = "", within] = (argv?.[1] ?? "").split(/[\\/]_npx[\\/]/);
  return within === undefined ? "npx baton" : `npx ${fetchedFrom(join(before, "_npx", within.split(sep, 1)[0] ?? ""))}`;
}

/** What npx was given to fetch: a file or a folder, which it notes as seen from its own; else the package by its name. */
function fetchedFrom(folder: string): string {
  const read = readPlainFile(join(folder, "package.json"), noteBytesMax);
  const note = read.ok && read.value !== null ? parseBounded(read.value.text) : null;
  const { dependencies } = note?.ok === true && isJsonObject(note.value) ? note.value : {};
  const from = dependencies !== undefined && isJsonObject(dependencies) ? dependencies.batonhq : undefined;
  if (typeof from !== "string" || !from.startsWith("file:")) return "batonhq";
  const line = `file:${resolve(folder, from.slice("file:".length))}`;
  return isPlainWord(line) ? line : "batonhq";
}

const noteBytesMax = 64 * 1024;

/** A word with other characters would have to be quoted, each shell in its own way. */
function isPlainWord(word: string): boolean {
  return /^[A-Za-z0-9_./:@%+,\\-]+$/.test(word);
}

/** Node and the launcher where they were started by their files, and no `baton` is on the path; null: by its name. */
function launcherLine([node = "", file = ""]: readonly string[], path: string): string | null {
  if (!/[\\/]bin[\\/]baton\.js$/.test(file)) return null;
  if (![node, file].every(isPlainWord)) return null;
  const names = process.platform === "win32" ? ["baton.cmd", "baton.exe"] : ["baton"];
  return programOnPath(names, path) === null ? `${node} ${file}` : null;
}

/** The agent that this shell belongs to; null: it is a person's, which BATON_AGENT=owner may also say. */
export function agentOfShell({ agent }: Shell): string | null {
  return agent === ownerName ? null : agent;
}

/** Why nobody acts as the owner here: the shell or the work tree belongs to an agent. Null: it is a person's. */
export function shellProblem(shell: Shell & Pick<Config, "directory">): Problem | null {
  const ofTree = shell.agent === null ? agentOfTree(shell.directory) : null;
  const agent = agentOfShell(shell) ?? ofTree;
  if (agent === null || agent === ownerName) return null;
  const [received, what] = [visible(agent.slice(0, 64)), ofTree === null ? "shell" : "work tree"];
  return makeProblem("human-required", "BATON_AGENT", `This ${what} belongs to the agent ${received}.`, {
    expected: ownerName,
    received,
    hint:
      ofTree === null
        ? "The person who owns the team runs this in a shell without BATON_AGENT."
        : "The person who owns the team runs this in another work tree, or here with BATON_AGENT=owner.",
  });
}

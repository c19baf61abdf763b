/**
 * Other programs as the demo runs them: one call with its output (`runProgram`), or a child that lives on and is ended
 * for certain (`startChild`). A child that lives on leads a separate process group, so that whatever it started ends
 * with it; Ctrl-C in the terminal then reaches the demo alone, which ends the others.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { systemClock } from "../../src/base/clock.ts";
import { linesOf } from "../../src/mail/text/json-lines.ts";

/** Variables of a process. */
export type Environment = Readonly<Record<string, string>>;

/** A finished program. `code` null: a signal ended it, or it could not be started (`fault` says why). */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly problem: NodeJS.ErrnoException | null;
}

/** Longest output of one program that is kept, in characters. */
const outputCharactersMax = 1_000_000;
/** Longest line that a child may print, in bytes. */
const lineBytesMax = 1_000_000;
/** Longest time of one program, in milliseconds. */
const programMsMax = 30_000;

/** Runs a program to its end, without a shell. It is killed after half a minute. */
export async function runProgram(
  program: string,
  words: readonly string[],
  options: { readonly directory: string; readonly environment: Environment },
): Promise<Finished> {
  const child = spawn(program, [...words], {
    cwd: options.directory,
    env: { ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const { promise, resolve } = Promise.withResolvers<Pick<Finished, "code" | "problem">>();
  child.on("error", (problem) => resolve({ code: null, problem }));
  child.on("close", (code) => resolve({ code, problem: null }));
  // Not spawn's own limit: its timer goes on, and holds the process, where the program could not be started.
  const over = new AbortController();
  void systemClock.wait(programMsMax, over.signal).then(() => over.signal.aborted || child.kill("SIGKILL"));
  const [stdout, stderr, end] = await Promise.all([textOf(child.stdout), textOf(child.stderr), promise]);
  over.abort();
  return { stdout, stderr, ...end };
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) if (text.length < outputCharactersMax) text += String(chunk);
  return text;
}

/** How a child ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  /** Program and arguments. Never a secret: any user of the machine may read them. */
  readonly words: readonly [string, ...string[]];
  readonly directory: string;
  readonly environment: Environment;
  /** The first line of its standard input, which then stays open: its end tells the child that we are gone. */
  readonly input?: string;
  /** Called with each line of its standard output. */
  onLine(line: string): void;
}

/** A child that lives on. */
export interface Child {
  readonly pid: number | null;
  /** Resolves when it has ended and every line it printed was handed on; never rejects. */
  readonly ended: Promise<Ending>;
  /** The end of what it wrote to standard error. */
  errors(): string;
  /** Writes a line to its standard input; nothing happens where it has ended. */
  write(line: string): void;
  /** `kill -9` of this one process, not of what it started. */
  kill(): void;
  /** Ends it and everything it started: asks, and after `graceMs` kills. */
  end(graceMs: number): Promise<void>;
}

/** How often a group is looked at after its leader ended, in milliseconds. */
const groupLookMs = 40;
const errorCharactersMax = 8_000;

/** Starts a child. A program that cannot be started is one that ended with code 127. */
export function startChild(options: ChildOptions): Child {
  const [program, ...words] = options.words;
  const child = spawn(program, words, {
    cwd: options.directory,
    env: { ...options.environment },
    stdio: ["pipe", "pipe", "pipe"],
    detached: hasGroups,
    windowsHide: true,
  });
  let errors = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (chunk: string) => {
    errors = (errors + chunk).slice(-errorCharactersMax);
  });
  child.stdin.on("error", () => {
    // It ended before it read its order; how it ended tells more than the broken pipe.
  });
  if (options.input !== undefined) child.stdin.write(`${options.input}\n`);
  const ended = endingOf(child, options.onLine, (problem) => {
    errors += String(problem);
  });
  const group = groupOf(child, ended);
  return {
    pid: child.pid ?? null,
    ended,
    errors: () => errors,
    write: (line) => child.stdin.write(`${line}\n`),
    kill: () => child.kill("SIGKILL"),
    end: (graceMs) => endChild(child, ended, group, graceMs),
  };
}

/** Windows has no process groups; there a child ends what it started when its own input ends. */
const hasGroups = process.platform !== "win32";

async function endingOf(
  child: ChildProcess & { readonly stdout: Readable },
  onLine: (line: string) => void,
  onProblem: (problem: Error) => void,
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  child.on("error", (problem) => {
    onProblem(problem);
    resolve({ code: 127, signal: null });
  });
  child.on("exit", (code, signal) => resolve({ code, signal }));
  const decoder = new TextDecoder();
  try {
    for await (const line of linesOf(child.stdout, lineBytesMax)) onLine(decoder.decode(line));
  } catch (problem) {
    // A pipe that broke off says no more than the end of the process does.
    onProblem(problem instanceof Error ? problem : new Error(String(problem)));
  }
  return await promise;
}

/** The child's process group, signalled only while it is known to have members: a number is used again one day. */
interface Group {
  signal(name: NodeJS.Signals): void;
  /** Resolves when the group has no member left, or nobody cares any more. */
  readonly gone: Promise<void>;
  forget(): void;
}

function groupOf(child: ChildProcess, ended: Promise<Ending>): Group {
  const { pid } = child;
  let isGone = pid === undefined;
  const send = (name: NodeJS.Signals | 0): void => {
    if (isGone || pid === undefined) return;
    try {
      process.kill(hasGroups ? -pid : pid, name);
    } catch {
      // Nobody is left in it; from here on the number may belong to somebody else.
      isGone = true;
    }
  };
  const watch = async (): Promise<void> => {
    await ended;
    for (send(0); !isGone; send(0)) await systemClock.wait(groupLookMs);
  };
  return {
    signal: send,
    gone: watch(),
    forget: () => {
      isGone = true;
    },
  };
}

async function endChild(child: ChildProcess, ended: Promise<Ending>, group: Group, graceMs: number): Promise<void> {
  child.stdin?.end();
  group.signal("SIGTERM");
  const over = new AbortController();
  await Promise.race([group.gone, systemClock.wait(graceMs, over.signal)]);
  over.abort();
  group.signal("SIGKILL");
  if (child.pid !== undefined) await ended;
  // What was killed may stay listed as a zombie where nobody collects orphans.
  group.forget();
}

/*
 * An agent that falls silent: its process group is stopped by SIGSTOP, as a program is that hangs, and goes on by
 * SIGCONT. A separate small process sends both. Stopped processes do not see that the demo is gone, and would stay for
 * ever; that one sees it by the end of its input, lets them go on, and so they see it too and end.
 */

/**
 * How fast the demo is played, and how soon the agent that falls silent is found out. The limit is the team's and so
 * applies to every agent whose program sends heartbeats; why none of the others reaches it is in docs/decisions.md.
 */
export interface Tempo {
  /** Pause of an agent before each step, for people who watch, in milliseconds. */
  readonly paceMs: number;
  /** How late an expected heartbeat may be, in seconds. */
  readonly disappearSeconds: number;
}

/** Windows knows no signal that stops a process; there nobody falls silent, and the scene is left out. */
export const canSilence = process.platform !== "win32";

/** A group that is stopped. */
export interface Silence {
  /** Lets it continue; resolves once the signal was sent. */
  end(): Promise<void>;
}

interface SilenceOptions {
  readonly directory: string;
  readonly environment: Environment;
  /** Called with the process that stops the group, which must be ended with everything else. */
  enter(child: Child): void;
}

/** Every POSIX system has this shell, and its own `kill` takes the number of a group. */
const shell = "/bin/sh";
const script = 'kill -s STOP -- "-$1" || exit; echo stopped; read -r word; kill -s CONT -- "-$1"';

/** Stops the group that `leader` leads; null: it has ended, or there is no such signal. */
export async function silenceGroup(leader: Child, options: SilenceOptions): Promise<Silence | null> {
  if (!canSilence || leader.pid === null) return null;
  const { directory, environment, enter } = options;
  const stopped = Promise.withResolvers<boolean>();
  const keeper = startChild({
    words: [shell, "-c", script, shell, String(leader.pid)],
    directory,
    environment,
    onLine: () => stopped.resolve(true),
  });
  enter(keeper);
  void keeper.ended.then(() => stopped.resolve(false));
  if (!(await stopped.promise)) return null;
  return {
    end: async () => {
      keeper.write("go on");
      await keeper.ended;
    },
  };
}

/** As it is watched, and as it is when nobody waits for it. */
export const tempos = {
  watched: { paceMs: 2_800, disappearSeconds: 8 },
  fast: { paceMs: 0, disappearSeconds: 4 },
} as const satisfies Readonly<Record<string, Tempo>>;

/**
 * Other programs as the demo runs them: one call to its end (`runProgram`), or a child that lives on and is ended for
 * certain (`startChild`). Such a child leads a process group, so that whatever it started ends with it; Ctrl-C in the
 * terminal then reaches the demo alone, which ends the others.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/clock.ts";

/** Where and with which variables a program runs. */
export interface Place {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A finished program. `code` null: it could not be started, or a signal ended it. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end, without a shell, with `input` as its standard input. It is killed after two minutes, or when
 * `signal` aborts.
 */
export function runProgram(
  [program = "", ...words]: readonly string[],
  { directory, environment }: Place,
  { input = "", signal }: { readonly input?: string; readonly signal?: AbortSignal } = {},
): Promise<Finished> {
  const { promise, resolve } = Promise.withResolvers<Finished>();
  const options = { cwd: directory, env: { ...environment }, timeout: 120_000, windowsHide: true };
  const child = execFile(program, words, { ...options, killSignal: "SIGKILL" }, (problem, stdout, stderr) => {
    signal?.removeEventListener("abort", stop);
    if (problem === null) return resolve({ code: 0, stdout, stderr });
    const code = typeof problem.code === "number" ? problem.code : null;
    resolve({ code, stdout, stderr: code === null ? `${stderr}${problem.message}` : stderr });
  });
  // A program that is halted takes no other signal; the option \`signal\` of execFile sends SIGTERM.
  const stop = (): unknown => child.kill("SIGKILL");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  // How it ended tells more than a broken pipe.
  child.stdin?.on("error", () => undefined).end(input);
  return promise;
}

/** A child that lives on. The end of its standard input tells it that we are gone. */
export interface Child {
  /** Resolves with its exit code when it has ended and every line was handed on; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** The end of what it wrote to standard error. */
  errors(): string;
  /** Writes a line to its standard input; nothing happens where it has ended. */
  write(line: string): void;
  /** Kills it and everything it started, without a word. */
  kill(): void;
  /** Ends it and everything it started: by the end of its input, and after `graceMs` by a kill. */
  end(graceMs: number): Promise<void>;
}

const errorCharactersMax = 8_000;
/** Windows has no process groups; there a child ends what it started when its own input ends. */
const hasGroups = process.platform !== "win32";

/**
 * Starts a child; `onLine` gets each line of its standard output. `joins`: it stays in the group of this process. A
 * program that cannot be started is one that ended with code 127.
 */
export function startChild(
  [program = "", ...words]: readonly string[],
  { directory, environment }: Place,
  onLine: (line: string) => void,
  { joins }: { readonly joins: boolean } = { joins: false },
): Child {
  const isLeader = hasGroups && !joins;
  const options = { cwd: directory, env: { ...environment }, detached: isLeader, windowsHide: true };
  const child = spawn(program, words, options);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-errorCharactersMax);
  });
  child.stdin.on("error", () => undefined);
  createInterface(child.stdout).on("line", onLine);
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.on("error", (cause) => {
    errors += String(cause);
    resolve(127);
  });
  child.on("close", resolve);
  let isOver = false;
  return {
    ended,
    errors: () => errors,
    write: (line) => child.stdin.write(`${line}\n`),
    kill: () => {
      if (isOver) return;
      isOver = true;
      kill(child, isLeader);
    },
    end: async (graceMs) => {
      // A number of a process is used again one day.
      if (isOver) return;
      child.stdin.end();
      const over = new AbortController();
      await Promise.race([ended, systemClock.wait(graceMs, over.signal)]);
      over.abort();
      kill(child, isLeader);
      isOver = true;
      await ended;
    },
  };
}

function kill({ pid }: ChildProcess, isLeader: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isLeader ? -pid : pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

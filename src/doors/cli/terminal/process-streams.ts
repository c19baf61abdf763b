/**
 * The process's own streams and signals. A reader of standard output that went away, and Ctrl-C, ask the command to
 * stop: waiting ends and what is being recorded is finished. A second Ctrl-C kills as usual.
 */
import { nextTurn } from "../../../base/clock.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import type { Streams } from "./output.ts";

/** A request to stop. */
export interface Stop {
  readonly signal: AbortSignal;
  request(): void;
  /** Whether Ctrl-C asked for it. */
  interrupted(): boolean;
}

/** Listens for Ctrl-C from now on. */
export function stopSignal(): Stop {
  const controller = new AbortController();
  let interrupted = false;
  process.once("SIGINT", () => {
    interrupted = true;
    controller.abort();
  });
  return { signal: controller.signal, request: () => controller.abort(), interrupted: () => interrupted };
}

/**
 * Standard output and error. After the reader of standard output went away, or it took no more, results are dropped and
 * `stop` is requested.
 */
export function processStreams(stop: Stop): Streams {
  let failure: NodeJS.ErrnoException | null = null;
  const fail = (error: NodeJS.ErrnoException | null | undefined) => {
    if (error === null || error === undefined || failure !== null) return;
    failure = error;
    stop.request();
  };
  process.stdout.on("error", fail);
  let writing: Promise<void> = Promise.resolve();
  const results = gathered((text) => {
    if (failure !== null) return;
    writing = new Promise((resolve) => {
      process.stdout.write(text, (error) => {
        fail(error);
        resolve();
      });
    });
  });
  process.once("exit", results.write);
  return {
    stdout: results.add,
    written: async () => {
      results.write();
      await writing;
      return failure === null || failure.code === "EPIPE" ? null : outputFailed(failure);
    },
    stderr: (text) => {
      // Words come after the results that they speak of.
      results.write();
      standardError().write(text);
    },
  };
}

/** Why results could not be written, `failure` being what the machine said. */
export function outputFailed(failure: NodeJS.ErrnoException): Problem {
  const isFull = failure.code === "ENOSPC" || failure.code === "EDQUOT";
  return problem(
    "output-failed",
    "standard output",
    `What the command had to say could not be written: ${isFull ? "the disk is full" : failure.message}.`,
    {
      hint: `${isFull ? "Make room, or write" : "Write"} it elsewhere, and ask again; what the command did before is done.`,
    },
  );
}

let opened: NodeJS.WriteStream | null = null;

/** The process's standard error, opened by the first words for people: many a command has none. */
export function standardError(): NodeJS.WriteStream {
  if (opened !== null) return opened;
  opened = process.stderr;
  // Nobody reads our words, whatever the reason: there is nobody left to tell, and the exit code still says how it ended.
  opened.on("error", () => undefined);
  return opened;
}

/**
 * Results that come together are written together: one call of the system for each would cost more than judging a
 * message. None waits longer than the work at hand.
 */
function gathered(write: (text: string) => void): { add(text: string): void; write(): void } {
  let held = "";
  let isDue = false;
  const writeHeld = () => {
    isDue = false;
    const text = held;
    held = "";
    if (text !== "") write(text);
  };
  return {
    add: (text) => {
      held += text;
      if (held.length > heldMax) writeHeld();
      else if (!isDue) {
        isDue = true;
        void nextTurn().then(writeHeld);
      }
    },
    write: writeHeld,
  };
}

const heldMax = 64 * 1024;

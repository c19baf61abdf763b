/**
 * The process's own streams and signals. A reader of standard output that went away, and Ctrl-C, ask the command to
 * stop: waiting ends and what is being recorded is finished. A second Ctrl-C kills as usual.
 */
import { fstatSync, writeSync } from "node:fs";
import { nextTurn } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
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
  const fail = (error: NodeJS.ErrnoException | null) => {
    if (error === null || failure !== null) return;
    failure = error;
    stop.request();
  };
  const output = writerTo("stdout");
  let writing: Promise<void> = Promise.resolve();
  const results = gathered((text) => {
    if (failure === null) writing = output(text).then(fail);
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
      writeError(text);
    },
  };
}

/**
 * Writes to standard output or error, and answers why it could not. A file or a pipe is written to directly: Node's stream
 * for it writes as synchronously, but opening one loads most of Node's network code. A terminal has that stream, and so
 * has what takes nothing just now.
 */
export function writerTo(name: "stdout" | "stderr"): (text: string) => Promise<NodeJS.ErrnoException | null> {
  const descriptor = name === "stdout" ? 1 : 2;
  let stream: NodeJS.WriteStream | null = null;
  // The answer of a write says what is wrong; without a listener the stream would end the process.
  const open = () => process[name].on("error", () => undefined);
  if (!isDirect(descriptor)) stream = open();
  return (text) => {
    let bytes = Buffer.from(text);
    try {
      while (stream === null && bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      const failure = error as NodeJS.ErrnoException; // what the file system throws
      if (failure.code !== "EAGAIN") return Promise.resolve(failure);
      stream = open();
    }
    const to = stream;
    if (to === null) return Promise.resolve(null);
    return new Promise((resolve) => to.write(bytes, (error) => resolve(error ?? null)));
  };
}

/** Whether it is a file or a pipe. Asking the process's stream whether it is a terminal would load that stream. */
export function isDirect(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFIFO() || found.isSocket() || found.isFile();
  } catch {
    // It is closed, or cannot be looked at: Node's stream knows what to do then.
    return false;
  }
}

/** Why results could not be written, `failure` being what the machine said. */
export function outputFailed(failure: NodeJS.ErrnoException): Problem {
  const isFull = failure.code === "ENOSPC" || failure.code === "EDQUOT";
  return makeProblem(
    "output-failed",
    "standard output",
    `What the command had to say could not be written: ${isFull ? "the disk is full" : failure.message}.`,
    {
      hint: `${isFull ? "Make room, or write" : "Write"} it elsewhere, and ask again; what the command did before is done.`,
    },
  );
}

let errorWriter: ((text: string) => Promise<unknown>) | null = null;

/**
 * Writes words for people to standard error. Nobody reads them, whatever the reason: there is nobody left to tell, and the
 * exit code still says how it ended.
 */
export function writeError(text: string): void {
  errorWriter ??= writerTo("stderr");
  void errorWriter(text);
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

/**
 * Reading what a command is given: a file or standard input (`-`), never more of it than a message may be long, so a
 * wrong file costs no memory. What is too long is passed on one byte over the limit, and the reader of messages says so.
 */
import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { nextTurn } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { shorten } from "../../../base/text.ts";

/** How much of a file is read at a time: a longer text is no short-lived one for the engine, and seven times as slow. */
const chunkBytes = 64 * 1024;

/** The bytes of `file` as they come. Throws on a file that cannot be read; stops quietly when `signal` aborts. */
export async function* bytesOf(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  if (file !== "-" && statSync(file, { throwIfNoEntry: false })?.isFile() === true) yield* bytesOnDisk(file, signal);
  else yield* bytesOfStream(file === "-" ? process.stdin : createReadStream(file), signal);
}

/** A plain file is there at once: waiting for a thread to read it takes longer than reading it. */
async function* bytesOnDisk(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const opened = openSync(file, "r");
  try {
    while (!signal.aborted) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const length = readSync(opened, chunk);
      if (length === 0) return;
      yield chunk.subarray(0, length);
      // A request to stop takes effect between two parts.
      await nextTurn();
    }
  } finally {
    closeSync(opened);
  }
}

async function* bytesOfStream(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const stop = () => stream.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of stream) yield chunk;
  } catch (cause) {
    if (!signal.aborted) throw cause;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The bytes of `file`, at most `bytesMax + 1` of them. Refuses with `not-found` what cannot be read. */
export async function readWhole(
  file: string,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Result<Uint8Array, Problem>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of bytesOf(file, signal)) {
      parts.push(chunk);
      length += chunk.length;
      if (length > bytesMax) break;
    }
  } catch (cause) {
    return err(unreadable(file, cause));
  }
  return ok(Buffer.concat(parts).subarray(0, bytesMax + 1));
}

/** Most characters of a file's name that are shown: a longer one is mostly a message given in its place. */
const nameShownMax = 300;

/** A `not-found` problem about a file that cannot be read. */
export function unreadable(file: string, cause: unknown): Problem {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  const words: Readonly<Record<string, string>> = {
    ENOENT: "There is no such file.",
    EISDIR: "This is a directory; a file is wanted.",
    EACCES: "This file may not be read.",
  };
  return makeProblem(
    "not-found",
    shorten(file, nameShownMax),
    words[reason] ?? `This file cannot be read (${reason}).`,
    {
      hint: "check the path, or give - for standard input",
    },
  );
}

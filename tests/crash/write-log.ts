/**
 * The write log: compiles `write-log.c`, runs a program under it, and reads the trace it leaves.
 * A trace lists, in the order of their effect, the writes, syncs and directory changes of one folder.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type FileEvent =
  | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "truncate"; readonly path: string; readonly length: number }
  | { readonly kind: "rename"; readonly path: string; readonly target: string }
  | { readonly kind: "unlink"; readonly path: string }
  | { readonly kind: "create"; readonly path: string };

/** Why no write log can be made on this machine, or null where it can. */
export function writeLogMissing(): string | null {
  if (process.platform !== "linux") return "LD_PRELOAD needs Linux";
  return spawnSync("gcc", ["--version"]).status === 0 ? null : "gcc is missing";
}

/** Compiles the library into `folder`; answers its path. */
export function compileWriteLog(folder: string): string {
  const library = join(folder, "write-log.so");
  const source = join(import.meta.dirname, "write-log.c");
  execFileSync("gcc", ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"]);
  return library;
}

/** The environment under which a program's changes to `folder` are logged to `trace` (a file outside `folder`). */
export function loggingEnvironment(library: string, folder: string, trace: string): NodeJS.ProcessEnv {
  return { ...process.env, LD_PRELOAD: library, WRITE_LOG_FOLDER: folder, WRITE_LOG_TRACE: trace };
}

const headerBytes = 32;

/** All events of a trace, in order. */
export function readTrace(trace: string): readonly FileEvent[] {
  const bytes = readFileSync(trace);
  const events: FileEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const pathLength = bytes.readUInt32LE(at + 4);
    const dataLength = Number(bytes.readBigUInt64LE(at + 16));
    const dataStart = at + headerBytes + pathLength;
    const path = bytes.toString("utf8", at + headerBytes, dataStart);
    const data = bytes.subarray(dataStart, dataStart + dataLength);
    events.push(eventOf(bytes.readUInt32LE(at), path, Number(bytes.readBigInt64LE(at + 8)), data));
    at = dataStart + dataLength;
  }
  return events;
}

function eventOf(kind: number, path: string, offset: number, data: Buffer): FileEvent {
  switch (kind) {
    case 1:
      return { kind: "write", path, offset, data };
    case 2:
      return { kind: "sync", path };
    case 3:
      return { kind: "truncate", path, length: offset };
    case 4:
      return { kind: "rename", path, target: data.toString("utf8") };
    case 5:
      return { kind: "unlink", path };
    case 6:
      return { kind: "create", path };
    default:
      throw new Error(`the trace holds an unknown record: ${kind}`);
  }
}

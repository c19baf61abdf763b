/**
 * The write log of a program that makes its system calls itself, as those in Go do: read from what strace writes down. As in
 * the log of the preloaded library, what matters is the order of writes, syncs and of what a client was answered.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

export type TracedEvent =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly offset: number;
      readonly data: Buffer;
      readonly synced: boolean;
    }
  | { readonly kind: "sync" | "unlink" | "create"; readonly path: string }
  | { readonly kind: "truncate"; readonly path: string; readonly length: number }
  | { readonly kind: "rename"; readonly path: string; readonly target: string }
  /** Something that was written to a socket. */
  | { readonly kind: "answer"; readonly data: Buffer };

/** Why no such log can be made on this machine; null: it can. */
export function tracingMissing(): string | null {
  if (process.platform !== "linux") return "strace needs Linux";
  return spawnSync("strace", ["-V"]).status === 0 ? null : "strace is missing";
}

const calls = "openat,write,pwrite64,writev,fsync,fdatasync,renameat,renameat2,rename,unlink,unlinkat,ftruncate";

/** Writes a program to `file` that runs `program` with the same arguments and logs what it does to `trace`. */
export function tracingProgram(file: string, program: string, trace: string): string {
  const words = `strace -f -qq -y -xx -s 16777216 -e signal=none -e trace=${calls} -o '${trace}' '${program}'`;
  writeFileSync(file, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** The process that was traced first. */
export function tracedProcess(trace: string): number {
  return Number(/^\d+/.exec(readFileSync(trace, "latin1"))?.[0]);
}

/** The events below `folder` and all answers, in the order in which the calls returned. */
export function readTracedWrites(trace: string, folder: string): readonly TracedEvent[] {
  const begun = new Map<string, string>();
  const synced = new Map<string, boolean>();
  const ends = new Map<string, number>();
  const lengths = new Map<string, number>();
  const events: TracedEvent[] = [];
  for (const line of readFileSync(trace, "latin1").split("\n")) {
    const [, thread = "", said = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (said.endsWith("<unfinished ...>")) {
      begun.set(thread, said.slice(0, -"<unfinished ...>".length).trimEnd());
      continue;
    }
    const resumed = said.startsWith("<... ") ? said.slice(said.indexOf(">") + 1) : null;
    const call = resumed === null ? said : `${begun.get(thread) ?? ""}${resumed}`;
    const event = eventOf(call, { synced, ends, lengths });
    if (event !== null && (event.kind === "answer" || event.path.startsWith(`${folder}/`))) events.push(event);
  }
  return events;
}

/** What is known of open files: by descriptor whether each write is synced and where the next goes, by path their length. */
interface Known {
  readonly synced: Map<string, boolean>;
  readonly ends: Map<string, number>;
  readonly lengths: Map<string, number>;
}

const opened = /^openat\([^,]*, "([^"]*)", ([A-Z_|0-9x]+).* = (\d+)</;
const written = /^p?write(?:64)?\((\d+)<([^>]*)>, "([^"]*)", \d+(?:, (\d+))?\) += (\d+)/;
const gathered = /^writev\(\d+<([^>]*)>, (\[.*\]), \d+\) += \d+/;
const parts = /iov_base="([^"]*)"/g;
const syncedCall = /^f(?:data)?sync\(\d+<([^>]*)>\) += 0/;
const truncated = /^ftruncate\(\d+<([^>]*)>, (\d+)\) += 0/;
const renamed = /^rename(?:at2?)?\((?:[^,"]*, )?"([^"]*)", (?:[^,"]*, )?"([^"]*)".*\) += 0/;
const removed = /^unlink(?:at)?\((?:[^,"]*, )?"([^"]*)".*\) += 0/;

function eventOf(call: string, known: Known): TracedEvent | null {
  const open = opened.exec(call);
  if (open !== null) return openEvent(open, known);
  const write = written.exec(call);
  if (write !== null) return writeEvent(write, known);
  const many = gathered.exec(call);
  // Only answers are written so.
  if (many !== null) {
    const said = [...(many[2] ?? "").matchAll(parts)].map(([, part = ""]) => bytesOf(part));
    return { kind: "answer", data: Buffer.concat(said) };
  }
  const sync = syncedCall.exec(call);
  if (sync !== null) return { kind: "sync", path: text(sync[1]) };
  const cut = truncated.exec(call);
  if (cut !== null) {
    known.lengths.set(text(cut[1]), Number(cut[2]));
    return { kind: "truncate", path: text(cut[1]), length: Number(cut[2]) };
  }
  const rename = renamed.exec(call);
  if (rename !== null) {
    const [path, target] = [text(rename[1]), text(rename[2])];
    known.lengths.set(target, known.lengths.get(path) ?? 0);
    return { kind: "rename", path, target };
  }
  const gone = removed.exec(call);
  return gone === null ? null : { kind: "unlink", path: text(gone[1]) };
}

function openEvent([, path, flags = "", descriptor = ""]: RegExpExecArray, known: Known): TracedEvent | null {
  const name = text(path);
  const has = (flag: string) => flags.split("|").includes(flag);
  const isNew = has("O_CREAT") && !known.lengths.has(name);
  if (isNew || has("O_TRUNC")) known.lengths.set(name, 0);
  known.synced.set(descriptor, has("O_SYNC") || has("O_DSYNC"));
  known.ends.set(descriptor, has("O_APPEND") ? -1 : 0);
  if (isNew) return { kind: "create", path: name };
  return has("O_TRUNC") ? { kind: "truncate", path: name, length: 0 } : null;
}

function writeEvent([, descriptor = "", where, data, at, count]: RegExpExecArray, known: Known): TracedEvent {
  const path = text(where);
  const bytes = bytesOf(data).subarray(0, Number(count));
  if (/^(?:socket|TCP|UNIX)/.test(path)) return { kind: "answer", data: bytes };
  const next = known.ends.get(descriptor) ?? 0;
  const length = known.lengths.get(path) ?? 0;
  const offset = at === undefined ? (next === -1 ? length : next) : Number(at);
  if (at === undefined && next !== -1) known.ends.set(descriptor, offset + bytes.length);
  known.lengths.set(path, Math.max(length, offset + bytes.length));
  return { kind: "write", path, offset, data: bytes, synced: known.synced.get(descriptor) ?? false };
}

/** A name as strace writes it in hex. */
function text(name = ""): string {
  return name.includes("\\x") ? bytesOf(name).toString("utf8") : name;
}

function bytesOf(hex = ""): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

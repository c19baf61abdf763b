/**
 * Programs run inside a separate mount namespace, so that a test can have a full or a read-only file system without
 * leaving a mount behind. Works for root, and for others where the machine allows user namespaces.
 */
import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Visit, VisitReport } from "./visitor.ts";

const namespaces: readonly (readonly string[])[] = [
  ["unshare", "-m"],
  ["unshare", "-r", "-m"],
];

/** The words that start a program in such a namespace, or null where none can be made. */
const namespace: readonly string[] | null =
  process.platform === "linux"
    ? (namespaces.find(
        (words) => spawnSync(words[0] ?? "", [...words.slice(1), "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0,
      ) ?? null)
    : null;

/** Why no file system can be mounted for a test, or null where it can. */
export function mountingMissing(): string | null {
  return namespace === null ? "this user may not mount file systems in a namespace of its own" : null;
}

/** Runs `mounts` (shell commands; `$1` is `folder`), then a program of Node with its words, all in one namespace. */
export function runMounted(
  mounts: string,
  folder: string,
  words: readonly string[],
  options: Pick<SpawnSyncOptions, "cwd" | "env" | "timeout"> = {},
): SpawnSyncReturns<string> {
  const script = `set -e; ${mounts}; shift; exec "$@"`;
  const [program = "", ...first] = namespace ?? [];
  const line = [...first, "sh", "-c", script, "sh", folder, process.execPath, ...words];
  return spawnSync(program, line, { ...options, encoding: "utf8" });
}

/** Runs the visitor after `mounts`, in one namespace; answers what it saw. */
export function visitMounted(mounts: string, folder: string, visit: Visit): VisitReport {
  const run = runMounted(mounts, folder, [join(import.meta.dirname, "visitor.ts"), JSON.stringify(visit)]);
  if (run.status !== 0) throw new Error(`the visitor ended with ${run.status}: ${run.stderr}`);
  return JSON.parse(run.stdout) as VisitReport; // our own visitor's words
}

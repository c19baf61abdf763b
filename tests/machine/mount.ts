/**
 * Programs run inside a mount namespace of their own, so that a test can have a full or a read-only file system without
 * leaving a mount behind. Works for root, and for others where the machine allows user namespaces.
 */
import { spawnSync } from "node:child_process";
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

/** Runs `mounts` (shell commands; `$1` is `folder`), then the visitor, all in one namespace; answers what it saw. */
export function visitMounted(mounts: string, folder: string, visit: Visit): VisitReport {
  const visitor = join(import.meta.dirname, "visitor.ts");
  const words = [
    "sh",
    "-c",
    `set -e; ${mounts}; exec "$2" "$3" "$4"`,
    "sh",
    folder,
    process.execPath,
    visitor,
    JSON.stringify(visit),
  ];
  const [program = "", ...first] = namespace ?? [];
  const run = spawnSync(program, [...first, ...words], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the visitor ended with ${run.status}: ${run.stderr}`);
  return JSON.parse(run.stdout) as VisitReport; // our own visitor's words
}

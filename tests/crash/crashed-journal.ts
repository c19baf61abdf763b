/** A journal as a crash leaves it, as an image in memory, together with the receipts that its writers hold. */
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import type { Receipt } from "../../src/journal/entry.ts";
import type { BuildOrder } from "./builder.ts";
import { imageOf, temporaryFolder } from "./folder.ts";

export interface CrashedJournal {
  /** File contents by name: `journal.db`, `journal.db-wal`, and the anchor. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly receipts: readonly Receipt[];
}

/** Builds one with so many entries in the database and so many in the write-ahead log alone. */
export function crashedJournal(order: Omit<BuildOrder, "path">): CrashedJournal {
  using folder = temporaryFolder("memory");
  const program = join(import.meta.dirname, "builder.ts");
  const words = [program, JSON.stringify({ ...order, path: join(folder.path, "journal.db") })];
  const built = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (built.signal !== "SIGKILL") throw new Error(`the builder ended with ${built.status}: ${built.stderr}`);
  const receipts = built.stdout.split("\n").filter((line) => line !== "");
  return {
    files: new Map([...imageOf(folder.path)].map(([path, content]) => [basename(path), content])),
    receipts: receipts.map((line) => JSON.parse(line) as Receipt), // our own builder's lines
  };
}

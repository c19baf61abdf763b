/** A copy of a hub's journal, saved on this machine with its anchor. It is there whole or not at all. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { TeamName } from "../../../base/ids.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import { anchorPath, writeAnchors } from "../../../journal/anchor-file.ts";
import type { Head } from "../../../journal/journal.ts";
import { readPart } from "./client-body.ts";

/**
 * Writes the stream to `file` and the heads to its anchor. Refuses `already-exists` where one of them stands,
 * what `broken` says when the stream breaks off, and what the file system refuses.
 */
export async function saveCopy(
  body: ReadableStream<Uint8Array>,
  file: string,
  heads: ReadonlyMap<TeamName, Head>,
  broken: () => Problem,
): Promise<Result<void, Problem>> {
  const taken = [file, anchorPath(file)].find((path) => existsSync(path));
  if (taken !== undefined) {
    await body.cancel();
    const hint = "Name a new file.";
    return err(
      problem("already-exists", taken, "A file stands here already; a backup never overwrites one.", { hint }),
    );
  }
  const draft = `${file}.part`;
  try {
    const isWhole = await writeDraft(draft, body);
    if (!isWhole) return err(broken());
    const anchored = writeAnchors(anchorPath(file), heads);
    if (anchored.ok) renameSync(draft, file);
    return anchored;
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : null;
    if (reason === null) throw cause;
    const code = reason === "ENOSPC" || reason === "EDQUOT" ? "journal-full" : "journal-cannot-open";
    return err(
      problem(code, file, "The copy cannot be written here.", { received: reason, hint: "Name another place." }),
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether everything came. */
async function writeDraft(draft: string, body: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = body.getReader();
  const descriptor = openSync(draft, "w", 0o600);
  try {
    for (;;) {
      const part = await readPart(reader);
      if (part === "broken") return false;
      if (part === "ended") break;
      for (let at = 0; at < part.byteLength; ) at += writeSync(descriptor, part, at);
    }
    fsyncSync(descriptor);
    return true;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The anchor: a small file next to a journal's file (`<journal>.head`) that names each team's head. One flipped bit in the
 * journal, or a copy of a part of it, can silently take it back to an earlier state; the anchor shows it. The file only
 * moves forward, is replaced as a whole, and names only entries that are durable. When it moves is the engine's part.
 *
 *   {"team-a":{"seq":1042,"hash":"9f…","epoch":1}, ...}
 *
 * Source: docs/protocol/record.md, section 7.
 */
import { type TeamName, teamName } from "../base/ids.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../base/plain-file.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Head } from "./entry.ts";

/** A team takes some 180 bytes, so this is room for tens of thousands of them. */
const anchorBytesMax = 16 * 1024 * 1024;

/** The anchored head of each team. */
export type Anchors = ReadonlyMap<TeamName, Head>;

/** The anchor's path for a journal's path. */
export function anchorPath(journalPath: string): string {
  return `${journalPath}.head`;
}

/** Reads the anchors; no file means none. A file that is not an anchor is an error: it may hide a loss. */
export function readAnchors(path: string): Result<Anchors, Problem> {
  const file = readPlainFile(path, anchorBytesMax);
  if (!file.ok) return err(unreadable(path, file.error));
  if (file.value === null) return ok(new Map());
  const { text } = file.value;
  const anchors = new Map<TeamName, Head>();
  const parsed = parseObject(text);
  if (parsed === null) return err(unreadable(path, text.slice(0, 80)));
  for (const [name, value] of Object.entries(parsed)) {
    const team = teamName(name);
    if (team === null || !isHead(value)) return err(unreadable(path, `${name}: ${JSON.stringify(value)}`));
    anchors.set(team, { seq: value.seq, hash: value.hash, epoch: value.epoch });
  }
  return ok(anchors);
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null; // Not JSON is one of the two ways not to be an anchor; the caller reports both alike.
  }
}

function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const { seq, hash, epoch } = value as Partial<Record<keyof Head, unknown>>;
  return (
    Number.isSafeInteger(seq) && Number.isSafeInteger(epoch) && typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash)
  );
}

function unreadable(path: string, received: string): Problem {
  return makeProblem(
    "journal-corrupt",
    path,
    "The anchor of the journal cannot be read, so a loss could go unnoticed.",
    {
      received,
      hint: "Restore the .head file; if it is gone for good, run `baton journal verify`, then delete it to create a new anchor.",
    },
  );
}

/** Where an anchor is written before it takes its place. One name is enough: the writer holds the write lock. */
export function temporaryOf(path: string): string {
  return `${path}.tmp`;
}

/** Replaces the anchor file as a whole; what a killed process left of one is removed first. */
export function writeAnchors(path: string, anchors: Anchors): Result<void, Problem> {
  try {
    const text = `${JSON.stringify(Object.fromEntries(anchors))}\n`;
    replacePlainFile(path, text, { draft: temporaryOf(path), mode: 0o644, isSynced: true });
    return ok(undefined);
  } catch (error) {
    const code = reasonOf(error);
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    return err(
      makeProblem(
        isFull ? "journal-full" : "journal-cannot-open",
        path,
        "The anchor of the journal cannot be written.",
        {
          received: code,
          hint: isFull
            ? "Free space on the journal's file system."
            : "Give this user write permission on the journal's folder.",
        },
      ),
    );
  }
}

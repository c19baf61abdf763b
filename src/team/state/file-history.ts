/**
 * What the team's file has said so far, in the order in which it was recorded, and whether the file of a folder is one of
 * an earlier time: a clone that lacks the last pull still has what was in force before. Such a file is no revision.
 * Rule: docs/protocol/authority.md, section 19.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import type { Json } from "../../base/json.ts";
import type { TeamDefinition } from "./definition.ts";

/**
 * Every definition that a team file had, by its digest, in the order in which the file said it last, each with its number
 * (1, 2, 3 ...) in that order.
 */
export type FileHistory = ReadonlyMap<string, number>;

/** The definition as canonical text: equal text, equal definition. Its digest is the SHA-256 of this. */
export function definitionText(definition: TeamDefinition): string {
  // A definition holds strings, numbers, lists and absent fields only, so it is plain JSON.
  return canonical(definition as unknown as Json);
}

/** The history with what the file says now, at its end. */
export function withFile(history: FileHistory, definition: TeamDefinition): FileHistory {
  const digest = digestOf(definition);
  const latest = latestOf(history);
  if (latest?.digest === digest) return history;
  const next = new Map(history);
  next.delete(digest);
  return next.set(digest, (latest?.number ?? 0) + 1);
}

/** Whether the file said `definition` earlier, and has said something else since. */
export function isEarlierFile(history: FileHistory, definition: TeamDefinition): boolean {
  const digest = digestOf(definition);
  return history.has(digest) && latestOf(history)?.digest !== digest;
}

/** By what a folder remembers that it had the latest file. Where a file comes back later, it has another mark. */
export function latestMark(history: FileHistory): string {
  const latest = latestOf(history);
  return latest === null ? "" : `${latest.number} ${latest.digest}`;
}

function latestOf(history: FileHistory): { readonly digest: string; readonly number: number } | null {
  const [digest, number] = [...history].at(-1) ?? [];
  return digest === undefined || number === undefined ? null : { digest, number };
}

function digestOf(definition: TeamDefinition): string {
  return sha256(definitionText(definition));
}

/**
 * One-time codes for the owner's browser, next to the journal: `baton start --link` leaves the hash of a code there, and any
 * hub of the journal takes it for a session, once. No secret is kept on disk and none is asked of the hub. A program
 * that may write there may write the journal as well, as the owner.
 */
import { readdirSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../base/canonical.ts";
import type { Clock } from "../base/clock.ts";
import { newSecret } from "../base/new-ids.ts";
import { createPlainFile, readPlainFile } from "../base/plain-file.ts";
import type { CodeStore } from "../doors/http/server/owner-sessions.ts";

/** A number and a line feed. */
const codeBytesMax = 32;

/** A new code that is good for one session within `goodMs`. Throws where the journal's folder cannot be written. */
export function leaveCode(journal: string, clock: Clock, goodMs: number): string {
  clearOldCodes(journal, clock);
  const code = newSecret();
  createPlainFile(pathOf(journal, sha256(code)), `${clock.now() + goodMs}\n`);
  return code;
}

/** The codes next to the journal, as a hub accepts them. */
export function codeFiles(journal: string, clock: Clock): CodeStore {
  return {
    take(hash) {
      const path = pathOf(journal, hash);
      const endsAtMs = endOf(path);
      if (endsAtMs === null) return false;
      try {
        // Of two hubs that are shown the same code, one removes the file.
        unlinkSync(path);
      } catch {
        return false;
      }
      return clock.now() < endsAtMs;
    },
  };
}

/** Takes away the codes that nobody used in time. */
function clearOldCodes(journal: string, clock: Clock): void {
  const start = `${basename(journal)}.code-`;
  for (const name of readdirSync(dirname(journal))) {
    if (!name.startsWith(start)) continue;
    const path = join(dirname(journal), name);
    if (clock.now() >= (endOf(path) ?? 0)) removeFile(path);
  }
}

function pathOf(journal: string, hash: string): string {
  return `${journal}.code-${hash}`;
}

/**
 * When the code in the file ends, in milliseconds since the epoch; null: there is no such code. Only a file that `leaveCode`
 * can have made counts: this user's own, which nobody else may read.
 */
function endOf(path: string): number | null {
  const file = readPlainFile(path, codeBytesMax);
  if (!file.ok || file.value === null) return null;
  const { facts, text } = file.value;
  if (process.getuid !== undefined && (facts.uid !== process.getuid() || (facts.mode & 0o077) !== 0)) return null;
  return /^\d{1,15}\n?$/.test(text) ? Number(text) : null;
}

/** What cannot be removed, such as a folder of that name, is no code and stays. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Nobody takes it for a code, so it does no harm.
  }
}

/**
 * The owner's sessions in a file beside the journal, so that a page in a browser goes on after the hub was started
 * again. The file holds hashes of random ids, which open nothing; it is read with each request that shows a cookie, so
 * several hubs on one journal agree. Whoever may write it may write the journal as well, as the owner.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isJsonList, isJsonObject, type Json, parseBounded } from "../base/json.ts";
import type { SessionStore } from "../doors/http/index.ts";

type Kept = ReturnType<SessionStore["read"]>;

/** The sessions in the file at `path`; where it cannot be written they are kept as long as the process lives. */
export function sessionFile(path: string): SessionStore {
  let unsaved: Kept | null = null;
  return {
    read: () => unsaved ?? readSessions(path),
    write(sessions) {
      try {
        writeSessions(path, sessions);
        unsaved = null;
      } catch {
        // A journal in a folder that nobody may write is served all the same; the sessions then end with the hub.
        unsaved = sessions;
      }
    },
  };
}

/** Replaced whole, so that nobody reads a half. */
function writeSessions(path: string, sessions: Kept): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ sessions })}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function readSessions(path: string): Kept {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // No file, no session: the browser needs a new code.
    return [];
  }
  const read = parseBounded(text);
  const listed = read.ok && isJsonObject(read.value) ? read.value.sessions : undefined;
  return isJsonList(listed) ? listed.flatMap(sessionOf) : [];
}

/** What is not a session opens nothing. */
function sessionOf(value: Json): Kept {
  if (!isJsonObject(value)) return [];
  const { hash, expiresAtMs } = value;
  return typeof hash === "string" && typeof expiresAtMs === "number" ? [{ hash, expiresAtMs }] : [];
}

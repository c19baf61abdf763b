/**
 * The owner's sessions in a file beside the journal, so that a page in a browser goes on after the hub was started
 * again. The file holds hashes of random ids, which open nothing; it is read with each request that shows a cookie, so
 * several hubs on one journal agree. Whoever may write it may write the journal as well, as the owner.
 */
import { isJsonList, isJsonObject, type Json, parseBounded } from "../base/json.ts";
import type { SessionStore } from "../doors/http/index.ts";
import { readPlainFile, replacePlainFile } from "../journal/sqlite/plain-file.ts";

/** Room for thousands of sessions. */
const sessionBytesMax = 1024 * 1024;

type Kept = ReturnType<SessionStore["read"]>;

/** The sessions in the file at `path`; where it cannot be written they are kept as long as the process lives. */
export function sessionFile(path: string): SessionStore {
  let unsaved: Kept | null = null;
  return {
    read: () => unsaved ?? readSessions(path),
    write(sessions) {
      try {
        replacePlainFile(path, `${JSON.stringify({ sessions })}\n`);
        unsaved = null;
      } catch {
        // A journal in a folder that nobody may write is served all the same; the sessions then end with the hub.
        unsaved = sessions;
      }
    },
  };
}

function readSessions(path: string): Kept {
  const file = readPlainFile(path, sessionBytesMax);
  // No file that can be read, no session: the browser needs a new code.
  if (!file.ok || file.value === null) return [];
  const read = parseBounded(file.value.text);
  const listed = read.ok && isJsonObject(read.value) ? read.value.sessions : undefined;
  return isJsonList(listed) ? listed.flatMap(sessionOf) : [];
}

/** What is not a session opens nothing. */
function sessionOf(value: Json): Kept {
  if (!isJsonObject(value)) return [];
  const { hash, expiresAtMs } = value;
  return typeof hash === "string" && typeof expiresAtMs === "number" ? [{ hash, expiresAtMs }] : [];
}

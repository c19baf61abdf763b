/**
 * Which hubs serve a journal right now. Each hub of this machine leaves a note next to its journal while it runs, a
 * separate file that only its owner may read; a hub that was killed leaves its note behind, so a note counts only while
 * the hub it speaks of answers as that very hub. A note that was copied with its folder speaks of the original's hub,
 * so a note also says by which number the disk knows the folder.
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../../base/json.ts";
import { readPlainFile, replacePlainFile } from "../../../base/plain-file.ts";
import { isRunning, processWith } from "../../../workspace/agent-sessions.ts";
import { inodeOf } from "../../../workspace/state-folder.ts";

/** A hub as its note tells it. */
export interface HubNote {
  readonly pid: number;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The hub's id at `/healthz`, created again at each start. */
  readonly instance: string;
}

/** A note is some two hundred bytes. */
const noteBytesMax = 4 * 1024;

/** So long a hub may take to say that it is there, in milliseconds. */
const answerMsMax = 2_000;

/** Leaves the note of a hub of this process; returns what takes it away. Where nobody may write, there is none. */
export function leaveNote(journal: string, note: HubNote): () => void {
  const path = notePath(journal, note.pid);
  try {
    replacePlainFile(path, `${JSON.stringify({ ...note, folder: inodeOf(dirname(journal)) })}\n`);
  } catch {
    // The hub serves all the same; it just cannot be found by `baton open` and `baton down`.
  }
  return () => remove(path);
}

/** The hubs that serve the journal and answer, the newest first. Notes of processes that are no more are taken away. */
export async function runningHubs(journal: string): Promise<readonly HubNote[]> {
  const found = await Promise.all(
    notesBeside(journal).map(async ({ path, note }) => {
      if (note !== null && (await answersAs(note))) return [note];
      if (note !== null && !isAlive(note.pid)) remove(path);
      return [];
    }),
  );
  return found.flat().toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

/**
 * What says whether the hub's process, which runs now, has ended. The note does not say it: the hub takes it away while
 * its process still closes what it had open.
 */
export function endOfHub({ pid }: HubNote): () => boolean {
  const named = processWith(pid);
  // Where the machine says when a process started, a later one with the same number is not taken for the hub.
  return () => (named === null ? !isAlive(pid) : !isRunning(named));
}

function notePath(journal: string, pid: number): string {
  return `${journal}.hub-${pid}`;
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Who may only look leaves it: it says nothing to anybody.
  }
}

/** Whether a process of this number is there. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Somebody else's process is there as well, though nobody here may speak to it.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

function notesBeside(journal: string): readonly { readonly path: string; readonly note: HubNote | null }[] {
  const start = `${basename(journal)}.hub-`;
  let names: readonly string[];
  try {
    names = readdirSync(dirname(journal));
  } catch {
    // No folder, no journal, no hub.
    return [];
  }
  const found = names.filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)));
  if (found.length === 0) return [];
  const folder = inodeOf(dirname(journal));
  return found.map((name) => join(dirname(journal), name)).map((path) => ({ path, note: readNote(path, folder) }));
}

/** Null: it cannot be read, or it was left in another folder. */
function readNote(path: string, folder: string): HubNote | null {
  const file = readPlainFile(path, noteBytesMax);
  // No file: its hub has just ended.
  if (!file.ok || file.value === null) return null;
  const read = parseBounded(file.value.text);
  if (!read.ok || !isJsonObject(read.value) || (read.value.folder ?? folder) !== folder) return null;
  return noteOf(read.value);
}

/** Only a hub of this machine can be meant: nothing is ever asked of another address. */
function noteOf({ pid, url, startedAt, instance }: JsonObject): HubNote | null {
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 1) return null;
  if (typeof url !== "string" || !/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url)) return null;
  if (typeof startedAt !== "string" || typeof instance !== "string" || instance === "") return null;
  return { pid, url, startedAt, instance };
}

async function answersAs({ url, instance }: HubNote): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerMsMax), redirect: "error" });
    const read = parseBounded(await answer.text());
    return read.ok && isJsonObject(read.value) && read.value.instance === instance;
  } catch {
    // Nobody listens there, or something that is no hub.
    return false;
  }
}

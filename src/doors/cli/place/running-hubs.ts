/**
 * Which hubs serve a journal now, and which ones of the folder serve another one. Each hub of this machine leaves a note
 * next to its journal while it runs, a separate file that only its owner may read; a hub that was killed leaves its note
 * behind, so a note counts only while the hub it speaks of answers as that very hub. A note that was copied with its folder
 * speaks of the original's hub, so a note also says by which number the disk knows the folder.
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../../base/json.ts";
import { readPlainFile, replacePlainFile } from "../../../base/plain-file.ts";
import { addressToPaste } from "../../../journal/address-to-paste.ts";
import { fileAddress, isServerAddress, serverFileName } from "../../../journal/engines.ts";
import { isRunning, processWith } from "../../../perform/workspace/agent-sessions.ts";
import { inodeOf } from "../../../perform/workspace/state-folder.ts";

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

/** A hub of another journal. */
export interface OtherHub extends HubNote {
  /** The journal's address, without a password; null: the note does not say which server it is. */
  readonly journal: string | null;
}

/** A note is some two hundred bytes. */
const noteBytesMax = 4 * 1024;

/** So long a busy hub may take to say that it is there, in milliseconds. Where nobody listens, that is known at once. */
const answerMsMax = 10_000;

/**
 * Leaves the note of a hub of this process; returns what takes it away. Where nobody may write, there is none. `address`
 * is the journal's without a password: the name of the note does not say which server it is.
 */
export function leaveNote(journal: string, note: HubNote, address?: string): () => void {
  const path = notePath(journal, note.pid);
  // Until the next hub has read it, the note of one that was killed says which port was its.
  for (const each of notesIn(dirname(journal)))
    if (each.journal === journal && each.note !== null && !isAlive(each.note.pid)) remove(each.path);
  try {
    const body = { ...note, folder: inodeOf(dirname(journal)), ...(address === undefined ? {} : { journal: address }) };
    replacePlainFile(path, `${JSON.stringify(body)}\n`);
  } catch {
    // The hub serves all the same; it just cannot be found by `baton start --link` and `baton stop`.
  }
  return () => remove(path);
}

/** The hubs that serve the journal and answer, the newest first. */
export async function runningHubs(journal: string): Promise<readonly HubNote[]> {
  const found = await running(notesIn(dirname(journal)).filter((each) => each.journal === journal));
  return found.map(({ note: { pid, url, startedAt, instance } }) => ({ pid, url, startedAt, instance }));
}

/** The port of the newest hub whose note lies next to the journal, also of one that was killed; null: none does. */
export function lastPort(journal: string): number | null {
  const notes = notesIn(dirname(journal)).flatMap((each) =>
    each.journal === journal && each.note !== null ? [each.note] : [],
  );
  const last = notes.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))[0];
  return last === undefined ? null : Number(new URL(last.url).port);
}

/** The hubs in the folders' notes that answer and serve another journal than `journal`, each once, the newest first. */
export async function otherHubs(journal: string, folders: readonly string[]): Promise<readonly OtherHub[]> {
  const own = await runningHubs(journal);
  const notes = folders.flatMap(notesIn).filter((each) => each.journal !== journal);
  const found = (await running(notes)).map(({ note, journal: noted }) => ({
    ...note,
    journal: addressOf(noted, note.journal),
  }));
  // Two names of one folder list the same hub twice.
  const known = new Set(own.map(({ instance }) => instance));
  return found.filter(({ instance }) => !known.has(instance) && known.add(instance));
}

async function running(notes: readonly FoundNote[]): Promise<readonly ReadNote[]> {
  const found = await Promise.all(
    notes.map(async ({ journal, note }): Promise<readonly ReadNote[]> => {
      return note !== null && (await answersAs(note)) ? [{ journal, note }] : [];
    }),
  );
  return found.flat().toSorted((a, b) => (a.note.startedAt < b.note.startedAt ? 1 : -1));
}

/** The address of the journal whose notes begin with `journal`. The name of a note confirms the server that is in it. */
function addressOf(journal: string, said: string | null): string | null {
  if (!/^server-[0-9a-f]{16}$/.test(basename(journal))) return fileAddress(journal);
  if (said === null || !isServerAddress(said) || addressToPaste(said) !== said) return null;
  return serverFileName(said) === basename(journal) ? said : null;
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

/** A note with the journal next to which it lies. */
interface ReadNote {
  readonly journal: string;
  readonly note: OtherHub;
}

interface FoundNote {
  readonly path: string;
  readonly journal: string;
  /** Null: it cannot be read, or it was left in another folder. */
  readonly note: OtherHub | null;
}

/** The notes of hubs in the folder. */
function notesIn(folder: string): readonly FoundNote[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No folder, no journal, no hub.
    return [];
  }
  const found = names.flatMap((name) => {
    const [, journal] = /^(.+)\.hub-\d+$/s.exec(name) ?? [];
    return journal === undefined ? [] : [{ path: join(folder, name), journal: join(folder, journal) }];
  });
  if (found.length === 0) return [];
  const inode = inodeOf(folder);
  return found.map((each) => ({ ...each, note: readNote(each.path, inode) }));
}

function readNote(path: string, folder: string): OtherHub | null {
  const file = readPlainFile(path, noteBytesMax);
  // No file: its hub has just ended.
  if (!file.ok || file.value === null) return null;
  const read = parseBounded(file.value.text);
  if (!read.ok || !isJsonObject(read.value) || (read.value.folder ?? folder) !== folder) return null;
  return noteOf(read.value);
}

/** Only a hub of this machine can be meant: nothing is ever asked of another address. */
function noteOf({ pid, url, startedAt, instance, journal }: JsonObject): OtherHub | null {
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 1) return null;
  if (typeof url !== "string" || !/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url)) return null;
  if (typeof startedAt !== "string" || typeof instance !== "string" || instance === "") return null;
  return { pid, url, startedAt, instance, journal: typeof journal === "string" ? journal : null };
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

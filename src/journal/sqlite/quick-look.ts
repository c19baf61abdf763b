/**
 * Looks at a journal that fold nothing. Whether anything since an entry can concern an agent: for a process that knows from
 * an earlier one how the team was at that entry, in a fraction of the time of opening the journal; it says yes only where it
 * is sure: if anything is damaged, unknown or too long, it says no. And whether anything was written at all.
 */
import { DatabaseSync } from "node:sqlite";
import { steadyNow } from "../../base/clock.ts";
import { teamName } from "../../base/ids.ts";
import { isJsonObject } from "../../base/json.ts";
import { anchorPath, readAnchors } from "../anchor-file.ts";
import { unsealEntry } from "../chain.ts";
import type { Entry, Head } from "../entry.ts";
import { blockingMsMax, placeEnd, placeOf } from "./connection.ts";
import { clockOf, isAnchored, startOfMachine } from "./machine-clock.ts";
import { checkForm, inOneRead } from "./migrate.ts";
import { isSqliteError } from "./sqlite-errors.ts";

/** What the caller knows, and asks. */
export interface QuickLook {
  readonly team: string;
  readonly agent: string;
  /** The entry up to which the caller knows the team. */
  readonly head: Pick<Head, "seq" | "hash">;
  /** The rule by which the index of deadlines must be kept. */
  readonly deadlineRule: string;
  /** A heartbeat of the agent that is older, in milliseconds, is replaced by one of now. */
  readonly signsApartMs: number;
  /** Whether what is noted about the agent is still what the caller knows. */
  isSameNote(text: string | null): boolean;
}

/** Most entries that are looked through, and most of their characters: opening the journal then costs little more. */
const entriesMax = 100;
const charactersMax = 256 * 1024;

/** Whether nothing since the known entry concerns the agent, and no deadline has passed. Keeps its heartbeat then. */
export function isUntouched(path: string, asked: QuickLook): boolean {
  const anchors = readAnchors(anchorPath(path));
  const team = teamName(asked.team);
  if (!anchors.ok || team === null) return false;
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: blockingMsMax });
    const connection = db;
    const anchor = anchors.value.get(team) ?? null;
    const sign = inOneRead(db, () => signWhereUntouched(connection, path, asked, anchor));
    if (sign === null) return false;
    return sign.isFresh || keepSign(path, asked, sign);
  } catch (error) {
    // Busy, damaged, or no journal: opening it says which.
    if (isSqliteError(error)) return false;
    throw error;
  } finally {
    if (db?.isOpen === true) db.close();
  }
}

/** The agent's last heartbeat; null: something concerns it, or the file is not as it must be. */
function signWhereUntouched(
  db: DatabaseSync,
  path: string,
  { team, agent, head, deadlineRule, signsApartMs, isSameNote }: QuickLook,
  anchor: Head | null,
): { readonly number: number; readonly atMs: number; readonly isFresh: boolean } | null {
  const start = startOfMachine();
  if (checkForm(db, path).length > 0 || !isAnchored(db, start)) return null;
  const number = db.prepare("SELECT number FROM team WHERE name = ?").get(team)?.number;
  if (typeof number !== "number") return null;
  const hashAt = db.prepare("SELECT hash FROM entry WHERE place = ?");
  const isThere = ({ seq, hash }: Pick<Head, "seq" | "hash">) => hashAt.get(placeOf(number, seq))?.hash === hash;
  if (!isThere(head) || (anchor !== null && !isThere(anchor))) return null;
  if (hasNewsFor(agent, db, number, head.seq)) return null;
  const atMs = steadyNow(clockOf(db, start));
  const due = db.prepare("SELECT rule, at FROM due WHERE team = ?").get(number);
  if (due?.rule !== deadlineRule || (due.at !== null && Number(due.at) <= atMs)) return null;
  const note = db.prepare("SELECT text FROM note WHERE team = ? AND agent = ?").get(number, agent)?.text;
  if (!isSameNote(typeof note === "string" ? note : null)) return null;
  const sign = db.prepare("SELECT at FROM life WHERE team = ? AND agent = ?").get(number, agent)?.at;
  return { number, atMs, isFresh: typeof sign === "number" && Math.abs(atMs - sign) < signsApartMs };
}

/** Whether an entry after `seq` names the agent or changes who is in the team, or is no sound entry. */
function hasNewsFor(agent: string, db: DatabaseSync, number: number, seq: number): boolean {
  const later = db.prepare(
    "SELECT place, hash, CAST(bytes AS TEXT) AS text FROM entry WHERE place > ? AND place < ? ORDER BY place",
  );
  let [entries, characters] = [0, 0];
  for (const row of later.iterate(placeOf(number, seq), placeEnd(number))) {
    const text = String(row.text);
    entries += 1;
    characters += text.length;
    if (entries > entriesMax || characters > charactersMax) return true;
    const entry = unsealEntry(text, String(row.hash));
    if (entry === null || concerns(entry, text, agent)) return true;
  }
  return false;
}

/**
 * Receivers, the sender and every agent that an event is about are in the entry by their names. A message that mentions the
 * name counts as well, which costs time only.
 */
function concerns({ kind, content }: Entry, text: string, agent: string): boolean {
  const isAboutTeam = kind === "team" || kind === "epoch" || !isJsonObject(content) || content.team !== undefined;
  return isAboutTeam || text.includes(JSON.stringify(agent));
}

/** Replaces the agent's heartbeat. False: the file is busy. */
function keepSign(
  path: string,
  { agent }: QuickLook,
  { number, atMs }: { readonly number: number; readonly atMs: number },
): boolean {
  const db = new DatabaseSync(path, { timeout: blockingMsMax });
  try {
    // Losing the last heartbeat with the power is no loss.
    db.exec("PRAGMA synchronous = NORMAL");
    db.prepare("INSERT OR REPLACE INTO life (team, agent, at) VALUES (?, ?, ?)").run(number, agent, atMs);
    return true;
  } finally {
    db.close();
  }
}

/**
 * Asks whether something was committed to the journal since the last look that found so; the first finds it. `signal` ends
 * the watch. SQLite's own count of commits says it: it writes a commit to its log before others see it, and nothing
 * afterwards, so the times of the files do not.
 */
export function watchCommits(path: string, signal: AbortSignal): () => boolean {
  let db: DatabaseSync | null = null;
  let seen: unknown = null;
  signal.addEventListener("abort", () => void (db?.isOpen === true && db.close()), { once: true });
  return () => {
    if (signal.aborted) return false;
    try {
      db ??= new DatabaseSync(path, { readOnly: true, timeout: blockingMsMax });
      const version = db.prepare("PRAGMA data_version").get()?.data_version;
      const isNew = version !== seen;
      seen = version;
      return isNew;
    } catch (error) {
      // Busy or away for a moment: a later look finds what this one did not.
      if (isSqliteError(error)) return false;
      throw error;
    }
  };
}

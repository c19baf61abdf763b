/**
 * What the first bytes of a journal's file say, read without SQLite: every command asks whether an older Baton has left a
 * journal somewhere, and most need nothing else of it.
 */
import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { applicationId, movedForm } from "../migrate.ts";

/** What is at a journal's old place. */
export type OldJournal = "none" | "stub" | "marked" | "journal";

/** What is at `path`, judged by the file's header alone. */
export function oldJournalAt(path: string): OldJournal {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return "none";
  const form = formInFile(path);
  if (form === movedForm) return "stub";
  return form !== null && form > movedForm ? "marked" : "journal";
}

/** Where SQLite keeps `user_version` and `application_id` in a database's header, as 32 bits, the highest first. */
const headerBytes = 100;
const formOffset = 60;
const ownerOffset = 68;

/** The form of a journal as its file says it, read without SQLite; null: the file is no journal of ours, or is not there. */
export function formInFile(path: string): number | null {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(path, "r");
  try {
    if (readSync(descriptor, header, 0, headerBytes, 0) < headerBytes) return null;
  } finally {
    closeSync(descriptor);
  }
  return header.readUInt32BE(ownerOffset) === applicationId ? header.readUInt32BE(formOffset) : null;
}

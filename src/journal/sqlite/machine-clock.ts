/**
 * Time as it passes on this machine, by which deadlines are counted: the clock that runs since the machine was started,
 * which nobody can set, related to the calendar once for each start. That relation is kept in the file, so every
 * process of the machine reads the same time, however the wall clock is set meanwhile and whichever process comes
 * later. It stops while the machine sleeps: late, never early.
 *
 *   machine's time = zero + milliseconds since its start          ahead = wall clock - machine's time
 *
 * A new start puts it on the calendar by the wall clock, less what that was ahead before, and never before what is
 * recorded: what is wrong with a wall clock across a restart can make a deadline late, not early.
 * Source: docs/protocol/record.md, section 10.
 */
import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, systemClock } from "../../base/clock.ts";
import { unsealEntry } from "../chain.ts";
import { placeEnd, placeOf } from "./connection.ts";

/** The present start of this machine. */
export interface Start {
  readonly id: string;
  /** Milliseconds since it, the same in every process. */
  sinceMs(): number;
}

/** What the file keeps. */
interface Kept {
  readonly start: string;
  readonly zero: number;
  readonly ahead: number;
}

/** The machine's start, or null: the system names none, and each process counts from when it opened the file. */
export function startOfMachine(path = "/proc/sys/kernel/random/boot_id"): Start | null {
  try {
    const id = readFileSync(path, "utf8").trim();
    return id === "" ? null : { id, sinceMs };
  } catch {
    return null; // Only Linux has it; elsewhere a clock still holds within its process.
  }
}

function sinceMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/**
 * The clock of an opened file: the system's, with `steady` as the file has it. A file that cannot be written and does
 * not know this start gets a separate one.
 */
export function clockOf(db: DatabaseSync, start: Start | null): Clock {
  const kept = start === null ? null : readKept(db);
  const zero = start !== null && kept?.start === start.id ? kept.zero : systemClock.now() - sinceMs();
  return { ...systemClock, steady: () => zero + sinceMs() };
}

/** Whether the file has this start's place on the calendar. */
export function isAnchored(db: DatabaseSync, start: Start | null): boolean {
  return start === null || readKept(db)?.start === start.id;
}

/** Puts this start on the calendar, inside the caller's write transaction; where another process did, nothing changes. */
export function anchorClock(db: DatabaseSync, start: Start | null, wallMs = systemClock.now()): void {
  if (start === null || isAnchored(db, start)) return;
  const ahead = Math.max(0, readKept(db)?.ahead ?? 0);
  const nowMs = Math.max(wallMs - ahead, latestRecorded(db));
  const row = [start.id, nowMs - start.sinceMs(), wallMs - nowMs];
  db.prepare("INSERT OR REPLACE INTO machine_clock (one, start, zero, ahead) VALUES (1, ?, ?, ?)").run(...row);
}

/** How far the wall clock was ahead when that was last kept. */
export function aheadKept(db: DatabaseSync): number {
  return readKept(db)?.ahead ?? 0;
}

function readKept(db: DatabaseSync): Kept | null {
  const row = db.prepare("SELECT start, zero, ahead FROM machine_clock").get();
  if (row === undefined) return null;
  const kept = { start: String(row.start), zero: Number(row.zero), ahead: Number(row.ahead) };
  // What is damaged is as good as nothing: it is put on the calendar again.
  return Number.isSafeInteger(kept.zero) && Number.isSafeInteger(kept.ahead) ? kept : null;
}

/** The machine's time at the last entry of any team; 0 where there is none. Damage is found where entries are read. */
function latestRecorded(db: DatabaseSync): number {
  const last = db.prepare(
    "SELECT hash, CAST(bytes AS TEXT) AS text FROM entry WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1",
  );
  const times = db
    .prepare("SELECT number FROM team")
    .all()
    .flatMap(({ number }) => {
      const row = last.get(placeOf(Number(number), 0), placeEnd(Number(number)));
      const entry = row === undefined ? null : unsealEntry(String(row.text), String(row.hash));
      return entry === null ? [] : [Date.parse(entry.recordedAt) - (entry.aheadMs ?? 0)];
    });
  return Math.max(0, ...times);
}

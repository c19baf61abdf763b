/**
 * The note of how far a planning folder and the record agree, next to the journal, and what goes with it: the lock of a
 * look, and what a look is about to write. A look that is killed after it wrote leaves that behind, so the next one knows
 * the files as Baton's. Rule: docs/protocol/record.md, section 29.
 */
import { appendFileSync, existsSync, realpathSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { isJsonList, isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { notRegular, readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import type { Found } from "../reading/found.ts";
import { type LogPlace, stampOf } from "./planning-folder.ts";

/** How far the folder and the record agree. */
export interface SyncNote {
  readonly team: string;
  readonly root: string;
  /** The entry up to which the folder shows everything. */
  seq: number;
  /** Keys of plans whose beginning is in the event log. */
  readonly started: Set<string>;
  /** The files as they were at the last look, by their paths below the folder. */
  marks: Map<string, string>;
  /** What Baton wrote, as SHA-256. */
  readonly own: Map<string, string>;
  /** How far logs were read. */
  readonly logs: Map<string, LogPlace>;
  /** Rows that a look was about to append when it was killed, as `rowKey` names them. */
  readonly unfinished: Set<string>;
}

/** Where a note is: the folder of the journal, and the project whose folder it is about. */
export interface NotePlace {
  readonly state: string;
  readonly project: string;
}

const lockName = "planning.lock";

/** Whether other work trees, with a team file each, may share the state folder: it is not in the project. */
export function isOneOfSeveral({ state, project }: NotePlace): boolean {
  return relative(realPath(project), realPath(state)).startsWith("..");
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The files of a note: each of several work trees has its own. */
function filesOf(place: NotePlace): { readonly note: string; readonly intents: string } {
  const name = isOneOfSeveral(place) ? `planning-${sha256(realPath(place.project)).slice(0, 16)}` : "planning";
  return { note: join(place.state, `${name}.json`), intents: join(place.state, `${name}.next`) };
}

/** The most that is read of a note. */
export const noteBytesMax = 64 * 1024 * 1024;

/** The lock of a look: hubs take turns so, each goes on from the other's note, and one that dies leaves it free. */
export function syncLockPath(state: string): string {
  return join(state, lockName);
}

/** Distinguishes one state of a note, and of what a killed look left, from another. */
export function syncNoteStamp(place: NotePlace): string {
  const { note, intents } = filesOf(place);
  return `${stampOf(note)}, ${stampOf(intents)}`;
}

/** A row of Baton's in a file of rows, by what it says. */
export function rowKey(path: string, line: string): string {
  return `${path} ${line.length} ${sha256(line)}`;
}

/** Notes what is about to be written, until the note itself says it: a whole file, or with a `rowKey` as the path a row. */
export function intentsOf(place: NotePlace): (path: string, text: string) => void {
  const file = filesOf(place).intents;
  return (path, text) => {
    // No link is followed.
    if (notRegular(file) !== null) rmSync(file, { recursive: true, force: true });
    appendFileSync(file, `${JSON.stringify([path, sha256(text)])}\n`, { mode: 0o600 });
  };
}

/** The note of that team and folder; an empty one where there is none. */
export function readSyncNote(place: NotePlace, team: string, root: string): SyncNote {
  const files = filesOf(place);
  const intents = new Map(readIntents(files.intents));
  const unfinished = new Set(intents.keys());
  const empty = { team, root, seq: 0, started: new Set<string>(), marks: new Map(), logs: new Map() };
  const none = { ...empty, own: new Map(intents), unfinished };
  const file = readPlainFile(files.note, noteBytesMax);
  const limits = { bytesMax: noteBytesMax, depthMax: 8, nodesMax: 1_000_000 };
  const parsed = file.ok && file.value !== null ? parseBounded(file.value.text, limits) : null;
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return none;
  const { value } = parsed;
  if (value.team !== team || value.root !== root || typeof value.seq !== "number")
    return { ...empty, own: new Map(), unfinished: new Set() };
  const begun = Array.isArray(value.started) ? value.started.filter((each) => typeof each === "string") : [];
  return {
    ...none,
    seq: value.seq,
    started: new Set(begun),
    marks: textsOf(value.marks),
    own: new Map([...textsOf(value.own), ...intents]),
    logs: new Map(
      Object.entries(objectOf(value.logs)).flatMap(([path, place]) => {
        const { bytes, lines } = objectOf(place);
        return typeof bytes === "number" && typeof lines === "number" ? [[path, { bytes, lines }] as const] : [];
      }),
    ),
  };
}

/** What a look that was killed had said that it would write. Half a line is none. */
function readIntents(intents: string): readonly (readonly [path: string, digest: string])[] {
  const file = readPlainFile(intents, noteBytesMax);
  return (file.ok ? (file.value?.text ?? "") : "").split("\n").flatMap((line) => {
    const parsed = line === "" ? null : parseBounded(line);
    const [path, digest] = parsed?.ok === true && isJsonList(parsed.value) ? parsed.value : [];
    return typeof path === "string" && typeof digest === "string" ? [[path, digest] as const] : [];
  });
}

/** What was found, without files that Baton wrote there itself. */
export function withoutOwn(found: Found, place: NotePlace, team: string): Found {
  const own = new Set(readSyncNote(place, team, found.root).own.values());
  return own.size === 0 ? found : { ...found, rows: found.rows.filter(({ text }) => !own.has(sha256(text))) };
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function textsOf(value: unknown): Map<string, string> {
  return new Map(
    Object.entries(objectOf(value)).flatMap(([path, text]) =>
      typeof text === "string" ? [[path, text] as const] : [],
    ),
  );
}

/** Writes the note; what was intended is in it. */
export function writeSyncNote(place: NotePlace, note: SyncNote): void {
  const files = filesOf(place);
  const { started, marks, own, logs, team, root, seq, unfinished } = note;
  const written = {
    team,
    root,
    seq,
    started: [...started],
    marks: Object.fromEntries(marks),
    own: Object.fromEntries(own),
    logs: Object.fromEntries(logs),
  };
  replacePlainFile(files.note, `${JSON.stringify(written)}\n`);
  rmSync(files.intents, { force: true });
  unfinished.clear();
}

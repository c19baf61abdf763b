/**
 * Keeps a planning folder in step with the record: takes in what other tools wrote there since the last look, and writes
 * what the team did since, in the form in which those tools read it. A note next to the journal says how far that is, so
 * a look costs what changed. Rule: docs/protocol/record.md, section 29.
 */
import { join } from "node:path";
import { systemClock, timestampOf } from "../../base/clock.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { takeFileLock } from "../../journal/engines.ts";
import type { PlanningFolder } from "../../team/state/definition.ts";
import type { Finding, Found } from "../reading/found.ts";
import { kindOf } from "../reading/plan-names.ts";
import {
  intentsOf,
  type NotePlace,
  noteBytesMax,
  readSyncNote,
  rowKey,
  type SyncNote,
  syncLockPath,
  syncNoteStamp,
  writeSyncNote,
} from "./folder-note.ts";
import { type FolderLayout, folderLayout, writeChanges, writtenFolder } from "./folder-record.ts";
import { isFolderIn, planningMarks, planningRoot, readPlanning, stampOf } from "./planning-folder.ts";
import { type Imported, type Importers, importFound } from "./planning-import.ts";

/** Which folder is kept in step, and where the note about it lies. */
export interface SyncedPlace {
  readonly project: string;
  readonly folder: PlanningFolder;
  /** The folder of the journal. */
  readonly state: string;
  readonly isStrict: boolean;
  /** Only what the team did is written; whether other tools wrote anything is looked at another time. Absent: both. */
  readonly isQuick?: boolean;
  /** What a program that looks again and again keeps between two looks; absent: everything is read from the note. */
  readonly memory?: LookMemory;
  readonly signal: AbortSignal;
}

/** What the last look of this program left, valid as long as no other program has looked since. */
export interface LookMemory {
  last: (Known & { readonly stamp: string }) | null;
}

/** What a look did. */
export interface Synced {
  /** Another process is looking, so this one did nothing. */
  readonly isOthersTurn?: true;
  /** Paths below the folder that were written. */
  readonly written: readonly string[];
  /** What came in; null: no other tool wrote anything. */
  readonly imported: Imported | null;
  readonly findings: readonly Finding[];
}

/** Files that Baton and other tools write in turns. */
const bothWrite = [".events/event-log.jsonl", ".execution-state.json"];

/** One look, unless another process is at one. Problems: those of the journal. */
export async function syncFolder(
  importers: Importers,
  place: SyncedPlace,
): Promise<Result<Synced, readonly Problem[]>> {
  const { project, folder, state } = place;
  const root = planningRoot(project, folder);
  const nothing = (file: string, why: string) =>
    ok({ written: [], imported: null, findings: [{ file, line: null, why }] });
  if (!isFolderIn(project, root))
    return nothing(root, "It is no folder, or a link, so nothing is read or written there.");
  const lock = syncLockPath(state);
  const turn = await takeFileLock(lock);
  if (!turn.ok) return nothing(lock, `It cannot be locked (${turn.error}), so nothing is read or written.`);
  if (turn.value === null) return ok({ isOthersTurn: true, written: [], imported: null, findings: [] });
  using _ = turn.value;
  return await lookAt(root, importers, place);
}

async function lookAt(
  root: string,
  importers: Importers,
  place: SyncedPlace,
): Promise<Result<Synced, readonly Problem[]>> {
  const { project, folder, signal, memory = { last: null } } = place;
  const { owner } = importers;
  const known = knownOf(memory, place, owner.name, root);
  const { note } = known;
  const isQuick = place.isQuick === true && note.marks.size > 0;
  const marks = isQuick ? note.marks : planningMarks(project, root);
  const changed = new Set([...marks].flatMap(([path, mark]) => (note.marks.get(path) === mark ? [] : [path])));
  let imported: Imported | null = null;
  const findings: Finding[] = [];
  if (changed.size > 0) {
    const found = await readPlanning(project, folder, folder, signal, note.logs);
    if (signal.aborted) return ok({ written: [], imported, findings });
    findings.push(...found.findings.filter(({ file }) => changed.has(file.slice(root.length + 1))));
    const done = await importFound(importers, newRows(found, note, changed), {
      ...place,
      changed: shown(root, changed),
    });
    if (!done.ok) return done;
    imported = done.value;
  }
  const layout = isQuick && known.layout !== null ? known.layout : folderLayout([...marks.keys()]);
  // Only the company line keeps rows of messages, states of departments and escalations.
  const asked = { after: note.seq, folders: layout.isCompany ? layout.phases : null, started: note.started };
  const changes = await owner.folderChanges(asked);
  if (!changes.ok) return err([changes.error]);
  // What is not written now is left to the next look.
  if (signal.aborted) return ok({ written: [], imported, findings });
  const writing = writtenFolder(project, root);
  // What another tool has added since the files were looked at must still be read, although Baton writes there now.
  const theirs = bothWrite.filter((path) => {
    const mark = stampOf(join(project, root, path));
    return mark !== "gone" && mark !== marks.get(path);
  });
  if (changes.value.head > note.seq)
    writeChanges(writing, layout, changes.value, {
      note: { ...note, intend: intentsOf(place) },
      at: timestampOf(systemClock.now()),
    });
  // What could not be written is tried again.
  if (writing.findings.length === 0) note.seq = changes.value.head;
  const waiting = (imported?.waiting ?? []).map((file) => file.slice(root.length + 1));
  const ours = writing.written.filter((path) => !theirs.includes(path));
  const areMarksNew = markFiles(note, marks, { project, root, waiting, ours });
  const isNews = areMarksNew || changed.size > 0 || writing.written.length + writing.findings.length > 0;
  keepNote(place, known, isNews, areMarksNew ? null : layout);
  return ok({ written: writing.written, imported, findings: [...findings, ...writing.findings] });
}

interface Known {
  readonly note: SyncNote;
  /** The note's seq in its file. */
  readonly savedSeq: number;
  /** Of the files that the note marks; null: not known. */
  readonly layout: FolderLayout | null;
}

/** The note, from memory where no other process has written it since. */
function knownOf(memory: LookMemory, place: NotePlace, team: string, root: string): Known {
  const { last } = memory;
  // A look that fails in the middle leaves nothing that the next one may go by.
  memory.last = null;
  if (last?.stamp === syncNoteStamp(place) && last.note.team === team && last.note.root === root) return last;
  const note = readSyncNote(place, team, root);
  return { note, savedSeq: note.seq, layout: null };
}

interface MarkedFiles {
  readonly project: string;
  readonly root: string;
  /** Files that are looked at again. */
  readonly waiting: readonly string[];
  /** Files in which nothing is news: Baton wrote them. */
  readonly ours: readonly string[];
}

/** Marks the files as they are now. Whether that differs from what the note had. */
function markFiles(
  note: SyncNote,
  marks: ReadonlyMap<string, string>,
  { project, root, waiting, ours }: MarkedFiles,
): boolean {
  if (marks === note.marks && waiting.length + ours.length === 0) return false;
  const next = new Map(marks);
  for (const path of waiting) next.delete(path);
  for (const path of ours) {
    next.set(path, stampOf(join(project, root, path)));
    if (next.get(path) === "gone") next.delete(path);
    // Rows of Baton's are no news. Those of another writer of this very moment are in the file, and not in the history.
    if (kindOf(path) === "rows") note.logs.set(path, { bytes: 0, lines: linesIn(join(project, root, path)) });
  }
  const isSame = next.size === note.marks.size && [...next].every(([path, mark]) => note.marks.get(path) === mark);
  note.marks = next;
  return !isSame;
}

/** So many entries a note's file may be behind where nothing else of it changes: a look without it costs no more. */
const behindMax = 1_000;

/** Writes the note's file where a program without this memory would otherwise do something again. */
function keepNote(place: SyncedPlace, { note, savedSeq }: Known, isNews: boolean, layout: FolderLayout | null): void {
  const { memory } = place;
  const isBehind = memory === undefined || note.seq - savedSeq > behindMax;
  const isWritten = isNews || (isBehind && note.seq !== savedSeq);
  if (isWritten) writeSyncNote(place, note);
  if (memory === undefined) return;
  memory.last = { note, stamp: syncNoteStamp(place), savedSeq: isWritten ? note.seq : savedSeq, layout };
}

function linesIn(path: string): number {
  const file = readPlainFile(path, noteBytesMax);
  return file.ok && file.value !== null ? file.value.text.split("\n").length - 1 : 0;
}

function shown(root: string, changed: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...changed].map((path) => `${root}/${path}`));
}

/** What was found, with the rows that were not there at the last look; the log of events was read from where it ended. */
function newRows(found: Found, { logs, unfinished }: SyncNote, changed: ReadonlySet<string>): Found {
  const before = new Map([...logs].map(([path, { lines }]) => [path, lines]));
  const rows = found.rows.filter(({ file, line, text }) => {
    if (!changed.has(file)) return false;
    if (unfinished.has(rowKey(file, text))) return false;
    if (kindOf(file) !== "rows") return true;
    logs.set(file, { bytes: 0, lines: line });
    return line > (before.get(file) ?? 0);
  });
  return { ...found, rows };
}

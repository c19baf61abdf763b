/**
 * Keeps a planning folder in step with the record: takes in what other tools wrote there since the last look, and writes
 * what the team did since, in the form in which those tools read it. A note next to the journal says how far that is, so
 * a look costs what changed. Rule: docs/protocol/adopting.md, section 6.
 */
import { join } from "node:path";
import { systemClock, timestampOf } from "../../base/clock.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Finding, Found } from "../../intake/planning/found.ts";
import { kindOf } from "../../intake/planning/plan-names.ts";
import { takeFileLock } from "../../journal/engines.ts";
import type { PlanningFolder } from "../../team/definition.ts";
import { folderLayout } from "./folder-layout.ts";
import {
  intendWrite,
  noteBytesMax,
  readSyncNote,
  rowKey,
  type SyncNote,
  syncLockPath,
  writeSyncNote,
} from "./folder-note.ts";
import { writeChanges } from "./folder-record.ts";
import { writtenFolder } from "./folder-writing.ts";
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
  readonly signal: AbortSignal;
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
  const { project, folder, signal } = place;
  const { owner } = importers;
  const note = readSyncNote(place.state, owner.name, root);
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
  const layout = folderLayout([...marks.keys()]);
  // Only the company line keeps rows of messages.
  const folders = layout.isCompany ? layout.phases : new Map<string, string>();
  const asked = { after: note.seq, folders, started: note.started };
  const changes = await owner.folderChanges(asked);
  if (!changes.ok) return err([changes.error]);
  const writing = writtenFolder(project, root);
  // What another tool has added since the files were looked at must still be read, although Baton writes there now.
  const theirs = bothWrite.filter((path) => {
    const mark = stampOf(join(project, root, path));
    return mark !== "gone" && mark !== marks.get(path);
  });
  if (!signal.aborted && changes.value.head > note.seq)
    writeChanges(writing, layout, changes.value, {
      note: { ...note, intend: (path, text) => intendWrite(place.state, path, text) },
      at: timestampOf(systemClock.now()),
    });
  const isMoved = changes.value.head > note.seq;
  // What could not be written is tried again.
  if (writing.findings.length === 0) note.seq = changes.value.head;
  note.marks = new Map(marks);
  for (const file of imported?.waiting ?? []) note.marks.delete(file.slice(root.length + 1));
  for (const path of writing.written) {
    if (theirs.includes(path)) continue;
    note.marks.set(path, stampOf(join(project, root, path)));
    if (note.marks.get(path) === "gone") note.marks.delete(path);
    // Rows of Baton's are no news. Those of another writer of this very moment are in the file, and not in the history.
    if (kindOf(path) === "rows") note.logs.set(path, { bytes: 0, lines: linesIn(join(project, root, path)) });
  }
  if (isMoved || changed.size > 0 || marks.size !== note.marks.size) writeSyncNote(place.state, note);
  return ok({ written: writing.written, imported, findings: [...findings, ...writing.findings] });
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

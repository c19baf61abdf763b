/**
 * Keeps a planning folder in step with the record: takes in what other tools wrote there since the last look, and writes
 * what the team did since, in the form in which those tools read it. A note next to the journal says how far that is, so
 * a look costs what changed. Rule: docs/protocol/adopting.md, section 6.
 */
import { join } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { systemClock, timestampOf } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Finding, Found } from "../../intake/planning/found.ts";
import { kindOf } from "../../intake/planning/plan-names.ts";
import type { PlanningFolder } from "../../team/definition.ts";
import { folderLayout } from "./folder-layout.ts";
import { writeChanges } from "./folder-record.ts";
import { writtenFolder } from "./folder-writing.ts";
import { isFolderIn, type LogPlace, planningMarks, planningRoot, readPlanning, stampOf } from "./planning-folder.ts";
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
  /** Paths below the folder that were written. */
  readonly written: readonly string[];
  /** What came in; null: no other tool wrote anything. */
  readonly imported: Imported | null;
  readonly findings: readonly Finding[];
}

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
}

/** Files that Baton and other tools write in turns. */
const bothWrite = [".events/event-log.jsonl", ".execution-state.json"];

/** One look. Problems: those of the journal. */
export async function syncFolder(
  importers: Importers,
  place: SyncedPlace,
): Promise<Result<Synced, readonly Problem[]>> {
  const { project, folder, signal } = place;
  const { owner } = importers;
  const root = planningRoot(project, folder);
  if (!isFolderIn(project, root)) {
    const why = "It is no folder, or a link, so nothing is read or written there.";
    return ok({ written: [], imported: null, findings: [{ file: root, line: null, why }] });
  }
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
    writeChanges(writing, layout, changes.value, { note, at: timestampOf(systemClock.now()) });
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
function newRows(found: Found, { logs }: SyncNote, changed: ReadonlySet<string>): Found {
  const before = new Map([...logs].map(([path, { lines }]) => [path, lines]));
  const rows = found.rows.filter(({ file, line }) => {
    if (!changed.has(file)) return false;
    if (kindOf(file) !== "rows") return true;
    logs.set(file, { bytes: 0, lines: line });
    return line > (before.get(file) ?? 0);
  });
  return { ...found, rows };
}

const noteName = "planning.json";
const noteBytesMax = 64 * 1024 * 1024;

function readSyncNote(state: string, team: string, root: string): SyncNote {
  const none = { team, root, seq: 0, started: new Set<string>(), marks: new Map(), own: new Map(), logs: new Map() };
  const file = readPlainFile(join(state, noteName), noteBytesMax);
  const limits = { bytesMax: noteBytesMax, depthMax: 8, nodesMax: 1_000_000 };
  const parsed = file.ok && file.value !== null ? parseBounded(file.value.text, limits) : null;
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return none;
  const { value } = parsed;
  if (value.team !== team || value.root !== root || typeof value.seq !== "number") return none;
  const started = Array.isArray(value.started) ? value.started.filter((each) => typeof each === "string") : [];
  return {
    ...none,
    seq: value.seq,
    started: new Set(started),
    marks: textsOf(value.marks),
    own: textsOf(value.own),
    logs: new Map(
      Object.entries(objectOf(value.logs)).flatMap(([path, place]) => {
        const { bytes, lines } = objectOf(place);
        return typeof bytes === "number" && typeof lines === "number" ? [[path, { bytes, lines }] as const] : [];
      }),
    ),
  };
}

/** What was found, without files that Baton wrote there itself. */
export function withoutOwn(found: Found, state: string, team: string): Found {
  const own = new Set(readSyncNote(state, team, found.root).own.values());
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

function writeSyncNote(state: string, { started, marks, own, logs, ...note }: SyncNote): void {
  const written = {
    ...note,
    started: [...started],
    marks: Object.fromEntries(marks),
    own: Object.fromEntries(own),
    logs: Object.fromEntries(logs),
  };
  replacePlainFile(join(state, noteName), `${JSON.stringify(written)}\n`);
}

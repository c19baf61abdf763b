/**
 * Writes what changed in the record into a planning folder. A file that another tool wrote is never replaced by Baton's
 * word, but for the states that both keep (execution state, departments), of which only what changed is set, and a
 * contract, which is kept as an older revision. Rule: docs/protocol/adopting.md, section 6.
 */

import { sha256 } from "../../base/canonical.ts";
import { timestampOf } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { planKey } from "../../coordination/tasks/task-ids.ts";
import { readEvent } from "../../intake/planning/planning-state.ts";
import type { FolderChanges, FolderPlan } from "../../runtime/planning/folder-changes.ts";
import {
  contractFile,
  departmentFile,
  eventLine,
  executionFile,
  summaryFile,
  summaryRow,
  withEscalations,
} from "../../runtime/planning/folder-forms.ts";
import type { FolderLayout, PlanPlace } from "./folder-layout.ts";
import type { WrittenFolder } from "./folder-writing.ts";

/** What Baton remembers of what it wrote. */
export interface OwnFiles {
  /** SHA-256 of what it wrote, by path. */
  readonly own: Map<string, string>;
  /** Keys of plans whose beginning is in the event log. */
  readonly started: Set<string>;
}

const stateFile = ".execution-state.json";
const logFile = ".events/event-log.jsonl";

/** Writes everything that changed; `at`: now, RFC 3339. */
export function writeChanges(
  folder: WrittenFolder,
  layout: FolderLayout,
  changes: FolderChanges,
  { note, at }: { readonly note: OwnFiles; readonly at: string },
): void {
  const placed = changes.plans.flatMap((plan) => {
    const place = layout.placeOf(plan.id);
    return place === null ? [] : [{ plan, place }];
  });
  for (const { plan, place } of placed) {
    writeContract(folder, plan, place, note);
    writeSummary(folder, layout, plan, place, note);
  }
  writeExecution(folder, layout, placed, changes, { note, at });
  writeEvents(folder, layout, changes, note);
  if (!layout.isCompany) return;
  for (const part of changes.parts) {
    const phase = layout.phaseOf(part.phase);
    if (phase === null) continue;
    const path = `phases/${phase.folder}/.dept-status-${part.department ?? "backend"}.json`;
    const text = departmentFile(objectIn(folder.read(path)), part, at);
    if (text !== null) keep(folder, path, text, note);
  }
  for (const [file, rows] of Map.groupBy(changes.rows, ({ file }) => file))
    folder.append(
      `phases/${file}`,
      rows.map(({ line }) => line),
    );
}

function writeContract(
  folder: WrittenFolder,
  plan: FolderPlan,
  { contract: path, ...name }: PlanPlace,
  note: OwnFiles,
) {
  const text = plan.isContractOfFolder ? null : contractFile(plan, name);
  if (text === null) return;
  const before = folder.read(path);
  if (before === text) return;
  if (before !== null) folder.write(path.replace(/\.json$/, `.rev${revisionIn(folder, path)}.json`), before);
  keep(folder, path, text, note);
}

/** The first number under which no older contract is kept. */
function revisionIn(folder: WrittenFolder, path: string): number {
  let revision = 1;
  while (folder.read(path.replace(/\.json$/, `.rev${revision}.json`)) !== null && revision < 10_000) revision += 1;
  return revision;
}

/** A summary says that its plan is done: Baton writes one then, and takes its own away where the plan is not done. */
function writeSummary(
  folder: WrittenFolder,
  { isCompany }: FolderLayout,
  plan: FolderPlan,
  { summary: path, ...name }: PlanPlace,
  note: OwnFiles,
): void {
  if (path === null || !plan.isTeams) return;
  const text = isCompany ? summaryRow(plan) : summaryFile(plan, name);
  const there = folder.read(path);
  if (there !== null && !isOwn(note, path, there)) return;
  if (text !== null) keep(folder, path, text, note);
  else if (there !== null && !plan.isDone && folder.remove(path)) note.own.delete(path);
}

function isOwn({ own }: OwnFiles, path: string, text: string): boolean {
  return own.get(path) === sha256(text);
}

function keep(folder: WrittenFolder, path: string, text: string, { own }: OwnFiles): void {
  if (folder.write(path, text)) own.set(path, sha256(text));
}

type Placed = readonly { readonly plan: FolderPlan; readonly place: PlanPlace }[];

function writeExecution(
  folder: WrittenFolder,
  layout: FolderLayout,
  placed: Placed,
  { escalations }: FolderChanges,
  { note, at }: { readonly note: OwnFiles; readonly at: string },
): void {
  const shown = placed.filter(({ plan, place: { summary } }) => {
    const text = summary === null || plan.isDone ? null : folder.read(summary);
    // Another tool says that it is done, and its word stays there.
    return plan.isTeams && (text === null || isOwn(note, summary ?? "", text));
  });
  const [last] = shown.slice(-1);
  if (last !== undefined) {
    const phase = layout.phaseOf(last.place.phase);
    const current = objectIn(folder.read(stateFile));
    const isReadable = current !== null || folder.read(stateFile) === null;
    const plans = shown
      .filter(({ place }) => place.phase === last.place.phase)
      .map(({ plan, place: { phase: id, plan: number } }) => ({ plan, name: { phase: id, plan: number } }));
    const named = { id: last.place.phase, title: phase?.title ?? last.place.phase, isOver: layout.isOver };
    const text = isReadable ? executionFile(current, named, plans, at) : null;
    if (text !== null) folder.write(stateFile, text);
  }
  if (!layout.isCompany || escalations.length === 0) return;
  const path = folder.read(stateFile) === null ? null : stateFile;
  const text = path === null ? null : withEscalations(objectIn(folder.read(path)), escalations, timestampOf);
  if (path !== null && text !== null) folder.write(path, text);
}

function writeEvents(folder: WrittenFolder, layout: FolderLayout, { events }: FolderChanges, note: OwnFiles): void {
  if (events.length === 0) return;
  const written = new Set(folder.tail(logFile).flatMap((line) => idIn(line) ?? []));
  const lines = events
    .filter(({ id }) => !written.has(id))
    .map((event) => {
      const name = event.plan === null ? null : layout.placeOf(event.plan);
      return eventLine(event, name === null ? null : { phase: name.phase, plan: name.plan });
    });
  if (lines.length > 0 && !folder.append(logFile, lines)) return;
  for (const { event, plan } of events) if (event === "plan_start" && plan !== null) note.started.add(planKey(plan));
}

function idIn(line: string): string | null {
  const event = line.includes('"baton-') ? readEvent(line) : null;
  return event === null || typeof event === "string" ? null : event.id;
}

function objectIn(text: string | null): JsonObject | null {
  const parsed =
    text === null ? null : parseBounded(text, { bytesMax: 2 * 1024 * 1024, depthMax: 32, nodesMax: 100_000 });
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : null;
}

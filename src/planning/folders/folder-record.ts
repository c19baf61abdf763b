/**
 * Writes what changed in the record into a planning folder. A file that another tool wrote is never replaced by Baton's
 * word, but for the states that both keep (execution state, departments), of which only what changed is set, and a
 * contract, which is kept as an older revision. Rule: docs/protocol/record.md, section 29.
 */

import { sha256 } from "../../base/canonical.ts";
import { timestampOf } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { planKey } from "../../messages/task-ids.ts";
import type { FolderChanges, FolderPlan } from "../handlers/folder-changes.ts";
import { escalationState, resolutionFile, withEscalations } from "../handlers/folder-escalations.ts";
import {
  contractFile,
  departmentFile,
  eventLine,
  executionFile,
  summaryFile,
  summaryRow,
} from "../handlers/folder-forms.ts";
import { isOver, type PhaseCount, roadmapText, stateObject, stateText } from "../handlers/folder-progress.ts";
import { numberKey } from "../reading/found.ts";
import { phaseOf } from "../reading/plan-names.ts";
import { settingsIn } from "../reading/planning-settings.ts";
import { readEvent } from "../reading/planning-state.ts";
import type { FolderLayout, PlanPlace } from "./folder-layout.ts";
import { rowKey } from "./folder-note.ts";
import type { WrittenFolder } from "./folder-writing.ts";

/** What Baton remembers of what it wrote. */
export interface OwnFiles {
  /** SHA-256 of what it wrote, by path. */
  readonly own: Map<string, string>;
  /** Keys of plans whose beginning is in the event log. */
  readonly started: Set<string>;
  /** Rows that a look was about to append when it was killed. */
  readonly unfinished: ReadonlySet<string>;
  /** Says what is about to be written, for the look after one that is killed. */
  intend(path: string, text: string): void;
}

const stateFile = ".execution-state.json";
const escalationFile = ".escalation-state.json";
const departments = ["backend", "frontend", "uiux"];
const logFile = ".events/event-log.jsonl";

/** How changes are written: what is known of the folder, up to which entry it shows everything, and now, RFC 3339. */
interface Writing {
  readonly note: OwnFiles & { readonly seq: number };
  readonly at: string;
}

/** Writes everything that changed. */
export function writeChanges(
  folder: WrittenFolder,
  layout: FolderLayout,
  changes: FolderChanges,
  { note, at }: Writing,
): void {
  const placed = changes.plans.flatMap((plan) => {
    const place = layout.placeOf(plan.id);
    return place === null ? [] : [{ plan, place }];
  });
  const moved = new Map<string, boolean>();
  for (const { plan, place } of placed) {
    writeContract(folder, plan, place, note);
    const before = folder.written.length;
    writeSummary(folder, layout, plan, place, note);
    if (folder.written.length > before) moved.set(place.phase, !plan.isDone);
  }
  for (const [phase, isTakenBack] of moved) writeProgress(folder, layout, { phase, isTakenBack, at });
  writeExecution(folder, layout, placed, changes, { note, at });
  writeEvents(folder, layout, changes, note);
  if (!layout.isCompany) return;
  writeEscalations(folder, layout, changes, note);
  for (const part of changes.parts) {
    const phase = layout.phaseOf(part.phase);
    if (phase === null) continue;
    const path = `phases/${phase.folder}/.dept-status-${part.department ?? "backend"}.json`;
    const text = departmentFile(objectIn(folder.read(path)), part, at);
    if (text !== null) keep(folder, path, text, note);
  }
  for (const [file, rows] of Map.groupBy(changes.rows, ({ file }) => file)) {
    const path = `phases/${file}`;
    const there = note.unfinished.size === 0 ? null : new Set(folder.tail(path));
    const lines = rows.map(({ line }) => line);
    const missing = lines.filter((line) => there?.has(line) !== true || !note.unfinished.has(rowKey(path, line)));
    for (const line of missing) note.intend(rowKey(path, line), line);
    // A later adoption must know them again: they are no news.
    if (missing.length === 0 || folder.append(path, missing))
      for (const line of lines) note.own.set(rowKey(path, line), sha256(line));
  }
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
  // Most plans at work: there is nothing to write, and nothing of Baton's to take away.
  if (text === null && !note.own.has(path)) return;
  const there = folder.read(path);
  if (there !== null && !isOwn(note, path, there)) return;
  if (text !== null) keep(folder, path, text, note);
  else if (there !== null && !plan.isDone && folder.remove(path)) note.own.delete(path);
}

function isOwn({ own }: OwnFiles, path: string, text: string): boolean {
  return own.get(path) === sha256(text);
}

function keep(folder: WrittenFolder, path: string, text: string, { own, intend }: OwnFiles): void {
  if (folder.read(path) !== text) intend(path, text);
  if (folder.write(path, text)) own.set(path, sha256(text));
}

/** The lines about a phase that the tool's own hook would write, now that a summary came or went. */
function writeProgress(
  folder: WrittenFolder,
  layout: FolderLayout,
  { phase, isTakenBack, at }: { readonly phase: string; readonly isTakenBack: boolean; readonly at: string },
): void {
  const isThere = (path: string) => (folder.written.includes(path) ? folder.read(path) !== null : layout.has(path));
  const all = folder.folders("phases").flatMap((name): readonly PhaseCount[] => {
    const found = phaseOf(name);
    if (found === null) return [];
    const summaries = layout.summariesOf(found.id);
    const done = summaries.filter(isThere).length;
    return [{ number: numberKey(found.id), title: titled(found.name), plans: summaries.length, done }];
  });
  const own = all.find(({ number }) => number === numberKey(phase));
  if (own === undefined) return;
  const { origin } = settingsIn(objectIn(folder.read("config.json")), {
    name: layout.isCompany ? ".yolo-planning" : ".vbw-planning",
    hasPlanRows: layout.isCompany,
  });
  const next = all.find((each) => !isOver(each)) ?? null;
  const today = at.slice(0, 10);
  const progress = { phase: own, next, all, isTakenBack, today, isLater: origin === "vbw-later" };
  for (const [path, change] of [["STATE.md", stateText] as const, ["ROADMAP.md", roadmapText] as const]) {
    const text = folder.read(path);
    if (text !== null) folder.write(path, change(text, progress));
  }
  const state = layout.isCompany ? objectIn(folder.read("state.json")) : null;
  const text = state === null ? null : stateObject(state, progress);
  if (text !== null) folder.write("state.json", text);
}

function titled(name: string): string {
  return name
    .split(" ")
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join(" ");
}

/** What became of escalations, where the folder keeps them in addition to the execution state. */
function writeEscalations(
  folder: WrittenFolder,
  layout: FolderLayout,
  { escalations }: FolderChanges,
  { seq }: { readonly seq: number },
): void {
  const current = escalations.length === 0 ? null : objectIn(folder.read(escalationFile));
  const text = current === null ? null : escalationState(current, escalations, timestampOf);
  if (text !== null) folder.write(escalationFile, text);
  for (const each of escalations) {
    const phase = layout.phaseOf(String(each.phase ?? each.plan?.split("-")[0] ?? ""));
    const isNew = each.decision !== null && each.decision.seq > seq;
    const isOfDepartment = departments.some((name) => name === each.department);
    const resolution = isNew && isOfDepartment && phase !== null ? resolutionFile(each) : null;
    if (resolution !== null)
      folder.write(`phases/${phase?.folder}/.escalation-resolution-${each.department}.json`, resolution);
  }
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
    if (!plan.isTeams || summary === null || plan.isDone) return plan.isTeams;
    const text = note.own.has(summary) ? folder.read(summary) : null;
    // Another tool says that it is done, and its word stays there.
    return text === null ? !folder.has(summary) : isOwn(note, summary, text);
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
  const tail = folder.tail(logFile);
  const written = new Set(tail.flatMap((line) => idIn(line) ?? []));
  const begun = new Set(tail.flatMap((line) => phaseIn(line) ?? []));
  const lines = events
    .filter(({ id }) => !written.has(id))
    .flatMap((event) => {
      const name = event.plan === null ? null : layout.placeOf(event.plan);
      const line = eventLine(event, name === null ? null : { phase: name.phase, plan: name.plan });
      if (event.event !== "plan_start" || name === null || begun.has(numberKey(name.phase))) return [line];
      begun.add(numberKey(name.phase));
      // Of a phase in which something was done before, its tool has said that it began.
      if (layout.summariesOf(name.phase).some(layout.has)) return [line];
      const began = { ...event, event: "phase_start", id: `${event.id}-phase`, plan: null, phase: name.phase } as const;
      return [eventLine(began, null), line];
    });
  if (lines.length > 0 && !folder.append(logFile, lines)) return;
  for (const { event, plan } of events) if (event === "plan_start" && plan !== null) note.started.add(planKey(plan));
}

/** The phase that a line is about, as it is compared. */
function phaseIn(line: string): string | null {
  const event = line === "" ? null : readEvent(line);
  return event === null || typeof event === "string" || event.phase === null ? null : numberKey(event.phase);
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

/**
 * Where the plans of a planning folder are, and writing what changed in the record there. A file that another tool
 * wrote is never replaced by Baton's word, but for the states that both keep (execution state, departments), of which
 * only what changed is set, and a contract, which is kept as an older revision. Files are replaced whole, lines
 * appended in one piece; no link is followed, and nothing outside the folder is touched. Source:
 * docs/protocol/record.md, section 29.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { timestampOf } from "../../base/clock.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { phaseKey, planKey } from "../../messages/task-ids.ts";
import type { PhaseFolders } from "../../phases/services/phase-rows.ts";
import type { FolderChanges, FolderPlan } from "../handlers/folder-changes.ts";
import {
  contractFile,
  departmentFile,
  escalationState,
  eventLine,
  executionFile,
  isOver,
  type PhaseCount,
  type PlanName,
  resolutionFile,
  roadmapText,
  stateObject,
  stateText,
  summaryFile,
  summaryRow,
  withEscalations,
} from "../handlers/folder-forms.ts";
import { type Finding, numberKey } from "../reading/found.ts";
import { kindOf, phaseOf, phaseOfPath, planKeyOf, planOf } from "../reading/plan-names.ts";
import { settingsIn } from "../reading/planning-model.ts";
import { readEvent } from "../reading/planning-state.ts";
import { rowKey } from "./folder-note.ts";

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

/** Most bytes of a file that is read before it is replaced. */
const fileBytesMax = 2 * 1024 * 1024;
/** So much of a log's end is looked at. */
const tailBytes = 64 * 1024;

/** A folder that is written. Paths are below it, with `/`. */
interface WrittenFolder {
  /** What is there; null: nothing, or it cannot be read, which is then a finding. */
  read(path: string): string | null;
  /** Whether something is there that no link leads to. */
  has(path: string): boolean;
  /** Replaces the file as a whole, unless it is the same already. Whether it is there now as given. */
  write(path: string, text: string): boolean;
  /** Appends whole lines, in one piece. */
  append(path: string, lines: readonly string[]): boolean;
  /** The last lines of a log. */
  tail(path: string): readonly string[];
  remove(path: string): boolean;
  /** The names of the folders in a folder, in order. */
  folders(path: string): readonly string[];
  /** The names of the plain files in a folder, in order. */
  names(path: string): readonly string[];
  /** What could not be done, with the reason. */
  readonly findings: readonly Finding[];
  /** Paths that were written or removed. */
  readonly written: readonly string[];
}

/** The planning folder at `root`, relative to the project. */
export function writtenFolder(project: string, root: string): WrittenFolder {
  const findings: Finding[] = [];
  const written: string[] = [];
  const fail = (path: string, why: string): null => {
    findings.push({ file: `${root}/${path}`, line: null, why });
    return null;
  };
  /** The file's place, its folders there; null: a link or something else is in the way. */
  const placeOf = (path: string, makes: boolean): string | null => {
    const problem = folderProblem(project, dirname(join(root, path)), makes);
    return problem === null ? join(project, root, path) : fail(path, problem);
  };
  const attempt = (path: string, act: (file: string) => void): boolean => {
    const file = placeOf(path, true);
    if (file === null) return false;
    try {
      act(file);
      written.push(path);
      return true;
    } catch (cause) {
      return fail(path, `It cannot be written (${reasonOf(cause)}).`) !== null;
    }
  };
  const read = (path: string): string | null => {
    const file = placeOf(path, false);
    if (file === null) return null;
    const found = readPlainFile(file, fileBytesMax);
    if (found.ok) return found.value?.text ?? null;
    return fail(path, `It cannot be read (${found.error}).`);
  };
  return {
    findings,
    written,
    read,
    has(path) {
      const file = placeOf(path, false);
      return file !== null && lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    },
    write(path, text) {
      const file = placeOf(path, true);
      if (file === null) return false;
      const found = readPlainFile(file, fileBytesMax);
      if (!found.ok) return fail(path, `It is left as it is (${found.error}).`) !== null;
      if (found.value?.text === text) return true;
      const mode = (found.value?.facts.mode ?? 0o644) & 0o777;
      // Both tools pass over names with `.tmp`.
      const draft = `${file}.tmp-${process.pid}`;
      return attempt(path, () => replacePlainFile(file, text, { mode, draft }));
    },
    append: (path, lines) => attempt(path, (file) => appendLines(file, lines)),
    tail(path) {
      const file = placeOf(path, false);
      return file === null ? [] : tailOf(file);
    },
    remove: (path) => attempt(path, (file) => rmSync(file, { force: true })),
    folders: (path) => entriesIn(project, `${root}/${path}`, (entry) => entry.isDirectory()),
    names: (path) => entriesIn(project, `${root}/${path}`, (entry) => entry.isFile()),
  };
}

/** Why a folder in the project cannot be used; null: it is there, made if `makes`, and none of it is a link. */
function folderProblem(project: string, folder: string, makes: boolean): string | null {
  let at = project;
  for (const part of folder.split("/")) {
    at = join(at, part);
    try {
      const facts = lstatSync(at, { throwIfNoEntry: false });
      if (facts === undefined && makes) mkdirSync(at);
      else if (facts === undefined) return null;
      else if (facts.isSymbolicLink()) return "A folder above it is a link; no link is followed.";
      else if (!facts.isDirectory()) return "What is above it is no folder.";
    } catch (cause) {
      return `Its folder cannot be used (${reasonOf(cause)}).`;
    }
  }
  return null;
}

function entriesIn(project: string, folder: string, isWanted: (entry: Dirent) => boolean): readonly string[] {
  if (folderProblem(project, folder, false) !== null) return [];
  try {
    const entries = readdirSync(join(project, folder), { withFileTypes: true });
    return entries.flatMap((entry) => (isWanted(entry) ? [entry.name] : [])).toSorted();
  } catch {
    // There is none, or it cannot be read: then nothing is known of it.
    return [];
  }
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function appendLines(file: string, lines: readonly string[]): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | noFollow;
  const descriptor = openSync(file, flags, 0o644);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw Object.assign(new Error("it is no regular file"), { code: "EINVAL" });
    const last = Buffer.alloc(1);
    // A line that another writer left without its end stays a line by itself.
    const isOpen = facts.size > 0 && readSync(descriptor, last, 0, 1, facts.size - 1) === 1 && last[0] !== 10;
    writeSync(descriptor, `${isOpen ? "\n" : ""}${lines.join("\n")}\n`);
  } finally {
    closeSync(descriptor);
  }
}

function tailOf(file: string): readonly string[] {
  let descriptor: number | null = null;
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    const count = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, count).split("\n");
  } catch {
    // Without its end the log is appended to as if nothing of ours were in it.
    return [];
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** A plan with its files; paths are below the planning folder. */
interface PlanPlace extends PlanName {
  /** Where its summary is, or would be; null: there is no folder for it. */
  readonly summary: string | null;
  readonly contract: string;
}

/** What is where. */
export interface FolderLayout {
  /** The place of a plan by its id, `01-02`; null: the id names no phase and plan. */
  placeOf(id: string): PlanPlace | null;
  /** The name of the phase with that number, by its folder; null: it has none. */
  phaseOf(phase: string): { readonly id: string; readonly title: string; readonly folder: string } | null;
  readonly phases: PhaseFolders;
  /** Where the summaries of a phase's plans are, or would be; without those of its remediation rounds. */
  summariesOf(phase: string): readonly string[];
  /** Whether every plan of the phase has a summary, and there is one. */
  isOver(phase: string): boolean;
  /** Whether plans are rows, as the company line of YOLO has them. */
  readonly isCompany: boolean;
  has(path: string): boolean;
}

/** The layout of a folder that holds these files. */
export function folderLayout(files: readonly string[]): FolderLayout {
  const there = new Set(files);
  const plans = new Map<string, { readonly name: PlanName; readonly summary: string }>();
  const contracts = new Map<string, string>();
  const phases = new Map<string, { readonly id: string; readonly title: string; readonly folder: string }>();
  const summaries = new Map<string, string>();
  let isCompany = false;
  for (const path of files) {
    const kind = kindOf(path);
    const parts = path.split("/");
    const name = parts.at(-1) ?? "";
    if (kind === "contract") {
      const [phase, plan] = name.slice(0, -".json".length).split("-");
      if (phase !== undefined && plan !== undefined) contracts.set(planKeyOf(phase, plan), path);
      continue;
    }
    const phase = phaseOfPath(path);
    if (phase === null || parts[1] === undefined) continue;
    const key = numberKey(phase.id);
    if (!phases.has(key)) phases.set(key, { id: phase.id, title: phase.name, folder: parts[1] });
    const isRows = kind === "plan-rows";
    isCompany ||= isRows;
    if (kind === "summary" || kind === "summary-rows") {
      const plan = planOf(name, phase.id).plan ?? "01";
      if (!summaries.has(planKeyOf(phase.id, plan))) summaries.set(planKeyOf(phase.id, plan), path);
    }
    if (kind !== "plan" && !isRows) continue;
    const plan = planOf(name, phase.id).plan ?? "01";
    const planKey = planKeyOf(phase.id, plan);
    if (plans.has(planKey)) continue;
    const own = isRows ? name.replace(".plan.jsonl", ".summary.jsonl") : summaryName(name);
    plans.set(planKey, { name: { phase: phase.id, plan }, summary: [...parts.slice(0, -1), own].join("/") });
  }
  const folders = new Map([...phases.values()].map(({ id, folder }) => [phaseKey(id) ?? id, folder]));
  return {
    isCompany,
    phases: folders,
    has: (path) => there.has(path),
    summariesOf: (phase) =>
      [...plans].flatMap(([key, { summary }]) => {
        const path = summaries.get(key) ?? summary;
        return key.startsWith(`${numberKey(phase)}/`) && path.split("/").length === 3 ? [path] : [];
      }),
    isOver(phase) {
      const own = [...plans.keys()].filter((key) => key.startsWith(`${numberKey(phase)}/`));
      return own.length > 0 && own.every((key) => summaries.has(key));
    },
    phaseOf: (phase) => phases.get(numberKey(phase)) ?? null,
    placeOf(id) {
      const parts = id.split("-").filter((part) => part !== "phase" && part !== "plan");
      const [phase, ...rest] = parts;
      if (phase === undefined || rest.length === 0) return null;
      const key = planKeyOf(phase, rest.join("-"));
      const plan = plans.get(key);
      const folder = phases.get(numberKey(phase));
      const name = plan?.name ?? { phase: folder?.id ?? phase, plan: rest.join("-") };
      const usual = folder === undefined ? null : usualSummary(folder.folder, name, isCompany);
      const summary = summaries.get(key) ?? plan?.summary ?? usual;
      const contract = contracts.get(key) ?? `.contracts/${name.phase}-${name.plan}.json`;
      return isPlainName(name.phase) && isPlainName(name.plan) ? { ...name, summary, contract } : null;
    },
  };
}

/** The summary next to a plan: SUMMARY in place of PLAN at the end of its name, else behind it. */
function summaryName(plan: string): string {
  const stem = plan.slice(0, -".md".length);
  if (stem === "PLAN") return "SUMMARY.md";
  return stem.endsWith("-PLAN") ? `${stem.slice(0, -"-PLAN".length)}-SUMMARY.md` : `${stem}-SUMMARY.md`;
}

function usualSummary(folder: string, { phase, plan }: PlanName, isCompany: boolean): string {
  return `phases/${folder}/${phase}-${plan}${isCompany ? ".summary.jsonl" : "-SUMMARY.md"}`;
}

/** Ids of plans are agents' words: only such become names of files. */
function isPlainName(part: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/.test(part) && !part.includes("..");
}

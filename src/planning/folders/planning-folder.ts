/**
 * Finds the folder of another tool in a project and reads it: plain files inside it only, so many and so deep, no link
 * followed, logs line by line. A file that cannot be read costs itself; what is left out, and what changes while it is
 * read, is reported.
 */
import { createReadStream, lstatSync, readdirSync, type Stats } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { readPlainFile, reasonOf } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { loadYaml } from "../../base/text-formats/yaml.ts";
import { type PlanningFolder, planningFolders } from "../../team/state/definition.ts";
import { foundStories, type StoryFile } from "../reading/bmad-story.ts";
import type { Finding, Found } from "../reading/found.ts";
import { kindOf } from "../reading/plan-names.ts";
import { newPlanningModel, type PlanningModel } from "../reading/planning-model.ts";

/** What was read, and where from. */
export interface FoundFolder {
  readonly found: Found;
  /** Folders of another tool that were not taken, and why. */
  readonly others: readonly Finding[];
}

const bmadFolders = [".bmad-core", "_bmad", ".bmad", "bmad"];
const storyFolders = ["docs/stories", "_bmad-output/implementation-artifacts", "docs/sprint-artifacts"];

/** Most bytes of a file that is read as a whole. */
const fileBytesMax = 2 * 1024 * 1024;
/** Most bytes of one line of a log. */
const lineBytesMax = 256 * 1024;

/** Reads what `project` holds. Refuses `not-found` where there is no such folder, or none with plans. */
export async function readProject(
  project: string,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Result<FoundFolder, Problem>> {
  const chosen = chooseFolder(project, named);
  if (!chosen.ok) return chosen;
  const { folder, kind, others } = chosen.value;
  const found = kind === "bmad" ? readStories(project, folder) : await readPlanning(project, folder, kind, signal);
  return ok({ found, others });
}

interface Chosen {
  /** Relative to the project. */
  readonly folder: string;
  readonly kind: PlanningFolder | "bmad";
  readonly others: readonly Finding[];
}

function chooseFolder(project: string, named: string | undefined): Result<Chosen, Problem> {
  const own = named === undefined ? null : insideOf(project, named);
  if (own !== null && isFolderIn(project, own))
    return ok({ folder: own, kind: own.includes("yolo") ? ".yolo-planning" : ".vbw-planning", others: [] });
  const there = planningFolders.filter((name) => isFolderIn(project, name));
  const links = planningFolders.filter((name) => factsOf(join(project, name))?.isSymbolicLink() === true);
  const linked = links.map((file) => ({ file, line: null, why: "This is a link; no link is followed." }));
  const [first, second] = there;
  if (first !== undefined && second !== undefined) {
    const [newer, older] =
      settingsTime(project, second) > settingsTime(project, first) ? [second, first] : [first, second];
    const why = `${newer} has the newer settings and was taken. To take this one, move the other away.`;
    return ok({ folder: newer, kind: newer, others: [...linked, { file: older, line: null, why }] });
  }
  if (first !== undefined) return ok({ folder: first, kind: first, others: linked });
  const bmad = bmadFolders.find((name) => isFolderIn(project, name));
  const stories = storyFolders.find((name) => isFolderIn(project, name));
  if (bmad !== undefined || stories !== undefined)
    return ok({ folder: stories ?? bmad ?? "", kind: "bmad", others: linked });
  return err(
    makeProblem("not-found", project, "There is no folder of VBW, YOLO or BMAD here.", {
      expected: [...planningFolders, ...bmadFolders].join(" | "),
      ...(linked.length > 0 ? { received: `a link: ${links.join(", ")}` } : {}),
      hint: "run baton adopt in the root of the project; baton init begins a new team",
    }),
  );
}

/** The folder that the tool's own variable names, if it is in the project. */
function insideOf(project: string, named: string): string | null {
  const path = relative(project, resolve(project, named));
  return path === "" || path.startsWith("..") || path.startsWith(sep) ? null : path.replaceAll(sep, "/");
}

/** Whether `path` is a folder below `root`, which no link leads to. */
export function isFolderIn(root: string, path: string): boolean {
  const parts = path.split("/");
  return parts.every((_, at) => factsOf(join(root, ...parts.slice(0, at + 1)))?.isDirectory() === true);
}

function settingsTime(project: string, folder: string): number {
  return factsOf(join(project, folder, "config.json"))?.mtimeMs ?? 0;
}

/** How far a log was read before. */
export interface LogPlace {
  readonly bytes: number;
  readonly lines: number;
}

/**
 * Reads a planning folder. `from`: how far logs were read before; such a log is read from there on to its last whole line,
 * and `from` says afterwards how far that is.
 */
export async function readPlanning(
  project: string,
  folder: string,
  kind: PlanningFolder,
  signal: AbortSignal,
  from: Map<string, LogPlace> | null = null,
): Promise<Found> {
  const model = newPlanningModel(folder, await loadYaml(), kind);
  const root = planningRoot(project, folder);
  const listing = list(join(project, root), root);
  for (const finding of listing.findings) model.finding(finding);
  const times = new Map<string, string>();
  let ignored = listing.ignored;
  let read = 0;
  for (const path of listing.files) {
    if (signal.aborted) break;
    const kindThere = kindOf(path);
    if (kindThere === "ignored") {
      ignored += 1;
      continue;
    }
    const file = join(project, root, path);
    const shown = `${root}/${path}`;
    times.set(file, stampOf(file));
    const isRead =
      kindThere === "events"
        ? await readLines(model, { file, path, shown, from }, signal)
        : readFile(model, file, path, shown);
    if (isRead) read += 1;
    // A hub that reads a large folder answers in between.
    if (from !== null && read % 50 === 0) await systemClock.wait(0, signal);
  }
  for (const [file, stamp] of times)
    if (stampOf(file) !== stamp) model.finding(changedMeanwhile(relative(project, file), "changed"));
  // A hub sees at its next look what came meanwhile.
  const there = new Set(listing.files);
  for (const path of from === null ? list(join(project, root), root).files : [])
    if (!there.has(path)) model.finding(changedMeanwhile(`${root}/${path}`, "came"));
  return model.found({ read, ignored });
}

function changedMeanwhile(file: string, what: "changed" | "came"): Finding {
  const when = what === "changed" ? "It changed while it was read" : "It came while the folder was read";
  return { file, line: null, why: `${when}; run baton adopt again.` };
}

/** Where the current work of a planning folder is, relative to the project: the folder, or a milestone in it. */
export function planningRoot(project: string, folder: string): string {
  const active = activeFolder(join(project, folder));
  return active === null ? folder : join(folder, active);
}

/** A mark for each file of a planning folder by its path below `root`; equal marks, the same file. */
export function planningMarks(project: string, root: string): ReadonlyMap<string, string> {
  const { files } = list(join(project, root), root);
  const known = files.filter((path) => kindOf(path) !== "ignored");
  return new Map(known.map((path) => [path, stampOf(join(project, root, path))]));
}

/** The milestone that VBW works in, where its folder says one; null: the folder itself. */
function activeFolder(root: string): string | null {
  const file = readPlainFile(join(root, "ACTIVE"), 1_024);
  const slug = file.ok ? (file.value?.text.trim() ?? "") : "";
  const isSlug = /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(slug);
  return isSlug && isFolderIn(root, `milestones/${slug}`) ? `milestones/${slug}` : null;
}

export function stampOf(file: string): string {
  const facts = factsOf(file);
  return facts === undefined ? "gone" : `${facts.size} ${facts.mtimeMs} ${facts.ino}`;
}

function readFile(model: PlanningModel, file: string, path: string, shown: string): boolean {
  const read = readPlainFile(file, fileBytesMax);
  const text = read.ok ? (read.value?.text ?? null) : null;
  if (text === null) {
    const why = read.ok ? "It was removed while the folder was read." : `It cannot be read (${read.error}).`;
    model.finding({ file: shown, line: null, why });
    return false;
  }
  model.file(path, text);
  return true;
}

interface ReadLog {
  readonly file: string;
  /** Below the planning folder. */
  readonly path: string;
  /** Relative to the project. */
  readonly shown: string;
  readonly from: Map<string, LogPlace> | null;
}

/** A log of any length, in pieces: memory holds one line. */
async function readLines(
  model: PlanningModel,
  { file, path, shown, from }: ReadLog,
  signal: AbortSignal,
): Promise<boolean> {
  const before = from?.get(path);
  const isLonger = before !== undefined && (factsOf(file)?.size ?? 0) >= before.bytes;
  const known = isLonger ? before : { bytes: 0, lines: 0 };
  let number = known.lines;
  let bytesRead = known.bytes;
  let position = bytesRead;
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  const take = (bytes: Buffer): void => {
    number += 1;
    const text = bytes.toString("utf8");
    if (isTooLong || bytes.length > lineBytesMax)
      model.finding({
        file: shown,
        line: number,
        why: `This line is longer than ${lineBytesMax} bytes; it was left out.`,
      });
    else if (text.trim() !== "") model.line(path, number, text);
    isTooLong = false;
  };
  try {
    for await (const chunk of createReadStream(file, { signal, start: known.bytes }) as AsyncIterable<Buffer>) {
      let start = 0;
      const chunkStart = position;
      position += chunk.length;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        take(rest.length === 0 ? chunk.subarray(start, end) : Buffer.concat([rest, chunk.subarray(start, end)]));
        rest = Buffer.alloc(0);
        bytesRead = chunkStart + end + 1;
        start = end + 1;
      }
      rest = Buffer.concat([rest, chunk.subarray(start)]);
      if (rest.length <= lineBytesMax) continue;
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
    // The end of a log that is being written is no line yet.
    from?.set(path, { bytes: bytesRead, lines: number });
    if (from === null && (rest.length > 0 || isTooLong)) take(rest);
    return true;
  } catch (cause) {
    if (!signal.aborted) model.finding({ file: shown, line: null, why: `It cannot be read (${reasonOf(cause)}).` });
    return false;
  }
}

function readStories(project: string, folder: string): Found {
  const files: StoryFile[] = [];
  const findings: Finding[] = [];
  let ignored = 0;
  for (const place of storyFolders) {
    if (!isFolderIn(project, place)) continue;
    const listing = list(join(project, place), place);
    findings.push(...listing.findings);
    for (const path of listing.files) {
      const read = path.endsWith(".md") ? readPlainFile(join(project, place, path), fileBytesMax) : null;
      if (read === null) ignored += 1;
      else if (read.ok && read.value !== null) files.push({ file: `${place}/${path}`, text: read.value.text });
      else findings.push({ file: `${place}/${path}`, line: null, why: "It cannot be read." });
    }
  }
  const found = foundStories(folder, files, ignored);
  return { ...found, findings: [...findings, ...found.findings] };
}

const filesMax = 20_000;
const depthMax = 8;

/** What the system says of a path, without following a link; undefined: there is nothing for us. */
function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder above it cannot be entered: then there is nothing for us.
    return undefined;
  }
}

/** What is in a folder. */
export interface Listing {
  /** Paths below the folder, with `/`, in order. */
  readonly files: string[];
  readonly findings: Finding[];
  ignored: number;
}

/** Folders that hold nothing of the current work: an archive, another tool's past, copies. */
const unread = [
  "milestones",
  "gsd-archive",
  "codebase",
  ".cache",
  ".metrics",
  ".artifacts",
  ".snapshots",
  ".agent-health",
  ".token-state",
];

/** The files of a folder of another tool, as it is shown: no link is followed. */
function list(folder: string, shown: string): Listing {
  const listing: Listing = { files: [], findings: [], ignored: 0 };
  walk(folder, "", shown, listing, 0);
  return listing;
}

function walk(folder: string, below: string, shown: string, listing: Listing, depth: number): void {
  const { files, findings } = listing;
  let names: readonly string[];
  try {
    names = readdirSync(folder).toSorted();
  } catch (cause) {
    findings.push({ file: join(shown, below), line: null, why: `This folder cannot be read (${reasonOf(cause)}).` });
    return;
  }
  for (const name of names) {
    const path = below === "" ? name : `${below}/${name}`;
    const facts = factsOf(join(folder, name));
    const said = `${shown}/${path}`;
    if (facts?.isSymbolicLink() === true)
      findings.push({ file: said, line: null, why: "This is a link; no link is followed." });
    else if (facts?.isDirectory() === true) {
      if (unread.includes(name) && below === "") listing.ignored += 1;
      else if (depth >= depthMax)
        findings.push({ file: said, line: null, why: "This folder is too deep; it was left unread." });
      else walk(join(folder, name), path, shown, listing, depth + 1);
    } else if (facts?.isFile() !== true)
      findings.push({ file: said, line: null, why: "This is no plain file; it was left unread." });
    else if (!isName(name))
      findings.push({ file: said, line: null, why: "This name is no file's name in a project; it was left unread." });
    else if (files.length < filesMax) files.push(path);
    else listing.ignored += 1;
  }
}

/** Whether a name can be shown and recorded: no control characters, no backslash. */
function isName(name: string): boolean {
  return name.isWellFormed() && !/[\p{Cc}\\]/u.test(name);
}

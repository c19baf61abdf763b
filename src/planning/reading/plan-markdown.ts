/**
 * A plan in Markdown (`01-02-PLAN` and its other names): the head, the tasks in the forms that plans have them, and the
 * files that they name; and a plan's summary, which says that the plan is done unless it says otherwise. One pass over
 * the lines; nothing is guessed, and a file name that is no path is a finding. The scalars of a head stay as they are
 * written (`08`, `06.10`, a hash of digits); a head that is no YAML is read line by line, and a finding says so.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { claimFilesMax, reportCommitsMax } from "../../base/limits.ts";
import { readAskedGlobs } from "../../base/paths/scope.ts";
import { shorten } from "../../base/text.ts";
import { parseYamlWith, type YamlLibrary } from "../../base/text-formats/yaml.ts";
import { countIn, type Finding, numberKey, type PlanText, type Read, type SummaryText, textsIn } from "./found.ts";

type Task = PlanText["tasks"][number];

/** Most tasks of one plan; more are left out with a finding. */
const tasksMax = 200;
const titleCharactersMax = 300;

/** Reads a plan. Never refuses: an input without a head or without tasks is a plan of one task. */
export function readPlan(text: string, file: string, yaml: YamlLibrary): Read<PlanText> {
  const { value, findings } = readFrontMatter(text, file, yaml);
  const head = value.head ?? {};
  const noHead: readonly Finding[] =
    value.head === null ? [{ file, line: 1, why: "It has no head; phase and plan come from its name." }] : [];
  const lines = value.body.split("\n");
  const at: Place = { file, first: value.bodyLine + 1 };
  const found = tasksIn(lines, at);
  const named = filesOf(textsIn(head.files_modified), { file, line: 1 });
  const title = textOf(head.title) ?? headingIn(lines);
  const tooMany = found.value.length > tasksMax;
  const tasks = found.value.slice(0, tasksMax);
  return {
    value: {
      phase: textOf(head.phase),
      plan: textOf(head.plan),
      title,
      tasks: tasks.length > 0 ? tasks : [{ id: null, title, files: [], dependsOn: [] }],
      files: named.value,
      dependsOn: textsIn(head.depends_on),
      mustHaves: mustHavesIn(head.must_haves),
    },
    findings: [
      ...noHead,
      ...findings,
      ...found.findings,
      ...named.findings,
      ...(tooMany ? [{ file, line: null, why: `It has more than ${tasksMax} tasks; the others were left out.` }] : []),
    ],
  };
}

/** Where a body begins. */
interface Place {
  readonly file: string;
  /** The number of its first line. */
  readonly first: number;
}

/** The tasks by the first form that the body has. */
function tasksIn(lines: readonly string[], place: Place): Read<readonly Task[]> {
  const marked = lines.some((line) => line.includes("<task ") || line.includes("<task>"));
  if (marked) return markedTasks(lines, place);
  for (const isTask of [isTaskHeading, isShortHeading]) {
    const starts = lines.flatMap((line, index) => (isTask(line) ? [index] : [])).slice(0, tasksMax + 1);
    if (starts.length > 0) return headedTasks(lines, starts, place);
  }
  return listedTasks(lines);
}

/* `<task type="auto"><name>Route</name><files>src/route.ts</files>…</task>`, on one line or over several. */

function markedTasks(lines: readonly string[], place: Place): Read<readonly Task[]> {
  const text = lines.join("\n");
  const tasks: Task[] = [];
  const findings: Finding[] = [];
  let at = nextTask(text, 0);
  // One more than may be: then it is known that there are too many.
  while (at >= 0 && tasks.length <= tasksMax) {
    const end = text.indexOf("</task>", at);
    const next = nextTask(text, at + 5);
    const until = end < 0 ? (next < 0 ? text.length : next) : end;
    const inside = text.slice(at, until);
    const line = place.first + lineBreaks(text, at);
    if (end < 0 || (next >= 0 && next < end))
      findings.push({ file: place.file, line, why: "This task has no end; it was read up to the next one." });
    const files = filesOf(splitList(between(inside, "files") ?? ""), { file: place.file, line });
    const name = between(inside, "name") ?? "";
    tasks.push({ id: numberOf(name), title: titleOf(name), files: files.value, dependsOn: [] });
    findings.push(...files.findings);
    at = next;
  }
  return { value: tasks, findings };
}

function nextTask(text: string, from: number): number {
  let at = text.indexOf("<task", from);
  while (at >= 0 && !" >\n\t".includes(text[at + 5] ?? " ")) at = text.indexOf("<task", at + 5);
  return at;
}

function between(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start);
  return end < 0 ? null : text.slice(start + tag.length + 2, end);
}

function lineBreaks(text: string, until: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < until; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/* `### Task 2: Route`, `## Task 2`, `### T2`, `### P01-T2: Route`, with `**Files:**` below. */

function isTaskHeading(line: string): boolean {
  const said = headingText(line);
  return said !== null && /^task[ -]?\d{1,4}(?!\w)/i.test(said);
}

function isShortHeading(line: string): boolean {
  const said = headingText(line);
  return said !== null && /^(?:\w{1,12}-){0,3}T\d{1,4}(?!\w)/.test(said);
}

/** What a heading of two to four signs says; null: the line is none. */
function headingText(line: string): string | null {
  const signs = line.startsWith("#### ") ? 5 : line.startsWith("### ") ? 4 : line.startsWith("## ") ? 3 : 0;
  return signs === 0 ? null : line.slice(signs).replaceAll("*", "").trim();
}

function headedTasks(lines: readonly string[], starts: readonly number[], place: Place): Read<readonly Task[]> {
  const findings: Finding[] = [];
  const tasks = starts.map((start, index): Task => {
    const next = starts[index + 1] ?? lines.length;
    const files = lines.slice(start + 1, next).flatMap((line, offset) => {
      const said = filesLine(line);
      if (said === null) return [];
      const read = filesOf(splitList(said), { file: place.file, line: place.first + start + 1 + offset });
      findings.push(...read.findings);
      return read.value;
    });
    const heading = headingText(lines[start] ?? "") ?? "";
    return { id: numberOf(heading), title: titleOf(afterColon(heading)), files: unique(files), dependsOn: [] };
  });
  return { value: tasks, findings };
}

/** The number that a plan gives a task: 2 of `Task 2: Route`, `P01-T2: Route`. */
export function numberOf(heading: string): string | null {
  return /^(?:task[ -]?|(?:\w{1,12}-){0,3}T)(\d{1,4})(?!\w)/i.exec(heading.trim())?.[1] ?? null;
}

/** The title of `Task 2: Route`, `T2 — Route`, `Task 2`. */
function afterColon(heading: string): string {
  for (const sign of [":", " — ", " – ", " - "]) {
    const at = heading.indexOf(sign);
    if (at >= 0 && at < 24) return heading.slice(at + sign.length);
  }
  return heading;
}

const fileLabels = ["Files to modify", "File(s)", "Files", "File"];

/** What a line says of files: `- **Files:** src/a.ts`; null: nothing. */
function filesLine(line: string): string | null {
  const said = line.trim().startsWith("- ") ? line.trim().slice(2).trim() : line.trim();
  for (const label of fileLabels) {
    for (const written of [`**${label}:**`, `**${label}**:`])
      if (said.startsWith(written)) return said.slice(written.length);
  }
  return null;
}

/** Numbered lines under a heading of tasks or steps. */
function listedTasks(lines: readonly string[]): Read<readonly Task[]> {
  const tasks: Task[] = [];
  let isOpen = false;
  for (const line of lines) {
    const heading = headingText(line)?.toLowerCase() ?? null;
    if (heading !== null) isOpen = heading === "tasks" || heading === "steps" || heading.startsWith("tasks ");
    const dot = isOpen ? line.indexOf(". ") : -1;
    if (dot > 0 && dot < 4 && /^\d{1,3}$/.test(line.slice(0, dot)))
      tasks.push({ id: line.slice(0, dot), title: titleOf(line.slice(dot + 2)), files: [], dependsOn: [] });
  }
  // In many lists every line is written as `1.`.
  const isCounted = new Set(tasks.map(({ id }) => id)).size === tasks.length;
  return { value: isCounted ? tasks : tasks.map((task) => ({ ...task, id: null })), findings: [] };
}

/* Files as plans write them. */

/** Parts of a list in one line: what is in backticks, else what is between commas. */
export function splitList(said: string): readonly string[] {
  const quoted = said.split("`").filter((_, index) => index % 2 === 1);
  const parts = quoted.length > 0 ? quoted : said.split(/[,\n]/);
  return parts.map((part) => part.trim()).filter((part) => part !== "" && part.toLowerCase() !== "none");
}

/** The entries that are paths or globs, cleaned; a finding for each of the others. */
export function filesOf(
  entries: readonly string[],
  place: { readonly file: string; readonly line: number },
): Read<readonly string[]> {
  const findings: Finding[] = [];
  const files: string[] = [];
  if (entries.length > claimFilesMax)
    findings.push({ ...place, why: `It names more than ${claimFilesMax} files; the others were left out.` });
  for (const entry of entries.slice(0, claimFilesMax)) {
    const path = cleanPath(entry);
    const isPath = path !== "" && !path.includes(" ") && /[./]/.test(path) && readAskedGlobs([path], "$").ok;
    if (isPath) files.push(path);
    else
      findings.push({
        ...place,
        why: `"${shorten(entry, 80)}" is no path in this project; it was left out of the files.`,
      });
  }
  return { value: unique(files), findings };
}

/** Without the words and marks that plans put around a path. */
function cleanPath(entry: string): string {
  let path = entry.replaceAll("`", "").trim();
  for (const sign of [" (", " -- ", " — ", " – ", " - "]) {
    const at = path.indexOf(sign);
    if (at > 0) path = path.slice(0, at);
  }
  const colon = path.lastIndexOf(":");
  if (colon > 0 && /^\d{1,7}(?:-\d{1,7})?$/.test(path.slice(colon + 1))) path = path.slice(0, colon);
  return path.startsWith("./") ? path.slice(2) : path;
}

/* Words. */

/** Must-haves as a list of strings, or as VBW's map of truths, artifacts and links. */
export function mustHavesIn(value: Json | undefined): readonly string[] {
  if (isJsonList(value)) return value.flatMap((each) => (isJsonObject(each) ? mustHavesIn(each) : textsIn(each)));
  if (!isJsonObject(value)) return textsIn(value);
  const { truths, artifacts, key_links: links, tr, ar, kl } = value;
  const listed = [artifacts ?? ar, links ?? kl].flatMap((list) => (isJsonList(list) ? list : []));
  const said = [...textsIn(truths ?? tr), ...listed.map(entryText)].filter((each) => each !== "");
  return said.length > 0 ? said : [entryText(value)].filter((each) => each !== "");
}

function entryText(entry: Json): string {
  if (typeof entry === "string") return entry;
  if (!isJsonObject(entry)) return "";
  return Object.entries(entry)
    .flatMap(([key, value]) => (typeof value === "string" ? [`${key}: ${value}`] : []))
    .join(", ");
}

function headingIn(lines: readonly string[]): string | null {
  const line = lines.find((each) => each.startsWith("# "));
  return line === undefined ? null : titleOf(line.slice(2));
}

function titleOf(said: string): string | null {
  const title = said.replaceAll("**", "").trim();
  return title === "" ? null : shorten(title, titleCharactersMax);
}

/** A scalar as text; null: it is none. */
export function textOf(value: JsonObject[string] | undefined): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function unique(files: readonly string[]): readonly string[] {
  return [...new Set(files)];
}

/** A file's head and body. */
export interface FrontMatter {
  /** Null: it has no head. */
  readonly head: JsonObject | null;
  readonly body: string;
  /** The line before the body's first one. */
  readonly bodyLine: number;
}

/** Splits `text` and reads its head; `file` names it in findings. */
function readFrontMatter(text: string, file: string, yaml: YamlLibrary): Read<FrontMatter> {
  const parts = splitHead(text);
  if (parts === null) return { value: { head: null, body: text, bodyLine: 0 }, findings: [] };
  const { head, body, bodyLine } = parts;
  const read = readHead(head, file, yaml);
  return { value: { head: read.value, body, bodyLine }, findings: read.findings };
}

function splitHead(text: string): { readonly head: string; readonly body: string; readonly bodyLine: number } | null {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const first = clean.indexOf("\n");
  if (first < 0 || clean.slice(0, first).trimEnd() !== "---") return null;
  let at = first + 1;
  let line = 1;
  while (at < clean.length) {
    const next = clean.indexOf("\n", at);
    const end = next < 0 ? clean.length : next;
    line += 1;
    if (clean.slice(at, end).trimEnd() === "---")
      return { head: clean.slice(first + 1, at), body: clean.slice(end + 1), bodyLine: line };
    at = end + 1;
  }
  return null;
}

function readHead(head: string, file: string, yaml: YamlLibrary): Read<JsonObject> {
  // The first reading holds the bounds of outside YAML; the second keeps scalars as they are written.
  const bounded = parseYamlWith(yaml, head, file);
  if (bounded.ok && bounded.value.value === null) return { value: {}, findings: [] };
  // Numbers are not read as numbers here, so one that would lose digits is no error.
  const isWritten = bounded.ok ? isJsonObject(bounded.value.value) : bounded.error.code === "number-range";
  if (isWritten) {
    const written: unknown = yaml.parse(head, { schema: "failsafe", logLevel: "error" });
    return { value: asObject(written), findings: [] };
  }
  const why = bounded.ok
    ? "The head is no list of keys; it was read line by line."
    : `The head is not YAML (${bounded.error.message}); it was read line by line.`;
  return { value: byLines(head), findings: [{ file, line: 1, why }] };
}

/** What the library returns for a bounded text of the failsafe schema: strings, lists and objects. */
function asObject(written: unknown): JsonObject {
  return isJsonObject(written as Json) ? (written as JsonObject) : {};
}

/** `key: value` lines, without what is below them. */
function byLines(head: string): JsonObject {
  const found: { [key: string]: Json } = {};
  for (const line of head.split("\n")) {
    const colon = line.indexOf(":");
    const key = colon < 0 ? "" : line.slice(0, colon);
    if (!/^[A-Za-z_]{1,40}$/.test(key) || key === "__proto__") continue;
    found[key] = scalarOf(line.slice(colon + 1).trim());
  }
  return found;
}

function scalarOf(written: string): Json {
  if (!written.startsWith("[") || !written.endsWith("]")) return unquoted(written);
  return written
    .slice(1, -1)
    .split(",")
    .map((each) => unquoted(each.trim()))
    .filter((each) => each !== "");
}

function unquoted(written: string): string {
  const [first, last] = [written[0], written.at(-1)];
  return written.length > 1 && first === last && (first === '"' || first === "'") ? written.slice(1, -1) : written;
}

/** A finding where a name says another number than the head does: both are kept, the name counts. */
export function differs(file: string, what: string, named: string, said: string | null): readonly Finding[] {
  if (said === null || said === "") return [];
  // `01-02`, `PLAN-02` and `phase-1` end with the number that is meant.
  const parts = said.split("-");
  const last = parts.at(-1) ?? said;
  const first = parts[0] === "phase" || parts[0] === "PLAN" ? (parts[1] ?? said) : (parts[0] ?? said);
  const meant = [said, last, first].map(numberKey);
  if (meant.includes(numberKey(named))) return [];
  return [{ file, line: 1, why: `Its name says ${what} ${named}, its head says ${said}; the name counts.` }];
}

/** Reads a summary. */
export function readSummary(text: string, file: string, yaml: YamlLibrary): Read<SummaryText> {
  const { value, findings } = readFrontMatter(text, file, yaml);
  const read = summaryIn(value.head ?? {}, file);
  const { commits } = read.value;
  const inBody = commits.length > 0 ? [] : bodyCommits(value.body);
  return {
    value: { ...read.value, commits: commits.length > 0 ? commits : inBody },
    findings: [...findings, ...read.findings],
  };
}

/** The same from the fields of a head, or of a row of `summary.jsonl`. */
export function summaryIn(head: JsonObject, file: string): Read<SummaryText> {
  const said = textOf(head.status ?? head.s)?.toLowerCase() ?? "complete";
  const status = statusWords[said] ?? null;
  const hashes = hashesIn(head.commit_hashes ?? head.commits ?? head.cm ?? head.ch, file);
  const deviations = deviationsIn(head.deviations ?? head.dv);
  const unread: readonly Finding[] =
    status === null
      ? [{ file, line: 1, why: `The status "${shorten(said, 40)}" is not known; the plan is not taken as done.` }]
      : [];
  return {
    value: {
      status: status ?? "partial",
      commits: hashes.value,
      deviations,
      tasksTotal: countIn(head.tasks_total ?? head.tt),
      tasksDone: countIn(head.tasks_completed ?? head.tasks_complete ?? head.tc),
    },
    findings: [...unread, ...hashes.findings],
  };
}

const statusWords: { readonly [word: string]: SummaryText["status"] } = {
  complete: "complete",
  completed: "complete",
  done: "complete",
  partial: "partial",
  "in-progress": "partial",
  in_progress: "partial",
  failed: "failed",
};

/** Hashes of a list; a count of commits names none. */
function hashesIn(value: Json | undefined, file: string): Read<readonly string[]> {
  const findings: Finding[] = [];
  const entries = isJsonList(value)
    ? value.flatMap((each) => (isJsonObject(each) ? textsIn(each.hash ?? each.sha ?? each.commit) : textsIn(each)))
    : textsIn(value);
  const isCount = entries.length === 1 && /^\d{1,4}$/.test(entries[0] ?? "");
  const hashes = entries.flatMap((entry) => {
    const [first = ""] = entry.replaceAll("`", "").split(/[ :(]/);
    if (isHash(first)) return [first];
    if (!isCount) findings.push({ file, line: null, why: `"${shorten(entry, 60)}" is no commit; it was left out.` });
    return [];
  });
  const unique = [...new Set(hashes)];
  if (unique.length > reportCommitsMax)
    findings.push({ file, line: null, why: `It names more than ${reportCommitsMax} commits; the last ones count.` });
  return { value: unique.slice(-reportCommitsMax), findings };
}

/** Whether a word can name a commit. A number of seven digits and more can, and reads like one. */
export function isHash(word: string): boolean {
  return /^[0-9a-f]{7,40}$/.test(word);
}

/** Code spans and table cells that are hashes, under a heading that speaks of commits. */
function bodyCommits(body: string): readonly string[] {
  const hashes = new Set<string>();
  let isOpen = false;
  for (const line of body.split("\n")) {
    if (line.startsWith("#")) isOpen = line.toLowerCase().includes("commit");
    if (!isOpen || line.length > 1_000) continue;
    line.split("`").forEach((part, index) => {
      for (const word of part.split(/[|\s:,()*[\]]/)) {
        // Outside of code, a word of letters alone or digits alone is more likely a word or a number than a hash.
        if (isHash(word) && (index % 2 === 1 || (/[0-9]/.test(word) && /[a-f]/.test(word)))) hashes.add(word);
      }
    });
  }
  return [...hashes].slice(0, reportCommitsMax);
}

function deviationsIn(value: Json | undefined): readonly string[] {
  if (isJsonList(value)) return value.flatMap((each) => (isJsonObject(each) ? [mapText(each)] : textsIn(each)));
  const [said] = textsIn(value);
  return said === undefined || /^\d+$/.test(said) || said.toLowerCase() === "none" ? [] : [said];
}

function mapText(entry: JsonObject): string {
  return Object.values(entry)
    .flatMap((value) => (typeof value === "string" ? [value] : []))
    .join(": ");
}

/**
 * A story of BMAD in Markdown, read as a plan: its number from its name, its state from its status, its tasks from the
 * boxes under "Tasks", its files from the file list of its developer.
 */
import type { Finding, Found, FoundPhase, FoundPlan, FoundSettings, PlanText, Read } from "./found.ts";
import { withIds } from "./plan-joining.ts";
import { filesOf, numberOf, splitList } from "./plan-markdown.ts";
import { byNumbers } from "./plan-names.ts";

/** A story as a plan, with the state that it says. */
export interface StoryText extends PlanText {
  readonly isDone: boolean;
  readonly ticked: readonly boolean[];
}

/** The epic and the story of a name such as `1.2.sign-in` or `1-2-sign-in`; null: it has none. */
export function storyNumber(name: string): { readonly phase: string; readonly plan: string } | null {
  const found = /^(?:story-)?(\d{1,4})[.-](\d{1,4})[.-]/.exec(name);
  const [, phase, plan] = found ?? [];
  return phase === undefined || plan === undefined ? null : { phase, plan };
}

/** Reads a story; `file` names it in findings. */
export function readStory(text: string, file: string): Read<StoryText> {
  const findings: Finding[] = [];
  const tasks: { title: string; isTicked: boolean }[] = [];
  const criteria: string[] = [];
  const files: string[] = [];
  let section = "";
  let title: string | null = null;
  let status: string | null = null;
  text.split("\n").forEach((raw, index) => {
    const line = raw.trimEnd();
    if (line.startsWith("# ")) title ??= line.slice(2).trim();
    if (line.startsWith("## ") || line.startsWith("### ")) {
      section = line.replaceAll("#", "").trim().toLowerCase();
      return;
    }
    const said = labelled(line) ?? (section === "status" && line !== "" ? line : null);
    if (said !== null) status ??= said.replaceAll("*", "").trim().toLowerCase();
    const box = section.startsWith("tasks") ? boxOf(line) : null;
    if (box !== null) tasks.push(box);
    const entry = listEntry(line);
    if (entry === null) return;
    if (section.startsWith("acceptance criteria")) criteria.push(entry);
    if (section === "file list") {
      const read = filesOf(splitList(entry), { file, line: index + 1 });
      files.push(...read.value);
      findings.push(...read.findings);
    }
  });
  if (tasks.length === 0) findings.push({ file, line: null, why: "It has no boxes under Tasks; it is one task." });
  if (status === null) findings.push({ file, line: null, why: "It says no status; it is taken as open." });
  const named = tasks.length > 0 ? tasks : [{ title: title ?? file, isTicked: false }];
  const value: StoryText = {
    phase: null,
    plan: null,
    title,
    tasks: named.map((task) => ({ ...task, id: numberOf(task.title), files: [], dependsOn: [] })),
    files: [...new Set(files)],
    dependsOn: [],
    mustHaves: criteria,
    isDone: ["done", "complete", "completed"].includes(status ?? ""),
    ticked: named.map(({ isTicked }) => isTicked),
  };
  return { value, findings };
}

/** `Status: done` or `**Status:** done`. */
function labelled(line: string): string | null {
  const plain = line.replaceAll("*", "").trim();
  return plain.toLowerCase().startsWith("status:") ? plain.slice("status:".length).trim() : null;
}

/** A box of a task; boxes below it are its steps. */
function boxOf(line: string): { readonly title: string; readonly isTicked: boolean } | null {
  const mark = line.slice(0, 6).toLowerCase();
  if (mark !== "- [ ] " && mark !== "- [x] ") return null;
  return { title: line.slice(6).replaceAll("**", "").trim(), isTicked: mark === "- [x] " };
}

/** What follows `1.`, `-` or `*` at the start of a line. */
function listEntry(line: string): string | null {
  const said = line.trimStart();
  if (said.startsWith("- ") || said.startsWith("* ")) return said.slice(2).trim();
  const dot = said.indexOf(". ");
  return dot > 0 && dot < 4 && /^\d{1,3}$/.test(said.slice(0, dot)) ? said.slice(dot + 2).trim() : null;
}

/** A file with its path relative to the project. */
export interface StoryFile {
  readonly file: string;
  readonly text: string;
}

/** Stories as plans of their epics; `root`: the folder by which the project was recognised. */
export function foundStories(root: string, files: readonly StoryFile[], ignored: number): Found {
  const findings: Finding[] = [];
  const phases = new Map<string, FoundPhase>();
  const plans = new Map<string, FoundPlan>();
  for (const { file, text } of files) {
    const number = storyNumber(file.slice(file.lastIndexOf("/") + 1));
    if (number === null) {
      findings.push({ file, line: null, why: "Its name has no number of an epic and a story; it was left unread." });
      continue;
    }
    const id = `${number.phase}-${number.plan}`;
    if (plans.has(id)) {
      findings.push({ file, line: null, why: `${plans.get(id)?.file} is the same story; this file was left out.` });
      continue;
    }
    const { value, findings: more } = readStory(text, file);
    findings.push(...more);
    if (!phases.has(number.phase)) phases.set(number.phase, { id: number.phase, name: `epic ${number.phase}` });
    plans.set(id, storyPlan(value, id, number.phase, file, findings));
  }
  return {
    settings: bmadSettings,
    root,
    phases: [...phases.values()].toSorted((one, other) => byNumbers(one.id, other.id)),
    plans: [...plans.values()].toSorted((one, other) => byNumbers(one.id, other.id)),
    escalations: [],
    rows: [],
    findings,
    files: { read: files.length, ignored },
  };
}

function storyPlan(story: StoryText, id: string, phase: string, file: string, findings: Finding[]): FoundPlan {
  return {
    id,
    phase,
    title: story.title ?? id,
    file,
    tasks: withIds(id, story.tasks, file, findings),
    dependsOn: [],
    mustHaves: story.mustHaves,
    contract: null,
    state: story.isDone ? "done" : "open",
    stateFrom: story.isDone ? file : null,
    commits: [],
    deviations: [],
  };
}

const bmadSettings: FoundSettings = {
  origin: "bmad",
  policy: "enforce",
  teamMode: "teammate",
  departments: [],
  escalationSeconds: null,
  leaseSeconds: null,
  gates: [],
  read: ["agents hand work on by documents: kind bmad"],
};

/**
 * A list in Markdown as tasks: each item at the margin is a task, what is indented below it says more. Anything that is
 * written as a list is read so, which is why doors show what was read. Fit for a browser.
 * Rules: docs/protocol/tasks.md, section 1.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { shorten } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import { priorities, type TaskText } from "../state/task-state.ts";

/** A task of a list. */
export interface ListedTask extends TaskText {
  readonly title: string;
  readonly files: readonly string[] | "none";
  /** Places in the list, from 0. */
  readonly after: readonly number[];
  /** Ids of other tasks that it waits for. */
  readonly dependsOn: readonly string[];
  /** Where it begins, from 1. */
  readonly line: number;
}

/** What was read of a list; with problems nothing of it counts. */
export interface PlanList {
  /** Its first heading; null: it has none. */
  readonly title: string | null;
  readonly tasks: readonly ListedTask[];
  readonly notes: readonly Note[];
  readonly problems: readonly Problem[];
}

/** Most tasks of one list. */
export const listTasksMax = 500;

interface Item {
  readonly line: number;
  /** As it is counted in the list; null: by its place. */
  readonly number: number | null;
  readonly isDone: boolean;
  title: string;
  priority: string | null;
  agent: string | null;
  readonly labels: string[];
  readonly files: string[];
  readonly after: string[];
  readonly checks: string[];
  readonly criteria: string[];
  readonly description: string[];
}

const heading = /^#{1,6}[ \t](.*)$/;
const item = /^(?:[-*+]|(\d{1,4})[.)])[ \t](.*)$/;
const box = /^\[([ xX])\][ \t](.*)$/;
const field = /^(files?|after|checks?|done|done when|labels?|priority|agent):(.*)$/i;
const criteriaHeading = /^(acceptance criteria|definition of done|done when)\b/i;

/** Reads a list. */
export function readPlanList(text: string): PlanList {
  const notes: Note[] = [];
  const items: Item[] = [];
  let title: string | null = null;
  let isFenced = false;
  let isCriteria = false;
  for (const [at, line] of text.replaceAll("\r", "").split("\n").entries()) {
    const last = items.at(-1);
    const isFence = /^[ \t]*(?:```|~~~)/.test(line);
    if (isFence) isFenced = !isFenced;
    const isRaw = isFenced || isFence;
    const head = isRaw ? null : heading.exec(line);
    const listed = isRaw ? null : listedIn(line);
    const below = isRaw || !/^[ \t]/.test(line) ? null : listedIn(line.trim());
    if (head) {
      isCriteria = last !== undefined && criteriaHeading.test((head[1] ?? "").trim());
      if (items.length === 0 && title === null) title = (head[1] ?? "").trim();
      continue;
    }
    if (listed && !(isCriteria && last !== undefined)) items.push(itemOf(listed, at + 1));
    else if (last === undefined) {
      if (line.trim() !== "") notes.push(noted(at + 1, `is before the first task and left out: ${line.trim()}`));
    } else if (!readField(last, below?.words ?? line.trim(), isRaw)) {
      const criterion = below ?? listed;
      if (criterion === null) last.description.push(isRaw ? line : line.trim());
      else last.criteria.push(criterion.words);
    }
  }
  return { title, ...tasksOf(items, notes) };
}

/** An item as it is written, without its box. */
interface Written {
  readonly number: number | null;
  readonly isDone: boolean;
  readonly words: string;
}

/** The item that a line is; null: it is none. */
function listedIn(line: string): Written | null {
  const [, number, rest] = item.exec(line.endsWith(" ") ? line : `${line} `) ?? [];
  if (rest === undefined) return null;
  const [, mark = "", words = rest] = box.exec(`${rest.trim()} `) ?? [];
  return {
    number: number === undefined ? null : Number(number),
    isDone: mark.toLowerCase() === "x",
    words: words.trim(),
  };
}

function itemOf({ number, isDone, words }: Written, line: number): Item {
  const labels: string[] = [];
  let priority: string | null = null;
  const title = words
    .replaceAll(/(^|[ \t])#([\p{L}\d_-]+)/gu, (_, space: string, label: string) => {
      // `#12` is mostly an issue elsewhere, and part of the title.
      if (/^\d+$/.test(label)) return `${space}#${label}`;
      labels.push(label);
      return "";
    })
    .replace(/[ \t]{0,8}\((urgent|high|normal|low)\)/i, (_, word: string) => {
      priority = word.toLowerCase();
      return "";
    })
    .trim();
  const lists = { labels, files: [], after: [], checks: [], criteria: [], description: [] };
  return { line, number, isDone, title, priority, agent: null, ...lists };
}

/** Whether the words are a field of the task, which it keeps then. */
function readField(task: Item, words: string, isFenced: boolean): boolean {
  const [, name = "", value = ""] = (isFenced ? null : field.exec(words)) ?? [];
  if (name === "") return false;
  const listed = value.split(/[,\s]+/).flatMap((each) => unquoted(each) || []);
  const said = unquoted(value.trim());
  const key = name.toLowerCase();
  if (key.startsWith("file")) task.files.push(...listed);
  else if (key === "after") task.after.push(...listed.filter((each) => each !== "and"));
  else if (key.startsWith("check")) task.checks.push(said);
  else if (key.startsWith("done") && said !== "") task.criteria.push(value.trim());
  else if (key.startsWith("label")) task.labels.push(...listed);
  else if (key === "priority") task.priority = said.toLowerCase();
  else if (key === "agent") task.agent = said;
  return true;
}

/** Without the marks of code or of a label around it. */
function unquoted(text: string): string {
  return text.replace(/^[`#]/, "").replace(/`$/, "");
}

function tasksOf(items: readonly Item[], found: readonly Note[]): Pick<PlanList, "tasks" | "notes" | "problems"> {
  const notes = [...found];
  const problems: Problem[] = [];
  const open = items.filter(({ isDone }) => !isDone);
  for (const { isDone, line, title } of items)
    if (isDone) notes.push(noted(line, `is done already and left out: ${title}`));
  if (open.length === 0)
    problems.push(
      makeProblem("wrong-format", "text", "No task was read: a task is an item of a list, at the margin.", {
        hint: "Write a line such as `1. Totals carry tax`.",
      }),
    );
  if (open.length > listTasksMax)
    problems.push(
      makeProblem("too-large", "text", `These are ${open.length} tasks; one list has at most ${listTasksMax}.`, {
        expected: `at most ${listTasksMax}`,
        received: String(open.length),
        hint: "Divide the list.",
      }),
    );
  const numbers = items.map(({ number }) => number);
  const isCounted = !numbers.includes(null) && new Set(numbers).size === numbers.length;
  const placeOf = (said: string) => items.findIndex(({ number }, at) => (isCounted ? number : at + 1) === Number(said));
  const titles = new Set<string>();
  const tasks = open.map((each): ListedTask => {
    const { line, title, files, description, criteria, checks, labels, agent } = each;
    if (title === "")
      problems.push(lineProblem(line, "The task has no title.", "Write what is to be done behind its number."));
    if (titles.has(title)) notes.push(noted(line, `has the title of another task: ${title}`));
    titles.add(title);
    const priority = priorities.find((word) => word === (each.priority ?? "normal"));
    if (priority === undefined)
      problems.push(lineProblem(line, `"${each.priority}" is no priority.`, `Write one of ${priorities.join(", ")}.`));
    const [after, dependsOn]: [number[], string[]] = [[], []];
    for (const said of each.after) {
      const at = /^\d{1,9}$/.test(said) ? placeOf(said) : null;
      if (at === null) dependsOn.push(said);
      else if (at < 0 || items[at] === each)
        problems.push(
          lineProblem(line, `"after ${said}" is no other task of this list.`, "Numbers are those of the list."),
        );
      else if (items[at]?.isDone === false) after.push(open.indexOf(items[at]));
    }
    return {
      title,
      description: description.join("\n").trim(),
      criteria,
      checks,
      priority: priority ?? "normal",
      labels,
      agent,
      files: files.length === 1 && files[0] === "none" ? "none" : files,
      after,
      dependsOn,
      line,
    };
  });
  const circle = circleIn(tasks);
  if (circle !== null)
    problems.push(
      makeProblem("dependency-cycle", `line ${circle.line}`, `"${shorten(circle.title, 80)}" would wait for itself.`, {
        hint: "Leave out one `after`, or split a task.",
      }),
    );
  return { tasks, notes, problems };
}

/** A task that waits for itself through others of the list; null: none does. */
function circleIn(tasks: readonly ListedTask[]): ListedTask | null {
  const left = new Map(tasks.map((task, at) => [at, new Set(task.after)]));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [at, needs] of left) {
      for (const need of needs) if (!left.has(need)) needs.delete(need);
      if (needs.size === 0) left.delete(at);
    }
  }
  const [first] = left.keys();
  return first === undefined ? null : (tasks[first] ?? null);
}

function noted(line: number, what: string): Note {
  return { code: "line-left-out", path: `line ${line}`, message: shorten(`This line ${what}`, 200) };
}

function lineProblem(line: number, message: string, hint: string): Problem {
  return makeProblem("wrong-value", `line ${line}`, message, { hint });
}

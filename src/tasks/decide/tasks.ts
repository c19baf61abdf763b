/**
 * The list of tasks: those that contracts name and those added by hand. A contract's revision adds the tasks it newly
 * names and drops those it no longer does; tasks added by hand stay.
 * Source: docs/protocol/tasks.md.
 */
import { claimFilesMax, messageIdCharactersMax, taskListMax, taskTextBytesMax } from "../../base/limits.ts";
import { readAskedGlobs } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList, shownMax } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import { isPlanId, keyOfTask, planKey, planKeyOfTask } from "../../messages/task-ids.ts";
import type { Decided } from "../../perform/decider.ts";
import { summaryWithout } from "../state/plan-summary.ts";
import { isReported } from "../state/report-status.ts";
import type {
  PlanOrdered,
  PlanSummarised,
  TaskAdded,
  TaskChanged,
  TaskDescribed,
  TaskDropped,
} from "../state/task-events.ts";
import {
  findTask,
  fullName,
  idsFor,
  noText,
  numberedTask,
  type Task,
  type TaskText,
  type Work,
} from "../state/task-state.ts";
import { cycleClosedBy } from "../view/dependencies.ts";

/** A task that somebody adds or changes. Absent: unchanged, or empty. */
export interface AddTask extends Partial<TaskText> {
  /** Null: Baton gives it the next id; see `idsFor`. */
  readonly taskId: string | null;
  readonly planId: string | null;
  readonly title?: string;
  /** `none`: it needs no change in files. */
  readonly files?: readonly string[] | "none";
  readonly dependsOn?: readonly string[];
  /** An agent asks the team for it; absent: somebody plans it. */
  readonly ask?: { readonly asker: string; readonly context: string | null };
  readonly seq: number;
}

/** The tasks of a contract that has just been issued. */
export interface AdoptTasks {
  readonly planId: string;
  readonly tasks: readonly string[];
  /** Those of them that need no change in files; absent: none. */
  readonly withoutFiles?: readonly string[];
  readonly dependsOn: readonly string[];
  readonly seq: number;
}

export type TaskEvent = TaskAdded | TaskChanged | TaskDescribed | TaskDropped | PlanOrdered | PlanSummarised;
type Outcome<Event> = Result<Decided<Event>, readonly Problem[]>;

/**
 * Refuses what `textProblems` refuses, `cross-field` (neither id nor title), `invalid-id`, `invalid-glob`, `wrong-value`
 * (the word `none` in a list of files), `too-large` (too many files), `already-exists` (it belongs to another plan),
 * `task-done`, and `dependency-cycle` with all members. A task it depends on that is not known blocks, with a note.
 */
export function addTask(command: AddTask, work: Work): Outcome<TaskAdded | TaskChanged | TaskDescribed> {
  const files = command.files === "none" ? [] : command.files;
  const said = command.taskId === null ? [] : idProblems(command.taskId);
  const problems = [
    ...said,
    ...titleProblems(command),
    ...textProblems(command, "$.body"),
    ...filesProblems(files ?? []),
  ];
  if (problems.length > 0) return err(problems);
  const [free = ""] = command.taskId === null ? idsFor(work, command.planId, 1) : [];
  const taskId = command.taskId ?? free;
  const planName = command.planId ?? planKeyOfTask(taskId);
  const plan = planName === null ? null : planKey(planName);
  const known = findTask(work, taskId, planName);
  if (known !== null && known.plan !== plan && command.planId !== null) return err([ofAnotherPlan(known)]);
  const over = known === null ? null : overProblem(known);
  if (over !== null) return err([{ ...over, hint: takenId }]);
  const key = known?.key ?? keyOfTask(taskId, planName);
  const named = (command.dependsOn ?? known?.dependsOn ?? []).map((each) => numberedTask(work, each)?.task ?? each);
  const { dependsOn, needs } = beforeIt(
    work,
    key,
    named,
    (each) => findTask(work, each, planName)?.key ?? keyOfTask(each, planName),
  );
  const plans = dependsOn.filter((each, at) => !work.tasks.has(needs[at] ?? "") && isPlanId(each));
  if (plans.length > 0) return err(plans.map(emptyPlan));
  const cycle = cycleClosedBy(work, { task: key, plan, needs });
  if (cycle !== null || needs.includes(key)) return err([closesCycle(cycle ?? [taskId, taskId])]);
  const unknown = dependsOn.filter((_, index) => !work.tasks.has(needs[index] ?? ""));
  const notes = unknown.map((each) => unknownDependency(each));
  const text = textOf(command, known?.text);
  const described = {
    key,
    title: command.title?.trim() ?? known?.title ?? null,
    files: files ?? known?.files ?? [],
    ...(needsNoFiles(command, known) ? { withoutFiles: true as const } : {}),
    dependsOn,
    needs,
  };
  if (known === null) {
    const { ask, seq } = command;
    const more = { ...(text === undefined ? {} : { text }), ...(ask === undefined ? {} : { ask }) };
    const twin = twinOf(work, described.title, ask);
    const doubled = twin === undefined ? [] : [titleTwice(twin)];
    return ok({
      events: [{ event: "task-added", task: taskId, plan, planName, ...described, source: "command", ...more, seq }],
      notes: [...notes, ...doubled],
    });
  }
  const isAsBefore = text === undefined || JSON.stringify(text) === JSON.stringify(known.text ?? noText);
  const retold: readonly TaskDescribed[] = isAsBefore ? [] : [{ event: "task-described", key, task: known.task, text }];
  if (saysTheSame(known, described)) {
    if (text !== undefined && !isAsBefore) return ok({ events: retold, notes: retoldNotes(known, text) });
    const message = `Task ${known.task} is in the list already; nothing changed.`;
    return ok({ events: [], notes: [{ code: "already-so", path: "$.body.taskId", message }] });
  }
  const replaced = replacedNotes(known, described);
  return ok({
    events: [{ event: "task-changed", task: known.task, ...described }, ...retold],
    notes: [...notes, ...replaced, ...(text === undefined || isAsBefore ? [] : retoldNotes(known, text))],
  });
}

/** The tasks that must be done before one: of a plan that is named, all that it has. `keyOf`: which task a name means. */
export function beforeIt(
  { tasks, plans }: Work,
  own: string,
  named: readonly string[],
  keyOf: (name: string) => string,
): Pick<TaskAdded, "dependsOn" | "needs"> {
  const all = named.flatMap((name) => {
    const key = keyOf(name);
    const ofPlan = tasks.has(key) ? [] : [...(plans.get(planKey(name))?.tasks.keys() ?? [])];
    return ofPlan.length === 0
      ? [[name, key] as const]
      : ofPlan.flatMap((each) => (each === own ? [] : [[each, each] as const]));
  });
  return { dependsOn: all.map(([name]) => name), needs: all.map(([, key]) => key) };
}

/** What is said of a task now; undefined: nothing new. */
export function textOf(said: Partial<TaskText>, known: TaskText = noText): TaskText | undefined {
  const { description, criteria, checks, priority, labels, agent } = said;
  const isSilent = [description, criteria, checks, priority, labels, agent].every((each) => each === undefined);
  if (isSilent) return undefined;
  const lines = (all: readonly string[]) => all.map((each) => each.trim()).filter((each) => each !== "");
  return {
    description: description === undefined ? known.description : description.trim(),
    criteria: criteria === undefined ? known.criteria : lines(criteria),
    checks: checks === undefined ? known.checks : lines(checks),
    priority: priority ?? known.priority,
    labels: labels === undefined ? known.labels : [...new Set(lines(labels))],
    agent: agent === undefined ? known.agent : agent || null,
  };
}

/** `cross-field` for a task without id and title, `wrong-value` for an empty title, `too-large`. */
function titleProblems({ taskId, title }: AddTask): readonly Problem[] {
  const place = "$.body.title";
  const hint = "Say in a line what is to be done.";
  if (title?.trim() === "") return [makeProblem("wrong-value", place, "The title is empty.", { hint })];
  if (title !== undefined && title.length > lineCharactersMax)
    return [tooLong(place, `${title.length} characters`, `${lineCharactersMax} characters`)];
  return taskId === null && title === undefined
    ? [makeProblem("cross-field", place, "A new task has a title.", { hint })]
    : [];
}

/**
 * Why a task cannot be described so: `too-large` for long texts and long lists, `wrong-format` for characters that a
 * terminal acts on. What the texts say is nobody's command.
 */
export function textProblems(said: Partial<TaskText>, place: string): readonly Problem[] {
  const { description = "", criteria = [], checks = [], labels = [] } = said;
  const lists = { criteria, checks, labels };
  return [
    ...(Buffer.byteLength(description) > taskTextBytesMax
      ? [tooLong(`${place}.description`, `${Buffer.byteLength(description)} bytes`, `${taskTextBytesMax} bytes`)]
      : forbidden(description.replace(/[\n\t]/g, " "), `${place}.description`)),
    ...Object.entries(lists).flatMap(([name, all]) =>
      all.length > taskListMax
        ? [tooLong(`${place}.${name}`, `${all.length} entries`, `${taskListMax} entries`)]
        : all.flatMap((each, at) => lineProblems(each, `${place}.${name}[${at}]`)),
    ),
  ];
}

const lineCharactersMax = 1_000;

function lineProblems(line: string, place: string): readonly Problem[] {
  if (line.length <= lineCharactersMax) return forbidden(line, place);
  return [tooLong(place, `${line.length} characters`, `${lineCharactersMax} characters`)];
}

function forbidden(text: string, place: string): readonly Problem[] {
  const found = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.exec(text)?.[0];
  if (found === undefined) return [];
  const received = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return [
    makeProblem("wrong-format", place, "This text has a control character.", {
      expected: "text that is shown as it is",
      received,
      hint: "Leave the character out.",
    }),
  ];
}

function tooLong(place: string, received: string, most: string): Problem {
  return makeProblem("too-large", place, `This has ${received}; a task takes at most ${most}.`, {
    expected: `at most ${most}`,
    received,
    hint: "Split the task, or commit the long part as a file and name its path.",
  });
}

/** What a description replaces, by names: the entries before have the words. */
function retoldNotes(known: Task, now: TaskText): readonly Note[] {
  const before = known.text ?? noText;
  const names = (Object.keys(noText) as (keyof TaskText)[]).filter(
    (name) =>
      JSON.stringify(before[name]) !== JSON.stringify(noText[name]) &&
      JSON.stringify(before[name]) !== JSON.stringify(now[name]),
  );
  if (names.length === 0) return [];
  const message = `Task ${known.task} said otherwise before: ${names.join(", ")}. \`baton log --task ${known.task}\` leads to it.`;
  return [{ code: "task-changed", path: "$.body.taskId", message }];
}

/** An open task with the same title. What agents ask for may well be the same twice. */
function twinOf({ tasks }: Work, title: string | null, ask: AddTask["ask"]): Task | undefined {
  if (title === null || ask !== undefined) return undefined;
  return [...tasks.values()].find((each) => each.title === title && !isReported(each) && each.ended === undefined);
}

function titleTwice({ task, title }: Task): Note {
  const message = `Task ${task} has the same title: ${shorten(title ?? "", 120)}. \`baton task end\` gives one of them up.`;
  return { code: "title-twice", path: "$.body.title", message };
}

const takenId = "The id is taken by that task. Choose another id; `baton task list` shows those that are taken.";

function needsNoFiles({ files }: AddTask, known: Task | null): boolean {
  return files === undefined ? known?.withoutFiles === true : files === "none";
}

/**
 * The list as a contract's revision has it: tasks that it leaves out are withdrawn, but for those that somebody holds or has
 * reported as done. Refuses `dependency-cycle`; these, an unknown plan and a task of another plan are noted.
 */
export function adoptTasks(command: AdoptTasks, work: Work): Outcome<TaskEvent> {
  const plan = planKey(command.planId);
  const known = work.plans.get(plan);
  const notes: Note[] = [];
  const named = new Map<string, string>();
  for (const task of command.tasks) {
    const key = keyOfTask(task, command.planId);
    const other = work.tasks.get(key)?.plan ?? plan;
    if (other !== plan) notes.push(taskOfAnotherPlan(task, other));
    else if (!named.has(key)) named.set(key, task);
  }
  const without = new Set((command.withoutFiles ?? []).map((task) => keyOfTask(task, command.planId)));
  const added = [...named].filter(([key]) => !work.tasks.has(key));
  const missing = [...(known?.tasks.keys() ?? [])].flatMap((key) => {
    const task = work.tasks.get(key);
    return task?.source === "contract" && !named.has(key) ? [task] : [];
  });
  const isKept = ({ claim, report }: Task) => claim !== null || report?.status === "complete";
  const dropped = missing.filter((task) => !isKept(task));
  notes.push(...leftOut(missing.filter(isKept), dropped));
  // A contract may name a task: its plan then waits for the task's. No plan waits for itself.
  const keyOf = (each: string) =>
    (work.plans.has(planKey(each)) ? null : findTask(work, each, null)?.plan) ?? planKey(each);
  const dependsOn = command.dependsOn.filter(
    (each) => keyOf(each) !== plan && !named.has(keyOfTask(each, command.planId)),
  );
  const needs = dependsOn.map(keyOf);
  notes.push(...dependsOn.flatMap((each, at) => (work.plans.has(needs[at] ?? "") ? [] : unknownPlan(each))));
  const cycle = cycleClosedBy(work, { plan, tasks: [...named.keys()], needs });
  if (cycle !== null) return err([closesCycle(cycle)]);
  const isOrdered = JSON.stringify(known?.dependsOn ?? []) === JSON.stringify(dependsOn);
  const { planId: planName, seq } = command;
  return ok({
    events: [
      ...(isOrdered ? [] : [{ event: "plan-ordered" as const, plan, planName, dependsOn, needs }]),
      ...dropped.map(({ key, task }) => ({ event: "task-dropped" as const, key, task })),
      ...added.map(([key, task]) => ({
        event: "task-added" as const,
        key,
        task,
        plan,
        planName,
        title: null,
        files: [],
        ...(without.has(key) ? { withoutFiles: true as const } : {}),
        dependsOn: [],
        needs: [],
        source: "contract" as const,
        seq,
      })),
      ...(added.length > 0 || named.size === 0
        ? []
        : summaryWithout(work, command.planId, new Set(dropped.map(({ key }) => key)), seq)),
    ],
    notes,
  });
}

/** `invalid-glob` for each that is no glob; `too-large` for more than anybody can name; `wrong-value` for `none` alone. */
export function filesProblems(files: readonly string[]): readonly Problem[] {
  if (isNone(files)) return [noneListed()];
  if (files.length > claimFilesMax) {
    const problem = `These are ${files.length} files; one task or claim names at most ${claimFilesMax}.`;
    return [
      makeProblem("too-large", "$.body.files", problem, {
        expected: `at most ${claimFilesMax}`,
        received: String(files.length),
        hint: "Name folders, or split the task.",
      }),
    ];
  }
  const read = readAskedGlobs(files, "$.body.files");
  return read.ok ? [] : read.error.slice(0, shownMax);
}

/** Whether the only file is the word by which a task is added without files. A file of that name is written `./none`. */
export function isNone(files: readonly string[] | null): boolean {
  return files?.length === 1 && files[0] === "none";
}

/** A list of the word alone would make a task with a file of that name, which is the opposite. */
function noneListed(): Problem {
  return makeProblem(
    "wrong-value",
    "$.body.files",
    "A list names files, and this one has only the word for no files.",
    {
      expected: 'paths, or "none" without a list',
      received: '["none"]',
      hint: 'Give "none" itself for a task that needs no change in files. A file of that name is ./none.',
    },
  );
}

/** Why nothing more can be done on a task: it is reported as done, or it ended otherwise. Null: work on it may go on. */
export function overProblem(task: Task): Problem | null {
  if (isReported(task)) return alreadyDone(task);
  if (task.ended === undefined) return null;
  const { outcome, by, seq } = task.ended;
  const how = outcome.replace("-", " ");
  return makeProblem("task-done", "$.body.taskId", `Task ${task.task} was ${how} by ${by}, at entry ${seq}.`, {
    received: task.task,
    hint: "Take another one; `baton task list --available` lists them.",
  });
}

/** The refusal of an operation on a task that is done. */
export function alreadyDone(task: Task): Problem {
  const by = task.report === null ? "" : ` by ${task.report.reporter}, at entry ${task.report.seq}`;
  return makeProblem("task-done", "$.body.taskId", `Task ${task.task} was reported as done${by}.`, {
    received: task.task,
    hint: `Take another one; \`baton task list --available\` lists them. If its work must change, a lead reopens it: \`baton task reopen ${fullName(task)}\``,
  });
}

function idProblems(taskId: string): readonly Problem[] {
  const isId = taskId.trim() !== "" && taskId.length <= messageIdCharactersMax && !/\p{Cc}/u.test(taskId);
  if (isId && taskId.isWellFormed()) return [];
  return [
    makeProblem("invalid-id", "$.body.taskId", "This cannot be a task's id.", {
      expected: `1 to ${messageIdCharactersMax} characters on one line, such as 1-1-T1`,
      received: taskId.slice(0, 160).toWellFormed(),
    }),
  ];
}

type Described = Pick<Task, "title" | "files" | "dependsOn"> & { readonly withoutFiles?: boolean };

/** What was said of the task before and is replaced, so that it can be put back. A first word replaces nothing. */
function replacedNotes(known: Task, now: Described): readonly Note[] {
  const { title, files, withoutFiles, dependsOn, claim } = known;
  const isRefiled = !saysTheSame(known, { ...known, files: now.files, withoutFiles: now.withoutFiles === true });
  const before = [
    title === null || title === now.title ? [] : `its title was "${title}"`,
    isRefiled && (files.length > 0 || withoutFiles) ? `its files were ${filesWords(known)}` : [],
    dependsOn.length === 0 || saysTheSame(known, { ...known, dependsOn: now.dependsOn })
      ? []
      : `it waited for ${shortList(dependsOn)}`,
  ].flat();
  if (before.length === 0) return [];
  const kept =
    claim === null || !isRefiled
      ? ""
      : ` ${claim.holder} holds it with the files of its claim; the new ones count from the next claim.`;
  const message = `Task ${known.task} was in the list already and is changed: ${before.join("; ")}.${kept}`;
  return [{ code: "task-changed", path: "$.body.taskId", message }];
}

function filesWords({ files, withoutFiles }: Task): string {
  return withoutFiles ? "none, because it needed no change in files" : shortList(files);
}

function saysTheSame(known: Described, described: Described): boolean {
  const said = ({ title, files, withoutFiles = false, dependsOn }: Described) =>
    JSON.stringify([title, files, withoutFiles, dependsOn]);
  return said(known) === said(described);
}

function ofAnotherPlan(known: Task): Problem {
  const place = known.plan === null ? "no plan" : `plan ${known.plan}`;
  return makeProblem("already-exists", "$.body.taskId", `Task ${known.task} is in the list already, under ${place}.`, {
    expected: place,
    received: known.task,
    hint: "Give the new task another id.",
  });
}

function closesCycle(members: readonly string[]): Problem {
  return makeProblem(
    "dependency-cycle",
    "$.body.dependsOn",
    `These would wait for each other: ${members.join(" -> ")}.`,
    {
      expected: "dependencies without a cycle",
      received: members.join(" -> "),
      hint: "Leave out one of these dependencies, or split a task.",
    },
  );
}

/** What becomes of tasks that a contract no longer lists. */
function leftOut(kept: readonly Task[], dropped: readonly Task[]): readonly Note[] {
  const path = "$.body.tasks";
  const withdrawn = `No longer in the contract and withdrawn: ${shortList(dropped.map(({ task }) => task))}.`;
  const how = kept.map(({ task, claim }) => (claim === null ? `${task} is reported` : `${claim.holder} holds ${task}`));
  const [first] = kept;
  const way = first?.claim ? `baton task release ${first.task}` : `baton task reopen ${first?.task}`;
  const stays = `Not in this contract, and kept: ${shortList(how)}. To withdraw one, \`${way}\`, then send the contract again.`;
  return [
    ...(dropped.length === 0 ? [] : [{ code: "tasks-withdrawn", path, message: withdrawn }]),
    ...(kept.length === 0 ? [] : [{ code: "tasks-kept", path, message: stays }]),
  ];
}

function taskOfAnotherPlan(task: string, plan: string): Note {
  const message = `Task ${task} is one of plan ${plan} already, so it is not taken as one of this plan.`;
  return { code: "plan-mismatch", path: "$.body.tasks", message };
}

function unknownPlan(plan: string): Note {
  const message = `Plan ${plan} has no tasks yet; the tasks of this plan wait until it has, and they are done.`;
  return { code: "unknown-plan", path: "$.body.dependsOn", message };
}

function emptyPlan(plan: string): Problem {
  const problem = `Plan ${plan} has no tasks yet, so nothing says what must be done first.`;
  const hint = "Add the tasks of that plan first, or name tasks.";
  return makeProblem("unknown-task", "$.body.dependsOn", problem, { received: plan, hint });
}

function unknownDependency(task: string): Note {
  const message = `Task ${task} is not in the list yet; it blocks until it is added and done.`;
  return { code: "unknown-task", path: "$.body.dependsOn", message };
}

/** How tasks are shown to people: a table with the state in colour, and below it why a task does not move. */
import { argument } from "../../base/argument.ts";
import { makeProblem } from "../../base/problem.ts";
import { counted, visible } from "../../base/text.ts";
import type { OneOfList } from "../../doors/cli/kernel/list-or-one.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, problemText, toned } from "../../doors/cli/terminal/output.ts";
import { localTime, table } from "../../doors/cli/terminal/terminal-text.ts";
import { conflictCode } from "../../evidence/state.ts";
import { commitList, placeText } from "../../evidence/text/verdict-text.ts";
import { logLineText } from "../../mail/text/show.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import type { EditView } from "../decide/edit-claims.ts";
import type { AskView } from "../operations/asks.ts";
import { isToMerge } from "../state/report-status.ts";
import type { Board } from "../view/board.ts";
import { remarksOn, workText } from "../view/task-remarks.ts";
import { type TaskState, type TaskView, taskStates } from "../view/task-view.ts";

const tones: Readonly<Record<TaskState, keyof Paint>> = {
  available: "strong",
  blocked: "faint",
  claimed: "warn",
  reported: "warn",
  verified: "good",
  disputed: "bad",
  returned: "bad",
  reverted: "bad",
  gone: "bad",
  complete: "good",
  ended: "faint",
};
const stateWidth = Math.max(...taskStates.map((state) => state.length));

/** A line a task, and indented below it what it waits for, its files and what is wrong with it. */
export function tasksText(tasks: readonly TaskView[], paint: Paint): string {
  const rows = table(tasks.map(row)).split("\n");
  return tasks
    .flatMap((task, index) => [`${stateText(task, paint)}  ${rows[index]}`, ...moreLines(task, paint)])
    .join("\n");
}

/** A line an ask; below it the question that waits, how it ended, and the last words about it. */
export function asksText(asks: readonly AskView[], paint: Paint): string {
  const indent = " ".repeat(stateWidth + 2);
  const rows = table(
    asks.map(({ task, asker, askedAt }) => [
      visible(task.task),
      `asked by ${visible(asker)}`,
      localTime(askedAt),
      visible(task.title ?? ""),
    ]),
  ).split("\n");
  return asks
    .flatMap(({ task, question, ended, said }, index) => [
      `${stateText(task, paint)}  ${rows[index]}`,
      ...(question === null ? [] : [paint.warn(`${indent}waits for an answer to entry ${question}`)]),
      ...(ended === null ? [] : [`${indent}${ended.outcome} by ${visible(ended.by)}${reasonText(ended.reason)}`]),
      ...said.map(({ by, text }) => `${indent}${visible(by)}: ${visible(text)}`),
    ])
    .join("\n");
}

function reasonText(reason: string | null): string {
  return reason === null ? "" : `: ${visible(reason)}`;
}

/** Of a team without any task. */
export const noTasksYet =
  "There are no tasks yet. `baton task add 'What is to be done'` brings one, by the owner, a lead or an architect; a contract too.";

/** What can be claimed now, for how many developers, and what waits in a circle. */
export function boardText(
  { tasks, available, outsideContract, edits, advisedDevelopers, cycle }: Board,
  paint: Paint,
): string {
  const free = new Set(available);
  const shown = tasks.filter(({ task }: TaskView) => free.has(task));
  if (tasks.length === 0 && edits.length === 0) return noTasksYet;
  return [
    shown.length === 0 ? "Nothing can be claimed now." : tasksText(shown, paint),
    "",
    ...(outsideContract.length === 0
      ? []
      : [
          paint.warn(
            `Not claimable, because the contract of their plan does not allow their files: ${listed(outsideContract)}`,
          ),
        ]),
    ...mergeLines(tasks, paint),
    ...editLines(edits, paint),
    `${counted(advisedDevelopers, "developer")} advised`,
    ...(cycle === null ? [] : [paint.bad(`waiting in a circle: ${cycle.map(visible).join(" -> ")}`)]),
  ].join("\n");
}

/** What is verified and not on the main branch, and what of it will conflict. */
function mergeLines(tasks: readonly TaskView[], paint: Paint): readonly string[] {
  const all = tasks.filter(isToMerge);
  const named = all.map(({ task, place }) => `${task}${place?.branch ? ` (on ${place.branch})` : ""}`);
  const conflicts = all.flatMap(({ task, notes }) =>
    notes.flatMap(({ code, message }) => (code === conflictCode ? [paint.warn(visible(`${task}: ${message}`))] : [])),
  );
  return all.length === 0 ? [] : [`to merge (baton land): ${listed(named)}`, ...conflicts];
}

/** A line for each agent that edits files: which, for what, and which of them its task did not name. */
export function editLines(edits: readonly EditView[], paint: Paint): readonly string[] {
  const groups = Map.groupBy(edits, ({ holder, task }) => `${holder}${task === null ? "" : ` for ${task}`}`);
  return [...groups].map(([who, held]) => {
    const outside = held.filter(({ isOutside }) => isOutside).map(({ file }) => file);
    const more = outside.length === 0 ? "" : paint.warn(` (not named by the task: ${listed(outside)})`);
    return `edited by ${visible(who)}: ${listed(held.map(({ file }) => file))}${more}`;
  });
}

/** `2 available, 1 claimed`, in the order of a task's life; the words for none. */
export function stateCounts(counts: Readonly<Record<TaskState, number>>): string {
  const said = taskStates.filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${state}`);
  return said.length === 0 ? "no tasks" : `tasks: ${said.join(", ")}`;
}

function stateText({ state, verdict }: TaskView, paint: Paint): string {
  const text = state.padEnd(stateWidth);
  return isUnverified(verdict) ? paint.warn(text) : toned(paint, tones, state, text);
}

function isUnverified(verdict: TaskView["verdict"]): boolean {
  return verdict === "awaited" || verdict === "unavailable";
}

function row({ task, number, plan, title, holder, token, expiresAt, commits }: TaskView): readonly string[] {
  const held = holder === null ? "" : `${visible(holder)}${token === null ? "" : ` (token ${token})`}`;
  return [
    number === undefined || String(number) === task ? visible(task) : `${visible(task)} (${number})`,
    plan === null ? "" : `plan ${visible(plan)}`,
    held,
    expiresAt === null ? "" : `until ${localTime(expiresAt)}`,
    commitList(commits),
    title === null ? "" : visible(title),
  ];
}

function moreLines(task: TaskView, paint: Paint): readonly string[] {
  const { files, filesKind, verdict, problems, notes, place, unseen } = task;
  const indent = " ".repeat(stateWidth + 2);
  return [
    ...remarksOn(task).map(({ label, words }) => `${indent}${label.padEnd(9)}  ${visible(words)}`),
    ...(verdict === "awaited" ? [`${indent}verdict    awaited: it is not verified`] : []),
    ...(verdict === "unavailable" ? [`${indent}verdict    none: it is not verified, without a repository`] : []),
    ...(place === undefined ? [] : [`${indent}work       ${placeText(place)}`]),
    ...(filesKind === "none" ? [`${indent}files      none: done when it is reported`] : []),
    ...(files.length === 0 ? [] : [`${indent}files      ${listed(files)}`]),
    ...problems.flatMap((problem) => problemText(problem, paint).split("\n")).map((line) => `${indent}${line}`),
    ...notes.map(({ message }) => `${indent}note       ${visible(message)}`),
    ...(unseen === undefined
      ? []
      : [`${indent}undecided  ${visible(`${unseen.judge}: ${unseen.problems[0]?.message ?? ""}`)}`]),
  ];
}

/** Of `baton task list`: one task, and what became of it. */
export const showCommand: OneOfList = {
  description: "this task alone, and below it every message and operation about it, oldest first.",
  positionals: [{ name: "TASK", argument: "task", required: true, summary: "the task's number or id" }],
  examples: [
    { line: "baton task list 1-1-T1", meaning: "the state of the task, and how it came to that" },
    { line: "baton task list 1-1-T1 --json", meaning: 'one line: the task with its "entries"' },
  ],
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const name = given.word("TASK") ?? "";
      const found = await team.tasks({ task: name });
      if (!found.ok) return output.fail(found.error);
      if (found.value.length === 0) {
        return output.fail(
          makeProblem("unknown-task", argument("task"), "There is no such task.", {
            received: name.slice(0, 64).toWellFormed(),
            hint: "`baton task list` shows the tasks.",
          }),
        );
      }
      for (const task of found.value) {
        const entries: LogLine[] = [];
        const inPlan = task.plan === null ? task.task : `${task.plan}/${task.task}`;
        for await (const line of team.log({ task: inPlan, signal: call.signal })) {
          if (!line.ok) return output.fail(line.error);
          entries.push(line.value);
        }
        const story = await team.task({ task: task.task, ...(task.plan === null ? {} : { plan: task.plan }) });
        if (!story.ok) return output.fail(story.error);
        const { description, criteria, checks } = story.value;
        const paint = output.paint.stdout;
        output.result({ ...task, description, criteria, checks, entries }, () =>
          [
            tasksText([task], paint),
            ...workText(story.value),
            ...entries.map((line) => `  ${logLineText(line, paint)}`),
          ].join("\n"),
        );
      }
      return exitCodes.done;
    }),
};

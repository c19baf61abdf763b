/**
 * What a contract says of its tasks beyond their ids, in its extra field `task_details`: title, files, and what each waits
 * for. So a plan is declared once, with its contract. Source: docs/protocol/tasks.md, section 1.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Fact } from "../../messages/facts.ts";
import { keyOfTask, planKey } from "../../messages/task-ids.ts";
import { isReported } from "../state/report-status.ts";
import type { TaskAdded, TaskChanged } from "../state/task-events.ts";
import type { Work } from "../state/task-state.ts";
import { cycleClosedBy } from "../view/dependencies.ts";
import { filesProblems, type TaskEvent } from "./tasks.ts";

/** The extra field of a contract that holds the details, by the tasks' ids. */
export const taskDetailsField = "task_details";

/** What is said of one task. Absent: nothing. */
export interface TaskDetails {
  readonly task: string;
  readonly title?: string;
  readonly files?: readonly string[] | "none";
  readonly dependsOn?: readonly string[];
}

type Details = Result<readonly TaskDetails[], readonly Problem[]>;

/** The details in a contract. Refuses `wrong-type`, and `unknown-field` what no task has. */
export function taskDetailsIn({ extra }: Fact): Details {
  const said = extra?.payload?.[taskDetailsField];
  if (said === undefined) return ok([]);
  const place = `$.body.${taskDetailsField}`;
  if (!isJsonObject(said)) return err([wrongType(place, "an object with a member for each task")]);
  const problems: Problem[] = [];
  const details = Object.entries(said).map(([task, each]): TaskDetails => {
    const at = `${place}[${JSON.stringify(task)}]`;
    if (!isJsonObject(each)) {
      problems.push(wrongType(at, "an object with title, files and depends_on"));
      return { task };
    }
    problems.push(...problemsOf(each, at));
    const { title, files, depends_on: dependsOn } = each;
    return {
      task,
      ...(typeof title === "string" ? { title } : {}),
      ...(files === "none" ? { files } : isTexts(files) ? { files } : {}),
      ...(isTexts(dependsOn) ? { dependsOn } : {}),
    };
  });
  return problems.length > 0 ? err(problems) : ok(details);
}

const fields = ["title", "files", "depends_on"];

function problemsOf(each: JsonObject, at: string): readonly Problem[] {
  const { title, files, depends_on: dependsOn } = each;
  return [
    ...Object.keys(each)
      .filter((name) => !fields.includes(name))
      .map((name) =>
        makeProblem("unknown-field", `${at}.${name}`, "A task has no such field.", { expected: fields.join(" | ") }),
      ),
    ...(title === undefined || typeof title === "string" ? [] : [wrongType(`${at}.title`, "a string")]),
    ...(files === undefined || files === "none" || isTexts(files)
      ? []
      : [wrongType(`${at}.files`, 'a list of paths, or "none"')]),
    ...(dependsOn === undefined || isTexts(dependsOn) ? [] : [wrongType(`${at}.depends_on`, "a list of tasks")]),
  ];
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return isJsonList(value) && value.every((each) => typeof each === "string");
}

function wrongType(path: string, expected: string): Problem {
  return makeProblem("wrong-type", path, `This must be ${expected}.`, { expected });
}

/**
 * The events by which a contract's tasks come, with what it says of them; a task that is there already is changed. Refuses
 * `wrong-value` a task that the contract does not name, a list of files as `task add` does, and `dependency-cycle`.
 */
export function withDetails(
  details: readonly TaskDetails[],
  { planId, tasks }: { readonly planId: string; readonly tasks: readonly string[] },
  adopted: readonly TaskEvent[],
  work: Work,
): Result<readonly TaskEvent[], readonly Problem[]> {
  if (details.length === 0) return ok(adopted);
  const byKey = new Map(details.map((each) => [keyOfTask(each.task, planId), each]));
  const named = new Set(tasks.map((task) => keyOfTask(task, planId)));
  const problems = details.flatMap((each) => detailErrors(each, named, planId));
  if (problems.length > 0) return err(problems);
  const needsOf = (key: string) => byKey.get(key)?.dependsOn?.map((each) => keyOfTask(each, planId)) ?? [];
  for (const [key, { task }] of byKey) {
    const needs = needsOf(key);
    const cycle = reaches(key, needsOf)
      ? [task, task]
      : cycleClosedBy(work, { task: key, plan: planKey(planId), needs });
    if (cycle !== null) return err([waitsForItself(task, cycle)]);
  }
  const described = adopted.map((event) => {
    const each = event.event === "task-added" ? byKey.get(event.key) : undefined;
    return event.event === "task-added" && each !== undefined ? { ...event, ...fieldsOf(each, event, planId) } : event;
  });
  const changed = [...byKey].flatMap(([key, each]): readonly TaskChanged[] => {
    const known = work.tasks.get(key);
    if (known === undefined || isReported(known)) return [];
    return [{ event: "task-changed", task: known.task, key, ...fieldsOf(each, known, planId) }];
  });
  return ok([...described, ...changed]);
}

type Described = Pick<TaskAdded, "title" | "files" | "dependsOn" | "needs"> & { readonly withoutFiles?: boolean };

/** The fields of a task that the details say, and the others as they were. */
function fieldsOf({ title, files, dependsOn }: TaskDetails, known: Described, planId: string) {
  const isWithout = files === undefined ? known.withoutFiles === true : files === "none";
  return {
    title: title ?? known.title,
    files: files === undefined ? known.files : files === "none" ? [] : files,
    ...(isWithout ? { withoutFiles: true as const } : {}),
    dependsOn: dependsOn ?? known.dependsOn,
    needs: dependsOn === undefined ? known.needs : dependsOn.map((each) => keyOfTask(each, planId)),
  };
}

function detailErrors({ task, files }: TaskDetails, named: ReadonlySet<string>, planId: string): readonly Problem[] {
  const place = `$.body.${taskDetailsField}[${JSON.stringify(task)}]`;
  if (!named.has(keyOfTask(task, planId))) {
    const hint = "Name it in the tasks of the contract too.";
    return [makeProblem("wrong-value", place, `The contract does not name ${task}.`, { received: task, hint })];
  }
  if (files === undefined || files === "none") return [];
  return filesProblems(files).map((problem) => ({
    ...problem,
    path: problem.path.replace("$.body.files", `${place}.files`),
  }));
}

/** Whether a task waits for itself by what the details say alone. */
function reaches(start: string, needsOf: (key: string) => readonly string[]): boolean {
  const seen = new Set<string>();
  const left = [...needsOf(start)];
  for (let key = left.pop(); key !== undefined; key = left.pop()) {
    if (key === start) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    left.push(...needsOf(key));
  }
  return false;
}

function waitsForItself(task: string, members: readonly string[]): Problem {
  const path = `$.body.${taskDetailsField}[${JSON.stringify(task)}].depends_on`;
  return makeProblem("dependency-cycle", path, `These would wait for each other: ${members.join(" -> ")}.`, {
    expected: "dependencies without a cycle",
    received: members.join(" -> "),
    hint: "Leave out one of these dependencies, or split a task.",
  });
}

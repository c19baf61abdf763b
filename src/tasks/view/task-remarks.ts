/**
 * What every door says of a task besides what has its own place there: the fields that have a label in the task's shape.
 * Fit for a browser.
 */

import { visible, visibleLines } from "../../base/text.ts";
import { taskLabels } from "../../perform/operations/generated/labels.ts";
import type { ListedTask } from "../decide/plan-list.ts";
import type { TaskStory } from "../operations/task-shapes.ts";
import type { TaskView } from "./task-view.ts";

/** A field in words, `waits for`, `1-1-T1, 1-1-T2`; a tool shows it under its name. */
export interface Remark {
  readonly field: keyof typeof taskLabels;
  readonly label: string;
  readonly words: string;
}

/** Those of the fields that say something, in their order. */
export function remarksOn(task: TaskView): readonly Remark[] {
  return fields.flatMap((field) => {
    const value = task[field];
    const words = nothing.has(value) ? "" : [value ?? ""].flat().join(", ");
    return words === "" ? [] : [{ field, label: taskLabels[field], words }];
  });
}

const fields = Object.keys(taskLabels) as readonly Remark["field"][]; // The table's own keys.
/** Values that say nothing of a task. */
const nothing: ReadonlySet<unknown> = new Set([0, false]);

/** What is to be done, and when it is, in lines. */
export function workText({
  description = "",
  criteria = [],
  checks = [],
}: Pick<TaskStory, "description" | "criteria" | "checks">): readonly string[] {
  return [
    ...(description === "" ? [] : visibleLines(description).split("\n")),
    ...(criteria.length === 0 ? [] : ["done when", ...criteria.map((each, at) => `  ${at + 1}. ${visible(each)}`)]),
    ...checks.map((each) => `check  ${visible(each)}`),
  ].map((each) => `  ${each}`);
}

/** What a list says of one of its tasks besides its title and its work, in a line; empty: nothing. */
export function listedText(
  { priority, labels, agent, files, after, dependsOn }: ListedTask,
  all: readonly ListedTask[],
): string {
  const before = [...after.map((at) => all[at]?.title ?? ""), ...dependsOn];
  const said = [
    priority === "normal" ? "" : priority,
    labels.length === 0 ? "" : labels.map((each) => `#${each}`).join(" "),
    agent === null ? "" : `for ${agent}`,
    files.length === 0 ? "" : `files ${[files].flat().join(", ")}`,
    before.length === 0 ? "" : `after ${before.join(", ")}`,
  ].filter((each) => each !== "");
  return said.length === 0 ? "" : `(${visible(said.join("; "))})`;
}

/** The forms by which a person gives the team work: one task, or a list of them. Fit for `Compose`. */

import type { Json } from "../../base/json.ts";
import { teamPath } from "../../doors/page/hub/request.ts";
import { type FormField, formField, valuesOf } from "../../doors/page/shown/form-values.ts";
import type { ComposeForm } from "../../doors/page/state/act-forms.ts";
import type { TaskStory } from "../operations/task-shapes.ts";
import { priorities } from "../state/task-state.ts";

/** What a task has besides its title. */
const more: readonly FormField[] = [
  formField("description", "text", "What must be done, in full. Its agent reads it with the task."),
  formField("criteria", "lines", "What must be true once it is done."),
  formField("files", "lines", "What it touches; src/b/ means all below, none: it needs no change in files."),
  formField("dependsOn", "lines", "Tasks that must be done first."),
  formField("checks", "lines", "Commands that its agent runs before it reports."),
  formField("priority", priorities, "Normal where you choose none."),
  formField("labels", "lines", "Words to find it by."),
  formField("agent", "line", "Who shall do it. Where you name nobody, whoever is free next."),
];

/** One task of a team. */
export function taskForm(team: string): ComposeForm {
  return {
    summary: "",
    key: "new-task",
    title: "New task",
    fields: [formField("title", "line", "", true), ...more],
    request: ({ files, ...values }) => {
      const isNone = Array.isArray(files) && files.length === 1 && files[0] === "none";
      return {
        path: teamPath(team, "tasks"),
        body: { ...values, ...(files === undefined ? {} : { files: isNone ? "none" : files }) },
      };
    },
  };
}

/** What is written in the fields of a task that is there. */
export function draftsOf({ task, description, criteria, checks }: TaskStory): Readonly<Record<string, string>> {
  const names = (all: readonly string[]) => all.map((each) => `${each}\n`).join("");
  return {
    title: task.title ?? "",
    description: description ?? "",
    criteria: (criteria ?? []).join("\n"),
    files: task.filesKind === "none" ? "none" : task.files.join("\n"),
    dependsOn: names(task.dependsOn),
    checks: (checks ?? []).join("\n"),
    priority: task.priority ?? "normal",
    labels: (task.labels ?? []).join("\n"),
    agent: task.agent ?? "",
  };
}

const empty: Readonly<Record<string, Json>> = { title: "", description: "", agent: "", priority: "normal" };

/** A task that is there, told anew: what is as it was is not sent. */
export function editForm(team: string, story: TaskStory): ComposeForm {
  const { task, plan } = story.task;
  const { fields, ...form } = taskForm(team);
  const before = valuesOf(fields, draftsOf(story)).values;
  return {
    ...form,
    fields,
    key: "edit-task",
    title: "Edit the task",
    request: (values) => {
      const after = (name: string): Json => values[name] ?? empty[name] ?? [];
      const changed = fields.filter(
        ({ name }) => JSON.stringify(after(name)) !== JSON.stringify(before[name] ?? empty[name] ?? []),
      );
      const { path, body } = form.request(Object.fromEntries(changed.map(({ name }) => [name, after(name)])));
      return { path, body: { ...body, task, ...(plan === null ? {} : { plan }) } };
    },
  };
}

/** All tasks of a Markdown list. */
export function listForm(team: string): ComposeForm {
  const fields = [formField("text", "text", "", true)];
  return {
    summary: "",
    key: "task-list",
    title: "Paste a list",
    fields,
    request: (values) => ({ path: teamPath(team, "plans"), body: values }),
  };
}

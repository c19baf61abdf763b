/** The forms by which a person gives the team work: one task, or a list of them. Fit for `Compose`. */
import { teamPath } from "../../doors/page/hub/request.ts";
import type { ComposeForm } from "../../doors/page/state/compose.svelte.ts";
import type { FormField } from "../../team/operations/status.ts";
import { priorities } from "../state/task-state.ts";

const texts = { is: "list", entry: { is: "text" } } as const;
const line = { is: "text", pattern: "" } as const;

function field(name: string, value: FormField["value"], summary: string, required = false): FormField {
  return { name, required, summary, form: "", value, example: null };
}

/** What a task has besides its title. */
const more: readonly FormField[] = [
  field("description", { is: "text" }, "What must be done, in full. Its agent reads it with the task."),
  field("criteria", texts, "What must be true once it is done."),
  field("files", texts, "What it touches; src/b/ means all below, none: it needs no change in files."),
  field("dependsOn", texts, "Tasks that must be done first."),
  field("checks", texts, "Commands that its agent runs before it reports."),
  field("priority", { is: "text", words: priorities }, "Normal where you choose none."),
  field("labels", texts, "Words to find it by."),
  field("agent", line, "Who shall do it. Where you name nobody, whoever is free next."),
];

const none = { group: "Operations", summary: "", receivers: [], isMessage: false } as const;

/** One task of a team. */
export function taskForm(team: string): ComposeForm {
  return {
    ...none,
    key: "new-task",
    title: "New task",
    fields: [field("title", line, "", true), ...more],
    request: ({ files, ...values }) => {
      const isNone = Array.isArray(files) && files.length === 1 && files[0] === "none";
      return {
        path: teamPath(team, "tasks"),
        body: { ...values, ...(files === undefined ? {} : { files: isNone ? "none" : files }) },
      };
    },
  };
}

/** All tasks of a Markdown list. */
export function listForm(team: string): ComposeForm {
  const fields = [field("text", { is: "text" }, "", true)];
  return {
    ...none,
    key: "task-list",
    title: "Paste a list",
    fields,
    request: (values) => ({ path: teamPath(team, "plans"), body: values }),
  };
}

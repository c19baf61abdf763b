/**
 * Forms of the page that a person fills in. What was typed becomes the value that is sent; whether that value is right is
 * the hub's to judge, so only what is missing is found here. Pure.
 */
import type { Json } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import type { TaskView } from "../../../tasks/view/task-view.ts";
import type { AgentStatus } from "../../../team/operations/agents.ts";

/** How a value is entered: in a line, as text of several, as one value a line, as a whole number, or chosen among words. */
export type Entry = "line" | "text" | "lines" | "whole" | readonly string[];

/** One field of a form. */
export interface FormField {
  readonly name: string;
  readonly required: boolean;
  readonly summary: string;
  readonly entry: Entry;
}

/** A name that a field offers, with what helps to know it. */
export interface Choice {
  readonly value: string;
  readonly says: string;
}

/** What the team has to choose from. */
interface Names {
  readonly agents: readonly Pick<AgentStatus, "agent" | "role" | "status" | "health">[];
  readonly tasks: readonly Pick<TaskView, "task" | "title" | "plan" | "holder">[];
}

/**
 * The names that a field of a form offers; null: it takes any value. `form`: the form's key, `task`: the task that the form
 * is about. A task is given to an agent that is there and does not hold it.
 */
export function choicesOf(form: string, name: string, names: Names, task?: string): readonly Choice[] | null {
  const { tasks } = names;
  const holders = new Set(tasks.flatMap((each) => (each.task === task ? (each.holder ?? []) : [])));
  const agents =
    form === "reassign"
      ? names.agents.filter(
          ({ agent, status, health }) => status === "active" && health !== "disappeared" && !holders.has(agent),
        )
      : names.agents;
  const people = agents.map(({ agent, role }) => ({ value: agent, says: role }));
  // Tasks of two plans may have the same id.
  const list = (all: Names["tasks"]) =>
    [...new Map(all.map(({ task, title }) => [task, title ?? ""])).entries()].map(([value, says]) => ({ value, says }));
  if ((form === "new-task" || form === "edit-task") && name === "agent") return people;
  if (form === "token" && name === "agent") return [...people, { value: "owner", says: "you" }];
  if (form === "reassign" && name === "task") return list(tasks.filter(({ holder }) => holder !== null));
  if (name === "dependsOn") return list(tasks);
  if (name === "plan") {
    const plans = new Set(tasks.flatMap(({ plan }) => plan ?? []));
    return [...plans].map((value) => ({ value, says: "" }));
  }
  if (name !== "to") return null;
  const roles = new Set(form === "reassign" ? [] : agents.map(({ role }) => role));
  return [...people, ...[...roles].map((role) => ({ value: `role:${role}`, says: "all of them" }))];
}

/** A field of a form. */
export function formField(name: string, entry: Entry, summary: string, required = false): FormField {
  return { name, required, summary, entry };
}

/** Fields that people know by another name. */
const otherNames: Readonly<Record<string, string>> = { criteria: "done when", dependsOn: "after" };

/** A field's name as people read it. */
export function fieldName(name: string): string {
  return (otherNames[name] ?? name)
    .replaceAll("_", " ")
    .replace(/Ms$/, " in milliseconds")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Something in a field that cannot be sent, at its place in the message. */
export interface FieldProblem {
  readonly path: string;
  readonly says: string;
}

/** What is sent for a draft; absent: nothing was entered. */
function enteredValue(entry: Entry, draft: string): Json | undefined {
  if (draft.trim() === "") return undefined;
  // What is no number goes as it is, and the hub says what is wrong with it.
  if (entry === "whole") return /^-?\d{1,15}$/.test(draft.trim()) ? Number(draft) : draft;
  if (entry !== "lines") return draft;
  const lines = draft.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}

/** What is sent of a whole form, and what is missing. */
export function valuesOf(
  fields: readonly FormField[],
  drafts: Readonly<Record<string, string>>,
): { values: Record<string, Json>; problems: FieldProblem[] } {
  const values: Record<string, Json> = {};
  const problems: FieldProblem[] = [];
  for (const { name, entry, required } of fields) {
    const value = enteredValue(entry, drafts[name] ?? "");
    if (value !== undefined) values[name] = value;
    else if (required && entry === "lines") values[name] = [];
    else if (required) problems.push({ path: `$.${name}`, says: "This is needed." });
  }
  return { values, problems };
}

/**
 * The field that a problem belongs to: the one at its path; for a problem that names a value (such as an agent that is
 * unknown) the field that has it. Null: none.
 */
export function fieldOfProblem({ path, received }: Problem, values: Readonly<Record<string, Json>>): string | null {
  const named = /^\$\.(?:payload\.|body\.)?([^.[\]]+)/.exec(path)?.[1];
  if (named !== undefined) return path.replace(/^\$\.(?:payload|body)\./, "$.");
  const holder = Object.entries(values).find(
    ([, value]) => value === path || value === received || (Array.isArray(value) && value.includes(path)),
  );
  return holder === undefined ? null : `$.${holder[0]}`;
}

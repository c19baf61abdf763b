/**
 * Forms that a person fills in: of messages with the fields as the hub lists them, of other acts with the page's own. What
 * was typed becomes the value that is sent; whether that value is right is the hub's to judge, so only what cannot be sent
 * at all is found here. Pure.
 */
import { type Json, parseBounded } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import type { TaskView } from "../../../tasks/view/task-view.ts";
import type { AgentStatus } from "../../../team/operations/agents.ts";
import type { FormField } from "../../../team/operations/status.ts";

type Form = FormField["value"];

/** What was typed in a field: text, or the parts of an object or of a list of objects. */
export type Draft = string | readonly Draft[] | { readonly [name: string]: Draft };

/** How a value is entered. */
export type Entry = "choice" | "line" | "text" | "lines" | "group" | "groups" | "json";

/** The way to enter a value of this form. */
export function entryOf(form: Form): Entry {
  if (form.is === "flag" || form.words !== undefined) return "choice";
  if (form.is === "whole") return "line";
  if (form.is === "text") return form.pattern !== undefined || form.time !== undefined ? "line" : "text";
  if (form.is === "object") return form.fields === undefined ? "json" : "group";
  if (form.is !== "list" || form.entry === undefined) return "json";
  if (form.entry.is === "text" || form.entry.is === "whole") return "lines";
  return form.entry.is === "object" && form.entry.fields !== undefined ? "groups" : "json";
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
export function choicesOf(form: string, name: string, names: Names, task?: Draft): readonly Choice[] | null {
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
  if (name === "dependsOn" || name === "task_id") return list(tasks);
  if (name === "plan" || name === "plan_id") {
    const plans = new Set(tasks.flatMap(({ plan }) => plan ?? []));
    return [...plans].map((value) => ({ value, says: "" }));
  }
  if (name !== "to") return null;
  const roles = new Set(form === "reassign" ? [] : agents.map(({ role }) => role));
  return [...people, ...[...roles].map((role) => ({ value: `role:${role}`, says: "all of them" }))];
}

/** The form of a text in a line, and of one a line. */
export const line: Form = { is: "text", pattern: "" };
export const texts: Form = { is: "list", entry: { is: "text" } };

/** The form of one word of these. */
export function words(all: readonly string[]): Form {
  return { is: "text", words: all };
}

/** A field of a form that the page has of its own. */
export function formField(name: string, value: Form, summary: string, required = false): FormField {
  return { name, required, summary, form: "", value, example: null };
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
export function enteredValue(
  form: Form,
  draft: Draft | undefined,
  path: string,
): { value?: Json; problems: FieldProblem[] } {
  const entry = entryOf(form);
  if (entry === "group") return groupValue(form, draft, path);
  if (entry === "groups") {
    const all = (Array.isArray(draft) ? draft : []).map((each, at) =>
      groupValue(form.entry ?? form, each, `${path}[${at}]`),
    );
    const problems = all.flatMap((each) => each.problems);
    return all.length === 0 ? { problems } : { value: all.map(({ value }) => value ?? {}), problems };
  }
  const text = typeof draft === "string" ? draft : "";
  if (text.trim() === "") return { problems: [] };
  if (entry === "lines") {
    const lines = text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    return { value: lines.map((line) => (form.entry?.is === "whole" ? numberOf(line) : line)), problems: [] };
  }
  if (entry === "json") {
    const read = parseBounded(text);
    return read.ok
      ? { value: read.value, problems: [] }
      : { problems: [{ path, says: `This is no JSON: ${read.error.message}` }] };
  }
  if (form.is === "flag") return { value: text === "true", problems: [] };
  return { value: form.is === "whole" ? numberOf(text.trim()) : text, problems: [] };
}

/** A whole number; anything else goes as it is, and the hub says what is wrong with it. */
function numberOf(text: string): Json {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function groupValue(form: Form, draft: Draft | undefined, path: string): { value?: Json; problems: FieldProblem[] } {
  const parts = draft === undefined || typeof draft === "string" || Array.isArray(draft) ? {} : draft;
  const value: Record<string, Json> = {};
  const problems: FieldProblem[] = [];
  for (const [name, field] of Object.entries(form.fields ?? {})) {
    const found = enteredValue(field, (parts as Readonly<Record<string, Draft>>)[name], `${path}.${name}`);
    problems.push(...found.problems);
    if (found.value !== undefined) value[name] = found.value;
  }
  if (Object.keys(value).length === 0) return { problems };
  for (const name of form.required ?? [])
    if (value[name] === undefined) problems.push({ path: `${path}.${name}`, says: "This is needed." });
  return { value, problems };
}

/** What is sent of a whole form, and what is missing or cannot be sent. */
export function valuesOf(
  fields: readonly FormField[],
  drafts: Readonly<Record<string, Draft>>,
): { values: Record<string, Json>; problems: FieldProblem[] } {
  const values: Record<string, Json> = {};
  const problems: FieldProblem[] = [];
  for (const { name, value: form, required } of fields) {
    const path = `$.${name}`;
    const found = enteredValue(form, drafts[name], path);
    problems.push(...found.problems);
    if (found.value !== undefined) values[name] = found.value;
    else if (required && form.is === "list") values[name] = [];
    else if (required && found.problems.length === 0) problems.push({ path, says: "This is needed." });
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

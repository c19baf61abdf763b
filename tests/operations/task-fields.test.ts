/**
 * Each field of a task is shown in the terminal, by the tool of MCP and on the page, or is excused here with the reason.
 * A field that has a label in the task's shape is shown by all three of its own accord.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { makeProblem } from "../../src/base/problem.ts";
import { ok } from "../../src/base/result.ts";
import { paintFor } from "../../src/doors/cli/terminal/output.ts";
import { task as tool } from "../../src/doors/mcp/task.ts";
import { taskLabels } from "../../src/perform/operations/generated/labels.ts";
import { taskShape } from "../../src/tasks/operations/task-shapes.ts";
import { tasksText } from "../../src/tasks/text/task-text.ts";
import type { TaskView } from "../../src/tasks/view/task-view.ts";
import { add, viewAfter } from "../work/orders.ts";

type Door = "text" | "tool" | "page";

/** What a door does not show, and why. */
const excuses: { readonly [Field in keyof TaskView]?: { readonly [Where in Door]?: string } } = {
  dependsOn: {
    text: "what of it is not done is in blockedBy, which has a line",
    tool: "what can be claimed waits for nothing",
  },
  reporter: { text: "the entries below a single task name it" },
  commit: { text: "all of them are in the row" },
  commits: { tool: "of several the last is named", page: "of several the last is shown with its diff" },
  report: { text: "an entry's number", tool: "an entry's number" },
  verdict: { tool: "the state says it" },
  disputes: {
    text: "the entries below a single task say each",
    tool: "what stands in problems; the past changes no choice",
  },
  token: { page: "agents pass it, a person never does" },
  notes: { tool: "they came to the agent in a message" },
  place: { tool: "where to merge from is for those who merge" },
  seq: { text: "an entry's number", tool: "an entry's number", page: "claims and reports link to their entries" },
};

const problem = makeProblem("not-verified", "1-1-T1", "It is not there.");

/** Fields whose values are no words, numbers or lists of words. */
const values: Partial<TaskView> = {
  verdict: "awaited",
  problems: [problem],
  notes: [{ code: "settled", path: "1-1-T1", message: "By dev-2." }],
  place: { at: "branch", branch: "topic", since: null, isChanged: false },
  unseen: { judge: "baton", state: "undecided", commit: null, files: null, problems: [problem], seq: 9 },
};

/** Another value of a field than that of a task without anything. */
function other(field: keyof TaskView): TaskView[keyof TaskView] {
  const schema = z.toJSONSchema(taskShape.shape[field], { io: "input" });
  const [form = schema] = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const word = form.enum?.at(-1) ?? { integer: 7, number: 7, boolean: true, array: ["other"] }[String(form.type)];
  return values[field] ?? ((word ?? "2026-11-30T08:00:00.000Z") as TaskView[typeof field]); // of the field's own type
}

const free = viewAfter(add("1-1-T1"));
/** A task that is free, held by the reader, and reported by it. */
const tasks: readonly TaskView[] = [
  free,
  { ...free, state: "claimed", holder: "dev-1" },
  { ...free, state: "reported", reporter: "dev-1" },
];

const fields = Object.keys(taskShape.shape) as (keyof TaskView)[]; // The shape's own keys.

async function answered(task: TaskView): Promise<string> {
  const rest = { outsideContract: [], edits: [], toMerge: [], advisedDevelopers: 1, cycle: null };
  const board = { tasks: [task], available: task.state === "available" ? [task.task] : [], ...rest };
  const team = { actor: { agent: "dev-1" }, board: async () => ok(board), escalations: async () => ok([]) };
  const answer = await tool.run({ action: "available" }, { team } as never); // what looking at the board asks of a team
  return JSON.stringify(answer);
}

const paint = paintFor(false);
const pages = globSync("src/tasks/page/*.svelte", { cwd: join(import.meta.dirname, "../..") })
  .map((file) => readFileSync(join(import.meta.dirname, "../..", file), "utf8"))
  .join("\n");

const shows: { readonly [Where in Door]: (before: TaskView, after: TaskView, field: keyof TaskView) => unknown } = {
  text: (before, after) => tasksText([before], paint) !== tasksText([after], paint),
  tool: async (before, after) => (await answered(before)) !== (await answered(after)),
  page: (_, __, field) => field in taskLabels || new RegExp(`\\b(task|each)\\.${field}\\b`).test(pages),
};

async function isShown(door: Door, field: keyof TaskView): Promise<boolean> {
  for (const before of tasks)
    if ((await shows[door](before, { ...before, [field]: other(field) }, field)) === true) return true;
  return false;
}

for (const door of ["text", "tool", "page"] as const) {
  test(`each field of a task is shown or excused: ${door}`, async () => {
    const hidden: string[] = [];
    for (const field of fields) if (!(await isShown(door, field))) hidden.push(field);
    assert.deepEqual(
      hidden,
      fields.filter((field) => excuses[field]?.[door] !== undefined),
    );
    assert.ok(pages.includes("remarksOn(task)"));
  });
}

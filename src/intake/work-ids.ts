/**
 * The ids of tasks and plans that a message names, checked where it comes in. What was recorded before is not read again, so
 * it stays as it is. Rule: docs/protocol/reading.md, "Ids of tasks and plans".
 */
import { isJsonList, isJsonObject, type Json } from "../base/json.ts";
import { inOrder, type Problem } from "../base/problem.ts";
import { unsafeIdProblem, workIdProblem } from "../coordination/work-ids.ts";
import { documentKey } from "../dialects/definition.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { AcceptedReading, Reading } from "./reading.ts";

/** Fields of a fact's body that hold ids of tasks or plans, or lists of them. */
const idFields = ["taskId", "planId", "phaseId", "tasks", "dependsOn"] as const;

/** The reading; invalid where a task or a plan is named by an id that none can have. */
export function withValidWorkIds(reading: AcceptedReading, dialects: readonly Dialect[]): Reading {
  const problems = idProblems(reading, dialects);
  if (problems.length === 0) return reading;
  return { ...reading, outcome: "invalid", fact: null, problems: inOrder(problems) };
}

const none: readonly Problem[] = [];

function idProblems(reading: AcceptedReading, dialects: readonly Dialect[]): readonly Problem[] {
  const { fact } = reading;
  let problems: readonly Problem[] = none;
  const check = (value: Json | undefined, path: () => string, faultOf = workIdProblem): void => {
    if (typeof value !== "string" || value === "") return;
    const fault = faultOf(value, "");
    if (fault !== null) problems = [...problems, { ...fault, path: path() }];
  };
  const body: { readonly [field: string]: Json } = fact.body;
  check(fact.head.task ?? undefined, () => pathOf("head.task", reading, dialects));
  for (const field of idFields) {
    const value = body[field];
    if (typeof value === "string") check(value, () => pathOf(field, reading, dialects));
    else if (isJsonList(value)) {
      for (const [index, one] of value.entries()) check(one, () => `${pathOf(field, reading, dialects)}[${index}]`);
    }
  }
  if (fact.kind === "handoff" && isJsonObject(body.metadata)) {
    const path = (name: string) => `$.${documentKey}.metadata.${name}`;
    check(body.metadata.task_id, () => path("task_id"));
    check(body.metadata.id, () => path("id"), unsafeIdProblem);
  }
  return problems;
}

/** Where the message has a neutral field. */
function pathOf(neutral: string, { dialect, type }: AcceptedReading, dialects: readonly Dialect[]): string {
  const known = dialects.find(({ id }) => id === dialect);
  const field = known?.definitions.get(type)?.fields.find((each) => each.neutral === neutral);
  if (known !== undefined && field !== undefined) return `${known.place}.${field.name}`;
  return neutral === "head.task" && known !== undefined ? "$.task" : `$.${neutral.replace("head.task", "taskId")}`;
}

/**
 * The ids of tasks and plans that a message names, checked where it comes in. What was recorded before is not read again, so
 * it stays as it is. Rule: docs/protocol/messages.md, section 3.
 */

import { sha256 } from "../../base/canonical.ts";
import { messageId } from "../../base/ids.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { inOrder, type Problem } from "../../base/problem.ts";
import { type Dialect, documentKey } from "../dialects/dialect.ts";
import { type Fact, type FactKind, factKinds } from "../facts.ts";
import { isPlainWorkId, unsafeIdProblem, workIdProblem } from "../task-ids.ts";
import type { Decoded } from "./decode.ts";
import { type RequestId, requestIdOf } from "./native.ts";
import type { AcceptedReading, Reading } from "./reading.ts";

/** The reading; invalid where a task or a plan is named by an id that none can have. */
export function withValidWorkIds(reading: AcceptedReading, dialects: readonly Dialect[]): Reading {
  const { fact } = reading;
  // Small, because it is on the way of every message, what reading one costs is measured, and most name none.
  const names = workIdFields(fact.kind);
  if (fact.head.task === null && names === nothing && fact.kind !== "handoff") return reading;
  return hasPlainIds(fact, names) ? reading : withIdProblems(reading, dialects);
}

function withIdProblems(reading: AcceptedReading, dialects: readonly Dialect[]): Reading {
  const problems = idProblems(reading, dialects);
  if (problems.length === 0) return reading;
  return { ...reading, outcome: "invalid", fact: null, problems: inOrder(problems) };
}

const task = ["taskId", "planId"];
const plan = ["planId"];
const nothing: readonly string[] = [];
const anything = ["taskId", "planId", "phaseId", "tasks", "dependsOn"];

/** The fields by which a fact names tasks and plans, by its kind; a kind of a team's own may have any of them. */
const fieldsByKind: ReadonlyMap<FactKind, readonly string[]> = new Map<FactKind, readonly string[]>([
  ...factKinds.map((kind): [FactKind, readonly string[]] => [kind, nothing]),
  ["contract", ["planId", "phaseId", "tasks", "dependsOn"]],
  ["progress", task],
  ["blocker", task],
  ["claim", task],
  ["completion", task],
  ["assignment-notice", ["taskId"]],
  ["completion-notice", ["taskId"]],
  ["test-plan", plan],
  ["specification", plan],
  ["review-changes", plan],
  ["review-result", plan],
  ["summary", plan],
]);

/** The fields by which a fact of the kind names tasks and plans. */
export function workIdFields(kind: FactKind): readonly string[] {
  return fieldsByKind.get(kind) ?? anything;
}

/** What facts name tasks and plans by, read by name: a field whose name is known only then costs several times as much. */
interface NamingFields {
  readonly [field: string]: Json | undefined;
  readonly taskId?: Json;
  readonly planId?: Json;
  readonly phaseId?: Json;
  readonly tasks?: Json;
  readonly dependsOn?: Json;
}

function hasPlainIds({ kind, head, body }: Fact, names: readonly string[]): boolean {
  const fields: NamingFields = body;
  if (!isPlain(head.task)) return false;
  if (names === nothing) return kind !== "handoff" || isPlainDocument(fields);
  if (!arePlain(fields.planId)) return false;
  if (names === plan) return true;
  // The head's task is nearly always the body's.
  if (fields.taskId !== head.task && !arePlain(fields.taskId)) return false;
  return names === task || areAllPlain(fields);
}

/** The fields that few kinds have. */
function areAllPlain({ phaseId, tasks, dependsOn }: NamingFields): boolean {
  return arePlain(phaseId) && arePlain(tasks) && arePlain(dependsOn);
}

/** Whether an id, or each of a list of them, needs no closer look. */
function arePlain(value: Json | undefined): boolean {
  return isJsonList(value) ? value.every(isPlain) : isPlain(value);
}

function isPlain(id: Json | undefined): boolean {
  return typeof id === "string" ? id === "" || isPlainWorkId(id) : id === undefined || id === null;
}

function isPlainDocument({ metadata }: { readonly [field: string]: Json | undefined }): boolean {
  return metadata !== undefined && isJsonObject(metadata) && isPlain(metadata.id) && isPlain(metadata.task_id);
}

const none: readonly Problem[] = [];

function idProblems(reading: AcceptedReading, dialects: readonly Dialect[]): readonly Problem[] {
  const { fact } = reading;
  let problems: readonly Problem[] = none;
  const check = (value: Json | undefined, path: () => string, problemOf = workIdProblem): void => {
    if (typeof value !== "string" || value === "") return;
    const problem = problemOf(value, "");
    if (problem !== null) problems = [...problems, { ...problem, path: path() }];
  };
  const body: { readonly [field: string]: Json } = fact.body;
  check(fact.head.task ?? undefined, () => pathOf("head.task", reading, dialects));
  for (const field of workIdFields(fact.kind)) {
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

/*
 * The id by which a message names itself, wherever its form keeps it. A sender over another door must know it before,
 * so that a retry is the same operation. Source: docs/protocol/messages.md, section 3.
 */

/** An id and the JSON path where the message has it. */
export interface WireId {
  readonly id: string;
  readonly path: string;
}

/**
 * The id that the message itself carries: of an envelope, of a handoff document, or of a request as agent programs write
 * it. Null: it has none.
 */
export function wireIdIn(decoded: Decoded): WireId | null {
  if (decoded.as !== "json" && decoded.as !== "quoted") return null;
  const { value } = decoded;
  if (!isJsonObject(value)) return null;
  if (typeof value.id === "string") return { id: value.id, path: "$.id" };
  return documentId(value.handoff) ?? (decoded.as === "json" ? requestId(value) : null);
}

/** As `wireIdIn`, the id alone. */
export function wireIdOf(decoded: Decoded): string | null {
  return wireIdIn(decoded)?.id ?? null;
}

function documentId(handoff: Json | undefined): WireId | null {
  const metadata = isJsonObject(handoff) ? handoff.metadata : undefined;
  const id = isJsonObject(metadata) ? metadata.id : undefined;
  if (typeof id !== "string" || id === "") return null;
  return { id: messageId(id) ?? idFor(id), path: "$.handoff.metadata.id" };
}

/** The operation id for sending a document whose own id cannot be an operation's id: always the same one. */
function idFor(documentId: string): string {
  return `handoff/${sha256(documentId)}`;
}

/** One that can be no id names nothing: the reading tells so, where the request is one. */
function requestId(value: JsonObject): RequestId | null {
  const found = requestIdOf(value);
  return found === null || messageId(found.id) === null ? null : found;
}

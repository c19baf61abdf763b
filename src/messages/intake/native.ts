/**
 * Control frames of Claude Code, recognised by their own marks before the ladder and read as what they mean. A frame is
 * flat, or under `payload` next to its type; ids are spelled `requestId` or `request_id`. Source:
 * docs/protocol/doors.md, section 7; docs/protocol/messages.md, section 16.
 */
import { messageId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { messageIdCharactersMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { shortened } from "../../base/schema/hint.ts";
import { reasonFor } from "../dialects/fields/derived-fields.ts";
import { carriesEnvelopeMark } from "../dialects/flat-form.ts";
import type { FactKind } from "../facts.ts";
import type { DialectId } from "../message.ts";
import { type AcceptedReading, type InvalidReading, invalidText } from "./reading.ts";
import { withMarkNames } from "./repair.ts";

/** One field that a frame needs: the names under which it may come, and its form. */
interface Needed {
  readonly names: readonly [string, ...string[]];
  readonly form: "a string" | "true or false" | "a string or a whole number";
}

/** Under this id a frame's reading names where it comes from; no messages are written in it. */
export const nativeDialect = "claude-code/1" satisfies DialectId;

/** What a frame means: its kind and neutral fields, or null: the marks are not there. */
type Meaning = (
  frame: JsonObject,
) => { readonly kind: FactKind; readonly body: JsonObject; readonly extra?: { readonly payload: JsonObject } } | null;

/** Every frame by type. Those that agents of older programs send are here too. */
const meanings = {
  idle_notification: (frame) => {
    if (!isText(frame.from) || !(isText(frame.idleReason) || isText(frame.timestamp))) return null;
    return said("idle-notice", frame, { agent: "from", reason: "idleReason", result: "result" });
  },
  shutdown_request: (frame) => {
    // Messages of this name that are no frames come often; what tells them apart is looked at first.
    if (!isText(frame.from) || requestId(frame) === null) return null;
    const { body, extra } = reasonFor(textOr(frame.reason, ""));
    const { deadline_seconds: deadline } = frame;
    const isDeadline = typeof deadline === "number" && Number.isSafeInteger(deadline) && deadline >= 0;
    const full = isDeadline ? { ...body, deadlineSeconds: deadline } : body;
    return { kind: "shutdown-request", body: full, ...(extra === undefined ? {} : { extra }) };
  },
  shutdown_approved: (frame) => {
    const id = requestId(frame);
    if (id === null || !(isText(frame.from) || isText(frame.paneId))) return null;
    return { kind: "shutdown-response", body: { requestId: id, approved: true, finalStatus: "complete" } };
  },
  shutdown_rejected: (frame) => {
    const id = requestId(frame);
    return id === null ? null : { kind: "shutdown-response", body: refusedShutdown(id, frame.reason) };
  },
  // As the tool for sending messages takes it.
  shutdown_response: (frame) => {
    if (typeof frame.approve !== "boolean" || Object.hasOwn(frame, "final_status")) return null;
    const id = requestId(frame);
    if (id === null) return null;
    if (!frame.approve) return { kind: "shutdown-response", body: refusedShutdown(id, frame.reason) };
    return { kind: "shutdown-response", body: { requestId: id, approved: true, finalStatus: "complete" } };
  },
  task_assignment: (frame) => {
    const taskId = taskIdOf(frame);
    if (taskId === null || !(isText(frame.subject) || isText(frame.assignedBy))) return null;
    return said(
      "assignment-notice",
      { ...frame, taskId },
      {
        taskId: "taskId",
        subject: "subject",
        description: "description",
        assignedBy: "assignedBy",
      },
    );
  },
  task_completed: (frame) => {
    const taskId = taskIdOf(frame);
    return taskId === null
      ? null
      : said("completion-notice", { ...frame, taskId }, { taskId: "taskId", subject: "taskSubject" });
  },
  teammate_terminated: (frame) => {
    return isText(frame.message) ? said("termination-notice", frame, { reason: "message" }) : null;
  },
  plan_approval_request: (frame) => {
    const path = textOr(frame.planFilePath, "");
    const content = textOr(frame.planContent, "");
    if (requestId(frame) === null || (path === "" && content === "")) return null;
    const subject = path === "" ? "The plan" : path;
    return { kind: "approval-request", body: { subject, requestType: "plan_approval", evidence: content } };
  },
  plan_approval_response: (frame) => {
    const id = requestId(frame);
    const approved = frame.approved ?? frame.approve;
    if (id === null || typeof approved !== "boolean") return null;
    return { kind: "approval-response", body: { requestId: id, approved, reason: textOr(frame.feedback, "") } };
  },
  // What a program asks and answers about its own tools: known, shown, and without effect.
  permission_request: (frame) => {
    if (requestId(frame) === null || !isText(frame.tool_name)) return null;
    return said("permission-notice", withRequestId(frame), {
      requestId: "requestId",
      agent: "agent_id",
      tool: "tool_name",
      summary: "description",
    });
  },
  permission_response: (frame) => {
    if (requestId(frame) === null || !isText(frame.subtype)) return null;
    return said("permission-notice", withRequestId(frame), {
      requestId: "requestId",
      outcome: "subtype",
      reason: "error",
    });
  },
} satisfies { readonly [type: string]: Meaning };

/** The types of the frames. */
export type NativeType = keyof typeof meanings;

const byType: ReadonlyMap<string, Meaning> = new Map<string, Meaning>(Object.entries(meanings));

/**
 * The reading of a frame, or null: the value is none. A value with the mark of an envelope is never one. A request is
 * known by its frame's id, so one whose id can be none (`invalid-id`) is no request.
 */
export function readNative(value: Json, text: string): AcceptedReading | InvalidReading | null {
  if (!isJsonObject(value) || typeof value.type !== "string") return null;
  const meaningOf = byType.get(value.type);
  if (meaningOf === undefined) return null;
  const frame = isJsonObject(value.payload) ? { ...value.payload, ...value } : value;
  const meaning = meaningOf(frame);
  if (meaning === null || isEnvelope(value)) return null;
  const head = {
    phase: null,
    task: taskIdOf(frame),
    authorRole: null,
    timestamp: isText(frame.timestamp) ? frame.timestamp : null,
    confidence: null,
  };
  const request = requestIdOf(value);
  if (request !== null && messageId(request.id) === null) return unnamed(value, request, text);
  return {
    outcome: "accepted",
    rung: "structured",
    text,
    dialect: nativeDialect,
    type: value.type,
    wireId: request?.id ?? null,
    message: value,
    fact: { ...meaning, head },
    problems: [],
    notes: [],
  };
}

/** Whether it carries the mark of an envelope, however that is spelled. */
function isEnvelope(value: JsonObject): boolean {
  if (carriesEnvelopeMark(value)) return true;
  const named = withMarkNames(value);
  return named !== null && carriesEnvelopeMark(named.value);
}

/** The reading of a request whose id can be none. */
function unnamed(value: JsonObject, { id, path }: RequestId, text: string): InvalidReading {
  const problem = makeProblem("invalid-id", path, "This cannot be the id of a request.", {
    expected: `1 to ${messageIdCharactersMax} of A-Z a-z 0-9 . _ : / @ -`,
    received: shortened(id),
    hint: "Use a UUID, or the time and the agent that is asked: shutdown-1763719200000@dev-1.",
  });
  const { type } = value;
  return { ...invalidText(text, problem), type: typeof type === "string" ? type : null, message: value };
}

function refusedShutdown(id: string, reason: Json | undefined): JsonObject {
  const pending = textOr(reason, "");
  const body = { requestId: id, approved: false, finalStatus: "in_progress" };
  return pending === "" ? body : { ...body, pendingWork: pending };
}

function withRequestId(frame: JsonObject): JsonObject {
  return { ...frame, requestId: requestId(frame) };
}

/** The named fields of the frame under neutral names, where they are there. */
function said(kind: FactKind, frame: JsonObject, names: { readonly [neutral: string]: string }) {
  const body = Object.fromEntries(
    Object.entries(names).flatMap(([neutral, field]) => {
      const value = frame[field];
      return value === undefined ? [] : [[neutral, value] as const];
    }),
  );
  return { kind, body };
}

/** The id of a request, and the JSON path where its frame has it. */
export interface RequestId {
  readonly id: string;
  readonly path: string;
}

/**
 * The id of a request to stop or to approve a plan, as agent programs write it; null: it has none, or is another
 * message.
 */
export function requestIdOf(value: JsonObject): RequestId | null {
  const { type, payload } = value;
  if (type !== "shutdown_request" && type !== "plan_approval_request") return null;
  const [owner, place] = requestId(value) === null && isJsonObject(payload) ? [payload, "$.payload"] : [value, "$"];
  const id = requestId(owner);
  return id === null ? null : { id, path: `${place}.${isText(owner.requestId) ? "requestId" : "request_id"}` };
}

function requestId(frame: JsonObject): string | null {
  const id = frame.requestId ?? frame.request_id;
  return isText(id) ? id : null;
}

/** The task of a frame; a list of tasks may count them by numbers. */
function taskIdOf({ taskId }: JsonObject): string | null {
  if (typeof taskId === "number" && Number.isSafeInteger(taskId) && taskId >= 0) return String(taskId);
  return isText(taskId) ? taskId : null;
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

const request: Needed = { names: ["requestId", "request_id"], form: "a string" };
const task: Needed = { names: ["taskId"], form: "a string or a whole number" };
const text = (...names: Needed["names"]): Needed => ({ names, form: "a string" });
const flag = (...names: Needed["names"]): Needed => ({ names, form: "true or false" });

const neededBy: { readonly [type in NativeType]: readonly Needed[] } = {
  idle_notification: [text("from"), text("idleReason", "timestamp")],
  shutdown_request: [request, text("from")],
  shutdown_approved: [request, text("from", "paneId")],
  shutdown_rejected: [request],
  shutdown_response: [request, flag("approve")],
  task_assignment: [task, text("subject", "assignedBy")],
  task_completed: [task],
  teammate_terminated: [text("message")],
  plan_approval_request: [request, text("planFilePath", "planContent")],
  plan_approval_response: [request, flag("approved", "approve")],
  permission_request: [request, text("tool_name")],
  permission_response: [request, text("subtype")],
};

/**
 * The first problem of a value whose type is a frame's and that `readNative` does not read; null: its type is no
 * frame's, or nothing is wrong with the fields that a frame needs.
 */
export function frameProblem(value: JsonObject): Problem | null {
  const { type, payload } = value;
  if (typeof type !== "string" || !Object.hasOwn(neededBy, type)) return null;
  const needed = neededBy[type as NativeType]; // it is one of its keys
  const place = isJsonObject(payload) ? "$.payload" : "$";
  const frame = isJsonObject(payload) ? { ...payload, ...value } : value;
  for (const { names, form } of needed) {
    if (names.some((name) => fits(frame[name], form))) continue;
    const written = names.find((name) => Object.hasOwn(frame, name));
    const path = (name: string) => `${Object.hasOwn(value, name) ? "$" : place}.${name}`;
    const words = names.join(" or ");
    if (written === undefined) {
      return makeProblem("missing-field", path(names[0]), `The frame ${type} of an agent program needs ${words}.`, {
        expected: form,
        received: "nothing",
        hint: `Add ${words}, or send the text as prose.`,
      });
    }
    return makeProblem(
      "wrong-type",
      path(written),
      `In the frame ${type} of an agent program, ${written} is ${form}.`,
      {
        expected: form,
        received: shortened(frame[written] ?? null),
        hint: `Write ${written} as ${form}.`,
      },
    );
  }
  return null;
}

function fits(value: unknown, form: Needed["form"]): boolean {
  if (form === "true or false") return typeof value === "boolean";
  if (typeof value === "string") return value !== "";
  return (
    form === "a string or a whole number" && typeof value === "number" && Number.isSafeInteger(value) && value >= 0
  );
}

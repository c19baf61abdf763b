/**
 * Shapes of A2A 1.0 as JSON, and how requests are read: names in camelCase or snake_case, unknown fields ignored, every
 * wrong field reported with its name. What is inside `data` is never touched.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type A2aError, a2aError } from "./errors.ts";

export const taskStates = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
] as const;
export type A2aState = (typeof taskStates)[number];

export type Part =
  | { readonly text: string; readonly mediaType?: string }
  | { readonly data: Json; readonly mediaType?: string };

export interface A2aMessage {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: "ROLE_USER" | "ROLE_AGENT";
  readonly parts: readonly Part[];
}

export interface A2aStatus {
  readonly state: A2aState;
  readonly message?: A2aMessage;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly Part[];
}

export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: A2aStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly A2aMessage[];
}

/** One event of a stream. */
export type StreamResponse =
  | { readonly task: A2aTask }
  | { readonly message: A2aMessage }
  | { readonly statusUpdate: { readonly taskId: string; readonly contextId: string; readonly status: A2aStatus } }
  | {
      readonly artifactUpdate: {
        readonly taskId: string;
        readonly contextId: string;
        readonly artifact: Artifact;
        readonly lastChunk: true;
      };
    };

/** A message as a client sends it. */
export interface SentMessage {
  readonly messageId: string;
  readonly contextId: string | null;
  readonly taskId: string | null;
  readonly parts: readonly Part[];
  readonly extensions: readonly string[];
}

export interface SendRequest {
  readonly message: SentMessage;
  readonly returnImmediately: boolean;
  /** The request wants push notifications, which are not offered. */
  readonly isPushWished: boolean;
  /** Null: as many as there are. */
  readonly historyLength: number | null;
}

export interface ListRequest {
  readonly contextId: string | null;
  readonly status: A2aState | null;
  readonly pageSize: number;
  readonly pageToken: string | null;
  readonly historyLength: number | null;
  readonly since: string | null;
  readonly includeArtifacts: boolean;
}

export type Read<Value> = Result<Value, A2aError>;

const messageIdCharactersMax = 128;
const partsMax = 100;
const pageSizeMax = 100;
const pageSizeDefault = 50;

/** The fields of one object of a request, with what is wrong with them. */
interface Fields {
  readonly problems: Problem[];
  text(name: string): string | null;
  flag(name: string): boolean;
  count(name: string, bounds: { readonly least: number; readonly most: number }): number | null;
  value(name: string): Json | undefined;
  object(name: string): Fields | null;
}

const int32Max = 2 ** 31 - 1;

function fieldsOf(source: JsonObject, place = "", problems: Problem[] = []): Fields {
  const value = (name: string): Json | undefined => {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const found = Object.hasOwn(source, name) ? source[name] : Object.hasOwn(source, snake) ? source[snake] : undefined;
    return found === null ? undefined : found;
  };
  const wrong = (name: string, expected: string) =>
    problems.push(makeProblem("wrong-type", `${place}${name}`, `${place}${name} is not ${expected}.`, { expected }));
  return {
    problems,
    value,
    text(name) {
      const found = value(name);
      if (found === undefined || found === "") return null;
      if (typeof found === "string") return found;
      wrong(name, "a string");
      return null;
    },
    flag(name) {
      const found = value(name);
      if (found !== undefined && typeof found !== "boolean") wrong(name, "true or false");
      return found === true;
    },
    count(name, { least, most }) {
      const found = value(name);
      if (found === undefined) return null;
      const number = typeof found === "string" && /^-?\d{1,12}$/.test(found) ? Number(found) : found;
      if (typeof number === "number" && Number.isInteger(number) && number >= least && number <= most) return number;
      wrong(name, `a whole number from ${least} to ${most}`);
      return null;
    },
    object(name) {
      const found = value(name);
      if (found === undefined) return null;
      if (isJsonObject(found)) return fieldsOf(found, `${place}${name}.`, problems);
      wrong(name, "an object");
      return null;
    },
  };
}

/** `value`, unless something was wrong with the fields that it was read from. */
function readOf<Value>({ problems }: Fields, value: Value): Read<Value> {
  const [first] = problems;
  return first === undefined ? ok(value) : err(a2aError("INVALID_PARAMS", first.message, problems));
}

function missing(fields: Fields, name: string): void {
  fields.problems.push(makeProblem("missing-field", name, `${name} is needed.`));
}

/** What `SendMessage` takes. Refuses other content than text and data, the role of the agent, and wrong fields. */
export function readSend(params: JsonObject): Read<SendRequest> {
  const fields = fieldsOf(params);
  const message = fields.object("message");
  if (message === null) {
    if (fields.problems.length === 0) missing(fields, "message");
    return readOf(fields, neverRead);
  }
  const messageId = message.text("messageId") ?? "";
  if (messageId === "") missing(fields, "message.messageId");
  if (messageId.length > messageIdCharactersMax) {
    const expected = `at most ${messageIdCharactersMax} characters`;
    fields.problems.push(makeProblem("invalid-id", "message.messageId", "The messageId is too long.", { expected }));
  }
  const role = message.text("role");
  if (role !== "ROLE_USER") {
    const expected = "ROLE_USER";
    fields.problems.push(
      makeProblem("wrong-value", "message.role", "A client sends messages of the user's role.", { expected }),
    );
  }
  const parts = readParts(fields, message.value("parts"));
  if (!parts.ok) return parts;
  const configuration = fields.object("configuration");
  const push = configuration?.value("taskPushNotificationConfig") ?? null;
  const extensions = message.value("extensions");
  return readOf(fields, {
    message: {
      messageId,
      contextId: message.text("contextId"),
      taskId: message.text("taskId"),
      parts: parts.value,
      extensions: isJsonList(extensions) ? extensions.filter((each) => typeof each === "string") : [],
    },
    isPushWished: isJsonObject(push),
    returnImmediately: configuration?.flag("returnImmediately") ?? false,
    historyLength: configuration?.count("historyLength", { least: 0, most: int32Max }) ?? null,
  });
}

/** Refuses each operation on push notifications. */
export const noPush: A2aError = a2aError("PUSH_NOTIFICATION_NOT_SUPPORTED", "This agent sends no push notifications.");

/** Never used: a request without a message has problems. */
const neverRead: SendRequest = {
  message: { messageId: "", contextId: null, taskId: null, parts: [], extensions: [] },
  returnImmediately: true,
  isPushWished: false,
  historyLength: 0,
};

function readParts(fields: Fields, given: Json | undefined): Read<readonly Part[]> {
  if (!isJsonList(given) || given.length === 0 || given.length > partsMax) {
    const expected = `1 to ${partsMax} parts`;
    fields.problems.push(makeProblem("wrong-value", "message.parts", "A message has parts.", { expected }));
    return ok([]);
  }
  const parts: Part[] = [];
  for (const [index, each] of given.entries()) {
    const place = `message.parts[${index}]`;
    const found = isJsonObject(each)
      ? (["text", "raw", "url", "data"] as const).filter((kind) => Object.hasOwn(each, kind))
      : [];
    const [kind, another] = found;
    if (!isJsonObject(each) || kind === undefined || another !== undefined) {
      const expected = "one of text, raw, url and data";
      fields.problems.push(
        makeProblem("wrong-value", place, "A part holds exactly one kind of content.", { expected }),
      );
      continue;
    }
    const mediaType = fieldsOf(each, `${place}.`, fields.problems).text("mediaType");
    if (kind === "raw" || kind === "url") return err(otherContent(`${place}.${kind}`, kind));
    if (kind === "data") {
      if (mediaType !== null && !/^application\/([\w.+-]+\+)?json$/i.test(mediaType))
        return err(otherContent(`${place}.mediaType`, mediaType));
      parts.push({ data: each.data ?? null });
      continue;
    }
    if (mediaType !== null && !/^text\/(plain|markdown)\s*(;|$)/i.test(mediaType))
      return err(otherContent(`${place}.mediaType`, mediaType));
    const { text } = each;
    if (typeof text === "string") parts.push({ text });
    else
      fields.problems.push(
        makeProblem("wrong-type", `${place}.text`, `${place}.text is not a string.`, { expected: "a string" }),
      );
  }
  return ok(parts);
}

/** Content that the team does not take. */
export function otherContent(path: string, received: string): A2aError {
  return a2aError("CONTENT_TYPE_NOT_SUPPORTED", "The team takes text, and typed messages by the extension.", [
    makeProblem("wrong-media-type", path, "The team takes text, and typed messages by the extension.", {
      expected: "text/plain",
      received: received.slice(0, 100),
      hint: "Commit a file and name its path and commit in the text.",
    }),
  ]);
}

/** A task's id, with how much of its history is wanted. */
export function readTaskId(params: JsonObject): Read<{ readonly id: string; readonly historyLength: number | null }> {
  const fields = fieldsOf(params);
  const id = fields.text("id");
  if (id === null && fields.problems.length === 0) missing(fields, "id");
  const historyLength = fields.count("historyLength", { least: 0, most: int32Max });
  return readOf(fields, { id: id ?? "", historyLength });
}

/** What `ListTasks` takes. */
export function readList(params: JsonObject): Read<ListRequest> {
  const fields = fieldsOf(params);
  const status = fields.text("status");
  const state = taskStates.find((each) => each === status) ?? null;
  if (status !== null && state === null && status !== "TASK_STATE_UNSPECIFIED") {
    const expected = taskStates.join(" | ");
    fields.problems.push(
      makeProblem("wrong-value", "status", "There is no such state.", { expected, received: status.slice(0, 64) }),
    );
  }
  const since = fields.text("statusTimestampAfter");
  if (since !== null && Number.isNaN(Date.parse(since))) {
    fields.problems.push(
      makeProblem("wrong-format", "statusTimestampAfter", "This is no time.", { expected: "RFC 3339" }),
    );
  }
  const contextId = fields.text("contextId");
  const pageSize = fields.count("pageSize", { least: 1, most: pageSizeMax }) ?? pageSizeDefault;
  const pageToken = fields.text("pageToken");
  const historyLength = fields.count("historyLength", { least: 0, most: int32Max });
  const includeArtifacts = fields.flag("includeArtifacts");
  return readOf(fields, { contextId, status: state, pageSize, pageToken, historyLength, since, includeArtifacts });
}

/**
 * Messages of a caller: words become an ask, a message about a task is written about it or decides the request that it
 * stands for, and a typed message is the team's own. Each has one effect for its messageId.
 * Rules: docs/protocol/doors.md, section 16.
 */
import type { Clock } from "../../base/clock.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, plainCopy } from "../../base/json.ts";
import { makeProblem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import { askTaskId } from "../../tasks/handlers/asks.ts";
import { typedExtension } from "./card.ts";
import { type A2aError, a2aError, errorOf } from "./errors.ts";
import { type A2aTeam, findTask } from "./task-list.ts";
import { isOfAsk, isOver, operationIdOf } from "./tasks.ts";
import {
  type A2aMessage,
  type A2aTask,
  noPush,
  otherContent,
  type Read,
  type SendRequest,
  type SentMessage,
} from "./wire.ts";

/** One call of a method. */
export interface Call {
  readonly team: A2aTeam;
  readonly clock: Clock;
  /** The URL of the team's interfaces, without a slash at the end. */
  readonly base: string;
  readonly version: string;
  /** Extensions that the request activates. */
  readonly extensions: readonly string[];
  /** How long a send waits at most. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** What a message brought: a task, or for what only informs a message. */
export type Sent = { readonly task: A2aTask } | { readonly message: A2aMessage };

/** Does what the message asks, once for each messageId. */
export async function send(call: Call, { message, isPushWished }: SendRequest): Promise<Read<Sent>> {
  if (isPushWished) return err(noPush);
  const { parts, taskId } = message;
  if (taskId !== null) return answerTask(call, message, taskId);
  if (parts.some((part) => "data" in part)) return sendTyped(call, message);
  const { contextId, messageId } = message;
  const id = operationIdOf(messageId);
  const matter = contextId === null ? {} : { context: contextId };
  const reply = await call.team.ask({ text: textOf(message), ...matter }, { id });
  if (reply.outcome !== "accepted") return err(errorOf(problemsOf(reply)));
  return taskOr(await findTask(call, askTaskId(call.team.actor.agent, id)));
}

function textOf({ parts }: SentMessage): string {
  return parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n\n");
}

function taskOr(found: Read<A2aTask>): Read<Sent> {
  return found.ok ? ok({ task: found.value }) : found;
}

/** Writes about a task of the caller, or answers the request that it stands for. */
async function answerTask(call: Call, message: SentMessage, taskId: string): Promise<Read<Sent>> {
  const found = await findTask(call, taskId);
  if (!found.ok) return found;
  const { contextId, status } = found.value;
  if (message.contextId !== null && message.contextId !== contextId) {
    const expected = contextId;
    const other = makeProblem("wrong-value", "message.contextId", "The task belongs to another context.", { expected });
    return err(a2aError("INVALID_PARAMS", other.message, [other]));
  }
  const id = operationIdOf(`${message.messageId}@${taskId}`);
  if (!isOfAsk(taskId)) return decide(call, { message, task: found.value, id });
  const isData = message.parts.some((part) => "data" in part);
  if (isData) return err(otherContent("message.parts", "data"));
  const reply = await call.team.discuss({ task: taskId, text: textOf(message) }, { id });
  if (reply.outcome === "refused" && isOver(status.state)) return err(overError(found.value));
  if (reply.outcome !== "accepted") return err(errorOf(problemsOf(reply)));
  return taskOr(await findTask(call, taskId));
}

function overError({ status: { state } }: A2aTask): A2aError {
  return a2aError("UNSUPPORTED_OPERATION", `The task is over: it is ${state}.`);
}

/** The caller's answer to a request that waits for it, which is an approval or an escalation. */
async function decide(
  call: Call,
  { message, task, id }: { readonly message: SentMessage; readonly task: A2aTask; readonly id: string },
): Promise<Read<Sent>> {
  const data = requestOf(task);
  const reply =
    typeof data.escalation === "string"
      ? await resolve(call, { message, escalation: data.escalation, options: data.options, id })
      : await approve(call, { message, request: typeof data.request === "string" ? data.request : "", id });
  if (!("outcome" in reply)) return err(reply);
  if (reply.outcome === "refused" && isOver(task.status.state)) return err(overError(task));
  if (reply.outcome !== "accepted") return err(errorOf(problemsOf(reply)));
  // An answer that repeats the decision changes nothing; only a repeated message is the same answer.
  if (isOver(task.status.state) && !reply.receipt.duplicate) return err(overError(task));
  return taskOr(await findTask(call, task.id));
}

/** `{"approved": true, "reason": "why"}`. */
async function approve(
  call: Call,
  { message, request, id }: { readonly message: SentMessage; readonly request: string; readonly id: string },
): Promise<Reply | A2aError> {
  const data = onlyData(message);
  if (data === null || typeof data.approved !== "boolean")
    return noDecision('{"data": {"approved": true, "reason": "why"}}');
  const reason = wordsOf(data.reason) ?? textOf(message);
  return await call.team.answer(
    { request, approved: data.approved, reason: reason === "" ? "No reason was given." : reason },
    { id },
  );
}

interface Resolving {
  readonly message: SentMessage;
  readonly escalation: string;
  readonly options: Json | undefined;
  readonly id: string;
}

/** The decision in words, `{"decision": "words", "rationale": "why"}`, or `{"option": 1}`. */
async function resolve(call: Call, { message, escalation, options, id }: Resolving): Promise<Reply | A2aError> {
  const text = textOf(message);
  const isWords = message.parts.every((part) => "text" in part);
  const { option, decision, rationale, actionItems } = onlyData(message) ?? {};
  const isOffered = typeof option === "number" && isJsonList(options) && options[option - 1] !== undefined;
  const number = isOffered ? option : null;
  const words = isWords ? wordsOf(text) : wordsOf(decision);
  if ((words === null) === (number === null) || (option !== undefined && number === null))
    return noDecision(
      '{"text": "the decision"}, or {"data": {"decision": "words", "rationale": "why"}} or {"option": 1}',
    );
  const items = isJsonList(actionItems) ? actionItems.filter((each) => typeof each === "string") : [];
  const why = wordsOf(rationale);
  return await call.team.resolve(
    {
      escalation,
      ...(words === null ? {} : { decision: words }),
      ...(number === null ? {} : { option: number }),
      ...(why === null ? {} : { rationale: why }),
      ...(items.length === 0 ? {} : { actionItems: items }),
    },
    { id },
  );
}

/** The object of the one data part; null: there is none, or more than one. */
function onlyData({ parts }: SentMessage): JsonObject | null {
  const [data, another] = parts.flatMap((part) => ("data" in part ? [part.data] : []));
  return another === undefined && isJsonObject(data) ? data : null;
}

function wordsOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function noDecision(expected: string): A2aError {
  const wrong = makeProblem("wrong-value", "message.parts", "This does not answer the request.", { expected });
  return a2aError("INVALID_PARAMS", wrong.message, [wrong]);
}

/** What the request of a task says of itself, as data. */
function requestOf({ history = [] }: A2aTask): JsonObject {
  const data = history[0]?.parts.flatMap((part) => ("data" in part ? [part.data] : []))[0];
  return isJsonObject(data) ? data : {};
}

/** A typed message of the team's dialects: read, authorised and recorded as at every door. */
async function sendTyped(call: Call, message: SentMessage): Promise<Read<Sent>> {
  const { team, extensions } = call;
  const isActive = [...extensions, ...message.extensions].includes(typedExtension);
  if (!isActive) return err(otherContent("message.parts", "data without the extension"));
  const [part, another] = message.parts;
  if (part === undefined || !("data" in part) || another !== undefined) {
    const wrong = makeProblem("wrong-value", "message.parts", "A typed message is one data part and nothing else.");
    return err(a2aError("INVALID_PARAMS", wrong.message, [wrong]));
  }
  const isWhole = isJsonObject(part.data) && typeof part.data.id === "string";
  const named = isWhole ? {} : { id: operationIdOf(message.messageId) };
  const reply = await team.send(JSON.stringify(part.data), named);
  if (reply.outcome !== "accepted") return err(errorOf(problemsOf(reply)));
  const { receipt, receivers, notes } = reply;
  const data = plainCopy<object>({ receipt, receivers, notes }) as Json; // they are plain JSON by their types
  return ok({
    message: {
      messageId: `entry-${receipt.seq}`,
      ...(message.contextId === null ? {} : { contextId: message.contextId }),
      role: "ROLE_AGENT",
      parts: [{ text: `Recorded as entry ${receipt.seq}.` }, { data, mediaType: "application/json" }],
    },
  });
}

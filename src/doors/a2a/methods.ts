/**
 * The methods of A2A on a team, for one caller that its token proved: what is asked becomes the team's own operations, and a
 * caller sees its own asks, its own requests, and the requests that wait for it. Nothing is kept here.
 * Rules: docs/protocol/a2a.md, sections 3 and 4.
 */
import type { Clock } from "../../base/clock.ts";
import { isJsonObject, type Json, type JsonObject, plainCopy } from "../../base/json.ts";
import { problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { askTaskId } from "../../runtime/tasks/asks.ts";
import type { Team } from "../../runtime/team/team.ts";
import { extendedCard, typedExtension } from "./card.ts";
import { type A2aError, a2aError, errorOf, unknownTask } from "./errors.ts";
import { type PushCaller, pushMethods, readPush, setPush } from "./push.ts";
import { historyMax, listTasks } from "./task-list.ts";
import { isOver, isSettled, operationIdOf, taskOfApproval, taskOfAsk, withHistory } from "./tasks.ts";
import {
  type A2aMessage,
  type A2aTask,
  noPush,
  otherContent,
  type Read,
  readSend,
  readTaskId,
  type SendRequest,
  type SentMessage,
} from "./wire.ts";

/** What the methods use of a team. */
export type A2aTeam = Pick<
  Team,
  | "name"
  | "actor"
  | "ask"
  | "asks"
  | "discuss"
  | "endTask"
  | "answer"
  | "approvals"
  | "send"
  | "forms"
  | "follow"
  | "logPage"
>;

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
  /** Who asks for webhooks, and where they are kept. */
  readonly push: PushCaller;
}

type Method = (call: Call, params: JsonObject) => Promise<Read<object>>;

/** The methods that answer once, by their names in JSON-RPC. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["SendMessage", sendMessage],
  ["GetTask", getTask],
  ["ListTasks", listTasks],
  ["CancelTask", cancelTask],
  ["GetExtendedAgentCard", (call) => extendedCard({ ...call, hasPush: call.push.webhooks !== null })],
  ...[...pushMethods.keys()].map(
    (name) => [name, (call: Call, params: JsonObject) => onWebhook(call, name, params)] as const,
  ),
]);

/** A method on the webhooks of a task that the caller has. */
async function onWebhook(call: Call, name: string, params: JsonObject): Promise<Read<object>> {
  if (call.push.webhooks === null) return err(noPush);
  const read = readTaskId({ id: params.taskId ?? params.task_id ?? null });
  if (!read.ok) return read;
  const found = await findTask(call, read.value.id);
  if (!found.ok) return found;
  return pushMethods.get(name)?.(call.push, read.value.id, params) ?? err(unknownTask);
}

/** Sends, and waits until the task is over or waits for the caller, unless it shall not. */
async function sendMessage(call: Call, params: JsonObject): Promise<Read<object>> {
  const read = readSend(params);
  if (!read.ok) return read;
  const sent = await send(call, read.value);
  if (!sent.ok || "message" in sent.value) return sent;
  const { id } = sent.value.task;
  const task = read.value.returnImmediately ? sent : await settled(call, id);
  if (!task.ok || "message" in task.value) return task;
  return ok({ task: withHistory(task.value.task, read.value.historyLength) });
}

/** What a message brought: a task, or for what only informs a message. */
export type Sent = { readonly task: A2aTask } | { readonly message: A2aMessage };

/** Does what the message asks, once for each messageId, and sets the webhook that it wishes. */
export async function send(call: Call, request: SendRequest): Promise<Read<Sent>> {
  // Judged first: a webhook that is refused must not leave a task behind.
  const wish = request.push === null ? null : readPush(request.push, call.push.webhooks);
  if (wish !== null && !wish.ok) return wish;
  const sent = await sendMessageOf(call, request);
  if (wish === null || !sent.ok || "message" in sent.value || isOver(sent.value.task.status.state)) return sent;
  const set = setPush(call.push, sent.value.task.id, wish.value);
  return set.ok ? sent : set;
}

async function sendMessageOf(call: Call, { message }: SendRequest): Promise<Read<Sent>> {
  const { parts, taskId } = message;
  if (taskId !== null) return answerTask(call, message, taskId);
  if (parts.some((part) => "data" in part)) return sendTyped(call, message);
  const { contextId, messageId } = message;
  const id = operationIdOf(messageId);
  const matter = contextId === null ? {} : { context: contextId };
  const reply = await call.team.ask({ text: textOf(message), ...matter }, { id });
  if (reply.outcome === "failed") return err(errorOf([reply.problem]));
  if (reply.outcome === "refused") return err(errorOf(reply.problems));
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
    const other = problem("wrong-value", "message.contextId", "The task belongs to another context.", { expected });
    return err(a2aError("INVALID_PARAMS", other.message, [other]));
  }
  const id = operationIdOf(`${message.messageId}@${taskId}`);
  if (taskId.startsWith("approval-")) return decide(call, { message, task: found.value, id });
  const isData = message.parts.some((part) => "data" in part);
  if (isData) return err(otherContent("message.parts", "data"));
  const reply = await call.team.discuss({ task: taskId, text: textOf(message) }, { id });
  if (reply.outcome === "failed") return err(errorOf([reply.problem]));
  if (reply.outcome === "refused") return err(isOver(status.state) ? overError(found.value) : errorOf(reply.problems));
  return taskOr(await findTask(call, taskId));
}

function overError({ status: { state } }: A2aTask): A2aError {
  return a2aError("UNSUPPORTED_OPERATION", `The task is over: it is ${state}.`);
}

/** The caller's answer to a request that waits for it: `{"approved": true, "reason": "…"}`. */
async function decide(
  call: Call,
  { message, task, id }: { readonly message: SentMessage; readonly task: A2aTask; readonly id: string },
): Promise<Read<Sent>> {
  const given = message.parts.flatMap((part) => ("data" in part ? [part.data] : []));
  const [data] = given;
  const request = requestOf(task);
  const isDecision = given.length === 1 && isJsonObject(data) && typeof data.approved === "boolean";
  if (!isDecision || request === null) {
    const expected = '{"data": {"approved": true, "reason": "why"}}';
    const wrong = problem("wrong-value", "message.parts", "A request is answered by one data part.", { expected });
    return err(a2aError("INVALID_PARAMS", wrong.message, [wrong]));
  }
  const reason = typeof data.reason === "string" && data.reason !== "" ? data.reason : textOf(message);
  const approved = data.approved === true;
  const reply = await call.team.answer(
    { request, approved, reason: reason === "" ? "No reason was given." : reason },
    { id },
  );
  if (reply.outcome === "failed") return err(errorOf([reply.problem]));
  if (reply.outcome === "refused") return err(isOver(task.status.state) ? overError(task) : errorOf(reply.problems));
  // An answer that repeats the decision changes nothing; only a repeated message is the same answer.
  if (isOver(task.status.state) && !reply.receipt.duplicate) return err(overError(task));
  return taskOr(await findTask(call, task.id));
}

function requestOf({ history = [] }: A2aTask): string | null {
  const data = history[0]?.parts.flatMap((part) => ("data" in part ? [part.data] : []))[0];
  return isJsonObject(data) && typeof data.request === "string" ? data.request : null;
}

/** A typed message of the team's dialects: read, authorised and recorded as at every door. */
async function sendTyped(call: Call, message: SentMessage): Promise<Read<Sent>> {
  const { team, extensions } = call;
  const isActive = [...extensions, ...message.extensions].includes(typedExtension);
  if (!isActive) return err(otherContent("message.parts", "data without the extension"));
  const [part, another] = message.parts;
  if (part === undefined || !("data" in part) || another !== undefined) {
    const wrong = problem("wrong-value", "message.parts", "A typed message is one data part and nothing else.");
    return err(a2aError("INVALID_PARAMS", wrong.message, [wrong]));
  }
  const isWhole = isJsonObject(part.data) && typeof part.data.id === "string";
  const named = isWhole ? {} : { id: operationIdOf(message.messageId) };
  const reply = await team.send(JSON.stringify(part.data), named);
  if (reply.outcome === "failed") return err(errorOf([reply.problem]));
  if (reply.outcome === "refused") return err(errorOf(reply.problems));
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

/** A task of the caller, with its history. Refuses every other in the same words. */
export async function findTask({ team }: Pick<Call, "team">, id: string): Promise<Read<A2aTask>> {
  const caller = team.actor.agent;
  if (id.startsWith("approval-")) {
    const approvals = await team.approvals({ all: true });
    if (!approvals.ok) return err(errorOf([approvals.error]));
    const found = approvals.value.map((each) => taskOfApproval(each, caller)).find((each) => each?.task.id === id);
    return found === undefined || found === null ? err(unknownTask) : ok(found.task);
  }
  const asks = await team.asks({ task: id, asker: caller, history: historyMax });
  if (!asks.ok) return err(errorOf([asks.error]));
  const found = asks.value.find(({ task }) => task.task === id);
  return found === undefined ? err(unknownTask) : ok(taskOfAsk(found).task);
}

async function getTask(call: Call, params: JsonObject): Promise<Read<object>> {
  const read = readTaskId(params);
  if (!read.ok) return read;
  const found = await findTask(call, read.value.id);
  return found.ok ? ok(withHistory(found.value, read.value.historyLength)) : found;
}

async function cancelTask(call: Call, params: JsonObject): Promise<Read<object>> {
  const read = readTaskId(params);
  if (!read.ok) return read;
  const { id } = read.value;
  const found = await findTask(call, id);
  if (!found.ok) return found;
  const { state } = found.value.status;
  const isCancelable = !isOver(state) && id.startsWith("ask-");
  if (!isCancelable) return err(notCancelable(state));
  const reply = await call.team.endTask({ task: id, outcome: "withdrawn" });
  if (reply.outcome === "failed") return err(errorOf([reply.problem]));
  if (reply.outcome === "refused") {
    const isDone = reply.problems[0]?.code === "task-done";
    return err(isDone ? notCancelable(state) : errorOf(reply.problems));
  }
  return findTask(call, id);
}

function notCancelable(state: string): A2aError {
  return a2aError("TASK_NOT_CANCELABLE", `The task cannot be cancelled: it is ${state}.`);
}

/** The task once it is over or waits for the caller, or as it is when the wait has been too long. */
async function settled(call: Call, id: string): Promise<Read<Sent>> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, call.signal]);
  void call.clock.wait(call.waitMs, signal).then(() => over.abort());
  try {
    let last: Read<A2aTask> | null = null;
    for await (const each of taskStates(call, id, signal)) {
      last = each;
      if (!each.ok || isSettled(each.value.status.state)) break;
    }
    return taskOr(last ?? (await findTask(call, id)));
  } finally {
    over.abort();
  }
}

/**
 * The task as it is, and again after each entry that changed it, until `signal` aborts. The head is read before the task,
 * so that no change falls between them.
 */
export async function* taskStates(
  call: Pick<Call, "team">,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Read<A2aTask>, void> {
  const head = await call.team.logPage({ newestFirst: true, limit: 1 });
  if (!head.ok) {
    yield err(errorOf([head.error]));
    return;
  }
  let shown = await findTask(call, id);
  yield shown;
  for await (const _ of call.team.follow({ after: head.value.entries[0]?.seq ?? 0, signal })) {
    const now = await findTask(call, id);
    if (JSON.stringify(now) === JSON.stringify(shown)) continue;
    shown = now;
    yield now;
    if (!now.ok) return;
  }
}

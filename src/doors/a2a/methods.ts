/**
 * The methods of A2A on a team, for one caller that its token proved: what is asked becomes the team's own operations, and a
 * caller sees its own asks, its own requests, and the requests that wait for it. Nothing is kept here.
 * Rules: docs/protocol/doors.md, sections 15 and 16.
 */
import type { JsonObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { problemsOf } from "../../perform/operations/reply.ts";
import { extendedCard } from "./card.ts";
import { type A2aError, a2aError, errorOf } from "./errors.ts";
import { type Call, type Sent, send } from "./sending.ts";
import { findTask, listTasks, taskStates } from "./task-list.ts";
import { isOfAsk, isOver, isSettled, withHistory } from "./tasks.ts";
import { type A2aTask, noPush, type Read, readSend, readTaskId } from "./wire.ts";

type Method = (call: Call, params: JsonObject) => Promise<Read<object>>;

/** The methods that answer once, by their names in JSON-RPC. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["SendMessage", sendMessage],
  ["GetTask", getTask],
  ["ListTasks", listTasks],
  ["CancelTask", cancelTask],
  ["GetExtendedAgentCard", extendedCard],
  ["CreateTaskPushNotificationConfig", refusePush],
  ["GetTaskPushNotificationConfig", refusePush],
  ["ListTaskPushNotificationConfigs", refusePush],
  ["DeleteTaskPushNotificationConfig", refusePush],
]);

function refusePush(): Promise<Read<object>> {
  return Promise.resolve(err(noPush));
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
  const isCancelable = !isOver(state) && isOfAsk(id);
  if (!isCancelable) return err(notCancelable(state));
  const reply = await call.team.endTask({ task: id, outcome: "withdrawn" });
  if (reply.outcome === "accepted") return findTask(call, id);
  const problems = problemsOf(reply);
  return err(problems[0]?.code === "task-done" ? notCancelable(state) : errorOf(problems));
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
    const task = last ?? (await findTask(call, id));
    return task.ok ? ok({ task: task.value }) : task;
  } finally {
    over.abort();
  }
}

/**
 * Streams of A2A: first the task, then each change in the order of the record, until the task is over. A stream follows the
 * journal, so any number of them say the same, and a client that lost one subscribes again and has missed nothing.
 * Rules: docs/protocol/doors.md, section 15.
 */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { a2aError } from "./errors.ts";
import { type Call, send } from "./sending.ts";
import { type A2aTeam, findTask, taskStates } from "./task-list.ts";
import { isOver, withHistory } from "./tasks.ts";
import { type A2aTask, type Read, readSend, readTaskId, type StreamResponse } from "./wire.ts";

/** What a stream begins with: a message is all of it, a task is followed. */
interface Started {
  readonly first: StreamResponse;
  readonly historyLength: number | null;
}

/** The methods that answer by a stream. */
export const streamMethods: ReadonlyMap<string, (call: Call, params: JsonObject) => Promise<Read<Started>>> = new Map([
  ["SendStreamingMessage", startSending],
  ["SubscribeToTask", subscribe],
]);

async function startSending(call: Call, params: JsonObject): Promise<Read<Started>> {
  const read = readSend(params);
  if (!read.ok) return read;
  const sent = await send(call, read.value);
  return sent.ok ? ok({ first: sent.value, historyLength: read.value.historyLength }) : sent;
}

async function subscribe(call: Call, params: JsonObject): Promise<Read<Started>> {
  const read = readTaskId(params);
  if (!read.ok) return read;
  const found = await findTask(call, read.value.id);
  if (!found.ok) return found;
  const { state } = found.value.status;
  if (isOver(state)) return err(a2aError("UNSUPPORTED_OPERATION", `The task is over: it is ${state}.`));
  return ok({ first: { task: found.value }, historyLength: null });
}

interface StreamOptions extends Started {
  readonly team: A2aTeam;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
  event(value: object): object;
  /** The stream is over, for whatever reason; called once. */
  closed(): void;
}

const encoder = new TextEncoder();

/** The stream as an answer. What its reader does not take is not made, so a slow reader costs nothing. */
export function openStream(options: StreamOptions): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, options.signal]);
  const frames = framesOf(options, signal);
  const end = () => {
    if (gone.signal.aborted) return;
    gone.abort();
    options.closed();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await frames.next();
        if (done !== true) return controller.enqueue(encoder.encode(value));
        end();
        if (!options.signal.aborted || controller.desiredSize !== null) controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return new Response(body, { headers });
}

async function* framesOf(options: StreamOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const { first, historyLength, team, event } = options;
  const frame = (each: StreamResponse) => `data: ${JSON.stringify(event(each))}\n\n`;
  if (!("task" in first)) {
    yield frame(first);
    return;
  }
  let before: A2aTask | null = null;
  const states = taskStates({ team }, first.task.id, signal);
  let next = states.next();
  while (!signal.aborted) {
    const came = await soonest(next, options, signal);
    if (came === "beat") {
      yield ":\n\n";
      continue;
    }
    // A credential that no longer counts gets nothing more.
    if (came.done === true || !came.value.ok || (await team.actor.isStillProven?.()) === false) return;
    const task: A2aTask = came.value.value;
    const events = before === null ? [{ task: withHistory(task, historyLength) }] : changesBetween(before, task);
    for (const each of events) yield frame(each);
    if (isOver(task.status.state)) return;
    before = task;
    next = states.next();
  }
}

/** What a client is told when a task went from one state to another. */
function changesBetween(before: A2aTask, after: A2aTask): readonly StreamResponse[] {
  const { id: taskId, contextId, status, artifacts = [] } = after;
  const known = new Set(before.artifacts?.map(({ artifactId }) => artifactId));
  const isNewStatus = JSON.stringify(before.status) !== JSON.stringify(status);
  return [
    ...artifacts
      .filter(({ artifactId }) => !known.has(artifactId))
      .map((artifact) => ({ artifactUpdate: { taskId, contextId, artifact, lastChunk: true as const } })),
    ...(isNewStatus ? [{ statusUpdate: { taskId, contextId, status } }] : []),
  ];
}

/** The next state of the task, or a heartbeat where none comes for a while. */
async function soonest<Value>(
  next: Promise<Value>,
  { clock, heartbeatMs }: StreamOptions,
  signal: AbortSignal,
): Promise<Value | "beat"> {
  const over = new AbortController();
  const beat = clock.wait(heartbeatMs, AbortSignal.any([over.signal, signal])).then(() => "beat" as const);
  try {
    return await Promise.race([next, beat]);
  } finally {
    over.abort();
  }
}

/**
 * Follows a task of a remote as a stream (SubscribeToTask), within bounds of time and size. It reports the task as it is
 * at first and after each change of its status. What comes is another's text: what is not about this task ends the stream.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { type Clock, systemClock } from "../../base/clock.ts";
import { isJsonList, isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isRemoteOver } from "../../coordination/remotes/remotes.ts";
import { type RemoteCard, type RemotePlace, requestFor } from "./client.ts";
import { newEventReader } from "./event-reader.ts";
import { type OpenAnswer, openOutside } from "./guarded-request.ts";
import { notOfA2a, type RemoteTask, readTask, refusalOf, remoteJsonLimits } from "./remote-task.ts";

export interface StreamLimits {
  /** How long the remote has to answer, and then to say how the task is. */
  readonly answerMs: number;
  /** After so long without a byte the line counts as dead. */
  readonly silenceMs: number;
  /** A stream ends after so long, so that the card, the address and the token are read again. */
  readonly lifeMs: number;
  readonly eventBytesMax: number;
  /** Of one stream, with everything that is in it. */
  readonly bytesMax: number;
}

export const streamLimits: StreamLimits = {
  answerMs: 10_000,
  silenceMs: 45_000,
  lifeMs: 300_000,
  eventBytesMax: remoteJsonLimits.bytesMax,
  bytesMax: 4 * remoteJsonLimits.bytesMax,
};

export interface Following {
  readonly place: RemotePlace;
  readonly card: RemoteCard;
  /** The id of the task. */
  readonly id: string;
  /** Takes the task as it is at first, and after each change of its status. */
  seen(task: RemoteTask): void;
  readonly limits?: Partial<StreamLimits>;
  readonly clock?: Clock;
}

/**
 * Follows until the task is over, the stream has lived long enough, or `place.signal` aborts: then null. Otherwise why it
 * ended earlier; the task is then as unknown as before. Never throws.
 */
export async function followRemoteTask(following: Following): Promise<Problem | null> {
  const { place, card, id, clock = systemClock } = following;
  const limits = { ...streamLimits, ...following.limits };
  const asked = {
    method: "SubscribeToTask",
    verb: "POST",
    path: `/tasks/${encodeURIComponent(id)}:subscribe`,
  } as const;
  const { id: requestId, ...request } = requestFor(place, card, { ...asked, params: { id } }, "text/event-stream");
  const opened = await openOutside({ ...request, clock, timeoutMs: limits.answerMs });
  if (!opened.ok) return place.signal.aborted ? null : opened.error;
  const { status, mediaType } = opened.value;
  if (status !== 200 || mediaType !== "text/event-stream") {
    opened.value.close();
    return problem("not-a-hub", card.url.host, `The remote answers no stream (${status}).`);
  }
  return await readStream({ ...following, clock }, limits, requestId, opened.value);
}

async function readStream(
  { place, card, id, seen, clock }: Following & { readonly clock: Clock },
  limits: StreamLimits,
  requestId: string,
  { chunks, close }: OpenAnswer,
): Promise<Problem | null> {
  const { host } = card.url;
  const watch = watchTime(clock, limits, close);
  const reader = newEventReader(limits.eventBytesMax);
  let task: JsonObject | null = null;
  let length = 0;
  try {
    for await (const chunk of chunks) {
      watch.heard();
      length += chunk.length;
      const events = length > limits.bytesMax ? null : reader.feed(chunk);
      if (events === null) return problem("too-large", host, "The stream of the remote is larger than is read.");
      for (const data of events) {
        const event = readEvent(data, card, requestId);
        if (!event.ok) return event.error;
        const next = nextTask(task, event.value, id, host);
        if (!next.ok) return next.error;
        const isNews = task === null || next.value.status !== task.status;
        task = next.value;
        if (!isNews) continue;
        const read = readTask(task, host);
        if (!read.ok) return read.error;
        watch.begun();
        seen(read.value);
        if (isRemoteOver(read.value.state)) return null;
      }
    }
  } catch {
    // It broke off, or was closed here; the reason is below.
  } finally {
    watch.end();
    close();
  }
  if (place.signal.aborted || watch.ended() === "life") return null;
  if (watch.ended() === "silence") return problem("timed-out", host, "Nothing came on the stream of the remote.");
  return problem("hub-unreachable", host, "The stream ended before the task was over.");
}

interface TimeWatch {
  /** Something came. */
  heard(): void;
  /** The task is known. */
  begun(): void;
  /** What closed the stream; null: nothing here. */
  ended(): "silence" | "life" | null;
  end(): void;
}

/** Closes the stream when it is silent for too long, or has lived long enough. */
function watchTime(clock: Clock, { answerMs, silenceMs, lifeMs }: StreamLimits, close: () => void): TimeWatch {
  const over = new AbortController();
  const opened = clock.monotonic();
  let last = opened;
  let isBegun = false;
  let ended: "silence" | "life" | null = null;
  const watch = async () => {
    while (!over.signal.aborted) {
      const now = clock.monotonic();
      const silent = isBegun ? last + silenceMs - now : opened + answerMs - now;
      const left = opened + lifeMs - now;
      if (silent <= 0 || left <= 0) {
        ended = silent <= 0 ? "silence" : "life";
        return close();
      }
      // Silence counts from the first state on, which may come while it waits.
      await clock.wait(Math.min(silent, left, silenceMs), over.signal);
    }
  };
  void watch();
  return {
    heard: () => {
      last = clock.monotonic();
    },
    begun: () => {
      isBegun = true;
    },
    ended: () => ended,
    end: () => over.abort(),
  };
}

/** The event in one frame: in JSON-RPC the result of a response to our request. */
function readEvent(data: Uint8Array, { url, binding }: RemoteCard, requestId: string): Result<JsonObject, Problem> {
  const parsed = parseBounded(data, remoteJsonLimits);
  if (!parsed.ok || !isJsonObject(parsed.value)) return err(notOfA2a(url.host, "an event that is no JSON object"));
  const event = parsed.value;
  if (isJsonObject(event.error)) return err(refusalOf(event.error, url.host).problem);
  if (binding !== "JSONRPC") return ok(event);
  if (event.jsonrpc !== "2.0" || event.id !== requestId) return err(notOfA2a(url.host, "an event of another request"));
  return isJsonObject(event.result) ? ok(event.result) : err(notOfA2a(url.host, "an event without a result"));
}

const artifactsMax = 100;
const partsMax = 1_000;

/** The task after an event. Refuses what is about another task, and a stream that does not begin with the task. */
function nextTask(known: JsonObject | null, event: JsonObject, id: string, host: string): Result<JsonObject, Problem> {
  const { task, statusUpdate, artifactUpdate, message } = event;
  if (isJsonObject(task)) return task.id === id ? ok(task) : err(notOfA2a(host, "a stream of another task"));
  if (known === null) return err(notOfA2a(host, "a stream that does not begin with its task"));
  if (message !== undefined) return err(notOfA2a(host, "a message in the stream of a task"));
  const update = [statusUpdate, artifactUpdate].find(isJsonObject);
  // An event of a later version says nothing here.
  if (update === undefined) return ok(known);
  if (update.taskId !== id) return err(notOfA2a(host, "a stream of another task"));
  if (update === statusUpdate) return ok({ ...known, status: update.status ?? null });
  const { artifact, append } = update;
  if (!isJsonObject(artifact)) return err(notOfA2a(host, "an update without an artifact"));
  return withArtifact(known, artifact, append === true, host);
}

function withArtifact(
  task: JsonObject,
  artifact: JsonObject,
  isAppended: boolean,
  host: string,
): Result<JsonObject, Problem> {
  const artifacts = isJsonList(task.artifacts) ? task.artifacts.filter(isJsonObject) : [];
  const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const before = artifacts[at];
  const parts = [isAppended ? before?.parts : [], artifact.parts].flatMap((each) => (isJsonList(each) ? each : []));
  const next = { ...(isAppended ? before : {}), ...artifact, parts };
  const all = before === undefined ? [...artifacts, next] : artifacts.with(at, next);
  if (all.length <= artifactsMax && parts.length <= partsMax) return ok({ ...task, artifacts: all });
  return err(problem("too-large", host, "The task of the remote has more parts than are read."));
}

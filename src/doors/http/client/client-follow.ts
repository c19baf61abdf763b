/**
 * Following a team of a hub by server-sent events. A stream that breaks is begun again behind the last entry that was
 * handed on, so none is lost and none comes twice, however often the hub goes away.
 * Source: docs/protocol/doors.md, section 4; the HTML standard (Server-sent events).
 */
import { createParser } from "eventsource-parser";
import type { Clock } from "../../../base/clock.ts";
import { parseBounded } from "../../../base/json.ts";
import { systemRandom } from "../../../base/random.ts";
import { answerForms } from "../../../perform/operations/generated/answers.ts";
import type { LogLine } from "../../../record/operations/entries.ts";
import { type Caller, ofForm, tryMsMax } from "./client-caller.ts";
import { beginExchange, type Question, readPart, typeOf, type Wire } from "./client-exchange.ts";

export interface FollowOptions {
  readonly after: number;
  readonly signal: AbortSignal;
  say(words: string): void;
}

/** A hub shows life every 15 s; after three of these the line is dead. */
const silenceMsMax = 45_000;
/** Pauses between tries, the last one again and again. */
const pausesMs = [100, 300, 1_000, 2_000];
/** One line of the log with its receivers, and what the parser holds of an event that has not ended. */
const eventCharactersMax = 1024 * 1024;

/**
 * Entries after `after`, each once, in order, until `signal` aborts. A hub that refuses ends them; the next call of the
 * team then says why.
 */
export async function* followLines(
  caller: Caller,
  path: Question["path"],
  { after, signal, say }: FollowOptions,
): AsyncIterable<LogLine> {
  const { clock, hub } = caller.wire;
  let last = after;
  let failures = 0;
  while (!signal.aborted) {
    for await (const event of streamEvents(caller.wire, path, last, signal)) {
      if (event === "refused") return;
      if (event === "open") {
        if (failures > 0) say(`The hub ${hub.shown} is back; going on after entry ${last}.`);
        failures = 0;
      } else if (event.seq > last) {
        last = event.seq;
        yield event;
        if (signal.aborted) return;
      }
    }
    if (signal.aborted) return;
    if (failures === 0) say(`The line to the hub ${hub.shown} broke; waiting for it.`);
    const pause = pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0;
    failures++;
    await clock.wait(pause * (0.5 + systemRandom.unit() / 2), signal);
  }
}

/** `open`: the hub answers; `refused`: it will not, now or later. */
type StreamEvent = "open" | "refused" | LogLine;

/** One connection's events; ends when it breaks or falls silent. */
async function* streamEvents(
  wire: Wire,
  path: readonly string[],
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  const hangUp = new AbortController();
  const headers = { accept: "text/event-stream", "last-event-id": String(after) };
  const bounds = { timeMs: tryMsMax, signal: AbortSignal.any([signal, hangUp.signal]) };
  try {
    const begun = await beginExchange(wire, { method: "GET", path, query: { after }, headers }, bounds);
    if (begun.outcome === "lost") return;
    if (begun.outcome === "strange") return yield "refused";
    const { status, body } = begun.value;
    if (status !== 200 || typeOf(begun.value) !== "text/event-stream" || body === null) {
      // Away behind something that is before it, or too many streams for now: both pass.
      if (status < 500 && status !== 429) yield "refused";
      return;
    }
    yield "open";
    yield* bodyEvents(wire.clock, body, hangUp);
  } finally {
    hangUp.abort();
  }
}

async function* bodyEvents(
  clock: Clock,
  body: ReadableStream<Uint8Array>,
  hangUp: AbortController,
): AsyncGenerator<StreamEvent, void, undefined> {
  const came: StreamEvent[] = [];
  let held = 0;
  const parser = createParser({
    onEvent: (event) => {
      held = 0;
      if (event.event === "entry") came.push(lineOf(event.data));
    },
    onComment: () => {
      held = 0;
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let seenMs = clock.monotonic();
  void hangUpOnSilence(clock, hangUp, () => seenMs);
  for (;;) {
    const part = await readPart(reader);
    // A broken line has nothing more to say than one that ended: it is begun again where it stopped.
    if (part === "ended" || part === "broken") return;
    seenMs = clock.monotonic();
    const text = decoder.decode(part, { stream: true });
    held += text.length;
    parser.feed(text);
    if (held > eventCharactersMax) came.push("refused");
    for (const event of came.splice(0)) {
      yield event;
      if (event === "refused") return;
    }
  }
}

async function hangUpOnSilence(clock: Clock, hangUp: AbortController, seenMs: () => number): Promise<void> {
  for (let left = silenceMsMax; left > 0; left = seenMs() + silenceMsMax - clock.monotonic()) {
    await clock.wait(left, hangUp.signal);
    if (hangUp.signal.aborted) return;
  }
  hangUp.abort();
}

const isLine = ofForm<LogLine>(answerForms.follow);

function lineOf(data: string): StreamEvent {
  const parsed = parseBounded(data);
  return parsed.ok && isLine(parsed.value) ? parsed.value : "refused";
}

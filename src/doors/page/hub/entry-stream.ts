/**
 * The live stream of a team's entries. A broken connection is opened again after the last entry that came, ever more
 * slowly while nobody answers, so nothing is missed, nothing comes twice and a hub that is gone is left in peace.
 */
import { createParser } from "eventsource-parser";
import type { Clock } from "../../../base/clock.ts";
import { parseBounded } from "../../../base/json.ts";
import type { LogLine } from "../../../record/operations/entries.ts";
import { sessionHeaders, teamPath } from "./request.ts";

/**
 * `refused`: the hub answers but gives no stream, as it does when the session is over. `paused`: nobody looks at the page,
 * so it follows nothing.
 */
export type Connection = "connecting" | "live" | "lost" | "refused" | "paused";

interface StreamOptions {
  readonly team: string;
  /** Entries after this one come. */
  readonly after: number;
  readonly clock: Clock;
  onEntry(line: LogLine): void;
  onConnection(connection: Connection): void;
}

/** Waits between attempts: quickly at first, then every five seconds. */
const waitsMs = [250, 500, 1000, 2000, 5000];

/**
 * Keeps the stream open until `signal` aborts, while the page can be seen: a browser allows a host six connections in all
 * its tabs together, so a tab that nobody looks at gives its own back and goes on from its last entry when it is shown.
 */
export function followEntries(options: StreamOptions, signal: AbortSignal): void {
  const place = { last: options.after };
  let seen = new AbortController();
  const look = () => {
    seen.abort();
    if (document.hidden) {
      options.onConnection("paused");
      return;
    }
    seen = new AbortController();
    options.onConnection("connecting");
    void keepOpen(options, place, AbortSignal.any([signal, seen.signal]));
  };
  document.addEventListener("visibilitychange", look, { signal });
  look();
}

/** Reads the stream after `place`, which moves with what comes, and begins it again whenever it breaks. */
async function keepOpen(options: StreamOptions, place: { last: number }, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    const ended = await readStream(options, place, signal, () => {
      attempt = 0;
      options.onConnection("live");
    });
    if (signal.aborted) return;
    // The hub closes a stream that reads too slowly; going on from the last entry loses nothing.
    if (ended !== "overflow") options.onConnection(ended);
    await options.clock.wait(waitsMs[Math.min(attempt, waitsMs.length - 1)] ?? 0, signal);
  }
}

/** One connection, until it ends; why it ended. Not the browser's own EventSource, which shows no header to the hub. */
async function readStream(
  options: StreamOptions,
  place: { last: number },
  signal: AbortSignal,
  onOpen: () => void,
): Promise<"refused" | "lost" | "overflow"> {
  let hasOverflown = false;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === "overflow") hasOverflown = true;
      const line = event === "entry" ? lineOf(data) : null;
      // After a break the hub may begin with what came before it.
      if (line === null || line.seq <= place.last || signal.aborted) return;
      place.last = line.seq;
      options.onEntry(line);
    },
  });
  try {
    const path = teamPath(options.team, "events", { after: place.last });
    const headers = { accept: "text/event-stream", ...sessionHeaders() };
    const { ok, body } = await fetch(path, { cache: "no-store", headers, signal });
    if (!ok || body === null) return "refused";
    onOpen();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value);
  } catch {
    // A connection that breaks says nothing that a person could use.
  }
  return hasOverflown ? "overflow" : "lost";
}

function lineOf(data: string): LogLine | null {
  const read = parseBounded(data);
  // The hub writes log lines here and nothing else.
  return read.ok ? (read.value as unknown as LogLine) : null;
}

/**
 * The live stream of a team's entries. A broken connection is opened again after the last entry that came, ever more
 * slowly while nobody answers, so nothing is missed, nothing comes twice and a hub that is gone is left in peace.
 */
import type { Clock } from "../../../base/clock.ts";
import { parseBounded } from "../../../base/json.ts";
import type { LogLine } from "../../../record/operations/entries.ts";
import { teamPath } from "./request.ts";

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
    keepOpen(options, place, AbortSignal.any([signal, seen.signal]));
  };
  document.addEventListener("visibilitychange", look, { signal });
  look();
}

/** Opens the stream after `place`, which moves with what comes, and opens it again whenever it breaks. */
function keepOpen(options: StreamOptions, place: { last: number }, signal: AbortSignal): void {
  let attempt = 0;
  const open = () => {
    if (signal.aborted) return;
    const source = new EventSource(teamPath(options.team, "events", { after: place.last }));
    const close = () => source.close();
    signal.addEventListener("abort", close, { once: true });
    const again = async () => {
      signal.removeEventListener("abort", close);
      source.close();
      await options.clock.wait(waitsMs[Math.min(attempt++, waitsMs.length - 1)] ?? 0, signal);
      open();
    };
    source.addEventListener("open", () => {
      attempt = 0;
      options.onConnection("live");
    });
    source.addEventListener("entry", (event) => {
      const line = lineOf(event);
      // After a break the hub may begin with what came before it.
      if (line === null || line.seq <= place.last) return;
      place.last = line.seq;
      options.onEntry(line);
    });
    // The hub closes a stream that reads too slowly; going on from the last entry loses nothing.
    source.addEventListener("overflow", () => void again());
    source.addEventListener("error", () => {
      // The browser ends it by itself where something answered, and otherwise tries again at its own pace.
      options.onConnection(source.readyState === EventSource.CLOSED ? "refused" : "lost");
      void again();
    });
  };
  open();
}

function lineOf(event: MessageEvent<unknown>): LogLine | null {
  if (typeof event.data !== "string") return null;
  const read = parseBounded(event.data);
  // The hub writes log lines here and nothing else.
  return read.ok ? (read.value as unknown as LogLine) : null;
}

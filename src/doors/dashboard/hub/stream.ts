/**
 * The live stream of a team's entries. A broken connection is opened again after the last entry that came, ever more
 * slowly while nobody answers, so nothing is missed, nothing comes twice and a hub that is gone is left in peace.
 */
import type { Clock } from "../../../base/clock.ts";
import { parseBounded } from "../../../base/json.ts";
import type { LogLine } from "../../../runtime/team.ts";
import { teamPath } from "./request.ts";

/** `refused`: the hub answers but gives no stream, as it does when the session is over. */
export type Connection = "connecting" | "live" | "lost" | "refused";

export interface StreamOptions {
  readonly team: string;
  /** Entries after this one come. */
  readonly after: number;
  readonly clock: Clock;
  onEntry(line: LogLine): void;
  onConnection(connection: Connection): void;
}

/** Waits between attempts: quickly at first, then every five seconds. */
const waitsMs = [250, 500, 1000, 2000, 5000];

/** Opens the stream and keeps it open until `signal` aborts. */
export function followEntries(options: StreamOptions, signal: AbortSignal): void {
  let last = options.after;
  let attempt = 0;
  const open = () => {
    if (signal.aborted) return;
    const source = new EventSource(teamPath(options.team, "events", { after: last }));
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
      if (line === null || line.seq <= last) return;
      last = line.seq;
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
  options.onConnection("connecting");
  open();
}

function lineOf(event: MessageEvent<unknown>): LogLine | null {
  if (typeof event.data !== "string") return null;
  const read = parseBounded(event.data);
  // The hub writes log lines here and nothing else.
  return read.ok ? (read.value as unknown as LogLine) : null;
}

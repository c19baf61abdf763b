/**
 * What the hub tells those who run it. What it counts, in the text format of Prometheus: labels are names of routes and
 * statuses, and of teams where the caller may know them; never words of agents. And its log.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../../../base/clock.ts";
import type { ShutdownView } from "../../../shutdown/operations.ts";

export interface Metrics extends Disposable {
  request(route: string, method: string, status: number): void;
  /** What became of a message that was sent. */
  message(outcome: "accepted" | "duplicate" | "refused" | "failed"): void;
  overflow(): void;
  /** The whole text; the rest is what only the hub knows at this moment. */
  text(now: {
    /** The numbers of the teams' last entries, added up; null: the journal does not answer, so the metric is left out. */
    readonly entries: number | null;
    /** The teams that the caller may know. */
    readonly heads: readonly { readonly team: string; readonly seq: number }[];
    readonly streams: number;
    readonly authFailures: number;
    readonly isReady: boolean;
  }): string;
}

/** Counters that start at zero, and the measuring of the event loop, which ends with `dispose`. */
export function newMetrics(): Metrics {
  const requests = new Map<string, number>();
  const messages = new Map<string, number>();
  let overflows = 0;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    request: (route, method, status) => add(requests, `route="${route}",method="${method}",status="${status}"`),
    message: (outcome) => add(messages, `outcome="${outcome}"`),
    overflow: () => {
      overflows += 1;
    },
    text: ({ entries, heads, streams, authFailures, isReady }) =>
      [
        ...family("baton_http_requests_total", "counter", "Requests by route, method and status.", rows(requests)),
        ...family("baton_messages_total", "counter", "Messages sent, by what became of them.", rows(messages)),
        ...(entries === null ? [] : family("baton_journal_entries", "gauge", entriesHelp, [["", entries]])),
        ...(heads.length === 0
          ? []
          : family(
              "baton_journal_head",
              "gauge",
              "Number of the last entry of each team.",
              heads.map(({ team, seq }) => [`team="${team}"`, seq]),
            )),
        ...family("baton_streams", "gauge", "Open event streams.", [["", streams]]),
        ...family("baton_stream_overflows_total", "counter", "Streams closed because their reader was too slow.", [
          ["", overflows],
        ]),
        ...family("baton_auth_failures_total", "counter", "Requests with a credential that proves nobody.", [
          ["", authFailures],
        ]),
        ...family("baton_ready", "gauge", "1 when the journal takes entries, else 0.", [["", isReady ? 1 : 0]]),
        ...family("baton_event_loop_delay_seconds", "gauge", "Delay of the event loop since the last look.", [
          ['quantile="0.5"', delay.percentile(50) / 1e9],
          ['quantile="0.99"', delay.percentile(99) / 1e9],
          ['quantile="1"', delay.max / 1e9],
        ]),
        "",
      ].join("\n"),
    [Symbol.dispose]: () => {
      delay.disable();
    },
  };
}

const entriesHelp =
  "Numbers of the last entries of all teams, added up: entries that were lost with an accepted loss, or are in an archive only, count too.";

type Row = readonly [labels: string, value: number];

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function rows(counts: ReadonlyMap<string, number>): readonly Row[] {
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function family(name: string, type: "counter" | "gauge", help: string, values: readonly Row[]): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(([labels, value]) => `${name}${labels === "" ? "" : `{${labels}}`} ${value}`),
  ];
}

/*
 * What the hub tells those who run it. Never tokens, codes, cookies or bodies. Lines that anybody can cause without
 * a credential are let through a few at a time.
 */

/** The part of a logger that the hub uses; pino's is one. */
export interface HubLog {
  debug(facts: object, words: string): void;
  info(facts: object, words: string): void;
  warn(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

/** A log that says nothing. */
export const silentLog: HubLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const linesPerWindow = 10;
const windowMs = 60_000;

/** Lets `linesPerWindow` lines of a minute through and says later how many were left out. */
export function fewLines(log: HubLog, clock: Clock): (facts: object, words: string) => void {
  let startedAt = clock.monotonic();
  let count = 0;
  return (facts, words) => {
    if (clock.monotonic() - startedAt > windowMs) {
      const left = count - linesPerWindow;
      if (left > 0) log.warn({ left }, "lines of unauthenticated requests were left out");
      startedAt = clock.monotonic();
      count = 0;
    }
    count += 1;
    if (count <= linesPerWindow) log.warn(facts, words);
  };
}

/*
 * Who waits for the end of a shutdown round, as far as a hub knows: callers that recently saw an open round and not its
 * end. A hub that ends after a round waits for them.
 */

export interface RoundWatchers {
  /** Notes that rounds of this team are shown to somebody. */
  show(team: string, who: string, rounds: readonly ShutdownView[]): void;
  /** Whether somebody who asked for a round within the last `askedMsMax` has not seen its end. */
  areWaiting(): boolean;
}

/** Who asks less often than that does not wait. */
export const askedMsMax = 10_000;

/** Nobody waits. */
export function newRoundWatchers(clock: Clock): RoundWatchers {
  /** When each was last shown that a round goes on, the longest ago first. */
  const shownAt = new Map<string, number>();
  const dropOld = () => {
    for (const [key, atMs] of shownAt) {
      if (atMs + askedMsMax > clock.monotonic()) return;
      shownAt.delete(key);
    }
  };
  return {
    show(team, who, rounds) {
      for (const { requester, round, outcome } of rounds) {
        const key = JSON.stringify([team, requester, round, who]);
        shownAt.delete(key);
        if (outcome === "open") shownAt.set(key, clock.monotonic());
      }
      dropOld();
    },
    areWaiting() {
      dropOld();
      return shownAt.size > 0;
    },
  };
}

/**
 * What the hub counts, in the text format of Prometheus. Labels are names of routes and statuses, and of teams where the
 * caller may know them; never words of agents.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Metrics extends Disposable {
  request(route: string, method: string, status: number): void;
  /** What became of a message that was sent. */
  message(outcome: "accepted" | "duplicate" | "refused" | "failed"): void;
  overflow(): void;
  /** The whole text; the rest is what only the hub knows at this moment. */
  text(now: {
    /** Entries of all teams together. */
    readonly entries: number;
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
        ...family("baton_journal_entries", "gauge", "Entries of all teams together.", [["", entries]]),
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

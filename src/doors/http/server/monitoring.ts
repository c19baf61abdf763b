/**
 * What the hub tells those who run it. What it counts, in the text format of Prometheus: labels are names of routes and
 * statuses, and of teams where the caller may know them; never words of agents. Its log. And whether it
 * can do its work: the last entry was recorded, or a write outside the chain succeeds, its teams continue in no other
 * journal, and the last verification found nothing. Anybody may ask that, so what is said of lost entries names no team.
 * Source: docs/protocol/record.md, section 11.
 */

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import type { JournalCondition, VerifyReport } from "../../../journal/journal.ts";
import { leftProblem } from "../../../perform/closed-team.ts";
import type { Hub } from "../../../perform/hub.ts";
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
    text: ({ entries, heads, streams, authFailures, isReady }) => {
      const text = [
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
      ].join("\n");
      delay.reset();
      return text;
    },
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

interface Check {
  readonly name: "journal" | "write" | "verify" | "clock";
  readonly ok: boolean;
  readonly detail: string;
}

export interface Readiness {
  /** An entry became durable just now. */
  recorded(): void;
  /** A write failed just now. */
  failed(problem?: Problem): void;
  verified(report: VerifyReport): void;
  checks(): Promise<readonly Check[]>;
}

/** So long a recorded entry, or a probe that succeeded, speaks for the journal. */
const freshMs = 1_000;
/** So long a write that found no room speaks for the journal; then a probe does again, and the next write. */
const fullMs = 30_000;
/** So long a probe may take; a journal that cannot be written within it is not ready. */
const probeMs = 5_000;

/**
 * The readiness of one hub. `log` reports once why nothing can be written where the journal's own condition does not say
 * it, such as weak settings of a server or teams that continue elsewhere, and once when it can again.
 */
export function newReadiness(hub: Pick<Hub, "journal">, clock: Clock, log: HubLog = silentLog): Readiness {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let full: { readonly problem: Problem; readonly at: number } | null = null;
  let lastVerify: VerifyReport | null = null;
  let wasRegressed = false;
  let probing: Promise<Result<void, Problem>> | null = null;
  const isReady = () => hub.journal.condition().condition === "ready";
  const told = newTelling(isReady, log);
  const probe = async (): Promise<Result<void, Problem>> => {
    const over = new AbortController();
    const late = clock.wait(probeMs, over.signal).then(() => err(tooLate));
    const probed = hub.journal.probe();
    const done = await Promise.race([probed, late]);
    over.abort();
    // A journal that was left can be written, and takes nothing.
    const left = done.ok ? await leftProblem(hub.journal) : null;
    if (left !== null) return err(left);
    if (done.ok) writtenAt = clock.monotonic();
    return done;
  };

  /** One probe serves all who ask meanwhile: many questions must not become many writes. */
  const writeCheck = async (): Promise<Check> => {
    // What was written before the journal was found to be damaged says nothing. The probe also looks whether it still is.
    if (isReady() && clock.monotonic() - writtenAt < freshMs)
      return { name: "write", ok: true, detail: "written within a second" };
    // A probe changes a row that is there, for which a full disk may have room.
    if (full !== null && clock.monotonic() - full.at < fullMs)
      return { name: "write", ok: false, detail: `${full.problem.code}: ${full.problem.message}` };
    probing ??= probe().finally(() => {
      probing = null;
    });
    const done = await probing;
    if (hub.journal.condition().condition === "regressed")
      return { name: "write", ok: false, detail: "journal-regressed: nothing is recorded until the loss is settled" };
    return {
      name: "write",
      ok: done.ok,
      detail: done.ok ? "a write succeeds" : `${done.error.code}: ${done.error.message}`,
    };
  };

  const verifyCheck = (): Check => {
    const isRegressed = hub.journal.condition().condition === "regressed";
    // What a verification said of lost entries is settled with them.
    if (wasRegressed && !isRegressed && lastVerify?.problems.every(({ code }) => code === "journal-regressed") === true)
      lastVerify = null;
    wasRegressed = isRegressed;
    return { name: "verify", ok: lastVerify?.ok ?? true, detail: foundBy(lastVerify) };
  };

  return {
    recorded: () => {
      writtenAt = clock.monotonic();
      full = null;
    },
    failed: (problem) => {
      writtenAt = Number.NEGATIVE_INFINITY;
      if (problem?.code === "journal-full") full = { problem, at: clock.monotonic() };
    },
    verified: (report) => {
      lastVerify = report;
    },
    async checks() {
      // In this order: a probe may be what finds that the journal failed.
      const write = told(await writeCheck());
      return [journalCheck(hub.journal.condition()), write, verifyCheck(), ...clockChecks(hub.journal.clock)];
    },
  };
}

/** Reports once why nothing can be written while the journal's condition says that it is ready, and once that it can be. */
function newTelling(isReady: () => boolean, log: HubLog): (write: Check) => Check {
  let told: string | null = null;
  return (write) => {
    const { ok: isOk, detail } = write;
    if (!isOk && isReady() && detail !== told) log.warn({ why: detail }, "the hub is not ready");
    if (isOk && told !== null) log.info({}, "the hub is ready again");
    told = isOk ? null : detail;
    return write;
  };
}

function journalCheck(status: JournalCondition): Check {
  return { name: "journal", ok: status.condition === "ready", detail: detailOf(status) };
}

/** A hub that does not know the server's time records messages, and no deadline: late, never early. */
function clockChecks(clock: Clock): readonly Check[] {
  if (clock.distrust === undefined) return [];
  const why = clock.distrust();
  return [{ name: "clock", ok: true, detail: why === null ? "known" : `deadlines wait: ${why}` }];
}

function foundBy(report: VerifyReport | null): string {
  if (report === null) return "not asked of this hub yet";
  return report.ok ? "sound" : (report.problems[0]?.message ?? "not sound");
}

function detailOf(status: JournalCondition): string {
  switch (status.condition) {
    case "failed":
      return `failed: ${status.problem.message}`;
    case "unreachable":
      return `unreachable since ${status.since}: ${status.problem.message}`;
    case "regressed":
      return (
        `regressed: the journal ends at entry ${status.head.seq}, but entry ${status.anchor.seq} had been acknowledged. ` +
        "Restore what is missing, or go on without it: baton journal accept-loss --reason TEXT"
      );
    case "ready":
      return status.condition;
  }
}

const tooLate = makeProblem("journal-busy", "journal", `No write succeeded within ${probeMs / 1000} s.`, {
  hint: "Another process may hold the journal's lock.",
});

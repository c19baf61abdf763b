/**
 * A discrete simulation of teams that send messages at random times into one journal. The journal's bottleneck serves one
 * transaction after another; the rest of a message's way takes its time next to the others. Messages of one team that come
 * while one of its transactions is under way wait for its end and share the next transaction, as in Baton's lanes.
 * Equal seeds give equal results.
 */
import { mean, percentile } from "./model.ts";

export interface Simulated {
  readonly teams: number;
  readonly messagesPerSecond: number;
  /** Messages a second at which the bottleneck is always busy. */
  readonly capacityPerSecond: number;
  /** Milliseconds of one message while nothing else is under way: one is drawn for each transaction. */
  readonly latenciesMs: readonly number[];
  readonly messages: number;
  readonly seed: number;
}

export interface Delays {
  /** From the message's arrival to its receipt, in milliseconds. */
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
  /** Of it, the waiting for other messages. */
  readonly waitedMedian: number;
  readonly waitedP99: number;
  /** The part of the time that the bottleneck was busy. */
  readonly busy: number;
  readonly perTransaction: number;
}

/** A source of numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A team: when its transaction ends, and which messages wait for that. */
interface Lane {
  endMs: number;
  readonly waiting: number[];
}

/** Runs it. Arrivals are a Poisson process, each of a team that is drawn. */
export function simulate(asked: Simulated): Delays {
  const { teams, messagesPerSecond, capacityPerSecond, latenciesMs, messages, seed } = asked;
  const random = seeded(seed);
  const serviceMs = 1_000 / capacityPerSecond;
  const [average, gapMs] = [mean(latenciesMs), 1_000 / messagesPerSecond];
  const lanes = new Map<number, Lane>();
  const ends = newHeap();
  let [freeMs, busyMs, transactions, nowMs] = [0, 0, 0, 0];
  const [delays, waits]: [number[], number[]] = [[], []];
  const begin = (team: number, arrivals: readonly number[], startMs: number) => {
    const latency = latenciesMs[Math.floor(random() * latenciesMs.length)] ?? average;
    // A slow transaction keeps the bottleneck longer, too: on average it takes what the capacity says.
    const service = Math.min(latency, (serviceMs * latency) / average);
    const servedMs = Math.max(startMs, freeMs);
    freeMs = servedMs + service;
    busyMs += service;
    transactions += 1;
    const endMs = servedMs + latency;
    for (const arrivedMs of arrivals) {
      delays.push(endMs - arrivedMs);
      waits.push(servedMs - arrivedMs);
    }
    const lane = lanes.get(team) ?? { endMs, waiting: [] };
    lane.endMs = endMs;
    lanes.set(team, lane);
    ends.push({ atMs: endMs, team });
  };
  const finish = (untilMs: number) => {
    for (let next = ends.first(); next !== null && next.atMs <= untilMs; next = ends.first()) {
      const { atMs, team } = next;
      ends.pop();
      const lane = lanes.get(team);
      if (lane === undefined || lane.endMs !== atMs) continue;
      const arrivals = lane.waiting.splice(0);
      if (arrivals.length === 0) lanes.delete(team);
      else begin(team, arrivals, atMs);
    }
  };
  for (let count = 0; count < messages; count += 1) {
    nowMs += -Math.log(1 - random()) * gapMs;
    finish(nowMs);
    const team = Math.floor(random() * teams);
    const lane = lanes.get(team);
    if (lane === undefined) begin(team, [nowMs], nowMs);
    else lane.waiting.push(nowMs);
  }
  finish(Number.POSITIVE_INFINITY);
  return {
    median: percentile(delays, 0.5),
    p95: percentile(delays, 0.95),
    p99: percentile(delays, 0.99),
    waitedMedian: percentile(waits, 0.5),
    waitedP99: percentile(waits, 0.99),
    busy: busyMs / Math.max(freeMs, nowMs),
    perTransaction: delays.length / transactions,
  };
}

interface End {
  readonly atMs: number;
  readonly team: number;
}

/** Ends of transactions, the earliest first. */
function newHeap() {
  const items: End[] = [];
  const at = (index: number) => items[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number) => {
    const [first, second] = [items[one], items[other]];
    if (first === undefined || second === undefined) return;
    items[one] = second;
    items[other] = first;
  };
  return {
    first: () => items[0] ?? null,
    push(item: End) {
      items.push(item);
      for (let index = items.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (at(parent) <= at(index)) break;
        swap(parent, index);
        index = parent;
      }
    },
    pop() {
      const last = items.pop();
      if (last === undefined || items.length === 0) return;
      items[0] = last;
      for (let index = 0; ; ) {
        const [left, right] = [2 * index + 1, 2 * index + 2];
        const least = at(right) < at(left) ? right : left;
        if (at(least) >= at(index)) return;
        swap(least, index);
        index = least;
      }
    },
  };
}

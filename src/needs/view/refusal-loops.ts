/**
 * Agents that are refused for the same reason again and again: of each agent, type, code and place how often, and when last;
 * and how often each request of an agent was refused since something of it was accepted. What is kept is bounded, so an
 * agent that is refused for ever costs no more than one that was refused a few times.
 * Source: docs/protocol/asking.md, section 13; docs/protocol/record.md, section 1.
 */
import type { Problem } from "../../base/problem.ts";

/** So often for the same reason within `loopWindowMs` makes a loop. */
export const loopRefusalsMin = 3;
/** Refusals further apart are no loop: ten minutes. */
export const loopWindowMs = 600_000;

/** Most reasons that are kept of all agents, the latest; and most times of one. */
const reasonsMax = 500;
const timesMax = 50;

/** One reason for which an agent was refused. */
export interface RefusalReason {
  readonly agent: string;
  readonly code: Problem["code"];
  /** The last sentence. Holds agents' text. */
  readonly message: string;
  /** The task that the last refused message or operation was about, as written; null: none. */
  readonly task: string | null;
  /** The refusals, the oldest first: seq, time, and how many more the entry stands for. */
  readonly times: readonly (readonly [seq: number, atMs: number, unrecorded?: number])[];
}

/** What is refused only because of what others do. */
const waitingCodes: ReadonlySet<Problem["code"]> = new Set(["claim-overlap", "task-held", "task-blocked"]);

/** By agent, type, code and place, and by task where it waits for one; the one that was refused longest ago first. */
export type RefusalLoops = Map<string, RefusalReason>;

/** A refusal. */
export interface Refusal extends Pick<RefusalReason, "agent" | "code" | "message" | "task"> {
  /** The type of the message, or the name of the operation; null: nobody could tell. */
  readonly type: string | null;
  /** Where, as its problem says. */
  readonly path: string;
  readonly seq: number;
  readonly atMs: number;
  /** How many more were refused since the one before was recorded. */
  readonly unrecorded?: number;
}

/** Keeps a refusal, in place. */
export function keepRefusal(loops: RefusalLoops, { type, path, seq, atMs, unrecorded = 0, ...reason }: Refusal): void {
  // An agent that waits for one task after another is no loop: nothing of what it says is wrong.
  const waitsFor = waitingCodes.has(reason.code) && reason.task !== null ? [reason.task] : [];
  const key = JSON.stringify([reason.agent, type, reason.code, path, ...waitsFor]);
  const before = loops.get(key)?.times ?? [];
  loops.delete(key);
  const recent = before.filter(([, at]) => atMs - at < loopWindowMs).slice(1 - timesMax);
  loops.set(key, { ...reason, times: [...recent, unrecorded === 0 ? [seq, atMs] : [seq, atMs, unrecorded]] });
  for (const oldest of loops.keys()) {
    if (loops.size <= reasonsMax) break;
    loops.delete(oldest);
  }
}

/** The reasons for which an agent was refused often enough at `atMs`. */
export function loopsAt(loops: RefusalLoops, atMs: number): readonly RefusalReason[] {
  return [...loops.values()].flatMap((reason) => {
    const times = reason.times.filter(([, at]) => atMs - at < loopWindowMs);
    return timesIn({ times }) >= loopRefusalsMin ? [{ ...reason, times }] : [];
  });
}

/** How many refusals there were. */
export function timesIn({ times }: Pick<RefusalReason, "times">): number {
  return times.reduce((sum, [, , unrecorded = 0]) => sum + 1 + unrecorded, 0);
}

/** So many refusals of one request are recorded one by one. */
export const singlyMax = 3;
/** Most requests of an agent that are kept, the latest. */
const requestsMax = 20;

/** A request that was refused: how often, and when the last entry says so. */
export interface RefusedRequest {
  readonly times: number;
  readonly seq: number;
  readonly atMs: number;
}

/** By agent, then by request. */
export type RefusedRequests = Map<string, Map<string, RefusedRequest>>;

/** Keeps that a request was refused, in place. An agent of which something was accepted begins again: delete it. */
export function keepRefusedRequest(
  kept: RefusedRequests,
  {
    agent,
    same,
    seq,
    atMs,
    unrecorded = 0,
  }: Pick<Refusal, "agent" | "seq" | "atMs" | "unrecorded"> & { readonly same: string },
): void {
  const requests = kept.get(agent) ?? new Map<string, RefusedRequest>();
  const before = requests.get(same)?.times ?? 0;
  requests.delete(same);
  requests.set(same, { times: before + 1 + unrecorded, seq, atMs });
  const [oldest] = requests.keys();
  if (requests.size > requestsMax && oldest !== undefined) requests.delete(oldest);
  kept.set(agent, requests);
}

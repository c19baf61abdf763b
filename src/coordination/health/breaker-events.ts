/** What can happen to circuit breakers; plain JSON. */
import type { Department } from "../../message/role.ts";

/** What a breaker is for: a department, or the whole of a team without departments. */
export type BreakerScope = Department | "team";

/** Agents disappeared, and their breaker counted them. */
export interface BreakerCounted {
  readonly event: "breaker-counted";
  readonly scope: BreakerScope;
  readonly agents: readonly string[];
  /** When agents disappeared, all that count from here on. */
  readonly failures: readonly number[];
  readonly atMs: number;
}

/** No new agent is let in until `dueAtMs`: too many disappeared, or the probe was silent. */
export interface BreakerOpened {
  readonly event: "breaker-opened";
  readonly scope: BreakerScope;
  readonly seq: number;
  readonly atMs: number;
  readonly dueAtMs: number;
}

/** One agent may be let in to try. */
export interface BreakerHalfOpened {
  readonly event: "breaker-half-opened";
  readonly scope: BreakerScope;
  readonly atMs: number;
}

/** This one was; it has until `dueAtMs` to show life. */
export interface BreakerProbed {
  readonly event: "breaker-probed";
  readonly scope: BreakerScope;
  readonly agent: string;
  readonly atMs: number;
  readonly dueAtMs: number;
}

/** It did, or the person closed it: agents are let in again, and nothing counts that was before. */
export interface BreakerClosed {
  readonly event: "breaker-closed";
  readonly scope: BreakerScope;
  /** The probe; with a reason the person. */
  readonly agent: string;
  readonly atMs: number;
  /** Why the person closed it; absent: its probe showed life. */
  readonly reason?: string;
}

export type BreakerEvent = BreakerCounted | BreakerOpened | BreakerHalfOpened | BreakerProbed | BreakerClosed;

const breakerEvents: { readonly [event in BreakerEvent["event"]]: true } = {
  "breaker-counted": true,
  "breaker-opened": true,
  "breaker-half-opened": true,
  "breaker-probed": true,
  "breaker-closed": true,
};

/** Whether an event is about a breaker. */
export function isBreakerEvent<Other extends { readonly event: string }>(
  event: Other | BreakerEvent,
): event is BreakerEvent {
  return Object.hasOwn(breakerEvents, event.event);
}

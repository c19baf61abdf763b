/** What can happen to the health of agents; plain JSON. That an agent starts, works or stops follows from other facts. */
import type { Department } from "../messages/role.ts";

/** A program that shows itself regularly speaks for the agent from here on; whichever did before is fenced off. */
export interface ProgramBegun {
  readonly event: "program-begun";
  readonly agent: string;
  readonly session: number;
  /** The program's own id, made by it. */
  readonly program: string;
  readonly seq: number;
  readonly atMs: number;
}

/** The program ended in order. */
export interface ProgramEnded {
  readonly event: "program-ended";
  readonly agent: string;
  readonly program: string;
  /** Whether the agent held a task: then it is expected to show itself by another way, as it did by this one. */
  readonly isHolding: boolean;
  readonly seq: number;
  readonly atMs: number;
}

/** Agents that seemed silent were not: they sent heartbeats outside the record. */
export interface AgentsRecovered {
  readonly event: "agents-heard";
  readonly agents: readonly { readonly agent: string; readonly signMs: number }[];
}

/** Why an agent counts as disappeared: its program was silent, or it was silent for as long as its lease. */
export type Silence = "program" | "lease";

/** An agent was silent for too long. */
export interface AgentDisappeared {
  readonly event: "agent-disappeared";
  readonly agent: string;
  readonly session: number;
  readonly cause: Silence;
  /** When it was last seen; null: never in a way that is known. */
  readonly lastSignMs: number | null;
  /** What it held, as written; free from here on. */
  readonly tasks: readonly string[];
  readonly atMs: number;
}

/** A disappeared agent showed itself again. */
export interface AgentReturned {
  readonly event: "agent-returned";
  readonly agent: string;
  readonly session: number;
  readonly atMs: number;
}

export type HealthEvent = ProgramBegun | ProgramEnded | AgentsRecovered | AgentDisappeared | AgentReturned;

const healthEvents: { readonly [event in HealthEvent["event"]]: true } = {
  "program-begun": true,
  "program-ended": true,
  "agents-heard": true,
  "agent-disappeared": true,
  "agent-returned": true,
};

/** Whether an event is about an agent's health. */
export function isHealthEvent<Other extends { readonly event: string }>(
  event: Other | HealthEvent,
): event is HealthEvent {
  return Object.hasOwn(healthEvents, event.event);
}

/* What can happen to circuit breakers; plain JSON. */

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

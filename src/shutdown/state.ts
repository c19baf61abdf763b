/** What can happen to shutdown rounds, as facts of the journal. */
import type { Ending, Passing, ShutdownRound, StoppingAgent, Uncommitted, WorkLeft } from "./decide/shutdown-rounds.ts";

/** Tasks that agents hold, by agent; who holds none may be left out. */
export type Claims = { readonly [agent: string]: readonly string[] };

/** A round began, and asked for the first time. */
export interface ShutdownStarted {
  readonly event: "shutdown-started";
  readonly round: Omit<ShutdownRound, "agents"> & { readonly agents: readonly StoppingAgent[] };
}

/** Agents joined the team while the round of everybody was open; they are in its certificate and not asked. */
export interface ShutdownJoined {
  readonly event: "shutdown-joined";
  readonly requestId: string;
  readonly agents: readonly StoppingAgent[];
}

/** An agent that the round waits for answered it. */
export interface ShutdownAnswered {
  readonly event: "shutdown-answered";
  readonly requestId: string;
  readonly requester: string;
  readonly answerer: string;
  /** Null: it refused and works on. */
  readonly outcome: Ending | null;
  readonly status: WorkLeft | null;
  readonly pendingWork: readonly string[];
  readonly artifactsCommitted: boolean | null;
  readonly claims: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** Agents that refused are asked again; in an older journal all that had not stopped, with a new deadline. */
export interface ShutdownRepeated {
  readonly event: "shutdown-repeated";
  readonly requestId: string;
  readonly agents: readonly string[];
  readonly asked: number;
  readonly dueAtMs: number;
  readonly seq: number;
}

/** Agents were made to stop: by the last deadline, or because they were taken out of the team. */
export interface ShutdownForced {
  readonly event: "shutdown-forced";
  readonly requestId: string;
  readonly agents: readonly string[];
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** Nobody waits for these agents any more. They stay in the team, and keep what they hold. */
export interface ShutdownPassed {
  readonly event: "shutdown-passed";
  readonly requestId: string;
  readonly agents: readonly string[];
  readonly outcome: Passing;
  readonly claims: Claims;
  readonly seq: number;
  readonly atMs: number;
}

/** The round waits for nobody any more. */
export interface ShutdownEnded {
  readonly event: "shutdown-ended";
  readonly requestId: string;
  readonly outcome: "complete" | "incomplete";
  readonly seq: number;
  readonly atMs: number;
}

/** The repository was looked at after the round. */
export interface ShutdownInspected {
  readonly event: "shutdown-inspected";
  readonly requestId: string;
  readonly uncommitted: Uncommitted;
  readonly seq: number;
}

export type ShutdownEvent =
  | ShutdownStarted
  | ShutdownJoined
  | ShutdownAnswered
  | ShutdownRepeated
  | ShutdownForced
  | ShutdownPassed
  | ShutdownEnded
  | ShutdownInspected;

/** What the agent holds. Agents' names may be those of an object's own parts. */
export function heldBy(claims: Claims, agent: string): readonly string[] {
  return Object.hasOwn(claims, agent) ? (claims[agent] ?? []) : [];
}

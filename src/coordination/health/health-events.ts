/** What can happen to the health of agents; plain JSON. That an agent starts, works or stops follows from other facts. */

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

/** Agents that seemed silent were not: they showed themselves beside the record. */
export interface AgentsHeard {
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
  /** When it was last heard; null: never in a way that is known. */
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

export type HealthEvent = ProgramBegun | ProgramEnded | AgentsHeard | AgentDisappeared | AgentReturned;

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

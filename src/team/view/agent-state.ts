/** How an agent is, in the one word that the terminal and the page have for it. Pure. */
import type { AgentStatus } from "../operations/agents.ts";

export const agentStates = [
  "stopped",
  "retired",
  "disappeared",
  "has ended",
  "waits for an answer",
  "at its prompt",
  "working",
  "idle",
  "not seen yet",
] as const;
export type AgentState = (typeof agentStates)[number];

/** What the state of an agent follows from. */
export type AgentSigns = Pick<AgentStatus, "status" | "health" | "stopped" | "ended" | "waits"> & {
  readonly delivery: Pick<AgentStatus["delivery"], "idle">;
};

/** `stopped` for who goes on with the next day, `retired` for who left; `at its prompt`: with a task in hand. */
export function stateOf({ status, health, stopped, ended, waits, delivery }: AgentSigns): AgentState {
  // Whose program runs on, or runs again, has shown itself since.
  if (stopped === true && health !== "idle") return "stopped";
  if (status === "retired") return "retired";
  if (health === "disappeared") return "disappeared";
  if (ended === true) return "has ended";
  if (waits === true) return "waits for an answer";
  if (health === "working") return delivery.idle ? "at its prompt" : "working";
  return health === "stop" ? "stopped" : health === "start" ? "not seen yet" : "idle";
}

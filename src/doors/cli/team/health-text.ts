/** The health of agents and breakers for a terminal. */

import { counted, visible } from "../../../base/text.ts";
import type { HealthState } from "../../../coordination/health/health.ts";
import type { AgentStatus } from "../../../operations/agents.ts";
import type { BreakerView } from "../../../operations/breakers.ts";
import { localTime } from "../terminal/local-time.ts";
import { type Paint, toned } from "../terminal/output.ts";
import { table } from "../terminal/terminal-text.ts";

/** The state of a agent, in a word: `retired` for who left, as everywhere else. */
export function healthText({ health, status }: Pick<AgentStatus, "health" | "status">): string {
  return status === "retired" ? status : (healthWords[health] ?? health);
}

/** The agents of a team, a line each. */
export function agentsText(agents: readonly AgentStatus[]): string {
  const rows = agents.map((agent) => {
    const department = agent.department === undefined ? "" : ` (${agent.department})`;
    const role = `${agent.role}${department}`;
    return [visible(agent.agent), role, agent.dialect, healthText(agent), `${agent.unread} unread`];
  });
  return table(rows);
}

/** One line that says the state of a breaker, and in which mode to start another agent. */
export function breakerText(breaker: BreakerView, paint: Paint): string {
  const { department, state, failures, until, probe, spawn } = breaker;
  const parts = [
    counted(failures, "disappearance counts", "disappearances count"),
    ...(probe === null ? [] : [`${visible(probe)} is let in to try`]),
    ...(until === null ? [] : [`until ${localTime(until)}`]),
    `spawn: ${spawn}`,
  ];
  return `breaker of ${department === "team" ? "the team" : department}  ${toned(paint, breakerTones, state)}  ${parts.join(", ")}`;
}

const breakerTones = { closed: "good", open: "bad", "half-open": "warn" } as const;

/** Of states that are not here, a newer hub's, the state is its own word. */
const healthWords: { readonly [state in HealthState]?: string } = {
  start: "not seen yet",
  idle: "idle",
  working: "working",
  stop: "stopped",
  disappeared: "DISAPPEARED",
};

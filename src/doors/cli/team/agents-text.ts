/** Agents, their health, their breakers and their tokens for a terminal. */
import { counted, nearest, visible } from "../../../base/text.ts";
import type { HealthState } from "../../../coordination/health/health.ts";
import { batonName, ownerName } from "../../../message/principal.ts";
import type { AgentStatus } from "../../../operations/agents.ts";
import type { BreakerView } from "../../../operations/breakers.ts";
import type { IssuedToken, Team } from "../../../runtime/team/team.ts";
import type { Credential } from "../../../team/credentials.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { type Output, type Paint, toned } from "../terminal/output.ts";
import { localTime, table } from "../terminal/terminal-text.ts";

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

/** A line a token: its id, whom it proves, whether it holds. */
export function tokensText(tokens: readonly Credential[]): string {
  return table(tokens.map(({ tokenId, agent, status }) => [tokenId, visible(agent), status]));
}

/** The token alone on standard output; on standard error what it is. */
export function showToken({ token, tokenId, agent }: IssuedToken, receipt: unknown, output: Output): void {
  output.result({ token, tokenId, agent, receipt }, () => token);
  if (token === null) output.say(`Made before, as ${tokenId}; a token is shown once. Make a new one.`);
  else output.say(`Token ${tokenId} proves ${visible(agent ?? "")}. It is shown this once; keep it like a password.`);
}

/** Looks at these options alone. Nothing is refused: who looks on may use any name. */
export async function sayUnknown(call: Call, team: Team, options: readonly string[]): Promise<ExitCode> {
  const named = options.flatMap((option) => call.given.text(option) ?? []);
  if (named.length === 0) return exitCodes.done;
  const status = await team.status();
  if (!status.ok) return call.output.fail(status.error);
  const known = [...status.value.agents.map(({ agent }) => agent), ownerName, batonName];
  for (const name of named.filter((each) => !known.includes(each))) {
    const meant = nearest(name, known);
    const hint = meant === null ? "baton agent list shows who is there." : `Did you mean ${visible(meant)}?`;
    call.output.say(`There is no agent "${visible(name)}" in the team. ${hint}`);
  }
  return exitCodes.done;
}

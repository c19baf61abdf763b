/**
 * A shell that belongs to an agent: its variable `BATON_AGENT` names one. A program that runs there does not act as the
 * owner. Rules: docs/protocol/doors.md, section 3.
 */
import { type Problem, problem } from "../base/problem.ts";
import { ownerName } from "../message/principal.ts";

/** What the environment says of the agent; null: nothing. */
export interface Shell {
  readonly agent: string | null;
}

/** The agent that this shell belongs to; null: it is a person's, which BATON_AGENT=owner may also say. */
export function agentOfShell({ agent }: Shell): string | null {
  return agent === ownerName ? null : agent;
}

/** Why nobody acts as the owner in this shell: it belongs to an agent. Null: it is a person's. */
export function shellFault(shell: Shell): Problem | null {
  const agent = agentOfShell(shell);
  if (agent === null) return null;
  return problem("human-required", "BATON_AGENT", `This shell belongs to the agent ${agent.slice(0, 64)}.`, {
    expected: ownerName,
    received: agent.slice(0, 64),
    hint: "The person who owns the team runs this in a shell without BATON_AGENT.",
  });
}

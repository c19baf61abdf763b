/** First steps as lines for a terminal: each starts an agent. */
import type { AgentStatus } from "../../../team/operations/agents.ts";
import type { AgentDefinition } from "../../../team/state/definition.ts";

export interface FirstStep {
  readonly says: string;
  /** Works unchanged in a shell. Names of agents are words without a character that a shell reads. */
  readonly line: string;
}

/** The steps of a team with these agents, whose person calls the command `program`; `declared`: as its file has them. */
export function firstSteps(
  agents: readonly Pick<AgentStatus, "agent" | "role" | "status">[],
  program: string,
  declared: readonly Pick<AgentDefinition, "agent" | "program">[] = [],
): readonly FirstStep[] {
  const active = agents.flatMap(({ agent, status }) => (status === "active" ? [agent] : []));
  const known = new Set(declared.flatMap((each) => (each.program === undefined ? [] : [each.agent])));
  if (active.length > 0)
    return active.map((agent) => ({
      says: agent,
      line: `${program} run ${agent}${known.has(agent) ? "" : " --program claude-code"}`,
    }));
  const name = freeName("dev", agents);
  return [
    { says: `register ${name}`, line: `${program} agent register ${name} --role dev` },
    { says: name, line: `${program} run ${name} --program claude-code` },
  ];
}

/** `dev-1`, or the first of its kind that nobody has had: a retired agent of another role would be in the way. */
function freeName(role: string, agents: readonly { readonly agent: string }[]): string {
  const taken = new Set(agents.map(({ agent }) => agent));
  let number = 1;
  while (taken.has(`${role}-${number}`)) number += 1;
  return `${role}-${number}`;
}

/** First steps as lines for a terminal: pasting them in order sends the team's first message. */
import type { AgentStatus } from "../../../team/operations/agents.ts";
import type { AgentDefinition } from "../../../team/state/definition.ts";

export interface FirstStep {
  readonly says: string;
  /** Works unchanged in a shell. Names of agents are words without a character that a shell reads. */
  readonly line: string;
}

/**
 * The steps of a team with these agents, whose person calls the command `program`: agents whose program the team file names
 * (`declared`) are started; else who is missing is registered, then one says something to another.
 */
export function firstSteps(
  agents: readonly Pick<AgentStatus, "agent" | "role" | "status">[],
  program: string,
  declared: readonly Pick<AgentDefinition, "agent" | "program">[] = [],
): readonly FirstStep[] {
  const started = declared.filter((each) => each.program !== undefined);
  if (started.length > 0)
    return started.map(({ agent }) => ({
      says: `Start ${agent}, in a terminal of its own`,
      line: `${program} run ${agent}`,
    }));
  const active = agents.filter(({ status }) => status === "active");
  const lead = active.find(({ role }) => role === "lead");
  const other = active.find((each) => each !== lead);
  const receiver = lead?.agent ?? freeName("lead", agents);
  const sender = other?.agent ?? freeName("dev", agents);
  const register = (agent: string, role: string) => ({
    says: `Register ${agent}`,
    line: `${program} agent register ${agent} --role ${role}`,
  });
  return [
    ...(lead === undefined ? [register(receiver, "lead")] : []),
    ...(other === undefined ? [register(sender, "dev")] : []),
    {
      says: `Send a message from ${sender} to ${receiver}`,
      line: `echo 'Hello' | ${program} send - --as ${sender} --to ${receiver} --id hello-1`,
    },
    ...(lead === undefined ? [] : [{ says: "Read it as its receiver", line: `${program} inbox --as ${receiver}` }]),
  ];
}

/** `dev-1`, or the first of its kind that nobody has had: a retired agent of another role would be in the way. */
function freeName(role: string, agents: readonly { readonly agent: string }[]): string {
  const taken = new Set(agents.map(({ agent }) => agent));
  let number = 1;
  while (taken.has(`${role}-${number}`)) number += 1;
  return `${role}-${number}`;
}

/** The text of a new `.baton/team.yaml`, commented for the one who edits it next. */
import type { DialectId } from "../message/message.ts";
import type { AgentDefinition } from "./definition.ts";
import { teamSchemaId } from "./team-schema.ts";

export interface TemplateOptions {
  readonly name: string;
  /** At least one; the first is the default of agents. */
  readonly dialects: readonly [DialectId, ...DialectId[]];
  /** None: the file shows how one would be written. */
  readonly agents?: readonly AgentDefinition[];
}

/** A team file that `readTeamFile` reads as exactly these options. Ends with a line feed. */
export function teamTemplate({ name, dialects, agents = [] }: TemplateOptions): string {
  const [first] = dialects;
  return `# The team as Baton knows it. Baton records each change of this file in its journal: a running hub
# within seconds, else the next command.
version: 1
$schema: ${teamSchemaId}
team: ${quoted(name)}

# The wire formats of this team, in the order they are tried. The first one is the default of agents.
dialects: [${dialects.join(", ")}]

# enforce: a message with a fault is refused and its sender told why.
# observe: the fault is recorded and the message delivered.
policy: enforce

# Who is in the team. Agents may also join by \`baton agent register dev-1 --role dev\`.
# The name "owner" is yours.
agents:
${agents.map((agent) => `${agentLine(agent)}\n`).join("")}  # dev-1: {role: dev}
  # lead-1: {role: lead, department: backend, dialect: ${first}}

# Lets further roles receive a type of message.
routing:
  # - {dialect: ${first}, type: execution_update, receivers: [qa]}

# Lower limits than the protocol's own, how long a claim lives while its holder is silent, and how long an
# escalation waits at a level that says nothing.
limits:
  # message_bytes: 65536
  # inbox_page: 100
  # lease_seconds: 300
  # escalation_seconds: 300
`;
}

function agentLine({ agent, role, department, dialect }: AgentDefinition): string {
  const facts = [
    `role: ${role}`,
    ...(department === undefined ? [] : [`department: ${department}`]),
    ...(dialect === undefined ? [] : [`dialect: ${dialect}`]),
  ];
  return `  ${quoted(agent)}: {${facts.join(", ")}}`;
}

/** Names such as \`123\`, \`null\` or \`1e3\` would not be text without quotes. */
function quoted(name: string): string {
  return /^[a-z][a-z-]*[0-9]*$/.test(name) && !/^(?:null|true|false)$/.test(name) ? name : JSON.stringify(name);
}

/**
 * Names commands in hints by the tools of Baton's MCP server: the reader is a model, which has these tools wherever hooks
 * are installed, and perhaps no `baton` on its path. The MCP door has the same table, computed from the definitions,
 * which a hook does not load; `tests/mcp/schemas.test.ts` compares the two.
 */
import { atDoor, type DoorNames } from "../../base/argument.ts";
import type { Problem } from "../../base/problem.ts";
import { serverName } from "../../message/program-hooks.ts";

/** The actions of the tools that are named by their subject. */
const actions = {
  task: ["add", "available", "claim", "complete", "discuss", "end", "reassign", "release", "renew"],
  handoff: ["accept", "complete", "list", "reject", "show"],
} as const;

/** The tool that does what a command does, and its action. The other commands are a person's. */
export const hookToolsOfCommands: { readonly [command: string]: readonly [tool: string, action?: string] } = {
  ...Object.fromEntries(
    Object.entries(actions).flatMap(([tool, names]) => names.map((name) => [`${tool} ${name}`, [tool, name]])),
  ),
  "task list": ["task", "available"],
  "escalation list": ["task", "available"],
  "escalation raise": ["task", "raise"],
  "handoff issue": ["send_message"],
  "agent list": ["team_status"],
  "approval list": ["team_status"],
  "breaker list": ["team_status"],
  phase: ["team_status"],
  status: ["team_status"],
  inbox: ["read_inbox"],
  schema: ["describe_message"],
  send: ["send_message"],
};

const names: DoorNames = {
  opening: { team: "--team", actor: "--as", credential: "BATON_TOKEN", hub: "BATON_HUB" },
  of: () => null,
  command(name) {
    const [tool, action] = Object.hasOwn(hookToolsOfCommands, name) ? (hookToolsOfCommands[name] ?? []) : [];
    if (tool === undefined) return null;
    const does = action === undefined ? "" : ` with action "${action}"`;
    return `the tool \`${tool}\` of the MCP server ${serverName}${does}`;
  },
};

/** The problem with its path and its hint as a model may act on them. */
export function inToolWords(told: Problem): Problem {
  return atDoor(told, names);
}

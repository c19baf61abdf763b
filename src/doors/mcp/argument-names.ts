/**
 * What an MCP client calls the arguments of an act: a tool's arguments are spelled as the neutral names are. With what
 * the server was opened is its starter's to change, so that is named by the options of `baton mcp`, and the credential
 * by its kind: it is an option there, and a header where a hub serves the tools.
 */
import { atDoor, type DoorNames } from "../../base/argument.ts";
import type { Problem } from "../../base/problem.ts";
import { commandsOf } from "../../operations/define.ts";
import { definedOperations } from "../../operations/registry.ts";

/** The problem with its path and its hint as the one who called a tool may act on them. */
export function inToolWords(told: Problem): Problem {
  return atDoor(told, names);
}

/**
 * The tools that do what a command does, for agents that cannot type one; the definitions of operations say so, and here
 * are those that have none. The others are a person's.
 */
export const toolsOfCommands: { readonly [command: string]: readonly [tool: string, action?: string] } = {
  ...Object.fromEntries(
    definedOperations.flatMap((each) =>
      each.mcp === undefined || each.mcp.isNoHint === true
        ? []
        : commandsOf(each).map((words) => [words, [each.mcp?.tool, each.mcp?.action]]),
    ),
  ),
  "agent list": ["team_status"],
  "approval list": ["team_status"],
  "breaker list": ["team_status"],
  phase: ["team_status"],
  status: ["team_status"],
  inbox: ["read_inbox"],
  schema: ["describe_message"],
  send: ["send_message"],
  "task available": ["task", "available"],
  "task list": ["task", "available"],
  "escalation list": ["task", "available"],
  "handoff accept": ["handoff", "accept"],
  "handoff list": ["handoff", "list"],
  "handoff issue": ["send_message"],
};

const names: DoorNames = {
  opening: { team: "--team", actor: "--as", credential: "credential", hub: "--hub" },
  // What was found of a handoff's files is told by their sums.
  of: (name) => `arguments.${name === "verified" ? "sums" : name}`,
  command(name) {
    const [tool, action] = Object.hasOwn(toolsOfCommands, name) ? (toolsOfCommands[name] ?? []) : [];
    if (tool === undefined) return null;
    return action === undefined ? `\`${tool}\`` : `\`${tool}\` with action "${action}"`;
  },
};

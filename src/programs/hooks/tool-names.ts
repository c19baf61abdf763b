/**
 * Names commands in hints by the tools of Baton's MCP server: the reader is a model, which has these tools wherever hooks
 * are installed, and perhaps no `baton` on its path.
 */
import { atDoor, type DoorNames } from "../../base/argument.ts";
import type { Problem } from "../../base/problem.ts";
import { serverName } from "../../messages/program-hooks.ts";
import { toolsOfCommands } from "../../perform/operations/generated/tools.ts";

const names: DoorNames = {
  opening: { team: "--team", actor: "--as", credential: "BATON_TOKEN", hub: "BATON_HUB" },
  of: () => null,
  command(name) {
    const [tool, action] = Object.hasOwn(toolsOfCommands, name) ? (toolsOfCommands[name] ?? []) : [];
    if (tool === undefined) return null;
    const does = action === undefined ? "" : ` with action "${action}"`;
    return `the tool \`${tool}\` of the MCP server ${serverName}${does}`;
  },
};

/** The problem with its path and its hint as a model may act on them. */
export function inToolWords(told: Problem): Problem {
  return atDoor(told, names);
}

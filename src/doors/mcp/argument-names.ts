/**
 * What an MCP client calls the arguments of an act: a tool's arguments are spelled as the neutral names are. With what
 * the server was opened is its starter's to change, so that is named by the options of `baton mcp`, and the credential
 * by its kind: it is an option there, and a header where a hub serves the tools.
 */
import { atDoor, type DoorNames } from "../../base/argument.ts";
import type { Problem } from "../../base/problem.ts";

/** The problem with its path as the one who called a tool may name it. */
export function inToolWords(told: Problem): Problem {
  return atDoor(told, names);
}

const names: DoorNames = {
  opening: { team: "--team", actor: "--as", credential: "credential", hub: "--hub" },
  of: (name) => `arguments.${name}`,
};

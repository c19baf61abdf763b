/**
 * What every answer of a hook is made from: the caller, the question, the team, and the commands that agents should
 * run.
 */

import { atDoor, type DoorNames } from "../../base/argument.ts";
import type { Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import { type HookEvent, type HookProgram, serverName } from "../../messages/program-hooks.ts";
import { toolsOfCommands } from "../../perform/operations/generated/tools.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import type { ActingAgent } from "./acting-agent.ts";
import type { HookInput } from "./hook-input.ts";

/** What a session knows: the subjects of the program's tasks by their ids, and the plans that agents are to begin. */
export interface PlanMemory {
  readonly subjects: Map<string, string>;
  readonly meant: Map<string, string>;
}

export interface Asked extends ActingAgent {
  readonly program: HookProgram;
  readonly event: HookEvent;
  readonly input: HookInput;
  /** The context of the model that the event is about. */
  readonly context: string;
  readonly team: WorkingTeam;
  /** The messages that the program has put into this context itself, by `nativeKey`; absent: it is not known. */
  inContext?(): Promise<ReadonlySet<string>>;
  /** How many characters come before the answer, which a model gets with it; absent: none. */
  readonly before?: number;
  /** What the session knows of plans; absent: a command asks, which knows nothing of earlier questions. */
  readonly plans?: PlanMemory;
  /** The line that runs `baton` with these words on this team. */
  line(words: readonly string[]): string;
  /** The path of a file, relative to the root of the team's repository; several where links lead on; none: outside. */
  pathsOf(file: string): readonly string[];
  /** The commit that is checked out where the agent works; undefined: none. */
  head(): Promise<string | undefined>;
  /** Those of the files, by their paths, that are as the commit has them where the agent works. */
  unchanged(paths: readonly string[]): Promise<readonly string[]>;
  /** Whether there is a file where the tool names it. */
  isThere(file: string): boolean;
  /** Uncommitted files that a program may have found, where the name says only how the path ends. */
  changedAs(file: string): Promise<readonly string[]>;
}

/** As `Asked`, by an agent of the team. */
export type AskedByAgent = Asked & { readonly agent: string };

/** By whose claims a file or a command is judged: the acting agent's, or that of the agent whose helper asks. */
export function judgedAs({ agent, helps }: Asked): string | null {
  return agent ?? helps;
}

/** Whether somebody of the team acts. */
export function isByAgent(asked: Asked): asked is AskedByAgent {
  return asked.agent !== null;
}

/** The most problems that a model gets together: later ones mostly follow from the first. */
const problemsShown = 12;

/** Problems in lines that a model can act on. Nothing in them acts on a terminal. */
export function problemLines(problems: readonly Problem[]): string {
  const lines = problems.slice(0, problemsShown).map(problemLine);
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

function problemLine(told: Problem): string {
  const { code, path, message, expected, received, hint } = inToolWords(told);
  const where = path === "" || path === "$" ? "" : ` at ${path}`;
  const facts = [
    ...(expected === undefined || code === "id-conflict" ? [] : [`expected: ${expected}`]),
    // What is missing, and a path that is there already, say nothing more.
    ...(received === undefined || received === "nothing" || received === path ? [] : [`received: ${received}`]),
    ...(hint === undefined ? [] : [`do: ${hint}`]),
  ];
  return visible(`- ${code}${where}: ${message}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}`);
}

/** What to do where nobody of the team acts. */
export function introduce({ unknown, refused, line }: Pick<Asked, "unknown" | "refused" | "line">): string {
  if (refused !== null) return `Baton does not let you act:\n${problemLines([refused])}`;
  const name = unknown ?? "NAME";
  const register = line(["agent", "register", name, "--role", "ROLE"]);
  return unknown === null
    ? `Baton does not know which agent you are. Have the session started by \`baton run NAME\`, or with BATON_AGENT set to your name. \`${register}\` adds an agent.`
    : `Baton knows no agent "${visible(unknown)}". The person or the lead adds it: ${register}`;
}

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
function inToolWords(told: Problem): Problem {
  return atDoor(told, names);
}

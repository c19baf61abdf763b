/**
 * What a program calls the arguments and the ways of a refusal: the fields of its call, and methods of `Team`. The record
 * keeps the neutral names. Rule: docs/protocol/doors.md, section 2.
 */
import { argument, atDoor, type DoorNames } from "../base/argument.ts";
import type { Problem } from "../base/problem.ts";
import { commandsOf } from "../operations/define.ts";
import { definedOperations } from "../operations/registry.ts";
import type { Reply } from "../operations/reply.ts";

/** The calls that do what a command does: the definitions say so, and here are those that have none. */
const callsOfCommands: { readonly [command: string]: string } = {
  ...Object.fromEntries(
    definedOperations.flatMap((each) => commandsOf(each).map((words) => [words, `team.${each.call}`])),
  ),
  ack: "team.acknowledge",
  "agent list": "team.status",
  inbox: "team.inbox",
  init: "createTeam",
  log: "team.log",
  send: "team.send",
  show: "team.show",
  status: "team.status",
  team: "team.status",
  verify: "team.verify",
  watch: "team.watch",
};

const names: DoorNames = {
  opening: {
    team: argument("team"),
    actor: argument("agent"),
    credential: argument("token"),
    hub: argument("url"),
  },
  of: argument,
  command: (name) => (Object.hasOwn(callsOfCommands, name) ? `\`${callsOfCommands[name]}(…)\`` : null),
};

/** The problem in a program's words. What names the place of a journal for the command is about `openTeam` here. */
export function inProgramWords(told: Problem): Problem {
  const worded = atDoor(told, names);
  const path = worded.path === journalOption ? argument("journal") : worded.path;
  const hint = worded.hint?.replaceAll(journalOption, argument("journal"));
  return { ...worded, path, ...(hint === undefined ? {} : { hint }) };
}

const journalOption = "--journal";

/** The reply with its problems in a program's words. */
export function replyInProgramWords(reply: Reply): Reply {
  if (reply.outcome === "failed") return { ...reply, problem: inProgramWords(reply.problem) };
  return reply.outcome === "refused" ? { ...reply, problems: reply.problems.map(inProgramWords) } : reply;
}

/**
 * How `openTeam` finds the team of a folder, checks who acts, and opens it. Rules: docs/protocol/record.md, sections 23
 * to 25.
 */

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { argument } from "../../base/argument.ts";
import { agentName, teamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { fileAddress } from "../../journal/engines.ts";
import type { DialectId } from "../../messages/message.ts";
import {
  isOwnersOrBatons,
  isReservedName,
  nameHint,
  nameInOtherCase,
  otherCaseMessage,
  ownerName,
  reservedNameMessage,
} from "../../messages/principal.ts";
import type { Department, Role } from "../../messages/role.ts";
import type { LocalTeam } from "../../perform/team.ts";
import { type Config, readConfig, shellProblem } from "../../perform/workspace/config.ts";
import { type Place, placeOf } from "../../perform/workspace/place.ts";
import {
  dialectsOf,
  existingTeam,
  isLink,
  linkProblem,
  makeKnown,
  nameFrom,
  rootFor,
  type Wanted,
  writeFiles,
} from "../../perform/workspace/team-creation.ts";
import { openAt } from "../../perform/workspace/team-opening.ts";
import { type Workspace, workspaceAt } from "../../perform/workspace/workspace.ts";
import { teamKinds } from "../../team/state/kinds.ts";
import { ruleFor, unknownAgent } from "../../team/state/roster.ts";
import { createShape, inProgramWords, openShape, readArguments } from "./arguments.ts";
import { checkedTeam } from "./checked-team.ts";
import type { Team } from "./team.ts";

/** See `openTeam`, which says what the options are; they are checked here. */
export async function openFolderTeam(options: unknown): Promise<Result<Team, readonly Problem[]>> {
  const refused = (problems: readonly Problem[]) => err(problems.map(inProgramWords));
  const read = readArguments(openShape, options);
  if (!read.ok) return refused(agentMissing(options) ?? read.error);
  const { agent, onNotice, team, waitMs } = read.value;
  const config = readConfig();
  const human = isOwnersOrBatons(agent) ? shellProblem(config) : null;
  if (human !== null) return refused([human]);
  const place = await placeFor(config, read.value);
  if (!place.ok) return refused([place.error]);
  const say = (problems: readonly Problem[]) => {
    for (const { path, message } of problems) onNotice?.(`${message} (${path})`);
  };
  if (place.value.refusal !== null) say([place.value.refusal]);
  let isKnown = agent === ownerName;
  const opened = await openAt(place.value, config.environment(), {
    agent: (isMember) => {
      isKnown ||= isMember(agent);
      return agent;
    },
    passOver: say,
    older: (why) => say([why]),
    proposed: ({ id }) => onNotice?.(`The change ${id} of the team file waits for the owner.`),
    ...(team === undefined ? {} : { team }),
    ...(waitMs === undefined ? {} : { waitMs }),
  });
  if (!opened.ok) return refused(opened.error);
  const stranger = isKnown ? null : await strangerProblem(opened.value, agent);
  if (stranger !== null) {
    await opened.value[Symbol.asyncDispose]();
    return refused([stranger]);
  }
  const condition = opened.value.condition();
  if (condition.condition === "failed" || condition.condition === "unreachable") say([condition.problem]);
  if (condition.condition === "regressed") onNotice?.("Entries of the journal are missing; nothing can be recorded.");
  return ok(
    checkedTeam(opened.value, {
      place: { directory: place.value.root, environment: config.environment() },
    }),
  );
}

/** Nobody is named: in words that say why somebody must be. */
function agentMissing(options: unknown): readonly Problem[] | null {
  const given = typeof options === "object" && options !== null && "agent" in options ? options.agent : undefined;
  if (given !== undefined) return null;
  return [
    makeProblem("missing-field", argument("agent"), "Nobody is named to act.", {
      expected: "an agent of the team, or owner",
      hint: 'Write agent: "dev-1". Only a program that a person runs writes agent: "owner".',
    }),
  ];
}

/** The place of the team. Refuses as `placeOf` of the command does, and `not-found` a folder that is none. */
async function placeFor(
  config: Config,
  { folder = ".", journal }: { readonly folder?: string; readonly journal?: string },
): Promise<Result<Place, Problem>> {
  const directory = resolve(config.directory, folder);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return err(
      makeProblem("not-found", argument("folder"), "There is no such folder.", {
        received: directory,
        hint: "Give a folder of the project whose team is meant.",
      }),
    );
  }
  const url = journal === undefined || /^[a-z]+:./.test(journal) ? journal : fileAddress(journal);
  const given = { text: (name: string) => (name === "journal" ? url : undefined) };
  return await placeOf({ given, config: { ...config, directory } });
}

/** Why nobody of this name can act; null: a rule of the team lets it join. */
async function strangerProblem(team: LocalTeam, agent: string): Promise<Problem | null> {
  const status = await team.status();
  if (!status.ok) return status.error;
  const { definition, agents } = status.value;
  if (agentName(agent) !== null && ruleFor(definition?.names, agent) !== null) return null;
  return unknownAgent(agent, [...agents.map((each) => each.agent), ownerName], { path: argument("agent") });
}

/* How `createTeam` checks what is wanted and writes the files. Rules: docs/protocol/record.md, sections 23 to 25. */

/** An agent of a new team. */
export interface NewAgent {
  /** A letter or digit, then at most 63 of `A-Z a-z 0-9 . _ -`. */
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  /** Absent: the team's first dialect. */
  readonly dialect?: DialectId;
}

/** A team that is there. */
export interface CreatedTeam {
  readonly name: string;
  readonly dialects: readonly DialectId[];
  readonly agents: readonly NewAgent[];
  /** The folder that holds `.baton/`: of a linked worktree the main one. */
  readonly folder: string;
  readonly teamFile: string;
  /** False: the same team was there already, and nothing was changed. */
  readonly isNew: boolean;
}

/** See `createTeam`, which says what the options are; they are checked here. */
export async function writeNewTeam(options: unknown): Promise<Result<CreatedTeam, readonly Problem[]>> {
  const read = readArguments(createShape, options);
  const refused = (problems: readonly Problem[]) => err(problems.map(inProgramWords));
  if (!read.ok) return refused(read.error);
  const { folder = ".", kind = null, dialects = [], name } = read.value;
  const named = read.value.agents?.map(agentAsGiven);
  const agents = named ?? [];
  const config = readConfig();
  const human = shellProblem(config);
  if (human !== null) return refused([human]);
  const directory = resolve(config.directory, folder);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return refused([noFolder(directory)]);
  const place = workspaceAt(rootFor(directory));
  const wanted: Wanted = { name: name ?? nameFrom(place.root), kind, dialects, agents };
  const problems = problemsOf(wanted);
  if (problems.length > 0) return refused(problems);
  if (isLink(place.directory)) return refused([linkProblem(place.directory)]);
  if (existsSync(place.teamFile)) {
    const left = await keepExisting(place, {
      kind,
      dialects,
      ...(name === undefined ? {} : { name }),
      ...(named === undefined ? {} : { agents: named }),
    });
    return left.ok ? left : refused([left.error]);
  }
  const problem = writeFiles(place, wanted);
  if (problem !== null) return refused([problem]);
  return ok({
    name: wanted.name,
    dialects: dialectsOf(wanted),
    agents: kind === null ? agents : teamKinds[kind].agents,
    folder: place.root,
    teamFile: place.teamFile,
    isNew: true,
  });
}

type AgentArguments = { readonly [Key in keyof NewAgent]: NewAgent[Key] | undefined } & Pick<
  NewAgent,
  "agent" | "role"
>;

/** The agent without fields that are undefined. */
function agentAsGiven({ agent, role, department, dialect }: AgentArguments): NewAgent {
  return {
    agent,
    role,
    ...(department === undefined ? {} : { department }),
    ...(dialect === undefined ? {} : { dialect }),
  };
}

/** The team that is there, where it is the one that is wanted; else `already-exists`. */
async function keepExisting(
  place: Workspace,
  wanted: Parameters<typeof existingTeam>[1],
): Promise<Result<CreatedTeam, Problem>> {
  const { definition, isSame } = await existingTeam(place, wanted);
  if (definition === null || !isSame) {
    return err(
      makeProblem("already-exists", place.teamFile, "There is another team here already; nothing was changed.", {
        ...(definition === null ? {} : { received: `team ${definition.name} (${definition.dialects.join(", ")})` }),
        hint: "Open it with openTeam, add agents with `baton agent register AGENT --role ROLE`, or edit the file.",
      }),
    );
  }
  const problem = makeKnown(place);
  if (problem !== null) return err(problem);
  const { name, dialects, agents } = definition;
  return ok({ name, dialects, agents, folder: place.root, teamFile: place.teamFile, isNew: false });
}

/** What the team file would be refused for, at the place where it was given. */
function problemsOf({ name, kind, dialects, agents = [] }: Wanted): readonly Problem[] {
  const problems: Problem[] = [];
  if (teamName(name) === null) {
    const expected = "1 to 64 of a-z, 0-9 and -";
    problems.push(
      makeProblem("wrong-value", argument("name"), "This cannot be a team's name.", {
        expected,
        received: name.slice(0, 80),
      }),
    );
  }
  if (kind !== null && (dialects.length > 0 || agents.length > 0)) {
    const hint = "Give either kind, or dialects and agents.";
    problems.push(
      makeProblem("wrong-usage", argument("kind"), "A kind of team has its own dialects and agents.", { hint }),
    );
  }
  if (new Set(dialects).size < dialects.length)
    problems.push(
      makeProblem("wrong-value", argument("dialects"), "A dialect is listed twice.", { hint: "Remove one." }),
    );
  const listed = kind === null ? dialectsOf({ name, kind, dialects }) : dialects;
  agents.forEach(({ agent, dialect }, index) => {
    const path = `${argument("agents")}[${index}]`;
    const earlier = agents.slice(0, index).map((each) => each.agent);
    const why = nameProblem(agent, earlier);
    if (why !== null)
      problems.push(makeProblem("wrong-value", `${path}.agent`, why, { received: agent.slice(0, 80), hint: nameHint }));
    if (dialect !== undefined && !listed.includes(dialect)) {
      const hint = `Add ${dialect} to dialects.`;
      problems.push(
        makeProblem("wrong-value", `${path}.dialect`, "The team does not list this dialect.", {
          received: dialect,
          hint,
        }),
      );
    }
  });
  return problems;
}

/** Why no agent may be called so in a team with `earlier`; null: it may. */
function nameProblem(name: string, earlier: readonly string[]): string | null {
  if (isReservedName(name)) return reservedNameMessage(name);
  if (agentName(name) === null) return "This cannot be an agent's name.";
  if (earlier.includes(name)) return `The agent "${name}" is listed twice.`;
  const twin = nameInOtherCase(name, earlier);
  return twin === null ? null : otherCaseMessage(name, twin);
}

function noFolder(received: string): Problem {
  const hint = "Create the folder of the project first.";
  return makeProblem("not-found", argument("folder"), "There is no such folder.", { received, hint });
}

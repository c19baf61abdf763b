/** How `openTeam` finds the team of a folder, checks who acts, and opens it. Rules: docs/protocol/state-folder.md. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { argument } from "../base/argument.ts";
import { agentName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { fileAddress } from "../journal/engines.ts";
import { isOwnersOrBatons, ownerName } from "../message/principal.ts";
import type { LocalTeam } from "../runtime/team/team.ts";
import { unknownAgent } from "../team/agent-names.ts";
import { ruleFor } from "../team/roster.ts";
import { type Config, readConfig, shellProblem } from "../workspace/config.ts";
import { type Place, placeOf } from "../workspace/place.ts";
import { openAt } from "../workspace/team-opening.ts";
import { inProgramWords, openShape, readArguments } from "./arguments.ts";
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
  if (condition.condition === "failed") say([condition.problem]);
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
    problem("missing-field", argument("agent"), "Nobody is named to act.", {
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
      problem("not-found", argument("folder"), "There is no such folder.", {
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

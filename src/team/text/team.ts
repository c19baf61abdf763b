/**
 * `baton team`: how the team file differs from what is in force; and `baton team start`, which begins another team in a
 * journal that holds one; and `baton whoami`, which says as whom commands act here.
 */
import { ok } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { callerHere, hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal, withTeam } from "../../doors/cli/place/session.ts";
import { proposalText } from "../../doors/cli/place/session-here.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { ownerName } from "../../messages/principal.ts";
import { agentOfShell } from "../../perform/workspace/config.ts";
import { lookForPlace, placeOf } from "../../perform/workspace/place.ts";
import { teamOfFile } from "../handlers/team-file.ts";
import type { TeamDefinition } from "../state/definition.ts";
import { definitionText } from "../state/revision.ts";

export const teamCommand: Command = {
  description:
    "Prints the revision in force, and what the team file wants beyond it. A change that gives somebody more than before (a\n" +
    "role, an agent, a policy, a limit, a speaker, senders or receivers of a message) takes effect when you confirm it; a\n" +
    "change that only takes something away is in force at once.",
  examples: [
    { line: "baton team", meaning: "what waits for you" },
    { line: "baton team --json", meaning: "the same as one JSON value" },
  ],
  next: "baton team confirm and baton team decline decide what waits.",
  run: (call) =>
    withTeam(call, async (team) => {
      const status = await team.status();
      if (!status.ok) return call.output.fail(status.error);
      const { team: name, revision, definition, proposal } = status.value;
      const file = hubOf(call) === null ? await fileHere(call, definition) : "same";
      const isFileBroken = file === "broken";
      call.output.result({ team: name, revision, definition, proposal }, () => {
        const inForce = `team ${visible(name)}, revision ${revision}`;
        if (proposal === null) return `${inForce}${fileWords[file]}`;
        return `${inForce}\n\n${proposalText(call, proposal, { reader: team.actor.agent, isFileBroken })}`;
      });
      return exitCodes.done;
    }),
};

/** How the team file of this folder is, where nothing waits; opening the team has said why. */
const fileWords = {
  same: ": the team file says what is in force.",
  broken: " is in force: the team file has an error, so nothing of it is taken.",
  other: " is in force: the team file of this folder says something else, and nothing of it is taken.",
} as const;

async function fileHere(call: Call, definition: TeamDefinition | null): Promise<keyof typeof fileWords> {
  const place = lookForPlace(call);
  const read = place.ok ? await teamOfFile(place.value.teamFile) : ok(null);
  if (!read.ok) return "broken";
  if (read.value === null || definition === null || read.value.name !== definition.name) return "same";
  return definitionText(read.value) === definitionText(definition) ? "same" : "other";
}

/** `baton team start`: begins another team in a journal that holds one. */
export const teamStartCommand: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Begins the team that the team file names in this journal, in addition to those that it holds. A team keeps its name in the\n" +
    "record, so another name in the file means another team, and no other command begins it by itself.",
  examples: [
    { line: "baton team start", meaning: "after you wrote another name into .baton/team.yaml" },
    { line: "baton team start --json", meaning: "the same, for a program" },
  ],
  next: "baton status shows it; --team NAME on any command means one of several teams.",
  run: async (call) => {
    const { output } = call;
    const opened = await openLocal(call, null, { starts: true });
    if (!opened.ok) return output.fail(opened.error);
    await using team = opened.value;
    output.result({ team: team.name }, () => `The team ${visible(team.name)} is in the journal.`);
    return exitCodes.done;
  },
};

export const whoamiCommand: Command = {
  description:
    "Prints the agent that commands of this shell act as, its role, the team, and the journal or the hub. The agent is named by\n" +
    "a hub's token, by --as, by BATON_AGENT, or for the worktree by baton install git-hooks --as; where nobody is named, commands\n" +
    "on this machine act as the owner.",
  examples: [
    { line: "baton whoami", meaning: "before the first message of an agent" },
    { line: "baton whoami --json", meaning: '{"agent","role","by","team","at"} on one line' },
  ],
  next: "baton inbox shows what waits for this agent; baton status shows the team.",
  run: (call) =>
    withTeam(call, async (team) => {
      const status = await team.status();
      if (!status.ok) return call.output.fail(status.error);
      const { agent } = team.actor;
      const member = status.value.agents.find((each) => each.agent === agent);
      const role = agent === ownerName ? "owner" : (member?.role ?? null);
      const by = namedBy(call);
      const hub = hubOf(call);
      const place = hub === null ? await placeOf(call) : null;
      const at = hub?.url ?? (place?.ok === true ? place.value.shown : "");
      const retired = member?.status === "retired" ? ", retired" : "";
      call.output.result({ agent, role, by, team: team.name, at }, () =>
        [
          `${call.output.paint.stdout.strong(visible(agent))}  ${role ?? "not in the team"}${retired}, named by ${namingWords[by]}`,
          `  team     ${visible(team.name)}`,
          `  ${hub === null ? "journal" : "hub    "}  ${visible(at)}`,
        ].join("\n"),
      );
      return exitCodes.done;
    }),
};

/** What named the agent. */
const namingWords = {
  token: "the hub's token",
  option: "--as",
  shell: "the environment",
  tree: "the worktree",
  nobody: "nobody: the owner acts",
};

function namedBy(call: Call): keyof typeof namingWords {
  if (hubOf(call) !== null) return "token";
  if (call.given.text("as") !== undefined) return "option";
  if (agentOfShell(call.config) !== null) return "shell";
  return callerHere(call) === null ? "nobody" : "tree";
}

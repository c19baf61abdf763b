/** `baton init`: the team's definition, and what git should ignore next to it. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { teamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest, visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { table } from "../../doors/cli/terminal/terminal-text.ts";
import { dialectIds, dialectOf } from "../../messages/dialects/registry.ts";
import type { FactKind } from "../../messages/facts.ts";
import type { DialectId } from "../../messages/message.ts";
import {
  dialectsOf,
  existingTeam,
  isLink,
  linkProblem,
  makeKnown,
  nameFrom,
  otherTeamProblem,
  repositoryAbove,
  rootFor,
  type Wanted,
  writeFiles,
} from "../../perform/workspace/team-creation.ts";
import { type Workspace, workspaceAt } from "../../perform/workspace/workspace.ts";
import { isTeamKind, type TeamKindName, teamKindNames, teamKinds } from "../state/kinds.ts";

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["team"],
  description:
    "Writes .baton/team.yaml, commented, and .baton/.gitignore. In a linked git worktree they go into the main worktree.\n" +
    "The journal is in git's own folder (.git/baton/), which all worktrees share and where no commit can put a file; without\n" +
    "a repository it is in .baton/. On a terminal it asks; with --yes, or without a terminal, it does not. Where the\n" +
    "requested team exists already, it says so and changes nothing.\n\n" +
    "With --kind the file names a whole team, its agents, dialects and chain of escalation:\n" +
    teamKindNames.map((kind) => `  ${kind.padEnd(18)}${teamKinds[kind].summary}`).join("\n"),
  options: [
    { name: "kind", kind: "text", value: "KIND", choices: teamKindNames, summary: "start with a team of this kind" },
    {
      name: "dialect",
      kind: "text",
      value: "DIALECT",
      repeatable: true,
      summary: "the team's dialects, the first is the default; a kind has its own",
    },
    { name: "yes", kind: "flag", short: "y", summary: "ask nothing" },
    { name: "force", kind: "flag", summary: "write over an existing team.yaml" },
  ],
  examples: [
    { line: "baton init --dialect vbw/2 --yes", meaning: "a team that speaks vbw/2, no questions" },
    { line: "baton init --team web", meaning: "a team called web" },
    { line: "baton init --kind vbw --yes", meaning: "a lead, developers and others, named in the file" },
  ],
  next: "Name the agents in .baton/team.yaml and commit it; baton up starts the hub, baton mcp --as AGENT serves one agent.",
  run: async (call) => {
    const place = workspaceAt(rootFor(call.config.directory));
    const dialects = call.given.texts("dialect");
    const kind = kindOf(call);
    if (kind !== null && dialects.length > 0) return call.output.fail(twoKinds);
    const unknown = dialects.find((dialect) => !isDialect(dialect));
    if (unknown !== undefined) return call.output.fail(unknownDialect(unknown));
    const name = call.given.text("team") ?? nameFrom(place.root);
    if (teamName(name) === null) return call.output.fail(badName(name));
    if (isLink(place.directory)) return call.output.fail(linkProblem(place.directory));
    if (existsSync(place.teamFile) && !call.given.flag("force")) return await keepExisting(call, place, kind);
    const other = otherTeamProblem(place);
    if (other !== null && call.given.text("team") === undefined) return call.output.fail(other);
    const wanted: Wanted = { name, kind, dialects: dialects.filter(isDialect) };
    const asks = call.config.isInteractive() && !call.given.flag("yes") && !call.output.json;
    const answers = asks ? await (await import("../../doors/cli/terminal/asking.ts")).askInit(wanted) : wanted;
    if (answers === null) return exitCodes.interrupted;
    return write(call, place, answers);
  },
};

/** A team file is there. Where it says what was asked for, all is done; where it says something else, nothing is. */
async function keepExisting(call: Call, place: Workspace, kind: TeamKindName | null): Promise<ExitCode> {
  const { directory, teamFile } = place;
  const { given, output } = call;
  const team = given.text("team");
  const dialectsAsked = given.texts("dialect").filter(isDialect);
  const asked = { kind, dialects: dialectsAsked, ...(team === undefined ? {} : { name: team }) };
  const { definition, isSame } = await existingTeam(place, asked);
  if (definition === null || !isSame) {
    return output.fail(
      makeProblem("already-exists", teamFile, "This team is initialised already; nothing was changed.", {
        ...(definition === null ? {} : { received: `team ${definition.name} (${definition.dialects.join(", ")})` }),
        hint: "edit the file, or write a new one over it with --force",
      }),
    );
  }
  const { name, dialects } = definition;
  const problem = makeKnown(place);
  if (problem !== null) return output.fail(problem);
  output.result({ team: name, dialects, directory, teamFile, isNew: false }, () => {
    return `Team ${name} is there already (${dialects.join(", ")}); nothing was changed.`;
  });
  sayWhose(call, place);
  output.say(nextSteps(call, definition.agents.length > 0));
  return exitCodes.done;
}

/** What one does then; a team that nobody is in yet needs agents first. */
function nextSteps({ config: { program } }: Call, hasAgents: boolean): string {
  const steps = [
    ...(hasAgents ? [] : [[`${program} agent register dev-1 --role dev`, "an agent of the team"]]),
    [`${program} up`, "the hub and its page"],
    [`${program} install claude-code`, "let Claude Code ask Baton; or codex, gemini"],
    ["git add .baton", "commit this separately, before an agent commits its work"],
  ];
  return table(steps)
    .split("\n")
    .map((line, at) => `${at === 0 ? "Next:" : "     "} ${line}`)
    .join("\n");
}

function kindOf(call: Call): TeamKindName | null {
  const word = call.given.text("kind");
  return word !== undefined && isTeamKind(word) ? word : null;
}

const twoKinds = usageProblem(
  "--dialect",
  "A kind of team has its dialects.",
  "give either --kind or --dialect; the file can be changed afterwards",
);

function write(call: Call, place: Workspace, wanted: Wanted): ExitCode {
  const dialects = dialectsOf(wanted);
  const { kind } = wanted;
  const problem = writeFiles(place, wanted);
  if (problem !== null) return call.output.fail(problem);
  call.output.result(
    {
      team: wanted.name,
      ...(kind === null ? {} : { kind }),
      dialects,
      directory: place.directory,
      teamFile: place.teamFile,
      isNew: true,
    },
    () => {
      const shown = relative(call.config.directory, place.teamFile) || place.teamFile;
      const what = kind === null ? "" : `, ${kind}: ${teamKinds[kind].summary}`;
      return `Wrote ${shown} for team ${wanted.name} (${dialects.join(", ")})${what}.`;
    },
  );
  sayWhose(call, place);
  const lacking = needs.flatMap(([kind, words]) =>
    dialects.some((id) => dialectOf(id)?.definitionOf(kind)) ? [] : [words],
  );
  if (lacking.length > 0)
    call.output.say(
      `note: ${dialects.join(" and ")} ${dialects.length === 1 ? "has" : "have"} no message for ${lacking.join(", ")}; ` +
        "agents that need one speak vbw/2 or yolo/2 too: add it to dialects in the file",
    );
  call.output.say(nextSteps(call, kind !== null));
  return exitCodes.done;
}

/** What a team may miss in its dialects, by the kind of message that says it. */
const needs: readonly (readonly [FactKind, string])[] = [
  ["contract", "a plan's contract"],
  ["approval-request", "approvals"],
  ["progress", "progress"],
  ["blocker", "blockers"],
];

/** Says that the team is not that of the whole repository, and which other one there is. */
function sayWhose({ output }: Call, place: Workspace): void {
  const above = repositoryAbove(place);
  const other = otherTeamProblem(place);
  if (other !== null)
    output.say(`note: ${visible(other.path)} has another team: what agents of one hold does not count in the other`);
  else if (above !== null)
    output.say(
      `note: this team is that of ${visible(place.root)} alone; for the whole repository, init in ${visible(above)}`,
    );
}

/** What `init --yes` does, without a word: for commands that need a team and find none. */
export function initialiseHere(call: Call): Result<{ readonly team: string; readonly teamFile: string }, Problem> {
  const place = workspaceAt(rootFor(call.config.directory));
  const name = call.given.text("team") ?? nameFrom(place.root);
  if (teamName(name) === null) return err(badName(name));
  const other = otherTeamProblem(place);
  if (other !== null && call.given.text("team") === undefined) return err(other);
  const problem = writeFiles(place, { name, kind: null, dialects: [] });
  return problem === null ? ok({ team: name, teamFile: place.teamFile }) : err(problem);
}

function isDialect(word: string): word is DialectId {
  return (dialectIds as readonly string[]).includes(word);
}

function unknownDialect(word: string) {
  const near = nearest(word, dialectIds);
  return makeProblem("unknown-dialect", "--dialect", `There is no dialect "${word}" in this build.`, {
    expected: dialectIds.join(" | "),
    received: word,
    hint: near === null ? `one of: ${dialectIds.join(", ")}` : `did you mean "${near}"?`,
  });
}

function badName(name: string): Problem {
  return usageProblem("--team", "A team's name is 1 to 64 of a-z, 0-9 and -.", "write --team web", name);
}

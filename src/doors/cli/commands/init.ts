/** `baton init`: the team's definition, and what git should ignore beside it. */
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { teamName } from "../../../base/ids.ts";
import { replacePlainFile } from "../../../base/plain-file.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { nearest } from "../../../base/text.ts";
import { dialectIds } from "../../../dialects/registry.ts";
import type { DialectId } from "../../../message/message.ts";
import type { TeamDefinition } from "../../../team/definition.ts";
import { isTeamKind, type TeamKindName, teamKindNames, teamKinds } from "../../../team/kinds.ts";
import { definitionText } from "../../../team/revision.ts";
import { readTeamFile } from "../../../team/team-file.ts";
import { teamTemplate } from "../../../team/template.ts";
import { usageProblem } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { createState, noteHome, readHome } from "../state-folder.ts";
import { table } from "../table.ts";
import { readTeamTexts } from "../team-files.ts";
import { findUpwards, isNested, mainWorktree, type Workspace, workspaceAt } from "../workspace.ts";

const ignored = `# The team's definition and its own message definitions belong to the repository;
# anything else here is local to this machine. The journal lies in the folder baton of git's own folder.
*
!.gitignore
!team.yaml
!messages/
!messages/**
`;

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["team"],
  description:
    "Writes .baton/team.yaml, commented, and .baton/.gitignore. In a linked git worktree they go into the main worktree.\n" +
    "The journal lies in git's own folder (.git/baton/), which all worktrees share and where no commit can put a file; without\n" +
    "a repository it lies in .baton/. On a terminal it asks; with --yes, or without a terminal, it does not. Where the\n" +
    "team that is asked for stands already, it says so and changes nothing.\n\n" +
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
    { line: "baton init --kind vbw --yes", meaning: "a lead, developers and those beside them, named in the file" },
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
    if (existsSync(place.teamFile) && !call.given.flag("force")) return await leaveStanding(call, place, kind);
    const wanted: Wanted = { name, kind, dialects: dialects.filter(isDialect) };
    const asks = call.config.isInteractive() && !call.given.flag("yes") && !call.output.json;
    const answers = asks ? await (await import("../init-questions.ts")).askInit(wanted) : wanted;
    if (answers === null) return exitCodes.interrupted;
    return write(call, place, answers);
  },
};

/** A team file stands. Where it says what was asked for, all is done; where it says something else, nothing is. */
async function leaveStanding(call: Call, place: Workspace, kind: TeamKindName | null): Promise<ExitCode> {
  const { directory, teamFile } = place;
  const text = readTeamTexts(teamFile);
  const read = text.ok && text.value !== null ? await readTeamFile(text.value.text, { dialects: dialectIds }) : null;
  const definition = read?.ok === true ? read.value : null;
  const { given, output } = call;
  const team = given.text("team");
  const asked = given.texts("dialect");
  const isAskedFor =
    definition !== null &&
    (team === undefined || team === definition.name) &&
    (asked.length === 0 || asked.join() === definition.dialects.join()) &&
    (kind === null || (await isStillOfKind(definition, kind)));
  if (definition === null || !isAskedFor) {
    return output.fail(
      problem("already-exists", teamFile, "This team is initialised already; nothing was changed.", {
        ...(definition === null ? {} : { received: `team ${definition.name} (${definition.dialects.join(", ")})` }),
        hint: "edit the file, or write a new one over it with --force",
      }),
    );
  }
  const { name, dialects } = definition;
  const fault = makeKnown(place);
  if (fault !== null) return output.fail(fault);
  output.result({ team: name, dialects, directory, teamFile, isNew: false }, () => {
    return `Team ${name} is there already (${dialects.join(", ")}); nothing was changed.`;
  });
  output.say(nextSteps(call, definition.agents.length > 0));
  return exitCodes.done;
}

/** Whether a team is as its kind begins. */
async function isStillOfKind(definition: TeamDefinition, kind: TeamKindName): Promise<boolean> {
  const begins = await readTeamFile(textOf({ name: definition.name, kind, dialects: [] }), { dialects: dialectIds });
  return begins.ok && definitionText(begins.value) === definitionText(definition);
}

/** What one does then; a team that nobody is in yet needs agents first. */
function nextSteps({ config: { program } }: Call, hasAgents: boolean): string {
  const steps = [
    ...(hasAgents ? [] : [[`${program} agent register dev-1 --role dev`, "an agent of the team"]]),
    [`${program} up`, "the hub and its page"],
    [`${program} mcp --as dev-1`, "the team as an MCP server, for one agent's program"],
    ["git add .baton", "the team file and what to ignore belong to the repository"],
  ];
  return table(steps)
    .split("\n")
    .map((line, at) => `${at === 0 ? "Next:" : "     "} ${line}`)
    .join("\n");
}

interface Wanted {
  readonly name: string;
  /** Null: nobody is named, and the dialects are those below, or the usual one. */
  readonly kind: TeamKindName | null;
  readonly dialects: readonly DialectId[];
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
  const fault = writeFiles(place, wanted);
  if (fault !== null) return call.output.fail(fault);
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
  call.output.say(nextSteps(call, kind !== null));
  return exitCodes.done;
}

/** What `init --yes` does, without a word: for commands that need a team and find none. */
export function initialiseHere(call: Call): Result<{ readonly team: string; readonly teamFile: string }, Problem> {
  const place = workspaceAt(rootFor(call.config.directory));
  const name = call.given.text("team") ?? nameFrom(place.root);
  if (teamName(name) === null) return err(badName(name));
  const fault = writeFiles(place, { name, kind: null, dialects: [] });
  return fault === null ? ok({ team: name, teamFile: place.teamFile }) : err(fault);
}

function dialectsOf({ kind, dialects: [first = "vbw/2", ...others] }: Wanted): readonly [DialectId, ...DialectId[]] {
  return kind === null ? [first, ...others] : teamKinds[kind].dialects;
}

/** The text of the team file. */
function textOf(wanted: Wanted): string {
  const { name, kind } = wanted;
  if (kind === null) return teamTemplate({ name, dialects: dialectsOf(wanted) });
  const { agents, chain, dialects, summary } = teamKinds[kind];
  return teamTemplate({ name, dialects, agents, chain, about: `${kind}: ${summary}` });
}

function writeFiles(place: Workspace, wanted: Wanted): Problem | null {
  try {
    if (isLink(place.directory)) return linkProblem(place.directory);
    mkdirSync(join(place.directory, "messages"), { recursive: true });
    replacePlainFile(place.teamFile, textOf(wanted), { mode: 0o644 });
    replacePlainFile(join(place.directory, ".gitignore"), ignored, { mode: 0o644 });
    return makeKnown(place);
  } catch (cause) {
    return cannotWrite(place.directory, cause);
  }
}

/** Says in the state folder that the person wants this team below another one: its files alone could come with a commit. */
function makeKnown(place: Workspace): Problem | null {
  if (!isNested(place)) return null;
  const home = readHome(place.state);
  if (!home.ok) return home.error;
  return createState(place.state) ?? (home.value === null ? noteHome(place.state, place.root, null) : null);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function linkProblem(path: string): Problem {
  return problem(
    "journal-cannot-open",
    path,
    "This is a link, and no link is followed: a commit could lead it anywhere.",
    {
      hint: "make it a folder of this project",
    },
  );
}

function badName(name: string): Problem {
  return usageProblem("--team", "A team's name is 1 to 64 of a-z, 0-9 and -.", "write --team web", name);
}

function cannotWrite(directory: string, cause: unknown) {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return problem("journal-cannot-open", directory, `The team's directory cannot be written (${reason}).`, {
    hint: "run baton init where you may write, or free the place of what stands there",
  });
}

/** Where `.baton/` belongs: here, or at the same place of the main worktree. */
function rootFor(directory: string): string {
  const tree = findUpwards(directory, ".git", existsSync);
  const main = tree === null ? null : mainWorktree(tree);
  return tree === null || main === null ? directory : join(main, relative(tree, directory));
}

function nameFrom(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "team" : name;
}

function isDialect(word: string): word is DialectId {
  return (dialectIds as readonly string[]).includes(word);
}

function unknownDialect(word: string) {
  const near = nearest(word, dialectIds);
  return problem("unknown-dialect", "--dialect", `There is no dialect "${word}" in this build.`, {
    expected: dialectIds.join(" | "),
    received: word,
    hint: near === null ? `one of: ${dialectIds.join(", ")}` : `did you mean "${near}"?`,
  });
}

/**
 * Creating a team: the files of `.baton/`, for `baton init` and for programs that use the library.
 * Rule: docs/protocol/record.md, sections 23 to 25.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { invariant } from "../../base/invariant.ts";
import { replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { dialectIds, dialectOf } from "../../messages/dialects/registry.ts";
import type { DialectId } from "../../messages/message.ts";
import type { Level } from "../../messages/role.ts";
import type { AgentDefinition, TeamDefinition } from "../../team/state/definition.ts";
import { type TeamKindName, type TemplateSettings, teamKinds, teamTemplate } from "../../team/state/kinds.ts";
import { definitionText } from "../../team/state/revision.ts";
import { readTeamFile } from "../../team/state/team-file.ts";
import { createState, noteHome, readHome } from "./state-folder.ts";
import { readTeamTexts } from "./team-files.ts";
import {
  findUpwards,
  gitFolderOf,
  hasJournal,
  isNested,
  mainWorktree,
  type Workspace,
  workspaceAt,
} from "./workspace.ts";

/** The text of `.baton/.gitignore`. */
export const ignoredFiles = `# The team's definition, its own message definitions and its public key belong to the repository;
# anything else here is local to this machine. The journal is in the folder baton of git's own folder.
*
!.gitignore
!team.yaml
!receipt.pub
!messages/
!messages/**
`;

/** A team that must be created. */
export interface Wanted {
  readonly name: string;
  /** Null: nobody is named, and the dialects are those below, or the usual one. */
  readonly kind: TeamKindName | null;
  readonly dialects: readonly DialectId[];
  /** Whom the file names where there is no kind; absent: nobody. */
  readonly agents?: readonly AgentDefinition[];
  /** The chain of escalation where there is no kind; absent: as the dialect has it. */
  readonly chain?: readonly Level[];
  /** Where the file says it comes from, in a comment; absent: nothing. */
  readonly about?: string;
  /** What the file sets in addition; absent: what a new file shows as comments. */
  readonly settings?: TemplateSettings;
}

/** The dialects that the team file will list: those of the kind, those that were asked for, or the usual one. */
export function dialectsOf({
  kind,
  dialects: [first = "vbw/2", ...others],
}: Wanted): readonly [DialectId, ...DialectId[]] {
  return kind === null ? [first, ...others] : teamKinds[kind].dialects;
}

/** The text of the team file. */
export function teamText(wanted: Wanted): string {
  const { name, kind, agents: named = [], chain: ownChain, about, settings = {} } = wanted;
  const dialects = dialectsOf(wanted);
  const file = { name, dialects, reportType: reportTypeOf(dialects[0]) };
  const own = { ...(ownChain === undefined ? {} : { chain: ownChain }), ...(about === undefined ? {} : { about }) };
  if (kind === null) return teamTemplate({ ...file, agents: named, ...own, settings });
  const { agents, chain, summary } = teamKinds[kind];
  return teamTemplate({ ...file, agents, chain, about: `${kind}: ${summary}` });
}

/** The type by which work is reported in a dialect: the one that says progress, else its first. */
function reportTypeOf(dialect: DialectId): string {
  const definitions = [...(dialectOf(dialect)?.definitions.values() ?? [])];
  const type = (definitions.find(({ kind }) => kind === "progress") ?? definitions[0])?.type;
  invariant(type !== undefined, "a dialect has a type");
  return type;
}

/**
 * Writes the team file and what git ignores next to it, over what is there. Returns why not, or null: a `.baton` that is a
 * link (`journal-cannot-open`), or a folder that cannot be written.
 */
export function writeFiles(place: Workspace, wanted: Wanted): Problem | null {
  try {
    if (isLink(place.directory)) return linkProblem(place.directory);
    mkdirSync(join(place.directory, "messages"), { recursive: true });
    replacePlainFile(place.teamFile, teamText(wanted), { mode: 0o644 });
    replacePlainFile(join(place.directory, ".gitignore"), ignoredFiles, { mode: 0o644 });
    return makeKnown(place);
  } catch (cause) {
    return cannotWrite(place.directory, cause);
  }
}

/** The root of the repository around the place, where the place lies below it; null: it does not. */
export function repositoryAbove(place: Workspace): string | null {
  return isNested(place) ? findUpwards(place.root, ".git", existsSync) : null;
}

/** The folders of the other teams of the repository that the place is in. */
function otherTeams(place: Workspace): readonly string[] {
  const tree = place.isInGit ? findUpwards(place.root, ".git", existsSync) : null;
  const folder = tree === null ? null : gitFolderOf(tree);
  if (tree === null || folder === null) return [];
  const above: string[] = [];
  for (let at = place.root; at !== tree; at = dirname(at)) above.push(dirname(at));
  const states = join(folder, "baton/folders");
  const below = (existsSync(states) ? readdirSync(states) : []).flatMap((name) => {
    const home = readHome(join(states, name));
    return home.ok && home.value !== null ? [home.value.project] : [];
  });
  const hasTeam = (root: string) => existsSync(workspaceAt(root).teamFile) || hasJournal(workspaceAt(root));
  return [...new Set([...above, tree, ...below])].filter((root) => root !== place.root && hasTeam(root));
}

/** That the repository has another team, which nobody sees from here. Null: it has none. */
export function otherTeamProblem(place: Workspace): Problem | null {
  const [other] = otherTeams(place);
  if (other === undefined) return null;
  const fact = "This repository has a team already; what the agents of one hold does not count in another.";
  return makeProblem("already-exists", other, fact, {
    received: place.root,
    hint: "Work with that team: it is found from each folder below it. A second one is made by name: `baton init --team NAME`",
  });
}

/** Says in the state folder that the person wants this team below another one: its files alone could come with a commit. */
export function makeKnown(place: Workspace): Problem | null {
  if (!isNested(place)) return null;
  const home = readHome(place.state);
  if (!home.ok) return home.error;
  return createState(place.state) ?? (home.value === null ? noteHome(place.state, place.root, null) : null);
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

export function linkProblem(path: string): Problem {
  return makeProblem(
    "journal-cannot-open",
    path,
    "This is a link, and no link is followed: a commit could lead it anywhere.",
    {
      hint: "make it a folder of this project",
    },
  );
}

/** What is in a folder that has a team file already. */
export interface ExistingTeam {
  /** Null: the file cannot be read. */
  readonly definition: TeamDefinition | null;
  /** Whether the file says what `wanted` would write. */
  readonly isSame: boolean;
}

/**
 * The team file in place of the one that is `wanted`. Of it only what was asked for is compared: `name`, `dialects` and
 * `agents` where they are given, everything where it is a kind.
 */
export async function existingTeam(
  { teamFile }: Workspace,
  wanted: Partial<Pick<Wanted, "name" | "agents">> & Pick<Wanted, "kind" | "dialects">,
): Promise<ExistingTeam> {
  const text = readTeamTexts(teamFile);
  const read = text.ok && text.value !== null ? await readTeamFile(text.value.text, { dialects: dialectIds }) : null;
  const definition = read?.ok === true ? read.value : null;
  if (definition === null) return { definition, isSame: false };
  const { name, dialects, agents, kind } = wanted;
  const isSame =
    (name === undefined || name === definition.name) &&
    (dialects.length === 0 || dialects.join() === definition.dialects.join()) &&
    (agents === undefined || agentsOf(agents) === agentsOf(definition.agents)) &&
    (kind === null || (await isStillOfKind(definition, kind)));
  return { definition, isSame };
}

function agentsOf(agents: readonly AgentDefinition[]): string {
  const lines = agents.map(({ agent, role, department = "", dialect = "", program = "" }) =>
    [agent, role, department, dialect, program].join(),
  );
  return lines.toSorted().join("\n");
}

/** Whether a team is as its kind begins. */
async function isStillOfKind(definition: TeamDefinition, kind: TeamKindName): Promise<boolean> {
  const begins = await readTeamFile(teamText({ name: definition.name, kind, dialects: [] }), { dialects: dialectIds });
  return begins.ok && definitionText(begins.value) === definitionText(definition);
}

function cannotWrite(directory: string, cause: unknown) {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return makeProblem("journal-cannot-open", directory, `The team's directory cannot be written (${reason}).`, {
    hint: "run baton init where you may write, or move away what is there",
  });
}

/** Where `.baton/` belongs: here, or at the same place of the main worktree. */
export function rootFor(directory: string): string {
  const tree = findUpwards(directory, ".git", existsSync);
  const main = tree === null ? null : mainWorktree(tree);
  return tree === null || main === null ? directory : join(main, relative(tree, directory));
}

/** A name for a team in this folder. */
export function nameFrom(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "team" : name;
}

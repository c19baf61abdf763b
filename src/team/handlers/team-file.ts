/**
 * The file of a team: what it and the message types next to it define, remembered so that the next command loads nothing
 * that reads such files; and what it is to the team: an older one than the team's, or that of another team.
 * Rules: docs/protocol/authority.md, sections 17 to 20.
 */
import { argument } from "../../base/argument.ts";
import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { TeamDefinition } from "../state/definition.ts";
import type { OwnMessageFile } from "../state/own-messages.ts";
import { isEarlierFile, latestMark, type TeamRevisionState } from "../state/revision.ts";

/** The text of `.baton/team.yaml` and where it is, with the files of `.baton/messages/`. */
export interface TeamFileText {
  readonly path: string;
  readonly text: string;
  /** Absent: the team has no custom message types. */
  readonly messages?: readonly OwnMessageFile[];
  /** Remembers what these files define; absent: they are read. */
  readonly memory?: TeamFileMemory;
}

/**
 * Remembers what a team's files define, for the next command: reading YAML takes a third of the time of a short command.
 * A memory grants nothing: the definition is compared with the one in force, as if it had been read.
 */
export interface TeamFileMemory {
  /** The definition of these files; null: not known. */
  recall(): TeamDefinition | null;
  /** Called with the definition of files that have no errors. Never throws. */
  keep(definition: TeamDefinition): void;
}

/** The definition that a team's files say; null for none. Problems: `team-file`, with line and column or JSON path. */
export async function teamOfFile(
  file: TeamFileText | null,
): Promise<Result<TeamDefinition | null, readonly Problem[]>> {
  if (file === null) return ok(null);
  const known = file.memory?.recall() ?? null;
  if (known !== null) return ok(known);
  const { readTeamFiles } = await import("./team-file-reading.ts");
  const read = await readTeamFiles(file);
  if (read.ok) file.memory?.keep(read.value);
  return read;
}

/**
 * Why `definition` is no change of the team's file: the file said it earlier, another one was recorded since, and this
 * folder never had that one. Null: it is one, or it is what the team has.
 */
export function olderFile(
  { seenFile }: Pick<TeamContext, "seenFile">,
  definition: TeamDefinition,
  { files, revision, proposal }: TeamRevisionState,
): Problem | null {
  if (seenFile === undefined || !isEarlierFile(files, definition)) return null;
  if (seenFile.mark() === latestMark(files)) return null;
  const than = proposal === null ? `the one of revision ${revision}` : "the one whose change the owner decides";
  return makeProblem("team-file", teamFileName, `The team file of this folder is older than ${than}.`, {
    hint: "Nothing of it is recorded. Get the newer one, for example by git pull. To go back on purpose, get it first, then change the file.",
  });
}

/** The mark as it is now: under the write lock no file is read. */
export function markBefore({ seenFile }: TeamContext): Pick<TeamContext, "seenFile"> {
  if (seenFile === undefined) return {};
  const mark = seenFile.mark();
  return { seenFile: { ...seenFile, mark: () => mark } };
}

/** The folder has the team's latest file. Where the team never had another one, there is nothing to remember. */
export function keepSeen({ seenFile }: TeamContext, definition: TeamDefinition, { files }: TeamRevisionState): void {
  if (seenFile === undefined || files.size < 2 || isEarlierFile(files, definition)) return;
  const mark = latestMark(files);
  if (seenFile.mark() !== mark) seenFile.keep(mark);
}

const teamFileName = ".baton/team.yaml";

/** A journal keeps a team under its name, so another name in the file would begin a second, empty team. */
export function otherTeam(name: string, teams: readonly TeamName[]): Problem {
  const [only = ""] = teams;
  const has = teams.length === 1 ? `the team ${only}` : `the teams ${teams.join(", ")}`;
  return makeProblem(
    "team-file",
    argument("team"),
    `The team file names the team "${name}", but the journal holds ${has}.`,
    {
      expected: teams.join(" | "),
      received: name,
      hint:
        `A team keeps its name in the record. Write \`team: ${only}\` in the file again to go on with it. ` +
        `\`baton team start\` begins ${name} as another, empty team in this journal.`,
    },
  );
}

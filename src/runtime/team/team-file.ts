/**
 * What the files of a team say together: `.baton/team.yaml`, and the message types next to it. What was read once is
 * remembered, so that the next command loads nothing that reads such files.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import type { OwnMessageFile } from "../../team/own-messages.ts";

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

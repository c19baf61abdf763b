/** The team that the files of the nearest `.baton/` say. */
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { teamOfFile } from "../../../runtime/team/team-files.ts";
import type { TeamDefinition } from "../../../team/definition.ts";
import { readTeamTexts } from "./team-files.ts";
import { findWorkspace } from "./workspace.ts";

/**
 * The team that `directory` (absolute) lies in, or null where there is none. A team file that is there and broken is no
 * reason to judge by something else: its problems are told.
 */
export async function nearestTeam(directory: string): Promise<Result<TeamDefinition | null, readonly Problem[]>> {
  const workspace = findWorkspace(directory);
  const file = workspace === null ? ok(null) : readTeamTexts(workspace.teamFile);
  return file.ok ? teamOfFile(file.value) : err([file.error]);
}

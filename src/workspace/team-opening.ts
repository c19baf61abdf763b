/**
 * Opening the team of a place on this machine: the same for a command and for a program that uses the library.
 * Rule: docs/protocol/state-folder.md.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import { readTips } from "../evidence/git/branch-tips.ts";
import { type OpenOptions, openTeam } from "../runtime/open.ts";
import type { LocalTeam } from "../runtime/team/team.ts";
import type { Place } from "./place.ts";
import { teamFileNote } from "./team-file-note.ts";
import { liesInRepository } from "./workspace.ts";

/** How a team is opened beyond what its place says. */
export type OpeningWay = Pick<
  OpenOptions,
  "agent" | "passOver" | "program" | "proposed" | "starts" | "team" | "via" | "waitMs"
>;

/**
 * Opens the team of `place`; git runs with what it needs of `environment`. Refuses as `openTeam` of the runtime does. A
 * place with a refusal is opened for reading.
 */
export async function openAt(
  { journal, teamFile, root, refusal }: Place,
  environment: Readonly<Record<string, string>>,
  way: OpeningWay,
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const hasRepository = liesInRepository(root);
  const repository = { directory: root, environment };
  return await openTeam({
    journal,
    // A copied project records nothing, a note neither.
    teamFile:
      teamFile === null || refusal !== null ? teamFile : { ...teamFile, memory: teamFileNote(journal, teamFile) },
    // A team file is the proof that a team was meant to be here; a journal alone must exist already.
    create: teamFile !== null,
    hasRepository,
    // Nobody else may be there to look, so a report is checked at once.
    ...(hasRepository ? { judgesAt: repository } : {}),
    readBranches: () => readTips(repository.directory, repository),
    ...(refusal === null ? {} : { refusal }),
    ...way,
  });
}

/**
 * Teams in which a journal records nothing more, as an older version left them: one that continues in another journal, and
 * one that is in an archive.
 * Source: docs/protocol/record.md, section 17.
 */
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { namingAdvice } from "../journal/address-to-paste.ts";
import { fileAddress, isServerAddress } from "../journal/engines.ts";
import type { Journal } from "../journal/journal.ts";
import type { TeamArchive, TeamState } from "./state.ts";

/** The team continues in another journal. */
export function movedProblem(team: TeamName, to: string): Problem {
  const address = isServerAddress(to) ? to : fileAddress(to);
  const message = `This team continues in the journal ${address}; nothing more is recorded here.`;
  const hint = `${namingAdvice(to)} Where it is lost, \`baton journal copy --to\` with that address lets the team go on there.`;
  return makeProblem("journal-moved", team, message, { hint });
}

/** Why this journal takes nothing more: the teams continue in another one, as the last of them says. Null: they are here. */
export async function leftProblem(journal: Journal<TeamState>): Promise<Problem | null> {
  const teams = await journal.teams();
  const last = teams.ok ? teams.value.at(-1) : undefined;
  const folded = last === undefined ? null : await journal.state(last);
  const moved = folded?.ok === true ? folded.value.state.moved : null;
  return last === undefined || !moved || moved === journal.place ? null : movedProblem(last, moved);
}

/** Nothing is recorded in a team that an older version archived. */
export function archivedProblem(team: TeamName, { file, digest, isGivenUp }: TeamArchive): Problem {
  const where = `in the archive ${file}`;
  const message = isGivenUp ? `This team has ended; its entries are ${where}.` : `This team has ended and is ${where}.`;
  const archive = fileAddress("FILE");
  const read = isGivenUp ? `Read it with --journal ${archive}. ` : "";
  return makeProblem("team-archived", team, message, {
    expected: `the file with SHA-256 ${digest}`,
    hint: `${read}The team can continue in a copy of the archive: \`baton journal copy --journal ${archive} --to URL\`.`,
  });
}

/** What a caller learns whose token is in an archive only, so that nobody can check it: any caller can name a team. */
export function tokensArchived(team: TeamName, { file }: Pick<TeamArchive, "file">): Problem {
  return makeProblem(
    "team-archived",
    team,
    `This team has ended; its entries and its tokens are in the archive ${file}.`,
    {
      hint: "Ask the owner for the address of a hub in whose journal the team continues.",
    },
  );
}

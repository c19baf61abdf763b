/**
 * Teams in which a journal records nothing more: one that continues in another journal, and one that is in an archive.
 * Every command that opens a journal needs to know; what brings such a team about is next to it.
 * Source: docs/protocol/record.md, section 17.
 */
import type { TeamName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { namingAdvice } from "../journal/address-to-paste.ts";
import { fileAddress, isServerAddress } from "../journal/engines.ts";
import type { Journal } from "../journal/journal.ts";
import type { MovedTeam, TeamArchive, TeamState } from "./state.ts";

/** The address by which a command takes the journal that an entry names: an entry names a file by its path. */
export function addressOfMove(to: string): string {
  return isServerAddress(to) ? to : fileAddress(to);
}

/** The team continues in another journal. */
export function movedProblem(team: TeamName, { to, isUndone = false }: MovedTeam): Problem {
  const address = addressOfMove(to);
  const place = namingAdvice(to);
  if (isUndone)
    return problem("journal-moved", team, `This team left here: it continues in the journal ${address}.`, {
      received: "the journal of a migration that was taken back",
      hint: `${place} What was recorded here since the migration is only here and can be read.`,
    });
  return problem(
    "journal-moved",
    team,
    `This team continues in the journal ${address}; nothing more is recorded here.`,
    {
      hint: `${place} \`baton journal migrate --undo\` takes it back.`,
    },
  );
}

/** Why this journal takes nothing more: the teams continue in another one, as the last of them says. Null: they are here. */
export async function leftProblem(journal: Journal<TeamState>): Promise<Problem | null> {
  const teams = await journal.teams();
  const last = teams.ok ? teams.value.at(-1) : undefined;
  return last === undefined ? null : await movedFrom(journal, last);
}

/**
 * The same for one who asks again and again: each call costs one team, however many there are, because they move together.
 * Where the team that is asked has moved, the next call asks another one, so a team that continues here is found.
 */
export function newLeftLook(journal: Journal<TeamState>): () => Promise<Problem | null> {
  let known: readonly TeamName[] = [];
  let turn = 0;
  return async () => {
    if (turn >= known.length) {
      const teams = await journal.teams();
      known = teams.ok ? teams.value : [];
      turn = 0;
    }
    const team = known[turn];
    const problem = team === undefined ? null : await movedFrom(journal, team);
    if (problem !== null) turn += 1;
    return problem;
  };
}

async function movedFrom(journal: Journal<TeamState>, team: TeamName): Promise<Problem | null> {
  const folded = await journal.state(team);
  const moved = folded.ok ? folded.value.state.moved : null;
  return moved ? movedProblem(team, moved) : null;
}

/** Nothing is recorded in a team that an older version archived. */
export function archivedProblem(team: TeamName, { file, digest, isGivenUp }: TeamArchive): Problem {
  const where = `in the archive ${file}`;
  const message = isGivenUp ? `This team has ended; its entries are ${where}.` : `This team has ended and is ${where}.`;
  const archive = fileAddress("FILE");
  const read = isGivenUp ? `Read it with --journal ${archive}. ` : "";
  return problem("team-archived", team, message, {
    expected: `the file with SHA-256 ${digest}`,
    hint: `${read}The team can continue in a copy of the archive: \`baton journal migrate --copy --journal ${archive} --to URL\`.`,
  });
}

/** What a caller learns whose token is in an archive only, so that nobody can check it: any caller can name a team. */
export function tokensArchived(team: TeamName, { file }: Pick<TeamArchive, "file">): Problem {
  return problem("team-archived", team, `This team has ended; its entries and its tokens are in the archive ${file}.`, {
    hint: "Ask the owner for the address of a hub in whose journal the team continues.",
  });
}

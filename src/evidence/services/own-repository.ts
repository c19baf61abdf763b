/**
 * Whose repository verdicts are about: the one around the journal, or, where the journal lies in a server, the one that the
 * owner has named. What another one shows is not recorded, so nobody chooses the judge.
 * Source: docs/protocol/verdicts.md, section 1.
 */
import { join } from "node:path";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import { problemsOf } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { TeamState } from "../../perform/state.ts";
import { keepRepository, repositoryIn } from "../../perform/workspace/state-folder.ts";
import { openRepository, type Repository } from "../git/repository.ts";
import type { RepositoryPlace } from "./gate.ts";

/** The id of the repository that the owner named; null: none, or the journal's place says which it is. */
export function namedRepository({ journal }: TeamContext, { team }: TeamState): string | null {
  return isShared(journal) ? (team.repository ?? null) : null;
}

/** Why nothing is recorded of what this repository shows; null: it is the team's. `named`: see `namedRepository`. */
export async function foreignNote(
  { journal, repository: own }: TeamContext,
  named: string | null,
  { commonDirectory, workTree }: Repository,
): Promise<Note | null> {
  if (isShared(journal)) return named !== null && idOf(commonDirectory) === named ? null : foreignTo(null);
  // A journal in memory is its program's alone.
  if (own === undefined) return journal.abilities.persistent ? foreignTo(null) : null;
  if (own.directory === workTree) return null;
  const opened = await openRepository(own.directory, own);
  if (!opened.ok) return foreignTo(own.directory);
  await using owned = opened.value;
  return owned.commonDirectory === commonDirectory ? null : foreignTo(own.directory);
}

function foreignTo(directory: string | null): Note {
  const own =
    directory === null
      ? "The owner names the team's by `baton up --repository DIR`."
      : `The team's is around ${directory}.`;
  return { code: "not-recorded", path: "$", message: `Nothing is recorded: this is not the team's repository. ${own}` };
}

/** Journals in a server are opened from many clones, and lie in none. */
function isShared({ abilities }: TeamContext["journal"]): boolean {
  return abilities.reach === "network";
}

function idOf(commonDirectory: string): string | null {
  return repositoryIn(join(commonDirectory, "baton"));
}

/**
 * Names the repository at `place` as the team's, where none is named or `isMeant`; answers whether it is the team's then.
 * Refuses all but the owner, and what git, disk and journal refuse.
 */
export async function nameRepository(
  context: TeamContext,
  actor: Actor,
  place: RepositoryPlace,
  isMeant: boolean,
): Promise<Result<boolean, Problem>> {
  if (!isShared(context.journal)) return ok(true);
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const named = namedRepository(context, folded.value.state);
  const known = idOf(repository.commonDirectory);
  if (named !== null && (named === known || !isMeant)) return ok(named === known);
  const id = known ?? newMessageId();
  const problem = known === null ? keepRepository(join(repository.commonDirectory, "baton"), id) : null;
  if (problem !== null) return err(problem);
  const [refused] = problemsOf(await perform({ context, actor }, naming, { repository: id }));
  return refused === undefined ? ok(true) : err(refused);
}

const naming: Operation<{ readonly repository: string }, TeamContext> = {
  name: "name-repository",
  decide: (_, { repository }, { by }) =>
    by.agent === ownerName
      ? ok({ team: [{ event: "repository-named", repository }], events: [], notes: [] })
      : err([ownersOnly(by.agent)]),
};

function ownersOnly(agent: string): Problem {
  return makeProblem("sender-not-authorised", agent, `${agent} may not name the team's repository.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}

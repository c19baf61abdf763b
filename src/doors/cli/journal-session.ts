/** Doing something with the journal itself, below any team: open it as it is, run, close. */
import type { TeamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { SqliteJournal } from "../../journal/sqlite/index.ts";
import { openTeamJournal } from "../../runtime/open.ts";
import type { TeamState } from "../../runtime/state.ts";
import type { Call } from "./command.ts";
import type { ExitCode } from "./exit-codes.ts";
import { placeOf } from "./place.ts";
import { warnOf } from "./session.ts";

/** A journal as the record's commands see it. */
export type OpenedJournal = SqliteJournal<TeamState>;

/** Runs `act` on the journal that the call means, which must exist, and closes it whatever happens. */
export async function withJournal(
  call: Call,
  options: { readonly readOnly: boolean },
  act: (journal: OpenedJournal, path: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const place = placeOf(call);
  if (!place.ok) return call.output.fail(place.error);
  const opened = await openTeamJournal(place.value.journal, { create: false, readOnly: options.readOnly });
  if (!opened.ok) return call.output.fail(opened.error);
  await using journal = opened.value;
  warnOf(call, journal.condition());
  return await act(journal, place.value.journal);
}

/** The teams that the call means: the one of `--team`, or all. Refuses with `unknown-team` one that has no entries. */
export async function teamsOf(call: Call, journal: OpenedJournal): Promise<Result<readonly TeamName[], Problem>> {
  const teams = await journal.teams();
  const asked = call.given.text("team");
  if (!teams.ok || asked === undefined) return teams;
  const found = teams.value.filter((team) => team === asked);
  if (found.length > 0) return ok(found);
  return err(
    problem("unknown-team", asked, `The journal holds no team "${asked}".`, {
      expected: teams.value.join(" | ") || "no team yet",
    }),
  );
}

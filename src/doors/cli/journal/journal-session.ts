/** Doing something with the record, below any team: open the journal, or the hub before it, as it is; run; close. */
import { existsSync } from "node:fs";
import type { TeamName } from "../../../base/ids.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { openTeamJournal } from "../../../runtime/open.ts";
import { type JournalRecord, recordOf } from "../../../runtime/record/record.ts";
import { placeOf } from "../../../workspace/place.ts";
import type { Call } from "../kernel/command.ts";
import type { ExitCode } from "../kernel/exit-codes.ts";
import { hubOf } from "../place/hub-address.ts";
import { sayRefusal, warnOf } from "../place/session.ts";

/** Runs `act` on the record that the call means, whose journal must exist, and closes it whatever happens. */
export async function withRecord(
  call: Call,
  options: { readonly readOnly: boolean },
  act: (record: JournalRecord) => Promise<ExitCode>,
): Promise<ExitCode> {
  const opened = await openFor(call, options.readOnly);
  if (!opened.ok) return call.output.fail(opened.error);
  await using record = opened.value;
  warnOf(call, record.condition());
  return await act(record);
}

async function openFor(call: Call, readOnly: boolean): Promise<Result<JournalRecord, Problem>> {
  const hub = hubOf(call);
  if (hub !== null) {
    const connected = await call.connectHub(hub);
    return connected.ok ? ok(connected.value.record()) : connected;
  }
  const place = await placeOf(call);
  if (!place.ok) return place;
  const { journal, teamFile, refusal } = place.value;
  if (refusal !== null) sayRefusal(call, refusal);
  if (teamFile !== null && !existsSync(journal)) return err(nothingYet(journal));
  const opened = await openTeamJournal(journal, {
    create: false,
    readOnly,
    ...(refusal === null ? {} : { refusal }),
  });
  return opened.ok ? ok(recordOf(opened.value)) : opened;
}

/** A team is defined, and nothing has happened in it. */
function nothingYet(journal: string): Problem {
  return problem("journal-missing", journal, "Nothing is recorded yet, so there is no journal.", {
    hint: "The first command that records something creates it, for example `baton agent register` or `baton up`.",
  });
}

/** The teams that the call means: the one of `--team`, or all. Refuses with `unknown-team` one that has no entries. */
export async function teamsOf(call: Call, record: JournalRecord): Promise<Result<readonly TeamName[], Problem>> {
  const teams = await record.teams();
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

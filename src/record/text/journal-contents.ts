/**
 * What a journal holds: its size and condition, and the folded state at an entry.
 */

import { existsSync } from "node:fs";
import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible, visibleLines } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { newJournalProblem } from "../../doors/cli/place/hubs-elsewhere.ts";
import { sayRefusal, warnOf } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import { isServerAddress } from "../../journal/engines.ts";
import { openTeamJournal } from "../../perform/open.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import { type JournalRecord, recordOf } from "../handlers/record.ts";
import type { RecordStats } from "../operations/entries.ts";
import { replay } from "../view/time-travel.ts";

/** What a journal is and how large, a line each: its place, and how far its search is indexed. */
export function contentsText({ place, bytes, search, engine, condition }: RecordStats): readonly string[] {
  const size = bytes === null ? [] : [`${bytes} bytes`];
  const facts = Object.entries(engine).map(([name, value]) => {
    // `logBytes` as "log bytes 0".
    return visible(`${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`);
  });
  return [
    `${visible(place)}: ${[condition, ...size, ...facts].join(", ")}`,
    ...(search === undefined ? [] : [`search index: ${search.bytes} bytes`]),
    ...(search?.teams ?? []).map(
      ({ team, indexed }) =>
        `team ${visible(team)}: indexed up to entry ${indexed}${indexed === 0 ? "; the first search indexes it" : ""}`,
    ),
  ];
}

/** Of `baton status --at`: the folded state of a team at an entry. */
export function showAt(call: Call, seq: number): Promise<ExitCode> {
  return withRecord(call, { readOnly: true }, async (record) => {
    const { output } = call;
    const teams = await teamsOf(call, record);
    if (!teams.ok) return output.fail(teams.error);
    const [team] = teams.value;
    if (team === undefined || teams.value.length > 1) {
      const names = teams.value.map(visible).join(", ");
      const hint = team === undefined ? "it holds no team yet" : `name one with --team: ${names}`;
      return output.fail(usageProblem("--team", "One team is shown at a time.", hint));
    }
    const replayed = await replay(record, team, seq);
    if (!replayed.ok) return output.fail(replayed.error);
    output.result(replayed.value, () => visibleLines(JSON.stringify(replayed.value, null, 2)));
    return exitCodes.done;
  });
}

/* Doing something with the record, below any team: open the journal, or the hub before it, as it is; run; close. */

/**
 * Runs `act` on the record that the call means, whose journal must exist, and closes it whatever happens. `acceptsLoss`: the
 * command is the one that a warning of missing entries recommends, so there is none.
 */
export async function withRecord(
  call: Call,
  options: { readonly readOnly: boolean; readonly acceptsLoss?: true },
  act: (record: JournalRecord) => Promise<ExitCode>,
): Promise<ExitCode> {
  const opened = await openFor(call, options.readOnly);
  if (!opened.ok) return call.output.fail(opened.error);
  await using record = opened.value;
  const condition = record.condition();
  if (options.acceptsLoss !== true || condition.condition !== "regressed") warnOf(call, condition);
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
  const { journal, address, shown, teamFile, refusal } = place.value;
  if (refusal !== null) sayRefusal(call, refusal);
  if (teamFile !== null && address === journal && !existsSync(journal))
    return err((await newJournalProblem(call, place.value)) ?? nothingYet(shown));
  const opened = await openTeamJournal(address, {
    create: false,
    readOnly,
    headsFile: anchorPath(journal),
    ...(refusal === null ? {} : { refusal }),
  });
  if (!opened.ok) return opened;
  // What a server has lost shows only in a look at it.
  if (!readOnly && isServerAddress(address)) {
    const teams = await opened.value.teams();
    for (const team of teams.ok ? teams.value : []) await opened.value.state(team);
  }
  return ok(recordOf(opened.value));
}

/** A team is defined, and nothing has happened in it. */
function nothingYet(journal: string): Problem {
  return makeProblem("journal-missing", journal, "Nothing is recorded yet, so there is no journal.", {
    hint: "The first command that records something creates it, for example `baton agent register AGENT --role ROLE` or `baton up`.",
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
    makeProblem("unknown-team", asked, `The journal holds no team "${asked}".`, {
      expected: teams.value.join(" | ") || "no team yet",
    }),
  );
}

/**
 * What a journal holds: `baton journal stats` counts it, and `baton journal replay` shows the folded state at an entry.
 */

import { existsSync } from "node:fs";
import type { TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible, visibleLines } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { newJournalProblem } from "../../doors/cli/place/hubs-elsewhere.ts";
import { sayRefusal, warnOf } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import { isServerAddress } from "../../journal/engines.ts";
import type { EngineFacts } from "../../journal/journal.ts";
import { openTeamJournal } from "../../perform/open.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import { type JournalRecord, recordOf, statsJson } from "../handlers/record.ts";
import { replay } from "../view/time-travel.ts";

/** The engine's facts in words: `logBytes` as "log bytes 0". */
function factsOf(engine: EngineFacts): readonly string[] {
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return Object.entries(engine).map(([name, value]) => visible(`${words(name)} ${value}`));
}

export const statsCommand: Command = {
  description:
    "Prints for each team how many entries it has and where its head is, the size of the files, and whether it may be\nwritten.",
  examples: [
    { line: "baton journal stats", meaning: "the journal of the nearest .baton/" },
    { line: "baton journal stats --json", meaning: "the same as one JSON value" },
  ],
  next: "baton journal verify tells whether it is sound; baton journal backup FILE copies it.",
  run: (call) =>
    withRecord(call, { readOnly: true }, async (record) => {
      const { output } = call;
      const stats = await record.stats();
      if (!stats.ok) return output.fail(stats.error);
      const { place, bytes, teams, search, engine, condition } = stats.value;
      const size = bytes === null ? [] : [`${bytes} bytes`];
      output.result(statsJson(stats.value), () =>
        [
          `${visible(place)}: ${[condition, ...size, ...factsOf(engine)].join(", ")}`,
          ...teams.map(
            ({ team, entries, head }) =>
              `team ${visible(team)}: ${entries} entries, head ${head.seq}, epoch ${head.epoch}`,
          ),
          ...(search === undefined ? [] : [`search index: ${search.bytes} bytes`]),
          ...(search?.teams ?? []).map(
            ({ team, indexed }) =>
              `team ${visible(team)}: indexed up to entry ${indexed}${indexed === 0 ? "; the first search indexes it" : ""}`,
          ),
        ].join("\n"),
      );
      return exitCodes.done;
    }),
};

/** `baton journal replay`: the folded state at an entry. */
export const replayCommand: Command = {
  description:
    "Folds the entries of a team up to one of them and prints the state as JSON: the definition in force, agents, mail, contracts,\n" +
    "tasks, approvals, rounds, at that time. Reads only.",
  options: [
    {
      name: "at",
      kind: "position",
      value: "SEQ",
      summary: "the entry's number; 0: before the first (default: the last)",
    },
  ],
  examples: [
    { line: "baton journal replay --at 17", meaning: "the state when entry 17 was recorded" },
    { line: "baton journal replay --json | jq .state.team.revision", meaning: "a part of the current state" },
  ],
  next: "baton show SEQ prints the entry itself.",
  run: (call) =>
    withRecord(call, { readOnly: true }, async (record) => {
      const { output, given } = call;
      const teams = await teamsOf(call, record);
      if (!teams.ok) return output.fail(teams.error);
      const [team] = teams.value;
      if (team === undefined || teams.value.length > 1) {
        const names = teams.value.map(visible).join(", ");
        const hint = team === undefined ? "it holds no team yet" : `name one with --team: ${names}`;
        return output.fail(usageProblem("--team", "One team is replayed at a time.", hint));
      }
      const replayed = await replay(record, team, given.number("at"));
      if (!replayed.ok) return output.fail(replayed.error);
      output.result(replayed.value, () => visibleLines(JSON.stringify(replayed.value, null, 2)));
      return exitCodes.done;
    }),
};

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

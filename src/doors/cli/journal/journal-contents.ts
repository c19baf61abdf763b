/**
 * What a journal holds: `baton journal stats` counts it, and `baton journal replay` shows the folded state at an entry.
 */
import { visible, visibleLines } from "../../../base/text.ts";
import type { EngineFacts } from "../../../journal/journal.ts";
import { statsJson } from "../../../runtime/record/record.ts";
import { replay } from "../../../runtime/record/replay.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { teamsOf, withRecord } from "./journal-session.ts";

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

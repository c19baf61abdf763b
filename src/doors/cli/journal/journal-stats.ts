/** `baton journal stats`: how much the journal holds. */
import { visible } from "../../../base/text.ts";
import type { EngineFacts } from "../../../journal/journal.ts";
import { statsJson } from "../../../runtime/record/record.ts";
import type { Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withRecord } from "./journal-session.ts";

/** The engine's facts in words: `logBytes` as "log bytes 0". */
function factsOf(engine: EngineFacts): readonly string[] {
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return Object.entries(engine).map(([name, value]) => visible(`${words(name)} ${value}`));
}

export const command: Command = {
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

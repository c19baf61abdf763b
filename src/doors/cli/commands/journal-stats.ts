/** `baton journal stats`: how much the journal holds. */
import { visible } from "../../../base/text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { withRecord } from "../journal-session.ts";

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
      const { path, bytes, logBytes, teams, search, sqliteVersion, condition } = stats.value;
      output.result(stats.value, () =>
        [
          `${visible(path)}: ${condition}, ${bytes} bytes and ${logBytes} in the write-ahead log, SQLite ${sqliteVersion}`,
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

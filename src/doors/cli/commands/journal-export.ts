/** `baton journal export`: every entry as it stands, for other programs and for the long shelf. */

import { jsonLine } from "../../../base/json-line.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { teamsOf, withRecord } from "../journal-session.ts";

export const command: Command = {
  description: "Prints every entry of every team (or of --team), in order, a line of JSON each, hashes included.",
  options: [{ name: "format", kind: "text", value: "FORMAT", choices: ["jsonl"], summary: "how to write it" }],
  examples: [
    { line: "baton journal export > journal.jsonl", meaning: "everything" },
    { line: "baton journal export --team web | jq .kind", meaning: "one team, into another program" },
  ],
  next: "baton journal verify tells whether the entries are those that were written.",
  run: (call) =>
    withRecord(call, { readOnly: true }, async (record) => {
      const { output } = call;
      const teams = await teamsOf(call, record);
      if (!teams.ok) return output.fail(teams.error);
      for (const team of teams.value) {
        for await (const entry of record.entries(team)) {
          if (!entry.ok) return output.fail(entry.error);
          output.raw(jsonLine(entry.value));
          if (call.signal.aborted) return exitCodes.done;
        }
      }
      return exitCodes.done;
    }),
};

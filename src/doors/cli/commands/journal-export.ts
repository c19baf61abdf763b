/** `baton journal export`: every entry as it stands, for other programs and for the long shelf. */
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { teamsOf, withJournal } from "../journal-session.ts";
import { jsonLine } from "../json-line.ts";

export const command: Command = {
  description: "Prints every entry of every team (or of --team), in order, a line of JSON each, hashes included.",
  options: [{ name: "format", kind: "text", value: "FORMAT", choices: ["jsonl"], summary: "how to write it" }],
  examples: [
    { line: "baton journal export > journal.jsonl", meaning: "everything" },
    { line: "baton journal export --team web | jq .kind", meaning: "one team, into another program" },
  ],
  next: "baton journal verify tells whether the entries are those that were written.",
  run: (call) =>
    withJournal(call, { readOnly: true }, async (journal) => {
      const { output } = call;
      const teams = await teamsOf(call, journal);
      if (!teams.ok) return output.fail(teams.error);
      for (const team of teams.value) {
        for (let after: number | null = 0; after !== null; ) {
          const page = await journal.read(team, { after });
          if (!page.ok) return output.fail(page.error);
          for (const entry of page.value.entries) output.raw(jsonLine(entry));
          if (call.signal.aborted) return exitCodes.done;
          after = page.value.next;
        }
      }
      return exitCodes.done;
    }),
};

/** `baton journal export`: the record for other programs and the long shelf, and for the folders of other tools. */
import { resolve } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { jsonLine } from "../../base/json.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { phaseFolders, phaseRows } from "../../phases/services/phase-rows.ts";
import { writePhases } from "../../phases/text/phase-folder.ts";
import type { JournalRecord } from "../handlers/record.ts";
import { teamsOf, withRecord } from "./journal-contents.ts";

export const command: Command = {
  description:
    "Prints every entry of every team (or of --team), in order, a line of JSON each, hashes included. With --out it writes folders\n" +
    "of phases instead: the rows that were imported from such, what messages say that belongs there (critiques, test plans,\n" +
    "decisions, reviews, verdicts, audits, research, diagnoses), and a line of summary.jsonl for each plan that is done.",
  options: [
    { name: "out", kind: "text", value: "DIR", summary: "the folder for folders of phases; no file is overwritten" },
  ],
  examples: [
    { line: "baton journal export > journal.jsonl", meaning: "everything" },
    { line: "baton journal export --team web | jq .kind", meaning: "one team, into another program" },
    { line: "baton journal export --out phases", meaning: "as yolo's tools keep it" },
  ],
  next: "baton journal import reads the lines back, exactly; baton journal verify says whether all is there.",
  run: (call) => {
    const out = call.given.text("out");
    return withRecord(call, { readOnly: true }, async (record) => {
      const teams = await teamsOf(call, record);
      if (!teams.ok) return call.output.fail(teams.error);
      if (out !== undefined) return await writeFolders(call, record, teams.value, resolve(call.config.directory, out));
      for (const team of teams.value) {
        const code = await print(call, record, team);
        // What was cut off stays cut off: it must not look whole.
        if (code !== exitCodes.done || call.signal.aborted) return code;
      }
      return exitCodes.done;
    });
  },
};

/** Entries between two words on how far an export is. */
const progressEvery = 5_000;

async function print(call: Call, record: JournalRecord, team: TeamName): Promise<ExitCode> {
  const { output, signal } = call;
  let count = 0;
  for await (const entry of record.entries(team)) {
    if (!entry.ok) return output.fail(entry.error);
    output.raw(jsonLine(entry.value));
    count += 1;
    // Where the lines go to a file or a program, a terminal shows how far they are.
    if (count % progressEvery === 0 && !call.config.isShown()) output.progress(`exported ${count} entries`);
    if (signal.aborted) return exitCodes.done;
  }
  output.progress(null);
  return exitCodes.done;
}

async function writeFolders(
  call: Call,
  record: JournalRecord,
  teams: readonly TeamName[],
  folder: string,
): Promise<ExitCode> {
  const { output } = call;
  const [team] = teams;
  if (team === undefined || teams.length > 1)
    return output.fail(usageProblem("--team", "The phases of one team are written at a time.", "add --team NAME"));
  const folders = await phaseFolders(record.entries(team));
  if (!folders.ok) return output.fail(folders.error);
  const done = await writePhases(folder, () => phaseRows(record.entries(team), folders.value));
  if (!done.ok) return output.fail(done.error);
  for (const [file, rows] of done.value) output.result({ file, rows }, () => `${file}: ${rows} rows`);
  if (done.value.size === 0) output.say("The journal holds nothing for a phase's folder.");
  return exitCodes.done;
}

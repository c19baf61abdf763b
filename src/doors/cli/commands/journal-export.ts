/** `baton journal export`: the record for other programs, for other tools' folders, for people, and for the long shelf. */
import { resolve } from "node:path";
import type { TeamName } from "../../../base/ids.ts";
import { jsonLine } from "../../../base/json-line.ts";
import type { Entry } from "../../../journal/entry.ts";
import { cloudEvent } from "../../../runtime/cloud-event.ts";
import { minutesOf } from "../../../runtime/minutes.ts";
import { phaseRows } from "../../../runtime/phase-rows.ts";
import type { JournalRecord } from "../../../runtime/record.ts";
import { usageProblem } from "../arguments.ts";
import { choiceIfGiven } from "../choice.ts";
import type { Call, Command } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { teamsOf, withRecord } from "../journal-session.ts";
import { writePhases } from "../phase-folder.ts";

const formats = ["jsonl", "cloudevents", "markdown", "phase"] as const;

export const command: Command = {
  description:
    "Prints every entry of every team (or of --team), in order: jsonl a line of JSON each, hashes included; cloudevents the same,\n" +
    "each in a CloudEvent 1.0; markdown minutes of what was said, for people. phase writes folders of phases below --out: the\n" +
    "rows that were imported from such, and a line of summary.jsonl for each plan that is done.",
  options: [
    { name: "format", kind: "text", value: "FORMAT", choices: formats, summary: "how to write it (default: jsonl)" },
    {
      name: "out",
      kind: "text",
      value: "DIR",
      summary: "for phase: the folder for the phases; no file is overwritten",
    },
  ],
  examples: [
    { line: "baton journal export > journal.jsonl", meaning: "everything" },
    { line: "baton journal export --team web | jq .kind", meaning: "one team, into another program" },
    { line: "baton journal export --format markdown > minutes.md", meaning: "what was said, to read" },
    { line: "baton journal export --format phase --out phases", meaning: "as yolo's tools keep it" },
  ],
  next: "baton journal import reads jsonl and cloudevents back, to the letter; baton journal verify tells whether all is there.",
  run: (call) => {
    const format = choiceIfGiven(call.given.text("format"), formats) ?? "jsonl";
    const out = call.given.text("out");
    if ((format === "phase") !== (out !== undefined)) {
      const fault =
        format === "phase" ? "Folders of phases need a place." : "Only folders of phases are written to a place.";
      const hint = format === "phase" ? "add --out DIR" : "leave --out out, and redirect standard output";
      return Promise.resolve(call.output.fail(usageProblem("--out", fault, hint)));
    }
    return withRecord(call, { readOnly: true }, async (record) => {
      const teams = await teamsOf(call, record);
      if (!teams.ok) return call.output.fail(teams.error);
      if (out !== undefined) return await writeFolders(call, record, teams.value, resolve(call.config.directory, out));
      for (const team of teams.value) {
        const code = await print(call, record, team, format);
        if (code !== exitCodes.done || call.signal.aborted) return code;
      }
      return exitCodes.done;
    });
  },
};

/** What an entry adds to what is printed, and the last words. */
interface Printing {
  take(entry: Entry): readonly string[];
  end(): readonly string[];
}

function printingOf(format: (typeof formats)[number], team: TeamName): Printing {
  if (format === "markdown") return minutesOf(team);
  const shown = format === "cloudevents" ? cloudEvent : (entry: Entry): unknown => entry;
  return { take: (entry) => [jsonLine(shown(entry))], end: () => [] };
}

async function print(
  call: Call,
  record: JournalRecord,
  team: TeamName,
  format: (typeof formats)[number],
): Promise<ExitCode> {
  const { output, signal } = call;
  const printing = printingOf(format, team);
  // Minutes are text; with --json they are a value a line like everything else.
  const tell = (text: string) => (format === "markdown" ? output.result({ line: text }, () => text) : output.raw(text));
  for await (const entry of record.entries(team)) {
    if (!entry.ok) return output.fail(entry.error);
    for (const text of printing.take(entry.value)) tell(text);
    if (signal.aborted) return exitCodes.done;
  }
  for (const text of printing.end()) tell(text);
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
  const done = await writePhases(folder, () => phaseRows(record.entries(team)));
  if (!done.ok) return output.fail(done.error);
  for (const [file, rows] of done.value) output.result({ file, rows }, () => `${file}: ${rows} rows`);
  if (done.value.size === 0) output.say("The journal holds nothing for a phase's folder.");
  return exitCodes.done;
}

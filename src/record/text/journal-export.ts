/** `baton journal export`: the record for other programs, for other tools' folders, for people, and for the long shelf. */
import { resolve } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { isJsonList, isJsonObject, type Json, jsonLine } from "../../base/json.ts";
import { markdownText, shorten } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { choiceIfGiven } from "../../doors/cli/kernel/time-argument.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Entry } from "../../journal/entry.ts";
import { contentOf } from "../../perform/content.ts";
import { phaseFolders, phaseRows } from "../../phases/services/phase-rows.ts";
import { writePhases } from "../../phases/text/phase-folder.ts";
import type { JournalRecord } from "../handlers/record.ts";
import { logLine } from "../view/log.ts";
import { isInView } from "../view/log-line.ts";
import { summaryOf } from "../view/summary.ts";
import { teamsOf, withRecord } from "./journal-contents.ts";

const formats = ["jsonl", "cloudevents", "cloudevents-batch", "markdown", "phase"] as const;

export const command: Command = {
  description:
    "Prints every entry of every team (or of --team), in order: jsonl a line of JSON each, hashes included; cloudevents the same,\n" +
    "each in a CloudEvent 1.0; cloudevents-batch these as one JSON array (application/cloudevents-batch+json); markdown minutes\n" +
    "of what was said, for people. phase writes folders of phases below --out: the\n" +
    "rows that were imported from such, what messages say that belongs there (critiques, test plans, decisions, reviews,\n" +
    "verdicts, audits, research, diagnoses), and a line of summary.jsonl for each plan that is done.",
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
    {
      line: "baton journal export --format cloudevents-batch | curl -H 'content-type: application/cloudevents-batch+json' -d @- URL",
      meaning: "for a program that reads events",
    },
    { line: "baton journal export --format markdown > minutes.md", meaning: "what was said, to read" },
    { line: "baton journal export --format phase --out phases", meaning: "as yolo's tools keep it" },
  ],
  next: "baton journal import reads jsonl and cloudevents back, exactly; baton journal verify says whether all is there.",
  run: (call) => {
    const format = choiceIfGiven(call.given.text("format"), formats) ?? "jsonl";
    const out = call.given.text("out");
    if ((format === "phase") !== (out !== undefined)) {
      const problem =
        format === "phase" ? "Folders of phases need a place." : "Only folders of phases are written to a place.";
      const hint = format === "phase" ? "add --out DIR" : "leave --out out, and redirect standard output";
      return Promise.resolve(call.output.fail(usageProblem("--out", problem, hint)));
    }
    if (format === "cloudevents-batch" && call.output.json)
      return Promise.resolve(call.output.fail(usageProblem("--json", batchProblem, "cloudevents writes a line each")));
    return withRecord(call, { readOnly: true }, async (record) => {
      const teams = await teamsOf(call, record);
      if (!teams.ok) return call.output.fail(teams.error);
      if (out !== undefined) return await writeFolders(call, record, teams.value, resolve(call.config.directory, out));
      const printing = printingOf(format);
      for (const team of teams.value) {
        const code = await print(call, record, team, printing);
        // What was cut off stays cut off: it must not look whole.
        if (code !== exitCodes.done || call.signal.aborted) return code;
      }
      for (const line of printing.end()) call.output.raw(line);
      return exitCodes.done;
    });
  },
};

const batchProblem = "A batch is one value over many lines, and --json promises a value a line.";

/** What is printed, line by line. */
interface Printing {
  /** Minutes are text; with --json they are a value a line like everything else. */
  readonly isText: boolean;
  /** What the entries of a team add, and its last words. */
  of(team: TeamName): { take(entry: Entry): readonly string[]; end(): readonly string[] };
  /** The last words of all. */
  end(): readonly string[];
}

function printingOf(format: (typeof formats)[number]): Printing {
  if (format === "markdown") return { isText: true, of: minutesOf, end: () => [] };
  if (format === "cloudevents-batch") return batchPrinting();
  const shown = format === "cloudevents" ? cloudEvent : (entry: Entry): unknown => entry;
  const take = (entry: Entry) => [jsonLine(shown(entry))];
  return { isText: false, of: () => ({ take, end: () => [] }), end: () => [] };
}

/** The JSON batch format of CloudEvents: one array, an event a line. */
function batchPrinting(): Printing {
  let opener = "[";
  const take = (entry: Entry) => {
    const line = `${opener}${jsonLine(cloudEvent(entry))}`;
    opener = ",";
    return [line];
  };
  return { isText: false, of: () => ({ take, end: () => [] }), end: () => [opener === "[" ? "[]" : "]"] };
}

/** Entries between two words on how far an export is. */
const progressEvery = 5_000;

async function print(call: Call, record: JournalRecord, team: TeamName, { of, isText }: Printing): Promise<ExitCode> {
  const { output, signal } = call;
  const printing = of(team);
  const tell = (text: string) => (isText ? output.result({ line: text }, () => text) : output.raw(text));
  let count = 0;
  for await (const entry of record.entries(team)) {
    if (!entry.ok) return output.fail(entry.error);
    for (const text of printing.take(entry.value)) tell(text);
    count += 1;
    // Where the lines go to a file or a program, a terminal shows how far they are.
    if (count % progressEvery === 0 && !call.config.isShown()) output.progress(`exported ${count} entries`);
    if (signal.aborted) return exitCodes.done;
  }
  for (const text of printing.end()) tell(text);
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

/** The attributes; those beyond the specification's are extensions, in its alphabet. */
export interface CloudEvent {
  readonly specversion: "1.0";
  /** The entry's hash: no other event of any journal has it. */
  readonly id: string;
  readonly source: string;
  /** `baton.KIND`, and the message's type where it has one. */
  readonly type: string;
  readonly time: string;
  /** The task that it is about. */
  readonly subject?: string;
  readonly datacontenttype: "application/json";
  /** The entry's number, in digits that sort as text. */
  readonly sequence: string;
  readonly batonsender: string;
  readonly batondialect?: string;
  readonly data: Entry;
}

/** The event that says what `entry` records. */
export function cloudEvent(entry: Entry): CloudEvent {
  const { kind, sender, task, dialect, type } = logLine(entry);
  return {
    specversion: "1.0",
    id: entry.hash,
    source: `urn:baton:team:${entry.team}`,
    type: isPlain(type) ? `baton.${kind}.${type}` : `baton.${kind}`,
    time: entry.recordedAt,
    ...(isPlain(task) ? { subject: task } : {}),
    datacontenttype: "application/json",
    sequence: String(entry.seq).padStart(16, "0"),
    batonsender: sender,
    ...(isPlain(dialect) ? { batondialect: dialect } : {}),
    data: entry,
  };
}

/** Attributes hold no controls; agents' words that are no plain ones are in the data only. */
function isPlain(word: string | null): word is string {
  return word !== null && /^[\x21-\x7e]{1,128}$/.test(word);
}

/*
 * The record as minutes in Markdown: who said what to whom, day by day, in the words of the messages. Agents' words are
 * escaped, so that they can be nothing but words.
 */

/** Most characters of one thing that was said. */
const wordsMax = 2_000;

interface Minutes {
  /** The lines that an entry adds; none where it is bookkeeping. */
  take(entry: Entry): readonly string[];
  /** The last lines. */
  end(): readonly string[];
}

/** Minutes of a team, from their heading on. */
function minutesOf(team: TeamName): Minutes {
  let day = "";
  let last: Entry | null = null;
  return {
    take(entry) {
      const isFirst = last === null;
      last = entry;
      const line = logLine(entry);
      const head = isFirst ? [`# Minutes of ${markdownText(team)}`] : [];
      if (!isInView(line, "messages")) return head;
      const today = entry.recordedAt.slice(0, 10);
      const heading = today === day ? [] : ["", `## ${markdownText(today)}`, ""];
      day = today;
      return [...head, ...heading, ...said(entry)];
    },
    end() {
      if (last === null) return [`# Minutes of ${markdownText(team)}`, "", "Nothing is recorded."];
      return ["", `Up to entry ${last.seq}, ${markdownText(last.recordedAt)}, hash \`${last.hash}\`.`];
    },
  };
}

function said(entry: Entry): readonly string[] {
  const content = contentOf(entry);
  const { kind, type, dialect, sender, receivers } = logLine(entry);
  const { imported, message } = content;
  const from = imported === undefined ? sender : `${imported.from ?? "somebody"}, imported by ${sender}`;
  const to = imported?.to ?? receivers.join(", ");
  const what = kind === "refusal" ? "refused" : (type ?? (message === undefined ? kind : "words"));
  const format = dialect === null ? "" : ` (${markdownText(dialect)})`;
  const head = `- ${markdownText(entry.recordedAt)} **${markdownText(from)}**${to === "" ? "" : ` to ${markdownText(to)}`}: ${markdownText(what)}${format}, entry ${entry.seq}`;
  const fields = message?.fact?.body;
  if (fields === undefined) {
    const words = message === undefined ? summaryOf(content) : message.text;
    return [head, ...(words === "" ? [] : [`  - ${shown(words)}`])];
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => fieldLine(name, value));
  return [head, ...lines];
}

function fieldLine(name: string, value: Json): readonly string[] {
  const words = wordsOf(value);
  return words === "" ? [] : [`  - ${markdownText(name)}: ${shown(words)}`];
}

function wordsOf(value: Json): string {
  if (isJsonList(value)) return value.map(wordsOf).join("; ");
  if (isJsonObject(value)) return JSON.stringify(value);
  return value === null ? "" : String(value);
}

function shown(words: string): string {
  return markdownText(shorten(words, wordsMax));
}

/** `baton show`: one entry with its message, problems, notes and how far delivery came. */
import { visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { noteText, type Paint, problemText, toned } from "../../doors/cli/terminal/output.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";
import type { Json } from "../../messages/facts.ts";
import { isValid, type Reading } from "../../messages/intake/reading.ts";
import { batonName } from "../../messages/principal.ts";
import type { Shown } from "../../record/operations/entries.ts";
import { isContradicted } from "../../tasks/state/report-status.ts";
import { whereOf } from "./watch-line.ts";

export const command: Command = {
  description:
    "Prints one entry: what was said, by whom, why it was refused where it was, what became of it, and for each receiver\n" +
    "whether it waits, was offered, seen or acknowledged. A report has its verdict with what was found. Where several senders\n" +
    "used one id, all their entries are listed, and --from names one. Exits 3 when there is no such entry.",
  positionals: [{ name: "ID", argument: "key", required: true, summary: "a message's id, or an entry's number" }],
  options: [
    {
      name: "from",
      argument: "sender",
      kind: "text",
      value: "AGENT",
      summary: "the entry of this sender with that id",
    },
  ],
  examples: [
    { line: "baton show 17", meaning: "the entry with number 17" },
    { line: "baton show update-789 --json", meaning: "the message with this id, everything as JSON" },
  ],
  next: "baton log shows what came before and after.",
  run: (call) =>
    withTeam(call, async (team) => {
      const sender = call.given.text("from");
      const shown = await team.show(call.given.word("ID") ?? "", sender === undefined ? {} : { sender });
      if (!shown.ok) return call.output.fail(shown.error);
      call.output.result(shown.value, () => shownText(shown.value, call.output.paint.stdout));
      return exitCodes.done;
    }),
};

function shownText(shown: Shown, paint: Paint): string {
  const what = shown.type === null ? shown.kind : `${visible(shown.type)} (${shown.dialect ?? "no dialect"})`;
  const lines = [
    paint.strong(`#${shown.seq} ${what}`),
    `  id         ${shown.id === null ? "none" : visible(shown.id)}`,
    `  sender     ${visible(shown.sender)}${shown.entry.principal.role === null ? "" : ` (${shown.entry.principal.role})`}, by ${shown.entry.principal.via}`,
    `  receivers  ${listed(shown.receivers)}`,
    `  recorded   ${localTime(shown.recordedAt)}, epoch ${shown.epoch}`,
    `  hash       ${shown.entry.hash}`,
    ...outcomeLines(shown, paint),
    ...shown.delivery.map(({ agent, state }) => `  delivery   ${visible(agent)}: ${state}`),
  ];
  if (shown.message === null) lines.push(`  says       ${visible(shown.summary)}`);
  else lines.push("", messageText(shown.message.text));
  for (const problem of shown.problems) lines.push("", problemText(problem, paint));
  for (const note of shown.notes) lines.push(noteText(note, paint));
  return lines.join("\n");
}

/** What became of the entry and which entry followed it, and of a report its verdict. A refusal says itself why. */
function outcomeLines({ kind, outcome, supersededBy, sender, verdicts = [] }: Shown, paint: Paint): readonly string[] {
  if (outcome === null || kind === "refusal") return [];
  const followed = `${isContradicted(outcome) ? `, ${sender === batonName ? "judged" : "reported"} again in` : " by"} entry`;
  return [
    `  outcome    ${toned(paint, outcomeTones, outcome)}${supersededBy === null ? "" : `${followed} ${supersededBy}`}`,
    ...verdicts.flatMap(({ task, seq, state, problems }) => [
      `  verdict    ${visible(task)}: ${toned(paint, outcomeTones, state)} in entry ${seq}`,
      ...problems.map((each) => `             ${visible(`${each.code}${whereOf(each)}: ${each.message}`)}`),
    ]),
  ];
}

const outcomeTones = { verified: "good", disputed: "bad", gone: "bad", failed: "bad", repaired: "warn" } as const;

/* A reading for people: the verdict with what was read, its problems and its notes. */

/** The verdict in one line, then each problem and note. `where` says which message of which source. */
export function readingText(reading: Reading, where: string, paint: Paint): string {
  return [verdictLine(reading, where, paint), ...problemLines(reading, paint)].join("\n");
}

/** `valid  update.json  execution_update (vbw/2, typed)`. */
export function verdictLine(reading: Reading, where: string, paint: Paint): string {
  const verdict = isValid(reading) ? paint.good("valid") : paint.bad("invalid");
  const { type, dialect, rung } = reading;
  const what = type === null ? rung : `${visible(type)} (${dialect ?? "no dialect"}, ${rung})`;
  return `${verdict}  ${visible(where)}  ${what}`;
}

/** Problems and notes, indented. */
export function problemLines(reading: Reading, paint: Paint): readonly string[] {
  const problems = reading.problems.map((problem) => problemText(problem, paint));
  const notes = reading.notes.map((note) => noteText(note, paint));
  return [...problems, ...notes].map((text) => text.replaceAll(/^/gm, "  "));
}

/* A message for a person's eyes: prose as it is, JSON indented, nothing in it able to act on the terminal. */

/** The message indented by two, line by line made visible; a line feed at its end begins no line. */
export function messageText(message: Json): string {
  const text = typeof message === "string" ? message : JSON.stringify(message, null, 2);
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line) => `  ${visible(line)}`)
    .join("\n");
}

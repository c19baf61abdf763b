/**
 * `baton show`: one entry with its message, problems, notes and how far delivery came; and an entry as one line of
 * `baton watch`, which fits its screen, and of `baton log`.
 *
 * 10:00:00 #17 dev-1 -> lead-1  execution_update  1-1-T1: complete
 * 10:00:04 #18 dev-1  refused execution_update  outside-contract at $.payload.files_modified
 * hint: ask for a scope change.
 */
import type { Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { noteText, type Paint, problemText, toned } from "../../doors/cli/terminal/output.ts";
import { columnsOf, fitColumns, localTime } from "../../doors/cli/terminal/terminal-text.ts";
import type { Json } from "../../messages/facts.ts";
import { isValid, type Reading } from "../../messages/intake/reading.ts";
import { batonName } from "../../messages/principal.ts";
import type { LogLine, Shown } from "../../record/operations/entries.ts";
import { partiesOf } from "../../record/view/log-line.ts";
import { invalidStateOf, isContradicted } from "../../tasks/state/report-status.ts";

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

type Style = (text: string) => string;

interface Part {
  readonly text: string;
  readonly style: Style;
}

export interface LineView {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly columns: number;
}

const plain: Style = (text) => text;

/** The entry in one line; a refusal with its first problem, whose hint is below. */
export function watchLine(line: LogLine, problem: Problem | null, { paint, columns }: LineView): string {
  const time = localTime(line.recordedAt);
  const { from, to: named } = partiesOf(line);
  const to = named.length === 0 ? "" : ` -> ${listed(named)}`;
  const body = bodyOf(line, problem, paint);
  const parts: readonly Part[] = [
    { text: `${time} `, style: paint.faint },
    { text: `#${line.seq} `, style: line.kind === "ack" ? paint.faint : plain },
    { text: visible(from), style: line.kind === "ack" ? paint.faint : paint.strong },
    { text: to, style: line.kind === "ack" ? paint.faint : plain },
    ...body,
  ];
  const shown = fitted(parts, columns);
  if (problem?.hint === undefined) return shown;
  const hint = `hint: ${visible(problem.hint)}`;
  const indent = " ".repeat(time.length + 1);
  return `${shown}\n${fitted(
    [
      { text: indent, style: plain },
      { text: hint, style: paint.bad },
    ],
    columns,
  )}`;
}

function bodyOf(line: LogLine, problem: Problem | null, paint: Paint): readonly Part[] {
  const type = line.type === null ? (line.kind === "message" ? "prose" : line.kind) : visible(line.type);
  const summary = { text: `  ${visible(line.summary)}`, style: plain };
  switch (line.kind) {
    case "refusal": {
      const first = problem === null ? line.summary : `${problem.code}${whereOf(problem)}: ${problem.message}`;
      return [
        { text: `  refused ${type === "refusal" ? "an input" : type}`, style: paint.bad },
        { text: `  ${visible(first)}`, style: paint.bad },
      ];
    }
    case "ack":
      return [{ text: `  ${visible(line.summary)}`, style: paint.faint }];
    case "timer":
    case "epoch":
      return [{ text: `  ${type}`, style: paint.warn }, summary];
    case "message":
      return [
        ...problemOf(line, paint),
        { text: `${invalidStateOf(line.report) === null ? "  " : " "}${type}`, style: paint.good },
        summary,
      ];
    case "command":
    case "team":
      return [...problemOf(line, paint), { text: `  ${visible(line.summary)}`, style: plain }];
  }
}

/** The word for a report that is not good, or no longer, in its colour. */
function problemOf({ report }: LogLine, paint: Paint): readonly Part[] {
  const word = invalidStateOf(report);
  return word === null ? [] : [{ text: `  ${word}`, style: problemStyle(word, paint) }];
}

/** In which colour that word is shown. */
export function problemStyle(word: NonNullable<ReturnType<typeof invalidStateOf>>, paint: Paint): Style {
  return word === "superseded" ? paint.faint : word === "repaired" ? paint.warn : paint.bad;
}

/** ` at PATH`; empty: the whole is meant. */
export function whereOf({ path }: Pick<Problem, "path">): string {
  return path === "" || path === "$" ? "" : ` at ${path}`;
}

/** The parts one after another, as far as they go; what is cut ends with `…`. */
function fitted(parts: readonly Part[], columns: number): string {
  let left = columns;
  let shown = "";
  for (const { text, style } of parts) {
    if (text === "" || left <= 0) continue;
    const cut = fitColumns(text, left);
    shown += style(cut);
    left = cut === text ? left - columnsOf(text) : 0;
  }
  return shown;
}

/* A line of the log for people: when, which entry, what it is, who sent it to whom, and what it says. */

export function logLineText(line: LogLine, paint: Paint): string {
  const isRefused = line.kind === "refusal";
  // Of a refused text that is no message there is no type to tell.
  const what = line.type === null ? (isRefused ? "an input" : line.kind) : visible(line.type);
  const word = invalidStateOf(line.report);
  const problem = word === null ? "" : `${problemStyle(word, paint)(word)} `;
  const shown = isRefused ? paint.bad(`refused ${what}`) : `${problem}${what}`;
  const { from, to: named } = partiesOf(line);
  const to = named.length === 0 ? "" : ` -> ${listed(named)}`;
  // That it was refused is before what it is.
  const said = isRefused ? line.summary.replace(/^refused: /, "") : line.summary;
  const head = `${paint.faint(`${localTime(line.recordedAt)} `)}${paint.strong(`#${line.seq}`)}`;
  return `${head} ${shown} ${visible(from)}${to}  ${visible(said)}`;
}

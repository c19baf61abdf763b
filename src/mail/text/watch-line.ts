/**
 * An entry as `baton watch` shows it: one line that fits the terminal, its parts told apart by colour; where there is no
 * terminal, the same words whole and plain. And its line in `baton log`.
 *
 *   10:00:00 #17 dev-1 -> lead-1  execution_update  1-1-T1: complete
 *   10:00:04 #18 dev-1  refused execution_update  outside-contract at $.payload.files_modified
 *            hint: ask for a scope change
 */
import type { Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import { listed } from "../../doors/cli/place/session.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { columnsOf, fitColumns, localTime } from "../../doors/cli/terminal/terminal-text.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import { partiesOf } from "../../record/view/log-line.ts";
import { invalidStateOf } from "../../tasks/state/report-status.ts";

type Style = (text: string) => string;

interface Part {
  readonly text: string;
  readonly style: Style;
}

export interface LineView {
  readonly paint: Paint;
  /** Columns of the terminal; null: there is none, and nothing is cut. */
  readonly columns: number | null;
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
  if (columns === null) return `${shown}; ${hint}`;
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
function fitted(parts: readonly Part[], columns: number | null): string {
  let left = columns ?? Number.POSITIVE_INFINITY;
  let shown = "";
  for (const { text, style } of parts) {
    if (text === "" || left <= 0) continue;
    const cut = left === Number.POSITIVE_INFINITY ? text : fitColumns(text, left);
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

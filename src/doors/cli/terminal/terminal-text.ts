/**
 * Text in the columns of a terminal: how many it takes, cut to as many as there are, and a help page folded where the
 * terminal is narrower. The text must be visible text already. An estimate where terminals differ (joined emoji are
 * counted apart), so a line may end early, never late. And times, as all text of the command shows them.
 */
import { systemClock } from "../../../base/clock.ts";
import { ageOf, visible } from "../../../base/text.ts";

/** Letters of East Asia and pictures take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Marks are drawn over the letter before them. */
const drawnOver = /[\p{Mn}\p{Me}]/u;

/** How many columns the text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

/** The text in at most `columnsMax` columns; `…` is last where something was cut. */
export function fitColumns(text: string, columnsMax: number): string {
  if (columnsMax <= 0) return "";
  if (text.length * 2 <= columnsMax || columnsOf(text) <= columnsMax) return text;
  let kept = "";
  let columns = 0;
  for (const character of text) {
    columns += widthOf(character);
    if (columns > columnsMax - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  if (drawnOver.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/* Rows of words in columns. The words must be visible text already. */

/** The rows, each column as wide as its widest word, two spaces between. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, word] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, word.length);
  }
  return rows
    .map((row) =>
      row
        .map((word, column) => word.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Narrower than this a column of words is harder to read than a line that the terminal breaks. */
const textColumnsMin = 24;
/** Titles of the parts whose lines are copied. */
const copiedParts: ReadonlySet<string> = new Set(["Usage", "Examples"]);

/** `page` for a terminal of so many columns; as it is where it fits or `columns` is null: there is no terminal. */
export function foldPage(page: string, columns: number | null): string {
  if (columns === null || columns < textColumnsMin) return page;
  const lines = page.split("\n");
  if (lines.every((line) => shownColumns(line) <= columns)) return page;
  let part = "";
  return paragraphsOf(lines)
    .flatMap((line) => {
      if (line !== "" && !line.startsWith(" ")) part = withoutColour(line);
      return copiedParts.has(part) ? [line] : foldLine(line, columns);
    })
    .join("\n");
}

/** The lines of a paragraph as one, so that they can be broken again; what is indented stays as it is. */
function paragraphsOf(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1] ?? "";
    const goesOn = [before, line].every((each) => each !== "" && !each.startsWith(" "));
    if (goesOn) joined[joined.length - 1] += ` ${line}`;
    else joined.push(line);
  }
  return joined;
}

/** The line in lines of a terminal of so many columns, the later ones indented; whole where `columns` is null. */
export function foldLine(line: string, columns: number | null): readonly string[] {
  if (columns === null || columns < textColumnsMin || shownColumns(line) <= columns) return [line];
  const indent = " ".repeat(hangingOf(line, columns));
  const folded: string[] = [];
  // Blanks before a word belong to it: they are what sets columns apart.
  for (const word of wordsOf(line)) {
    const last = folded.at(-1);
    if (last === undefined) folded.push(word);
    else if (shownColumns(last + word) <= columns) folded[folded.length - 1] = last + word;
    else folded.push(indent + word.trimStart());
  }
  return folded;
}

/** The words, each with the blanks before it. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let blanks = "";
  for (const [at, word] of line.split(" ").entries()) {
    if (at > 0) blanks += " ";
    if (word === "") continue;
    words.push(blanks + word);
    blanks = "";
  }
  return words;
}

/** Where a line goes on: below its second column, where it has one and there is room, else below its beginning. */
function hangingOf(line: string, columns: number): number {
  const shown = withoutColour(line);
  const own = shown.length - shown.trimStart().length;
  const gap = shown.indexOf("  ", own);
  const second = gap < 0 ? own : shown.length - shown.slice(gap).trimStart().length;
  return columns - second < textColumnsMin ? own : second;
}

function shownColumns(line: string): number {
  return columnsOf(withoutColour(line));
}

/** The words of our pages without colour codes. */
function withoutColour(line: string): string {
  return line.replaceAll(/\u001b\[\d+m/g, "");
}

/**
 * A moment, RFC 3339 or in milliseconds, by the reader's clock: `14:03:20` if it is today, else `2026-02-12 14:03:20`.
 * What is no time stays as it is. Text shows every moment so, and programs read it in UTC with `--json`.
 */
export function localTime(moment: string | number, nowMs: number = systemClock.now()): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return visible(String(moment));
  const day = dayOf(at);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":");
  return day === dayOf(new Date(nowMs)) ? time : `${day} ${time}`;
}

/** When an agent was last seen, where its silence is the point: `last seen 17 s ago`. */
export function lastSeenText(lastSeenAt: string, nowMs: number = systemClock.now()): string {
  const age = ageOf(Date.parse(lastSeenAt), nowMs);
  return age === "now" ? "last seen now" : `last seen ${age} ago`;
}

function dayOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join("-");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

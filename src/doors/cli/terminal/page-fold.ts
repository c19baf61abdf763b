/**
 * A help page in a terminal that is narrower than the page: what would be broken in the middle of words goes on in the
 * next line, below its own column. Lines to be copied (usage and examples) stay whole.
 */
import { columnsOf } from "./terminal-text.ts";

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

function foldLine(line: string, columns: number): readonly string[] {
  if (shownColumns(line) <= columns) return [line];
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

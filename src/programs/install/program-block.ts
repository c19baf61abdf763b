/**
 * Baton's table in a program's TOML settings: a block between two marks. What somebody else wrote between the marks, as
 * programs do that append tables, stays when the block goes.
 */
import { serverTable } from "./program-settings.ts";

const beginMark = "# baton begin";
const endMark = "# baton end";
const header = `[${serverTable.join(".")}]`;

/** The block, whole. */
export function blockOf(lines: readonly string[]): string {
  return `${[beginMark, ...lines, endMark].join("\n")}\n`;
}

interface Parts {
  readonly before: string;
  /** The lines of our table, from its header. */
  readonly own: readonly string[];
  /** What others wrote between the marks. */
  readonly foreign: string;
  readonly after: string;
}

/** `text` without the block; null: nothing is left. The same text where no block is in it. */
export function withoutBlock(text: string): string | null {
  const parts = partsOf(text);
  if (parts === null) return text;
  const left = parts.before + parts.foreign + parts.after;
  return left.trim() === "" ? null : left;
}

/** What the block says of our table: each key with its value as written; null: there is no block. */
export function blockPairs(text: string): ReadonlyMap<string, string> | null {
  const pairs = partsOf(text)?.own.flatMap((line) => {
    const [, key, value] = /^(\w+) = (.*)$/.exec(line.trim()) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return pairs === undefined ? null : new Map(pairs);
}

/** A text of three quotes could hold lines that look like the block, so such a file has none that is known. */
function partsOf(text: string): Parts | null {
  const lines = text.split(/(?<=\n)/);
  const begin = lines.findIndex((line) => line.startsWith(beginMark));
  const end = lines.findIndex((line, index) => index > begin && line.startsWith(endMark));
  if (begin < 0 || end < 0 || /"""|'''/.test(text)) return null;
  const inside = lines.slice(begin + 1, end);
  if (inside[0]?.trim() !== header) return null;
  const next = inside.findIndex((line, index) => index > 0 && line.startsWith("["));
  const own = next < 0 ? inside : inside.slice(0, next);
  // An older Baton wrote a line end before the block, and said so behind the mark.
  const isAdded = /line (?:break|end) before/.test(lines[begin] ?? "");
  const before = lines.slice(0, begin).join("");
  return {
    before: isAdded ? before.replace(/\r?\n$/, "") : before,
    own,
    foreign: inside.slice(own.length).join(""),
    after: lines.slice(end + 1).join(""),
  };
}

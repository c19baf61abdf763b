/**
 * A handoff in Markdown by its headings: the paragraphs and the entries of lists under each. What a fence holds is shown,
 * not said; labels are taken out.
 */
import { stretchesOf } from "../fences.ts";
import { asName } from "../markdown.ts";
import { labels } from "./handoff-headings.ts";

/** The words under one heading. */
export interface Part {
  readonly heading: string;
  readonly paragraphs: string[];
  readonly items: Item[];
}

/** One entry of a list. */
interface Item {
  readonly text: string;
  /** Of `- [x]` and `- [ ]`; null: it has no box. */
  readonly isDone: boolean | null;
}

/** The text's parts by heading; labels are taken out of them into `said`. */
export function partsOf(text: string, said: Map<string, string>): readonly Part[] {
  const parts: Part[] = [{ heading: "", paragraphs: [], items: [] }];
  for (const { start, end, info } of stretchesOf(text)) {
    // What stands in a fence is shown, not said.
    if (info !== null) continue;
    let isOpen = false;
    for (const line of text.slice(start, end).split("\n")) {
      const part = parts.at(-1);
      if (part === undefined) break;
      const heading = /^ {0,3}#{1,6}[ \t]/.exec(line);
      const item = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(line);
      const words = plain(line.slice((heading ?? item)?.[0].length ?? 0));
      if (heading !== null) parts.push({ heading: words, paragraphs: [], items: [] });
      else if (words === "") isOpen = false;
      else if (isLabel(words, said, isHead(parts))) isOpen = false;
      else if (item !== null) part.items.push(itemOf(words));
      else if (isOpen) part.paragraphs.push(`${part.paragraphs.pop() ?? ""} ${words}`);
      else part.paragraphs.push(words);
      isOpen = words !== "" && heading === null && item === null;
    }
  }
  return parts;
}

function itemOf(words: string): Item {
  const box = /^\[([ xX])\][ \t]*/.exec(words);
  if (box === null) return { text: words, isDone: null };
  return { text: words.slice(box[0].length), isDone: box[1] !== " " };
}

/** Entries of a list; those with a box say how a task stands, whatever they stand under. */
export function itemTexts({ items }: Part): readonly string[] {
  return items.filter(({ isDone }) => isDone === null).map(textOf);
}

/** The words of an entry, without its box. */
export function textOf({ text }: Item): string {
  return text;
}

const labelCharactersMax = 40;

/** Whether nothing but titles, labels and rules stands so far. */
function isHead(parts: readonly Part[]): boolean {
  const isBare = ({ paragraphs, items }: Part) =>
    items.length === 0 && paragraphs.every((each) => /^[-\s]*$/.test(each));
  return parts.length <= 2 && parts.every(isBare);
}

function isLabel(words: string, said: Map<string, string>, isAtHead: boolean): boolean {
  const colon = words.slice(0, labelCharactersMax).indexOf(":");
  const path = colon < 0 ? undefined : labels[asName(words.slice(0, colon))];
  const value = colon < 0 ? "" : words.slice(colon + 1).trim();
  if (path === undefined || value === "" || said.has(path)) return false;
  // Under this id the document is recorded: in the middle of a text it may be that of anything.
  if (path === "id" && !isAtHead) return false;
  said.set(path, value);
  return true;
}

/** Controls but the tab, and what turns the direction of writing: nobody who reads a text sees them. */
const unseen = /[^\P{Cc}\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The words of a line without Markdown's marks of emphasis, and without what nobody sees. */
function plain(line: string): string {
  return line.replace(unseen, "").replaceAll("**", "").trim();
}

/**
 * Text as Markdown: its fenced blocks, where words end and quoted code begins; its headings; and, where a heading or a
 * label is the name of a message type, what the text lacks to be one. Nothing here gives prose an effect. One pass over
 * the lines; every character is looked at a bounded number of times, whatever the text.
 * Source: docs/protocol/messages.md, section 14.
 */
import type { Definition, Dialect } from "../dialects/dialect.ts";
import type { Note } from "../message.ts";
import { type Heading, type ProseReading, proseReading } from "./reading.ts";

/** A stretch of the text: words, or the inside of a fence. `end` is exclusive; the fence's own lines belong to neither. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  /** The word after the opening marks in lower case (`json`, `yaml`, ""), or null for words outside fences. */
  readonly info: string | null;
}

/** The marks of a line that opens or closes a fence. */
interface FenceMarks {
  readonly sign: string;
  readonly length: number;
  readonly info: string;
}

interface OpenFence extends FenceMarks {
  readonly start: number;
}

/*
 * An input cut into segments: the insides of its fences and the words around them, each divided by lines of `---` and
 * `...`, as YAML divides documents and Markdown divides its head from its body. One pass over the lines.
 */

/** A line of a segment. */
export interface Line {
  readonly start: number;
  /** Columns before the first character that is no blank. */
  readonly indent: number;
  /** The line without blanks around it. */
  readonly said: string;
  readonly isAfterBlank: boolean;
  /** Whether it is in a fence, or is a fence's mark. */
  readonly isInFence: boolean;
}

/** Lines that belong together. `end` is where the last one ends, exclusive. */
export interface Segment {
  readonly lines: readonly Line[];
  readonly end: number;
  /** Whether it is the inside of a fence. */
  readonly isFenced: boolean;
}

/** The reading of prose, with its headings and what it would take to read it as the type that a heading names. */
export function readMarkdown(text: string, dialects: readonly Dialect[], notes: readonly Note[] = []): ProseReading {
  const lines = [...wordLines(text)];
  const headings = lines.flatMap((line) => headingOf(line) ?? []);
  const named = namedDefinition([...headings.map(({ text: words }) => words), ...lines.flatMap(typeIn)], dialects);
  if (headings.length === 0 && named === null) return proseReading(text, [], notes);
  const lacking = named === null ? null : lackingNote(named, lines, headings);
  return proseReading(text, [], lacking === null ? notes : [...notes, lacking], headings);
}

function* wordLines(text: string): Generator<string, void> {
  for (const { start, end, info } of stretchesOf(text)) {
    if (info === null) yield* text.slice(start, end).split("\n");
  }
}

/** A heading is shown, so it is not longer than a line. */
const headingCharactersMax = 200;

function headingOf(line: string): Heading | null {
  const marks = /^ {0,3}(#{1,6})[ \t]/.exec(line);
  if (marks === null) return null;
  const words = line.slice(marks[0].length, marks[0].length + headingCharactersMax).trim();
  let end = words.length;
  while (words.charAt(end - 1) === "#") end--;
  return { level: marks[1]?.length ?? 1, text: words.slice(0, end).trim() };
}

/** More of a line is not looked at for a type. */
const typeLineCharactersMax = 120;

/** What a line labels as the type: `- **type**: dev_progress`, or the row `| type | dev_progress |` of a table. */
function typeIn(line: string): readonly string[] {
  const [, type] = TYPE_LINE.exec(line.slice(0, typeLineCharactersMax)) ?? [];
  return type === undefined ? [] : [type];
}

const TYPE_LINE =
  /^[ \t>*+|-]{0,16}["'`*_]{0,3}type["'`*_]{0,3}[ \t]{0,8}[:|]["'`*_ \t]{0,8}([a-z][a-z0-9_]{0,63})["'`*_ \t|\r]{0,8}$/i;

/** The definition whose type the words are: `## QA verdict` names `qa_verdict`. The first of both counts. */
function namedDefinition(named: readonly string[], dialects: readonly Dialect[]): Definition | null {
  for (const words of named) {
    const type = asName(words);
    for (const dialect of dialects) {
      const definition = dialect.definitions.get(type);
      if (definition !== undefined) return definition;
    }
  }
  return null;
}

function lackingNote(definition: Definition, lines: readonly string[], headings: readonly Heading[]): Note {
  const labels = new Set([...headings.map(({ text }) => asName(text)), ...lines.map(labelOf)]);
  const lacking = definition.fields.filter(({ name, required }) => required && !labels.has(name));
  const names = lacking.map(({ name }) => name).join(", ");
  const what = `The text is written like ${definition.type} of ${definition.dialect}, but it is prose`;
  const message = names === "" ? `${what}: send its fields as JSON.` : `${what}: as such a message it lacks ${names}.`;
  return { code: "not-typed", path: "$", message };
}

const labelCharactersMax = 48;

/** The label that a line begins with: `**Plan id:** 2-1` gives `plan_id`, as does a table's row; "" where there is none. */
function labelOf(line: string): string {
  if (line.startsWith("|")) return asName(line.slice(1, labelCharactersMax).split("|")[0] ?? "");
  const colon = line.slice(0, labelCharactersMax).indexOf(":");
  return colon < 0 ? "" : asName(line.slice(0, colon));
}

/** Words as a wire name: lower case, everything but letters and digits one underscore, none at the ends. */
function asName(words: string): string {
  return (words.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("_");
}

/** The text cut into words and fences, in order. A fence that is never closed runs to the end. */
export function stretchesOf(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  let open: OpenFence | null = null;
  let wordsStart = 0;
  for (let lineStart = 0; lineStart < text.length; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    const nextStart = newline < 0 ? text.length : newline + 1;
    const fence = fenceAt(text, lineStart, lineEnd);
    if (fence !== null && open === null) {
      if (lineStart > wordsStart) found.push({ start: wordsStart, end: lineStart, info: null });
      open = { ...fence, start: nextStart };
    } else if (fence !== null && open !== null && closesFence(fence, open)) {
      found.push({ start: open.start, end: lineStart, info: open.info });
      open = null;
      wordsStart = nextStart;
    }
    lineStart = nextStart;
  }
  if (open !== null) found.push({ start: Math.min(open.start, text.length), end: text.length, info: open.info });
  else if (wordsStart < text.length) found.push({ start: wordsStart, end: text.length, info: null });
  return found;
}

const MARKS = /[ \t]*(`{3,}|~{3,})[ \t]*/y;
/** More than an info word is never looked at. */
const infoCharactersMax = 32;

/** The marks that a line consists of or begins with, or null: the line is none of a fence. */
function fenceAt(text: string, start: number, end: number): FenceMarks | null {
  MARKS.lastIndex = start;
  const marks = MARKS.exec(text)?.[1];
  if (marks === undefined) return null;
  // Marks and words on one line that hold a backtick are code within a sentence, not a fence.
  if (marks.startsWith("`") && text.slice(MARKS.lastIndex, end).includes("`")) return null;
  const rest = text.slice(MARKS.lastIndex, Math.min(end, MARKS.lastIndex + infoCharactersMax)).trim();
  return { sign: marks.charAt(0), length: marks.length, info: rest.toLowerCase() };
}

/** Whether the marks close the fence that `open` has opened. */
function closesFence(fence: FenceMarks, open: FenceMarks): boolean {
  return fence.sign === open.sign && fence.length >= open.length && fence.info === "";
}

/** Whether a line holds more than blanks or a comment. */
export function isSaid({ said }: Line): boolean {
  return said !== "" && !said.startsWith("#");
}

/** Every segment of the text. The lines of a fence belong to the words around it too, for words may hold it as their own. */
export function segmentsOf(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let fence: FenceMarks | null = null;
  let words: Line[] = [];
  let inside: Line[] = [];
  let isAfterBlank = true;
  const close = (lines: readonly Line[], end: number, isFenced: boolean) => {
    if (lines.some(isSaid)) segments.push({ lines, end, isFenced });
  };
  for (let start = text.startsWith("\ufeff") ? 1 : 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = lineOf(text, start, end, isAfterBlank);
    const marks = fenceAt(text, start, end);
    const isDivider = line.indent === 0 && (line.said === "---" || line.said === "...");
    if (marks !== null && (fence === null || closesFence(marks, fence))) {
      if (fence !== null) close(inside, start, true);
      inside = [];
      fence = fence === null ? marks : null;
      words.push({ ...line, isInFence: true });
    } else if (fence !== null) {
      if (isDivider) {
        close(inside, start, true);
        inside = [];
      } else inside.push(line);
      words.push({ ...line, isInFence: true });
    } else if (isDivider) {
      close(words, start, false);
      words = [];
    } else words.push(line);
    isAfterBlank = line.said === "" || isDivider || marks !== null;
    start = end + 1;
  }
  close(words, text.length, false);
  if (fence !== null) close(inside, text.length, true);
  return segments;
}

function lineOf(text: string, start: number, end: number, isAfterBlank: boolean): Line {
  const line = text.slice(start, end);
  const said = line.trim();
  return { start, indent: line.length - line.trimStart().length, said, isAfterBlank, isInFence: false };
}

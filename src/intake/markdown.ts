/**
 * Prose as Markdown: its headings, and, where a heading or a label is the name of a message type, what the text lacks
 * to be one. Nothing here gives prose an effect.
 * Source: docs/protocol/reading.md, section 8.
 */
import type { Definition, Dialect } from "../dialects/dialect.ts";
import type { Note } from "../message/message.ts";
import { stretchesOf } from "./fences.ts";
import { type Heading, type ProseReading, proseReading } from "./reading.ts";

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
export function asName(words: string): string {
  return (words.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("_");
}

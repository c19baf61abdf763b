/**
 * A handoff in Markdown by its headings: the labels of its head, and the paragraphs, entries of lists and rows of tables
 * under each heading. What a fence holds is shown, not said.
 * Source: docs/protocol/phases.md, section 15.
 */
import { stretchesOf } from "../../messages/intake/markdown.ts";
import { type Field, fieldOf, type Label, labelOf } from "./handoff-headings.ts";

/** The words under one heading. */
export interface Section {
  readonly heading: string;
  /** What the heading, or else the one that it is part of, means; null: nothing that a document has a place for. */
  readonly field: Field | null;
  readonly paragraphs: string[];
  readonly items: Item[];
  /** Rows of tables without their heads, by cells. */
  readonly rows: (readonly string[])[];
}

/** One entry of a list. */
export interface Item {
  readonly text: string;
  /** Of `- [x]` and `- [ ]`; null: it has no box. */
  readonly isDone: boolean | null;
}

/** The parts of the input, before any of it is placed in a document. */
export interface Sections {
  /** The words of the first heading; "": there is none. */
  readonly title: string;
  /** What the labels of the head say, the first of each kind. */
  readonly said: ReadonlyMap<Label, string>;
  /** Labels of the head that no document has a place for. */
  readonly unknownLabels: readonly string[];
  readonly sections: readonly Section[];
}

/** The text by its headings. Total, and linear in its length. */
export function sectionsOf(text: string): Sections {
  const stretches = stretchesOf(text)
    .filter(({ info }) => info === null)
    .map(({ start, end }) => text.slice(start, end).split("\n"));
  const isAlone = stretches.flat().filter((line) => /^ {0,3}#[ \t]/.test(line)).length === 1;
  const reader = new SectionReader(isAlone);
  for (const lines of stretches) {
    reader.breakParagraph();
    for (const line of lines) reader.take(line);
  }
  return reader.result();
}

/** Labels of checks count everywhere; the other labels belong to the head of a document. */
const saidAnywhere: ReadonlySet<Label> = new Set<Label>([
  "overall_status",
  "tests_passed",
  "code_review_status",
  "documentation_complete",
]);

/** Fields of which everything below is a part, whatever a heading further down is called. */
const wholeFields: ReadonlySet<Field | null> = new Set<Field>([
  "success_criteria",
  "constraints",
  "generated_files",
  "required_files",
]);

const labelCharactersMax = 40;

class SectionReader {
  readonly #said = new Map<Label, string>();
  readonly #unknown: string[] = [];
  readonly #sections: Section[] = [{ heading: "", field: null, paragraphs: [], items: [], rows: [] }];
  /** The headings above the present one, outermost first. */
  readonly #above: { readonly level: number; readonly field: Field | null }[] = [];
  /** Whether only one heading is of the first level: it is the title, whatever its words mean. */
  readonly #hasTitle: boolean;
  #title = "";
  #isHead = true;
  #isBare = true;
  #isParagraphOpen = false;
  #isTableOpen = false;
  #isItemOpen = false;

  constructor(hasTitle: boolean) {
    this.#hasTitle = hasTitle;
  }

  breakParagraph(): void {
    this.#isParagraphOpen = false;
    this.#isItemOpen = false;
    this.#isTableOpen = false;
  }

  take(line: string): void {
    const heading = /^ {0,3}(#{1,6})[ \t]/.exec(line);
    if (heading !== null) this.#open(heading[1]?.length ?? 1, plain(line.slice(heading[0].length)));
    else if (isRow(line.trim())) this.#takeRow(line);
    else this.#takeLine(line);
  }

  result(): Sections {
    return { title: this.#title, said: this.#said, unknownLabels: this.#unknown, sections: this.#sections };
  }

  #open(level: number, heading: string): void {
    this.breakParagraph();
    while ((this.#above.at(-1)?.level ?? 0) >= level) this.#above.pop();
    const outer = this.#above.at(-1)?.field ?? null;
    const named = fieldOf(heading);
    // The title of a document says what it is about: `# Handoff: deliverables` is no list of files.
    const isTold = named === null || /hand-?off|report|review/i.test(heading) || (level === 1 && this.#hasTitle);
    const isTitle = this.#title === "" && this.#isBare && isTold;
    const own = isTitle ? null : named;
    const field = wholeFields.has(outer) ? outer : (own ?? outer);
    if (isTitle) this.#title = heading;
    else this.#isHead = field === "labels" && this.#isBare;
    this.#above.push({ level, field });
    this.#sections.push({ heading, field, paragraphs: [], items: [], rows: [] });
  }

  #takeLine(line: string): void {
    this.#isTableOpen = false;
    const item = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(line);
    const words = plain(line.slice(item?.[0].length ?? 0));
    if (words === "" || /^(?:[-*_]\s*){3,}$/.test(line.trim())) this.breakParagraph();
    else if (item === null && this.#isItemOpen && /^[ \t]{2}/.test(line)) this.#continueItem(words);
    else if (this.#takeLabel(words)) this.breakParagraph();
    else this.#takeWords(words, item !== null);
  }

  #takeRow(line: string): void {
    this.#isParagraphOpen = false;
    this.#isItemOpen = false;
    const cells = line.trim().slice(1, -1).split("|").map(plain);
    const [name = "", value = ""] = cells;
    if (cells.every((cell) => /^:?-*:?$/.test(cell))) {
      // The line below a table's head: what was taken for its first row is its head.
      if (!this.#isTableOpen) return;
      this.#sections.at(-1)?.rows.pop();
    } else if (!(this.#isHead && cells.length === 2 && this.#takeLabel(`${name}: ${value}`))) {
      this.#sections.at(-1)?.rows.push(cells);
      this.#isTableOpen = true;
    }
  }

  /** Whether the words were a label with its value. */
  #takeLabel(words: string): boolean {
    const colon = words.slice(0, labelCharactersMax).indexOf(":");
    const value = colon < 0 ? "" : words.slice(colon + 1).trim();
    if (value === "" || value.startsWith("//")) return false;
    const [name, label] = [words.slice(0, colon).trim(), labelOf(words.slice(0, colon))];
    if (label === null) {
      // A sentence with a colon in it is no label.
      const isLabel = this.#isHead && /^[A-Za-z][\w-]*(?: [\w/-]+){0,2}$/.test(name);
      if (isLabel) this.#unknown.push(name);
      return isLabel;
    }
    // The document is recorded under this id: in the middle of an input the id may belong to anything.
    if (this.#said.has(label) || !(this.#isHead || saidAnywhere.has(label))) return false;
    if (label === "id" && !this.#isBare) return false;
    this.#said.set(label, value);
    return true;
  }

  #takeWords(words: string, isItem: boolean): void {
    const section = this.#sections.at(-1);
    this.#isBare = false;
    if (isItem) section?.items.push(itemOf(words));
    else if (this.#isParagraphOpen) section?.paragraphs.push(`${section.paragraphs.pop() ?? ""} ${words}`);
    else section?.paragraphs.push(words);
    this.#isParagraphOpen = !isItem;
    this.#isItemOpen = isItem;
  }

  /** A line below an entry, set in as far as it. */
  #continueItem(words: string): void {
    const items = this.#sections.at(-1)?.items;
    const last = items?.pop();
    if (last !== undefined) items?.push({ ...last, text: `${last.text} ${words}` });
  }
}

function isRow(line: string): boolean {
  return line.length > 1 && line.startsWith("|") && line.endsWith("|");
}

function itemOf(words: string): Item {
  const box = /^\[([ xX])\][ \t]*/.exec(words);
  if (box === null) return { text: words, isDone: null };
  return { text: words.slice(box[0].length), isDone: box[1] !== " " };
}

/** Control characters except the tab, and those that change the direction of writing: no reader sees them. */
const unseen = /[^\P{Cc}\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The words of a line without Markdown's marks of emphasis, and without what nobody sees. */
function plain(line: string): string {
  return line.replace(unseen, "").replaceAll("**", "").trim();
}

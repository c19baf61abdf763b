/**
 * An agent's handoff in Markdown, read by its headings as a draft of a document. Nothing is guessed: a file is one
 * where the text marks a path or git knows it, an agent is one where the text names it, and what has no place in a
 * document is reported. What a fence holds is shown, not said. Source: docs/protocol/phases.md, section 15.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { HandoffBody } from "../../messages/handoff-body.ts";
import { type HandoffDraft, missingIn } from "../../messages/handoff-draft.ts";
import { stretchesOf } from "../../messages/intake/markdown.ts";
import {
  agentIn,
  agentsIn,
  decisionIn,
  type Field,
  fieldOf,
  isNothing,
  type KnownFiles,
  type Label,
  labelOf,
  nothingKnown,
  notSaid,
  packageIn,
  pathsIn,
  qualityIn,
  statusIn,
  withoutEnd,
} from "./handoff-phrases.ts";

/** The words under one heading. */
interface Section {
  readonly heading: string;
  /** What the heading, or else the one that it is part of, means; null: nothing that a document has a place for. */
  readonly field: Field | null;
  readonly paragraphs: string[];
  readonly items: Item[];
  /** Rows of tables without their heads, by cells. */
  readonly rows: (readonly string[])[];
}

/** One entry of a list. */
interface Item {
  readonly text: string;
  /** Of `- [x]` and `- [ ]`; null: it has no box. */
  readonly isDone: boolean | null;
}

/** The parts of the input, before any of it is placed in a document. */
interface Sections {
  /** The words of the first heading; "": there is none. */
  readonly title: string;
  /** What the labels of the head say, the first of each kind. */
  readonly said: ReadonlyMap<Label, string>;
  /** Labels of the head that no document has a place for. */
  readonly unknownLabels: readonly string[];
  readonly sections: readonly Section[];
}

/** The text by its headings. Total, and linear in its length. */
function sectionsOf(text: string): Sections {
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

/** What an input became. */
export interface ImportedHandoff {
  readonly draft: HandoffDraft;
  /** Paths that a document needs and the text does not say, or says in part. */
  readonly missing: readonly string[];
  /** Headings and labels whose words went nowhere. */
  readonly unplaced: readonly string[];
  /** Files that the text requires and that are not there: they are in the draft as context. */
  readonly absent: readonly string[];
}

/** What is known in addition to the text. */
export interface ImportFacts {
  /** The name of its file, which may name who hands over to whom (`dev-to-qa`). */
  readonly file?: string;
  readonly known?: KnownFiles;
}

/**
 * The input as a draft, with what it lacks. Refuses `wrong-format` where the text is the log of a chat; every other text
 * has a draft.
 */
export function importHandoff(
  text: string,
  { file = "", known = nothingKnown }: ImportFacts = {},
): Result<ImportedHandoff, Problem> {
  if (isChatLog(text)) return err(chatLogProblem);
  const read = sectionsOf(text);
  const places = new Places(read.sections, known);
  const draft = draftOf(read, places, file);
  const decisions = draft.context?.key_decisions ?? [];
  const halves = decisions.flatMap(({ rationale, impact }, index) => [
    ...(rationale === notSaid ? [`context.key_decisions[${index}].rationale`] : []),
    ...(impact === notSaid ? [`context.key_decisions[${index}].impact`] : []),
  ]);
  // Issuing fills these.
  const filled = ["metadata.id", "metadata.source_agent", "metadata.timestamp"];
  const missing = [...missingIn(draft).filter((path) => !filled.includes(path)), ...halves];
  const unplaced = [...new Set([...read.unknownLabels, ...places.unplaced])];
  return ok({ draft, missing, unplaced, absent: places.absent });
}

const chatLogProblem = makeProblem("wrong-format", "$", "This is the log of a chat, not a handoff.", {
  expected: "a document with headings",
  hint: "Ask the agent to write the handoff as a document, and import that.",
});

/** Turns of a chat, each under who spoke. */
function isChatLog(text: string): boolean {
  const turns = text.match(/^[ \t#*_]{0,12}(?:user input|planner response)\b/gim) ?? [];
  return new Set(turns.map((turn) => turn.replace(/[^a-z]/gi, "").toLowerCase())).size === 2;
}

function draftOf(read: Sections, places: Places, file: string): HandoffDraft {
  const { said } = read;
  const isHandoff = /hand-?off/i.test(read.title);
  const both = agentsIn(afterColon(read.title)) ?? agentsIn(withoutEnd(file.replace(/\.[a-z]+$/i, ""), "-0123456789"));
  const source = agentIn(said.get("source_agent") ?? "") ?? both?.[0] ?? null;
  const target = agentIn(said.get("target_agent") ?? "") ?? both?.[1] ?? null;
  const timestamp = timestampIn(said.get("timestamp"));
  const fromLabels = ["story_file", "context_file"] as const;
  const [story, contextFile] = fromLabels.map((label) => places.paths(said.get(label) ?? "")[0]);
  const title = !isHandoff && !/report|review/i.test(read.title) ? read.title : "";
  const main = places.main(title);
  const reports = /complet|report|review/i.test(read.title);
  const status = statusIn(said.get("overall_status") ?? (reports ? (said.get("status") ?? "") : ""));
  const storyFile = story ?? places.path("story_file");
  const [architecture, prd] = [places.path("architecture_context"), places.path("prd_context")];
  const required = places.required();
  const lead = [...(contextFile === undefined ? [] : [contextFile]), ...places.context(), ...required.absent];
  return {
    metadata: {
      ...defined({ id: said.get("id"), source_agent: source, target_agent: target, timestamp }),
      ...defined({ workflow_id: said.get("workflow_id"), task_id: said.get("task_id") }),
    },
    context: {
      ...defined({ story_file: storyFile, architecture_context: architecture, prd_context: prd }),
      additional_context: [...new Set(lead)].filter((each) => ![storyFile, architecture, prd].includes(each)),
      key_decisions: places.list("key_decisions").map(decisionIn),
    },
    instructions: {
      ...defined({ primary: main.primary }),
      secondary: [...main.further, ...places.list("secondary", "boxes too")],
      constraints: places.list("constraints", "boxes too"),
      success_criteria: places.criteria(),
    },
    dependencies: {
      required_files: required.files,
      generated_files: places.files("generated_files"),
      external_dependencies: places.packages(),
    },
    validation: {
      source_status: {
        completed_tasks: [...places.list("completed_tasks"), ...places.boxes(true)],
        pending_tasks: [...places.list("pending_tasks"), ...places.boxes(false)],
        ...(status === null ? {} : { overall_status: status }),
      },
      quality_checks: qualityIn(said),
    },
    history: { lessons_learned: places.list("lessons_learned") },
  };
}

function afterColon(title: string): string {
  return title.slice(title.indexOf(":") + 1).trim();
}

/** A day is its first instant in UTC. */
function timestampIn(said: string | undefined): string | null {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?(?:\s|$)/.exec(said ?? "") ?? [];
  return day === undefined || Number.isNaN(Date.parse(day)) ? null : `${day}${time ?? "T00:00:00Z"}`;
}

/** Without the fields that nothing is said of. */
function defined<Key extends string>(fields: { readonly [key in Key]: string | null | undefined }) {
  return Object.fromEntries(
    Object.entries<string | null | undefined>(fields).flatMap(([key, value]) => (value ? [[key, value]] : [])),
  ) as { [key in Key]?: string };
}

/** The sections by what they mean, and what of them went nowhere. */
class Places {
  readonly absent: string[] = [];
  readonly #unplaced = new Set<string>();
  readonly #sections: readonly Section[];
  readonly #known: KnownFiles;

  constructor(sections: readonly Section[], known: KnownFiles) {
    this.#sections = sections;
    this.#known = known;
    const hasWords = ({ paragraphs, items, rows }: Section) =>
      paragraphs.length > 0 || rows.length > 0 || items.some(({ isDone }) => isDone === null);
    for (const section of sections)
      if ((section.field === null || section.field === "labels") && section.heading !== "" && hasWords(section))
        this.#unplaced.add(section.heading);
  }

  get unplaced(): readonly string[] {
    return [...this.#unplaced];
  }

  paths(words: string): readonly string[] {
    return pathsIn(words, this.#known);
  }

  /** The paragraphs and entries under a field's headings. */
  list(field: Field, withBoxes: "boxes too" | null = null): readonly string[] {
    return this.#of(field).flatMap((section) => wordsOf(section, withBoxes !== null));
  }

  /** The first path under a field's headings; without one its words are reported. */
  path(field: Field): string | undefined {
    const sections = this.#of(field);
    const found = sections.flatMap((section) => allWords(section)).flatMap((words) => this.paths(words));
    if (found.length === 0) for (const { heading } of sections) this.#unplaced.add(heading);
    return found[0];
  }

  /** The paths under a field's headings; a line without one says nothing that a list of files holds. */
  files(field: Field): readonly string[] {
    return this.#eachPath(field).flatMap(({ paths }) => paths);
  }

  /** What must be there: required files, and the files among the dependencies. */
  required(): { readonly files: readonly string[]; readonly absent: readonly string[] } {
    const named = [
      ...new Set([...this.files("required_files"), ...this.#eachPath("dependencies").flatMap((l) => l.paths)]),
    ];
    const absent = named.filter((path) => !this.#known.isThere(path));
    this.absent.push(...absent);
    return { files: named.filter((path) => !absent.includes(path)), absent };
  }

  /** Documents to read, and words where there is no path; stories and epics that the work depends on. */
  context(): readonly string[] {
    const fields = ["additional_context", "architecture_context", "prd_context", "story_file"] as const;
    const said = fields.flatMap((field) =>
      this.#eachPath(field).flatMap(({ words, paths }) => (paths.length > 0 ? paths : isNothing(words) ? [] : [words])),
    );
    const stories = this.#eachPath("dependencies").flatMap(({ words, paths }) =>
      paths.length === 0 && isStory(words) ? [words] : [],
    );
    return [...said, ...stories];
  }

  packages(): NonNullable<NonNullable<HandoffBody["dependencies"]>["external_dependencies"]> {
    const named = this.#eachPath("external_dependencies").flatMap(({ words }) => packageIn(words) ?? []);
    const among = this.#eachPath("dependencies").flatMap(({ words, paths, heading }) => {
      if (paths.length > 0 || isNothing(words) || isStory(words)) return [];
      const found = packageIn(words);
      if (found?.version !== undefined) return [found];
      this.#unplaced.add(heading);
      return [];
    });
    return [...named, ...among];
  }

  /** Entries, the first two columns of tables, and headings below with their words. */
  criteria(): readonly string[] {
    return this.#of("success_criteria").flatMap((section, index, all) => {
      const rows = section.rows.map((cells) =>
        cells
          .slice(0, 2)
          .filter((cell) => cell !== "")
          .join(": "),
      );
      const words = [...wordsOf(section, true), ...rows];
      // The first heading names the field, and so does one that says it again.
      const isPart = index > 0 && all[index - 1] !== section && /^(?:ac|criterion|sc)?[\s_-]*\d/i.test(section.heading);
      return isPart ? [[section.heading, ...words].join(": ")] : words;
    });
  }

  /** The main instruction, from the heading that names it best, and what else is under it. */
  main(title: string): { readonly primary: string | undefined; readonly further: readonly string[] } {
    const [named] = this.#of("primary").filter((section) => wordsOf(section, false).length > 0);
    const [summed, ...others] = this.#of("summary");
    if (named !== undefined) {
      const further = this.#of("primary").flatMap((section) => (section === named ? [] : wordsOf(section, false)));
      for (const { heading } of this.#of("summary")) this.#unplaced.add(heading);
      const items = itemTexts(named, false);
      const primary = named.paragraphs.join("\n\n") || items[0];
      return { primary, further: [...(named.paragraphs.length > 0 ? items : items.slice(1)), ...further] };
    }
    if (summed === undefined) return { primary: title || undefined, further: [] };
    const [first, ...rest] = wordsOf(summed, false);
    if (rest.length > 0 || others.length > 0) this.#unplaced.add(summed.heading);
    return { primary: first ?? (title || undefined), further: [] };
  }

  /** Entries with a box, by whether it is ticked, but for lists that only use boxes to be ticked later. */
  boxes(isDone: boolean): readonly string[] {
    const own: readonly (Field | null)[] = ["secondary", "constraints", "success_criteria"];
    return this.#sections.flatMap(({ items, field }) =>
      own.includes(field) ? [] : items.filter((item) => item.isDone === isDone).map(({ text }) => text),
    );
  }

  #of(field: Field): readonly Section[] {
    return this.#sections.filter((section) => section.field === field);
  }

  /** Each line, entry and cell under a field's headings, with the paths that it names. */
  #eachPath(field: Field) {
    return this.#of(field).flatMap((section) =>
      allWords(section).map((words) => ({ words, heading: section.heading, paths: this.paths(words) })),
    );
  }
}

/** Work that a document depends on, which is no file and no package. */
function isStory(words: string): boolean {
  return /\b(?:story|stories|epics?|task|sprint|phase)\b|^\W*\d+[-.]\d+/i.test(words);
}

function wordsOf(section: Section, withBoxes: boolean): readonly string[] {
  return [...section.paragraphs, ...itemTexts(section, withBoxes)].filter((words) => !isNothing(words));
}

function allWords(section: Section): readonly string[] {
  return [...section.paragraphs, ...itemTexts(section, true), ...section.rows.flat().filter((cell) => cell !== "")];
}

/** Entries of a list; those with a box say the state of a task where the heading means nothing else. */
function itemTexts({ items }: Section, withBoxes: boolean): readonly string[] {
  return items.filter(({ isDone }: Item) => withBoxes || isDone === null).map(({ text }) => text);
}

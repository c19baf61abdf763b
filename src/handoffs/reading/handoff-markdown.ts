/**
 * An agent's handoff in Markdown as a draft of a document. What plainly is a field of a document becomes one: a label in
 * the head, a heading that is a field's name, a path, a package. Everything else goes into the context under the name
 * that it has in the text; nothing is guessed, and nothing is lost. Source: docs/protocol/phases.md, section 15.
 */
import type { HandoffBody } from "../../messages/handoff-body.ts";
import { type HandoffDraft, missingIn } from "../../messages/handoff-draft.ts";
import { asName, stretchesOf } from "../../messages/intake/markdown.ts";

/** What an input became. */
export interface ImportedHandoff {
  readonly draft: HandoffDraft;
  /** Paths that a document needs and the text does not say. */
  readonly missing: readonly string[];
  /** Headings and labels whose words are in the context. */
  readonly unplaced: readonly string[];
  /** Files that the text requires and that are not there: they are in the context. */
  readonly absent: readonly string[];
}

/** What a heading can mean. `labels`: lines of label and value, as in the head; `tasks`: boxes of done and open tasks. */
type Field =
  | "primary"
  | "secondary"
  | "constraints"
  | "success_criteria"
  | "story_file"
  | "architecture_context"
  | "prd_context"
  | "additional_context"
  | "key_decisions"
  | "required_files"
  | "generated_files"
  | "external_dependencies"
  | "completed_tasks"
  | "pending_tasks"
  | "tasks"
  | "lessons_learned"
  | "labels";

const headings: { readonly [field in Field]: string } = {
  primary: "primary task your_task goal objective mission",
  secondary: "secondary next_steps additional_tasks",
  constraints: "constraints limitations do_not rules",
  success_criteria: "success_criteria acceptance_criteria definition_of_done",
  story_file: "story_file story",
  architecture_context: "architecture_context architecture",
  prd_context: "prd_context prd",
  additional_context: "additional_context context references related_documents",
  key_decisions: "key_decisions decisions",
  required_files: "required_files input_files",
  generated_files: "generated_files deliverables output files_changed changed_files",
  external_dependencies: "external_dependencies packages",
  completed_tasks: "completed_tasks completed",
  pending_tasks: "pending_tasks pending",
  tasks: "tasks progress source_status",
  lessons_learned: "lessons_learned",
  labels: "metadata quality_checks validation",
};

const labels = {
  id: "handoff_id",
  source_agent: "from from_agent source_agent",
  target_agent: "to to_agent target_agent next_agent",
  timestamp: "date timestamp",
  workflow_id: "epic workflow workflow_id",
  task_id: "story task task_id",
  story_file: "story_file",
  overall_status: "overall_status",
  tests_passed: "tests tests_passed",
  code_review_status: "review code_review code_review_status",
  documentation_complete: "documentation documentation_complete",
};
type Label = keyof typeof labels;

function byName<Key extends string>(names: { readonly [key in Key]: string }): ReadonlyMap<string, Key> {
  return new Map(
    Object.entries<string>(names).flatMap(([key, words]) =>
      words.split(" ").map((name) => [name, key as Key] as const),
    ),
  );
}

const fieldsByName = byName(headings);
const labelsByName = byName(labels);

/** What stands under one heading. */
interface Section {
  readonly heading: string;
  /** What the heading means, or else the one that it is part of; null: nothing that a document has a place for. */
  readonly field: Field | null;
  /** Whether its own heading names the field. */
  readonly isNamed: boolean;
  /** Every line as it is written, and whether it is in a fence. */
  readonly lines: (readonly [line: string, isFenced: boolean])[];
}

/** A paragraph, an entry of a list, or a row of a table. */
interface Entry {
  readonly text: string;
  readonly cells?: readonly string[];
  readonly isItem: boolean;
  /** Of `- [x]` and `- [ ]`; null: it has no box. */
  readonly isDone: boolean | null;
}

/** Every input has a draft. `isThere`: whether a path is there, below the folder that the text speaks of. */
export function importHandoff(text: string, isThere: (path: string) => boolean): ImportedHandoff {
  const { title, sections } = sectionsOf(withoutComments(text.replace(/^\ufeff/, "")));
  const reader = new Reader(isThere);
  for (const section of sections) reader.take(section, title);
  return reader.result(title);
}

/** Without comments, which Markdown does not show. One that never ends, and one in a fence, is none. */
function withoutComments(text: string): string {
  const fences = stretchesOf(text).filter(({ info }) => info !== null);
  let [kept, from, fence] = ["", 0, 0];
  for (let start = text.indexOf("<!--"); start >= 0; start = text.indexOf("<!--", start)) {
    while ((fences[fence]?.end ?? text.length) <= start) fence += 1;
    const isFenced = (fences[fence]?.start ?? text.length) <= start;
    const end = isFenced ? start : text.indexOf("-->", start);
    if (end < 0) break;
    if (!isFenced) kept += text.slice(from, start);
    if (!isFenced) from = end + "-->".length;
    start = isFenced ? start + 1 : from;
  }
  return kept + text.slice(from);
}

/** The text by its headings; the first section is the head. One pass over the lines. */
function sectionsOf(text: string): { readonly title: string; readonly sections: readonly Section[] } {
  const lines = stretchesOf(text).flatMap(({ start, end, info }) =>
    text
      .slice(start, end)
      .split("\n")
      .map((line) => [line.replace(unseen, ""), info !== null] as const),
  );
  const firstLevel = lines.filter(([line, isFenced]) => !isFenced && /^ {0,3}#[ \t]/.test(line)).length;
  const sections: Section[] = [{ heading: "", field: "labels", isNamed: true, lines: [] }];
  const above: { readonly level: number; readonly field: Field | null }[] = [];
  let title = "";
  for (const [line, isFenced] of lines) {
    const marks = isFenced ? null : /^ {0,3}(#{1,6})[ \t]/.exec(line);
    if (marks === null) {
      sections.at(-1)?.lines.push([line, isFenced]);
      continue;
    }
    const [level, heading] = [marks[1]?.length ?? 1, plain(line.slice(marks[0].length))];
    const own = fieldsByName.get(asName(heading).replace(/^(?:\d+_)+/, "")) ?? null;
    if (level === 1 && sections.length === 1 && title === "" && (firstLevel === 1 || own === null)) {
      title = heading;
      continue;
    }
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const field = own ?? above.at(-1)?.field ?? null;
    above.push({ level, field });
    sections.push({ heading, field, isNamed: own !== null, lines: [] });
  }
  return { title, sections };
}

/** Control characters except the tab, and those that change the direction of writing: no reader sees them. */
const unseen = /[^\P{Cc}\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Words without Markdown's marks of emphasis. */
function plain(words: string): string {
  return words.replaceAll("**", "").trim();
}

/** The entries outside fences, in order; rules, and rows that are a table's head, are none. Each label is a line. */
function entriesOf({ lines, field }: Section): readonly Entry[] {
  const entries: Entry[] = [];
  let open: "item" | "paragraph" | "table" | null = null;
  for (const [line, isFenced] of lines) {
    if (field === "labels" && open !== "table") open = null;
    const said = line.trim();
    const item = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]*)?/.exec(said);
    if (isFenced || said === "" || /^(?:[-*_][ \t]*){3,}$/.test(said)) open = null;
    else if (said.length > 1 && said.startsWith("|") && said.endsWith("|")) {
      const cells = said.slice(1, -1).split("|").map(plain);
      if (!cells.every((cell) => /^:?-*:?$/.test(cell)))
        entries.push({ text: joined(cells), cells, isItem: false, isDone: null });
      else if (open === "table") entries.pop();
      open = "table";
    } else if (item !== null) {
      entries.push({
        text: plain(said.slice(item[0].length)),
        isItem: true,
        isDone: item[1] === undefined ? null : item[1] !== " ",
      });
      open = "item";
    } else if (open === "paragraph" || (open === "item" && /^[ \t]{2}/.test(line))) {
      const last = entries.pop();
      entries.push({ isItem: false, isDone: null, ...last, text: `${last?.text ?? ""} ${plain(said)}` });
    } else {
      entries.push({ text: plain(said), isItem: false, isDone: null });
      open = "paragraph";
    }
  }
  return entries.filter(({ text }) => text !== "" && !/^(?:none|n\/a|[-–—]+)\.?$/i.test(text));
}

function joined(cells: readonly string[]): string {
  return cells.filter((cell) => cell !== "").join(": ");
}

/** Puts each section into its place in a draft. */
class Reader {
  readonly #said = new Map<Label, string>();
  readonly #lists = new Map<Field, Set<string>>();
  readonly #packages: NonNullable<NonNullable<HandoffBody["dependencies"]>["external_dependencies"]>[number][] = [];
  readonly #decisions: NonNullable<HandoffBody["context"]["key_decisions"]>[number][] = [];
  readonly #absent: string[] = [];
  /** What is in the context under its name in the text. */
  readonly #rest = new Map<string, string[]>();
  readonly #isThere: (path: string) => boolean;
  #title = "";

  constructor(isThere: (path: string) => boolean) {
    this.#isThere = isThere;
  }

  take(section: Section, title: string): void {
    const { field, lines } = section;
    const heading = section.heading || title || "head";
    const kept = lines.flatMap(([line, isFenced]) => (field === null || isFenced ? [line] : []));
    for (const entry of entriesOf(section)) {
      if (field === null) break;
      const isTaken = field === "labels" ? this.#takeLabel(entry) : this.#takeEntry(field, entry, section);
      if (!isTaken) this.#keep(heading, entry.text);
    }
    this.#keep(heading, kept.join("\n"));
  }

  /** Into the context, under its name. */
  #keep(name: string, words: string): void {
    const said = this.#rest.get(name) ?? [];
    if (words.trim() === "") return;
    said.push(words.trim());
    this.#rest.set(name, said);
  }

  /** A label and its value, also in a list or a table; true: nothing of it is left over. */
  #takeLabel({ text }: Entry): boolean {
    const [, name = "", value = ""] = /^([A-Za-z][\w -]{0,39}):[ \t]+(\S.*)$/.exec(text) ?? [];
    if (value === "") return false;
    if (asName(name) === "title" && this.#title === "") this.#title = value;
    else if (!this.#isValue(labelsByName.get(asName(name)) ?? null, value)) this.#keep(name, value);
    return true;
  }

  #isValue(label: Label | null, value: string): boolean {
    if (label === null || this.#said.has(label)) return false;
    if (label === "task_id" || label === "story_file") {
      const { paths, isWhole } = pathsIn(value, this.#isThere);
      if (paths[0] !== undefined && isWhole) return this.#add("story_file", paths[0]);
      if (label === "story_file") return false;
    }
    const read = plainValue(label, value);
    if (read !== null) this.#said.set(label, read);
    return read !== null && !value.includes("(");
  }

  #takeEntry(field: Exclude<Field, "labels">, entry: Entry, section: Section): boolean {
    const { text, cells, isDone } = entry;
    switch (field) {
      case "tasks":
        return isDone !== null && this.#add(isDone ? "completed_tasks" : "pending_tasks", text);
      case "external_dependencies": {
        const found = packageIn(text);
        if (found !== null) this.#packages.push(found);
        return found !== null;
      }
      case "key_decisions": {
        const [decision = "", why = "", ...more] = text.split(/rationale:/i).map((part) => part.trim());
        const [rationale = "", impact = "", ...others] = why.split(/impact:/i).map((part) => part.trim());
        const isOne = [decision, rationale, impact].every((part) => part !== "") && more.length + others.length === 0;
        if (isOne) this.#decisions.push({ decision, rationale, impact });
        return isOne;
      }
      case "required_files":
      case "generated_files":
      case "additional_context":
      case "story_file":
      case "architecture_context":
      case "prd_context":
        return this.#takePaths(field, text, cells ?? [text]);
      case "primary":
        return this.#add(entry.isItem && this.#lists.has("primary") ? "secondary" : "primary", text);
      case "secondary":
      case "constraints":
      case "success_criteria":
      case "completed_tasks":
      case "pending_tasks":
      case "lessons_learned":
        return this.#add(field, section.isNamed ? text : `${section.heading}: ${text}`);
    }
  }

  /** Paths into their field; true: nothing else is said. */
  #takePaths(field: Field, text: string, cells: readonly string[]): boolean {
    const isList = field === "required_files" || field === "generated_files" || field === "additional_context";
    const found = cells.map((cell) => pathsIn(cell, this.#isThere)).find(({ paths }) => paths.length > 0);
    for (const path of found?.paths ?? []) {
      const isAbsent = field === "required_files" && !this.#isThere(path);
      if (isAbsent) this.#absent.push(path);
      const isFull = !isList && this.#lists.has(field);
      this.#add(isFull || isAbsent ? "additional_context" : field, path);
    }
    const isWhole = found?.isWhole === true && cells.length === 1;
    return field === "additional_context" && !isWhole ? this.#add(field, text) : isWhole;
  }

  #add(field: Field, words: string): true {
    this.#lists.set(field, (this.#lists.get(field) ?? new Set()).add(words));
    return true;
  }

  #list(field: Field): readonly string[] {
    return [...(this.#lists.get(field) ?? [])];
  }

  result(heading: string): ImportedHandoff {
    const title = heading === "" ? this.#title : heading;
    const isKind = /hand-?off|report|review/i.test(title);
    const primary = this.#list("primary").join("\n\n") || (isKind ? "" : title);
    if (primary !== title && asName(title) !== "handoff") this.#keep("title", title);
    const rest = [...this.#rest].map(([name, words]) => `${name}: ${words.join("\n")}`);
    const said = (...names: readonly Label[]) =>
      Object.fromEntries(names.flatMap((name) => (this.#said.has(name) ? [[name, this.#said.get(name)]] : [])));
    const one = (...fields: readonly Field[]) =>
      Object.fromEntries(
        fields.flatMap((field) =>
          this.#list(field)
            .slice(0, 1)
            .map((path) => [field, path]),
        ),
      );
    const list = (...fields: readonly Field[]) => Object.fromEntries(fields.map((field) => [field, this.#list(field)]));
    const [tests, documentation] = [this.#said.get("tests_passed"), this.#said.get("documentation_complete")];
    const draft: HandoffDraft = {
      metadata: said("id", "source_agent", "target_agent", "timestamp", "workflow_id", "task_id"),
      context: {
        ...one("story_file", "architecture_context", "prd_context"),
        additional_context: [...this.#list("additional_context"), ...rest],
        key_decisions: this.#decisions,
      },
      instructions: { ...(primary === "" ? {} : { primary }), ...list("secondary", "constraints", "success_criteria") },
      dependencies: { ...list("required_files", "generated_files"), external_dependencies: this.#packages },
      validation: {
        source_status: { ...list("completed_tasks", "pending_tasks"), ...said("overall_status") },
        quality_checks: {
          ...(tests === undefined ? {} : { tests_passed: tests === "true" }),
          ...said("code_review_status"),
          ...(documentation === undefined ? {} : { documentation_complete: documentation === "true" }),
        },
      },
      history: { ...list("lessons_learned") },
    };
    // Issuing fills these.
    const filled = ["metadata.id", "metadata.source_agent", "metadata.timestamp"];
    const missing = missingIn(draft).filter((path) => !filled.includes(path));
    return { draft, missing, unplaced: [...this.#rest.keys()], absent: this.#absent };
  }
}

const yes = ["true", "yes", "pass", "passed", "passing"];
const no = ["false", "no", "fail", "failed", "failing"];
const reviews = ["passed", "failed", "pending"];

/** The value of a label as a document has it; null: it is not plainly one. */
function plainValue(label: Label, value: string): string | null {
  const word = asName(value);
  switch (label) {
    case "source_agent":
    case "target_agent":
      return agentIn(value);
    case "timestamp": {
      const [, day, time] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)?$/.exec(value) ?? [];
      // A day is its first instant.
      return day === undefined || Number.isNaN(Date.parse(day)) ? null : `${day}${time ?? "T00:00:00Z"}`;
    }
    case "tests_passed":
    case "documentation_complete":
      return yes.includes(word) ? "true" : no.includes(word) ? "false" : null;
    case "code_review_status":
      return reviews.includes(word) ? word : null;
    case "overall_status":
      return ["completed", "in_progress", "failed"].includes(word) ? word.replace("_", "-") : null;
    case "id":
    case "workflow_id":
    case "task_id":
    case "story_file":
      return /^\S{1,64}$/.test(value) ? value : null;
  }
}

/** The agent that words name: one word, or the one that is marked in brackets (`Development Agent (@bmad-bmm-dev)`). */
function agentIn(words: string): string | null {
  const named = /^(?:[@`]{0,2}|[^@`()]{0,200}\([@`]{1,2})([A-Za-z0-9][\w.-]{0,63})`?\)?$/.exec(words)?.[1];
  // `bmad-bmm-dev` is the agent `dev` of a module of the method.
  return named?.replace(/^bmad-(?!master)(?:(?:bmm|bmb|cis|core|gds|tea)-)?/i, "") ?? null;
}

/**
 * The paths that words name: links and code, else the first word; `isWhole`: nothing else is said, and each is a path. A
 * path is there, or has a folder and an ending.
 */
function pathsIn(words: string, isThere: (path: string) => boolean) {
  const marked = [...words.matchAll(marks)];
  const [word = ""] = words.split(/\s/);
  const written =
    marked.length > 0 ? marked.map(([, link, code]) => link ?? code ?? "") : [word.replace(/[,;:.]$/, "")];
  const paths = written.flatMap((each) => {
    const path = each
      .trim()
      .replace(/(?::\d{1,9}(?:-\d{1,9})?|#L\d{1,9}(?:-L?\d{1,9})?)$/, "")
      .replace(/^(?:\.\/){1,9}/, "");
    if (path === "" || path.length > pathCharactersMax || unlikely.test(path)) return [];
    return /\/(?:\.[a-z]|[^/]*\.[a-z]\w{0,9}$)/i.test(path) || (isThere(path) && /[./]/.test(path)) ? [path] : [];
  });
  const others = marked.length > 0 ? words.replaceAll(marks, "") : words.slice(word.length);
  return { paths, isWhole: paths.length === written.length && !/[\p{L}\p{N}]/u.test(others) };
}

/** A link, and a code span. */
const marks = /\[[^[\]]{0,200}\]\(([^()\s]{1,1024})\)|`([^`]{1,1024})`/g;

/** What nobody writes in a path that means a file of the repository. */
const unlikely = /[\s"'<>{}*?|()[\]\\=&]|\.\.|:\/\/|^[/@\-#$~+]/;
const pathCharactersMax = 1024;

/** `zod 4.1 https://zod.dev`, `` `pkg@^4.1` ``: one name, perhaps with a version and an address; null: no package. */
function packageIn(words: string): { name: string; version?: string; url?: string } | null {
  const found =
    /^(@?[a-z0-9][\w./-]{0,213})(?:@([\w.^~<>=*-]{1,64}))?(?:[ \t]+\(?([v^~<>=]{0,2}\d[\w.-]{0,64})\)?)?(?:[ \t]+(https?:\/\/\S{1,1024}))?$/i.exec(
      words.replaceAll("`", ""),
    );
  if (found === null) return null;
  const [, name = "", tied, version = tied, url] = found;
  return { name, ...(version === undefined ? {} : { version }), ...(url === undefined ? {} : { url }) };
}

/**
 * An agent's handoff in Markdown, read as a draft of a document: headings name fields, labels name single values,
 * entries of lists are entries. Nothing is guessed from words: what is under a heading that names no field is reported,
 * and so is what a document must say and the text does not.
 */

import type { HandoffBody } from "../../message/handoff-body.ts";
import { type HandoffDraft, missingIn } from "../../message/handoff-draft.ts";
import { asName, stretchesOf } from "../markdown.ts";
import { type Field, fieldsByName, labels } from "./handoff-headings.ts";

/** What an input became. */
export interface ImportedHandoff {
  readonly draft: HandoffDraft;
  /** Paths that a document needs and the text does not say, or says in part. */
  readonly missing: readonly string[];
  /** Headings whose words went nowhere. */
  readonly unplaced: readonly string[];
}

/** The input as a draft, with what it lacks. Total: every input has one. */
export function importHandoff(text: string): ImportedHandoff {
  const said = new Map<string, string>();
  const parts = partsOf(text, said);
  const unplaced: string[] = [];
  const found = new Map<Field, Part[]>();
  for (const part of parts) {
    const field = fieldsByName.get(asName(part.heading));
    const isEmpty = part.items.length === 0 && part.paragraphs.length === 0;
    if (field !== undefined) found.set(field, [...(found.get(field) ?? []), part]);
    else if (!isEmpty && part.heading !== "") unplaced.push(part.heading);
  }
  const draft = draftOf(found, said, parts);
  const decisions = draft.context?.key_decisions ?? [];
  const halves = decisions.flatMap(({ rationale, impact }, index) => [
    ...(rationale === notSaid ? [`context.key_decisions[${index}].rationale`] : []),
    ...(impact === notSaid ? [`context.key_decisions[${index}].impact`] : []),
  ]);
  // Issuing fills these.
  const filled = ["metadata.id", "metadata.source_agent", "metadata.timestamp"];
  return { draft, missing: [...missingIn(draft).filter((path) => !filled.includes(path)), ...halves], unplaced };
}

function draftOf(
  found: ReadonlyMap<Field, readonly Part[]>,
  said: ReadonlyMap<string, string>,
  parts: readonly Part[],
): HandoffDraft {
  const listOf = (field: Field) => (found.get(field) ?? []).flatMap((part) => [...part.paragraphs, ...itemTexts(part)]);
  const firstOf = (field: Field) => listOf(field)[0];
  const paths = (field: Field) => listOf(field).map(pathIn);
  const [main] = found.get("primary") ?? [];
  const primary = main?.paragraphs.join("\n\n") || main?.items[0]?.text || titleOf(parts);
  const further = main === undefined ? [] : main.paragraphs.length > 0 ? itemTexts(main) : itemTexts(main).slice(1);
  const boxes = parts.flatMap(({ items }) => items);
  const [story, architecture, prd] = (["story_file", "architecture_context", "prd_context"] as const).map(firstOf);
  return {
    metadata: pick(said, ["id", "target_agent", "workflow_id", "task_id"]),
    context: {
      ...(story === undefined ? {} : { story_file: pathIn(story) }),
      ...(architecture === undefined ? {} : { architecture_context: pathIn(architecture) }),
      ...(prd === undefined ? {} : { prd_context: pathIn(prd) }),
      additional_context: paths("additional_context"),
      key_decisions: listOf("key_decisions").map(decisionIn),
    },
    instructions: {
      ...(primary === undefined ? {} : { primary }),
      secondary: [...further, ...listOf("secondary")],
      constraints: listOf("constraints"),
      success_criteria: listOf("success_criteria"),
    },
    dependencies: {
      required_files: paths("required_files"),
      generated_files: paths("generated_files"),
      external_dependencies: listOf("external_dependencies").map(dependencyIn),
    },
    validation: {
      source_status: {
        completed_tasks: [...listOf("completed_tasks"), ...boxes.filter(({ isDone }) => isDone === true).map(textOf)],
        pending_tasks: [...listOf("pending_tasks"), ...boxes.filter(({ isDone }) => isDone === false).map(textOf)],
        ...statusIn(said.get("overall_status")),
      },
      quality_checks: qualityIn(said),
    },
    history: { lessons_learned: listOf("lessons_learned") },
  };
}

function titleOf(parts: readonly Part[]): string | undefined {
  const title = parts.find(({ heading }) => heading !== "")?.heading;
  return title !== undefined && !fieldsByName.has(asName(title)) && !/^handoff\b/i.test(title) ? title : undefined;
}

function pick(said: ReadonlyMap<string, string>, names: readonly string[]) {
  return Object.fromEntries(names.flatMap((name) => (said.has(name) ? [[name, said.get(name)]] : [])));
}

/*
 * A handoff in Markdown by its headings: the paragraphs and the entries of lists under each. What a fence holds is shown,
 * not said; labels are taken out.
 */

/** The words under one heading. */
interface Part {
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
function partsOf(text: string, said: Map<string, string>): readonly Part[] {
  const parts: Part[] = [{ heading: "", paragraphs: [], items: [] }];
  for (const { start, end, info } of stretchesOf(text)) {
    // What is in a fence is quoted.
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

/** Entries of a list; those with a box say the state of a task, whatever they are under. */
function itemTexts({ items }: Part): readonly string[] {
  return items.filter(({ isDone }) => isDone === null).map(textOf);
}

/** The words of an entry, without its box. */
function textOf({ text }: Item): string {
  return text;
}

const labelCharactersMax = 40;

/** Whether there were only titles, labels and rules so far. */
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
  // The document is recorded under this id: in the middle of an input the id may belong to anything.
  if (path === "id" && !isAtHead) return false;
  said.set(path, value);
  return true;
}

/** Control characters except the tab, and those that change the direction of writing: no reader sees them. */
const unseen = /[^\P{Cc}\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The words of a line without Markdown's marks of emphasis, and without what nobody sees. */
function plain(line: string): string {
  return line.replace(unseen, "").replaceAll("**", "").trim();
}

/*
 * Single phrases of a handoff in Markdown, read as what a document has in their place: a path, a decision, a
 * dependency, the state of the work.
 */

/** The placeholder for a missing reason or consequence of a decision. */
const notSaid = "not said";

/** `[the story](docs/story.md)` and `` `docs/story.md`: what it is `` name their path. */
function pathIn(words: string): string {
  const link = /^\[[^\]]{0,200}\]\(([^)\s]{1,1024})\)/.exec(words)?.[1];
  const code = /^`([^`]{1,1024})`/.exec(words)?.[1];
  return link ?? code ?? words;
}

/** `Codes live ten minutes (mail is slow); so: the store forgets` in any of its usual forms. */
function decisionIn(words: string): NonNullable<HandoffBody["context"]["key_decisions"]>[number] {
  const lower = words.toLowerCase();
  const at = (marks: readonly string[]) => {
    const places = marks.map((mark) => [lower.indexOf(mark), mark.length] as const).filter(([place]) => place > 0);
    return places.toSorted((a, b) => a[0] - b[0])[0] ?? null;
  };
  const why = at(["rationale:", " because ", "reason:", " — ", " -- "]);
  const so = at(["impact:", "so:", "consequence:", "→", "->"]);
  const cut = (from: number, to: number) => trimmed(words.slice(from, to));
  const ends = (place: readonly [number, number] | null, other: readonly [number, number] | null) =>
    place === null || other === null || other[0] < place[0] ? words.length : other[0];
  const decision = cut(0, Math.min(why?.[0] ?? words.length, so?.[0] ?? words.length));
  return {
    decision: decision === "" ? words : decision,
    rationale: why === null ? notSaid : cut(why[0] + why[1], ends(why, so)) || notSaid,
    impact: so === null ? notSaid : cut(so[0] + so[1], ends(so, why)) || notSaid,
  };
}

function trimmed(words: string): string {
  return words
    .replace(/^[\s;,.()-]{0,20}/, "")
    .replace(/[\s;,(-]{1,20}$/, "")
    .replace(/^decision:\s{0,9}/i, "");
}

/** `zod 4.1 https://zod.dev`: a name, then a version and an address in any order. */
function dependencyIn(words: string): { name: string; version?: string; url?: string } {
  const [name = words, ...rest] = pathIn(words).split(/[\s,@]+/);
  const url = rest.find((word) => word.startsWith("https://") || word.startsWith("http://"));
  const version = rest.find((word) => /^[v^~>=<]{0,2}\d/.test(word));
  return { name, ...(version === undefined ? {} : { version }), ...(url === undefined ? {} : { url }) };
}

/** The state of the whole; empty where the words say none of it. */
function statusIn(said: string | undefined): { overall_status?: "completed" | "in-progress" | "failed" } {
  const name = asName(said ?? "");
  if (["completed", "complete", "done"].includes(name)) return { overall_status: "completed" };
  if (["in_progress", "partial", "ongoing"].includes(name)) return { overall_status: "in-progress" };
  return name === "failed" ? { overall_status: "failed" } : {};
}

/** The checks that labels tell of; what they do not say is left out. */
function qualityIn(said: ReadonlyMap<string, string>) {
  const tests = yesOrNo(said.get("tests_passed"));
  const documentation = yesOrNo(said.get("documentation_complete"));
  const review = yesOrNo(said.get("code_review_status"));
  const isPending = asName(said.get("code_review_status") ?? "") === "pending";
  return {
    ...(tests === null ? {} : { tests_passed: tests }),
    ...(isPending ? { code_review_status: "pending" as const } : {}),
    ...(review === null ? {} : { code_review_status: review ? ("passed" as const) : ("failed" as const) }),
    ...(documentation === null ? {} : { documentation_complete: documentation }),
  };
}

function yesOrNo(said: string | undefined): boolean | null {
  const [first = ""] = asName(said ?? "").split("_");
  if (["yes", "true", "pass", "passed", "passing", "green", "complete", "approved"].includes(first)) return true;
  return ["no", "false", "fail", "failed", "failing", "red", "incomplete", "rejected"].includes(first) ? false : null;
}

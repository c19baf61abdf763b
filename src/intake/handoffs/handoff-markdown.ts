/**
 * An agent's handoff in Markdown, read as a draft of a document: headings name fields, labels name single values, entries
 * of lists are entries. Nothing is guessed from words: what stands under a heading that names no field is told, and so is
 * what a document must say and the text does not.
 */
import { type HandoffDraft, missingIn } from "../../message/handoff-draft.ts";
import { asName } from "../markdown.ts";
import { type Field, fieldsByName } from "./handoff-headings.ts";
import { itemTexts, type Part, partsOf, textOf } from "./handoff-parts.ts";
import { decisionIn, dependencyIn, notSaid, pathIn, qualityIn, statusIn } from "./handoff-phrases.ts";

/** What became of a text. */
export interface ImportedHandoff {
  readonly draft: HandoffDraft;
  /** Paths that a document needs and the text does not say, or says in part. */
  readonly missing: readonly string[];
  /** Headings whose words went nowhere. */
  readonly unplaced: readonly string[];
}

/** The text as a draft, with what it lacks. Total: every text has one. */
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

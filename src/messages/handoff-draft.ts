/**
 * A handoff document that is not finished: what is known of it, from whichever sources, put together and written in the
 * order of its definition. What a document must say and a draft does not is named, never made up.
 * Source: docs/protocol/phases.md, sections 12 to 14; tests/requirements/bmad-1.tsv.
 */

import { canonical, sha256 } from "../base/canonical.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { Fact } from "./facts.ts";
import type { HandoffBody } from "./handoff-body.ts";

/** The sections of a draft; every part may be missing. */
export interface HandoffDraft {
  readonly metadata?: Partial<HandoffBody["metadata"]>;
  readonly context?: HandoffBody["context"];
  readonly instructions?: Partial<HandoffBody["instructions"]>;
  readonly dependencies?: HandoffBody["dependencies"];
  readonly validation?: HandoffBody["validation"];
  readonly history?: HandoffBody["history"];
}

/** Every field of a document in its order; those of one section after it. */
const fieldOrder: { readonly [section in keyof HandoffDraft]-?: readonly string[] } = {
  metadata: ["id", "source_agent", "target_agent", "timestamp", "workflow_id", "task_id"],
  context: ["story_file", "architecture_context", "prd_context", "additional_context", "key_decisions"],
  instructions: ["primary", "secondary", "constraints", "success_criteria"],
  dependencies: ["required_files", "generated_files", "external_dependencies"],
  validation: ["file_checksums", "source_status", "quality_checks"],
  history: ["previous_handoffs", "lessons_learned"],
};

/** Sections that every document has, though they be empty. */
const requiredSections: readonly string[] = ["metadata", "context", "instructions", "dependencies"];

/** Fields that every document has. */
const requiredFields = ["metadata.id", "metadata.source_agent", "metadata.target_agent", "metadata.timestamp"].concat(
  "instructions.primary",
);

/** One draft of several: of what only one value can be, the first said one; lists together, each entry once. */
export function joinedDraft(drafts: readonly HandoffDraft[]): HandoffDraft {
  return drafts.reduce<JsonObject>((joined, draft) => joinedObject(joined, draft as JsonObject), {});
}

function joinedObject(one: JsonObject, other: JsonObject): JsonObject {
  const joined: { [key: string]: Json } = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = joined[key];
    if (value === undefined) continue;
    if (known === undefined) joined[key] = value;
    else if (isJsonList(known) && isJsonList(value)) joined[key] = eachOnce([...known, ...value]);
    else if (isJsonObject(known) && isJsonObject(value)) joined[key] = joinedObject(known, value);
  }
  return joined;
}

function eachOnce(values: readonly Json[]): readonly Json[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The document as it is, fields in order, nothing empty in it. */
export function draftDocument(draft: HandoffDraft): JsonObject {
  const sections: { [section: string]: Json } = {};
  for (const [name, order] of Object.entries(fieldOrder)) {
    const given = (draft as JsonObject)[name];
    const fields = isJsonObject(given) ? given : {};
    const said = order.flatMap((field) => (isSaid(fields[field]) ? [[field, fields[field] ?? null] as const] : []));
    if (said.length > 0 || requiredSections.includes(name)) sections[name] = Object.fromEntries(said);
  }
  return { handoff: sections };
}

/** What a document must say and this draft does not, by path. */
export function missingIn(draft: HandoffDraft): readonly string[] {
  return requiredFields.filter((path) => {
    const [section = "", field = ""] = path.split(".");
    const given = (draft as JsonObject)[section];
    return !isJsonObject(given) || !isSaid(given[field]);
  });
}

function isSaid(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !(isJsonList(value) && value.length === 0) && !(isJsonObject(value) && Object.keys(value).length === 0);
}

/* What tells one handoff document from another, whatever its spacing, its comments and its order. */

/** SHA-256 over the canonical JSON of everything that the document says, 64 hex digits. */
export function handoffDigest({ body, extra }: Fact): string {
  return sha256(canonical({ body, extra: extra ?? null }));
}

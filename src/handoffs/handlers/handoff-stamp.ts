/**
 * What issuing adds to a handoff document: its id, the time, the checksums of its files, and the handoffs before it by
 * the record. Everything else stays as its author wrote it, and in the author's order.
 * Source: docs/protocol/phases.md, sections 12 to 14.
 */
import { timestampOf } from "../../base/clock.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { type PreviousHandoff, previousKey } from "../../messages/handoff-body.ts";
import type { Handoff } from "../state.ts";

/** What is added. */
export interface Stamp {
  /** Who issues it. */
  readonly agent: string;
  readonly id: string;
  readonly atMs: number;
  /** It was rejected before: it is another handoff, of another time. */
  readonly isAgain: boolean;
  /** `sha256:` and 64 hex digits by path, as the document names it. */
  readonly checksums: { readonly [path: string]: string };
  /** Those that it follows, the first of all first. */
  readonly before: readonly Handoff[];
}

/** Where a new field goes: behind the nearest one before it in these lists. */
const sectionOrder = ["metadata", "context", "instructions", "dependencies", "validation", "history"];
const metadataOrder = ["id", "source_agent", "target_agent", "timestamp", "workflow_id", "task_id"];
const validationOrder = ["file_checksums", "source_status", "quality_checks"];
const historyOrder = ["previous_handoffs", "lessons_learned"];

/** The document with its stamp; one without sections, or with other things in their place, stays so and is refused later. */
export function stampedDocument(document: JsonObject, stamp: Stamp): JsonObject {
  const { handoff } = document;
  if (!isJsonObject(handoff)) return document;
  let sections = stampMetadata(handoff, stamp);
  if (Object.keys(stamp.checksums).length > 0)
    sections = within(sections, "validation", (part) => {
      const sums = isJsonObject(part.file_checksums) ? part.file_checksums : {};
      return withField(part, validationOrder, "file_checksums", { ...sums, ...stamp.checksums });
    });
  if (stamp.before.length > 0)
    sections = within(sections, "history", (part) => {
      const recorded = stamp.before.map(asPrevious);
      const known = new Set(recorded.map(keyOf));
      const written = isJsonList(part.previous_handoffs) ? part.previous_handoffs : [];
      const added = written.filter((each) => !known.has(keyOf(each)));
      return withField(part, historyOrder, "previous_handoffs", [...added, ...recorded]);
    });
  return { ...document, handoff: sections };
}

function stampMetadata(sections: JsonObject, { agent, id, atMs, isAgain }: Stamp): JsonObject {
  return within(sections, "metadata", (part) => {
    let metadata = withField(part, metadataOrder, "id", id);
    if (!isSaid(metadata.source_agent)) metadata = withField(metadata, metadataOrder, "source_agent", agent);
    if (isSaid(metadata.timestamp) && !isAgain) return metadata;
    return withField(metadata, metadataOrder, "timestamp", timestampOf(atMs));
  });
}

/** The section after `change`; one that is missing or empty is made, one that is no section is left to be refused. */
function within(sections: JsonObject, name: string, change: (part: JsonObject) => JsonObject): JsonObject {
  const part = sections[name] ?? {};
  return isJsonObject(part) ? withField(sections, sectionOrder, name, change(part)) : sections;
}

function withField(object: JsonObject, order: readonly string[], name: string, value: Json): JsonObject {
  if (Object.hasOwn(object, name)) return { ...object, [name]: value };
  const earlier = new Set(order.slice(0, order.indexOf(name)));
  const keys = Object.keys(object);
  const place = keys.findLastIndex((key) => earlier.has(key)) + 1;
  const entries = Object.entries(object);
  return Object.fromEntries([...entries.slice(0, place), [name, value], ...entries.slice(place)]);
}

/** An earlier handoff as a document tells it. */
export function asPrevious({ source, target, timestamp, summary, rejection }: Handoff): PreviousHandoff {
  const said = rejection === null ? summary : `Rejected (${rejection.reasons.join("; ")}): ${summary}`;
  return { source_agent: source, target_agent: target, timestamp, summary: said };
}

/** How two mentions of one handoff are recognised: people shorten the subject. */
function keyOf(previous: Json): string {
  return isJsonObject(previous) ? previousKey(previous) : JSON.stringify(previous);
}

function isSaid(value: Json | undefined): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/**
 * Adds an entry to a JSON document and removes it again, so that removing restores the document exactly, byte by byte,
 * whatever its layout (docs/decisions.md).
 *
 * How removing recognises what adding wrote: an entry is written with the white space before it, from the token or
 * comment that it follows, and goes with it. A list or object that is made for it has white space behind its opening
 * bracket, and a line end before its closing one if it has one behind the opening one. One that was empty before never
 * looks like that.
 */
import { invariant } from "../invariant.ts";
import type { Json } from "../json.ts";
import { isJsonList, isJsonObject } from "../json.ts";
import { type JsonContainer, type JsonEntry, type JsonPart, jsonParts } from "./json-parts.ts";
import { spliced } from "./splice.ts";

/** Keys of objects, and numbers of items in lists, from the root inwards. */
export type JsonPath = readonly (string | number)[];

/** The part at `path`, or null. Of a key that appears twice the last one counts. */
export function partAt(root: JsonPart, path: JsonPath): JsonPart | null {
  let part: JsonPart | null = root;
  for (const step of path) part = entryAt(part, step)?.value ?? null;
  return part;
}

/**
 * `text` with `value` at the end of what is at `path`: as member `key`, or, where `key` is null, as an item. What is
 * missing of the path is made. The text must be JSON, and everything along the path must be of the right kind.
 */
export function withEntry(text: string, path: readonly string[], key: string | null, value: Json): string {
  const root = rootOf(text);
  let depth = path.length;
  while (partAt(root, path.slice(0, depth)) === null) depth--;
  const container = partAt(root, path.slice(0, depth));
  invariant(container !== null && container.kind !== "leaf", "what an entry is put into holds entries");
  const missing = path.slice(depth);
  let whole: Json = key === null ? [value] : { [key]: value };
  for (const name of missing.slice(1).toReversed()) whole = { [name]: whole };
  const [first] = missing;
  if (first === undefined) return inserted(text, root, container, key, value);
  return inserted(text, root, container, first, whole);
}

/**
 * `text` without the entry at `path`, and without the lists and objects around it that were made for it; null: nothing
 * is left of a document that was created for it.
 */
export function withoutEntry(text: string, path: JsonPath): string | null {
  const root = rootOf(text);
  let at = path;
  let container = containerAt(root, at.slice(0, -1));
  while (at.length > 1 && isMadeFor(text, container)) {
    at = at.slice(0, -1);
    container = containerAt(root, at.slice(0, -1));
  }
  const isWhole = container === root && isMadeFor(text, container);
  if (isWhole && (text.slice(0, root.from) + text.slice(root.to)).trim() === "") return null;
  const index = container.entries.findIndex((entry) => entry === entryAt(container, at.at(-1) ?? 0));
  return removed(text, container, index);
}

/** A whole text for `value`, as it is made where there is none. */
export function madeJson(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function inserted(text: string, root: JsonPart, container: JsonContainer, key: string | null, value: Json): string {
  const layout = layoutOf(text, root, container);
  const name = key === null ? "" : `${JSON.stringify(key)}: `;
  const lines = () => name + JSON.stringify(value, null, layout.unit).replaceAll("\n", layout.lineEnd + layout.indent);
  const last = container.entries.at(-1);
  if (last === undefined) {
    const rest = text.slice(container.lastEnd, container.to - 1);
    // An empty one over several lines would look as if it had been made, were there a line end here too.
    const head = rest.includes("\n") && !container.hasComment ? "" : layout.lineEnd + layout.indent;
    return spliced(text, [{ from: container.lastEnd, to: container.lastEnd, text: head + lines() }]);
  }
  const piece = layout.isInline ? ` ${name}${inLine(value)}` : layout.lineEnd + layout.indent + lines();
  if (last.comma !== null)
    return spliced(text, [{ from: container.lastEnd, to: container.lastEnd, text: `${piece},` }]);
  return spliced(text, [
    { from: last.value.to, to: last.value.to, text: "," },
    { from: container.lastEnd, to: container.lastEnd, text: piece },
  ]);
}

function removed(text: string, { entries }: JsonContainer, index: number): string {
  const entry = entries[index];
  invariant(entry !== undefined, "what is taken out is there");
  const comma = entry.comma ?? entries[index - 1]?.comma ?? null;
  const pieces = [{ from: entry.headFrom, to: entry.value.to, text: "" }];
  if (comma !== null) pieces.push({ from: comma, to: comma + 1, text: "" });
  return spliced(text, pieces);
}

/** Whether a list or object holds one entry, and was made for it. */
function isMadeFor(text: string, { entries, from, to, hasComment }: JsonContainer): boolean {
  const [only] = entries;
  if (only === undefined || entries.length > 1 || hasComment) return false;
  const head = text.slice(from + 1, only.from);
  const tail = text.slice(only.value.to, to - 1);
  return head.includes("\n") ? tail.includes("\n") : head !== "";
}

interface Layout {
  readonly isInline: boolean;
  readonly lineEnd: string;
  /** Of a line of the container's entries. */
  readonly indent: string;
  /** What one level is indented by. */
  readonly unit: string;
}

function layoutOf(text: string, root: JsonPart, container: JsonContainer): Layout {
  const first = container.entries[0];
  const isInline = !text.slice(container.from, container.to).includes("\n");
  const unit = unitOf(text, root);
  const around = isInline ? container.from : container.to - 1;
  const indent =
    first !== undefined && startsLine(text, first.from) ? indentAt(text, first.from) : indentAt(text, around) + unit;
  return { isInline, lineEnd: /\r?\n/.exec(text)?.[0] ?? "\n", indent, unit };
}

/** As the root's first entry is indented; JSON.stringify takes ten characters at most. */
function unitOf(text: string, root: JsonPart): string {
  const first = root.kind === "leaf" ? undefined : root.entries[0];
  const unit = first !== undefined && startsLine(text, first.from) ? indentAt(text, first.from).slice(0, 10) : "";
  return unit === "" ? "  " : unit;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function startsLine(text: string, at: number): boolean {
  return lineStart(text, at) > 0 && text.slice(lineStart(text, at), at).trim() === "";
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? "";
}

/** In one line, with a blank inside every bracket, as in what was made. */
function inLine(value: Json): string {
  if (isJsonList(value)) return value.length === 0 ? "[]" : `[ ${value.map(inLine).join(", ")} ]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${inLine(each)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function entryAt(part: JsonPart | null, step: string | number): JsonEntry | null {
  if (part === null || part.kind === "leaf") return null;
  if (typeof step === "string") return part.entries.findLast(({ key }) => key === step) ?? null;
  return part.kind === "list" ? (part.entries[step] ?? null) : null;
}

function containerAt(root: JsonPart, path: JsonPath): JsonContainer {
  const part = partAt(root, path);
  invariant(part !== null && part.kind !== "leaf", "an entry is in a list or an object");
  return part;
}

function rootOf(text: string): JsonPart {
  const root = jsonParts(text);
  invariant(root.ok, "only JSON that was read is changed");
  return root.value;
}

/**
 * A file with a handoff document that is to be stamped: YAML, JSON, or Markdown that holds one at its head or in a fence.
 * Only the document is changed and sent; the words around it stay in the file, byte by byte.
 */
import { canonical } from "../../../base/canonical.ts";
import { decodeUtf8, isJsonObject, type Json, type JsonObject, parseBounded } from "../../../base/json.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { loadYaml, parseYamlWith, type YamlLibrary } from "../../../base/text-formats/yaml.ts";
import { tryEditYaml } from "../../../base/text-formats/yaml-edit.ts";
import { findDocument } from "../../../intake/document.ts";
import type { AcceptedReading } from "../../../intake/reading.ts";
import { noDocument, readingOf } from "./handoff-file.ts";

/** A document in its file, as it was found. */
export interface Draft {
  /** The whole file. */
  readonly file: string;
  /** Where the document begins in it, and its text. */
  readonly from: number;
  readonly text: string;
  readonly document: JsonObject;
  readonly form: "yaml" | "json";
  /** How it reads as it stands; null: it lacks something yet. */
  readonly reading: AcceptedReading | null;
}

/** A document that was changed: the whole file, and the document's own text. */
export type Written = Pick<Draft, "file" | "text">;

/**
 * The document in the file `name`, which holds `bytes`. Refuses what is no text or no YAML, what holds no document or
 * several, and an id that is no text.
 */
export async function readDraft(bytes: Uint8Array, name: string): Promise<Result<Draft, Problem>> {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return err({ ...decoded.error, path: name });
  const file = decoded.value;
  const form = file.trimStart().startsWith("{") ? "json" : "yaml";
  const found = form === "json" ? { from: 0, text: file } : partOf(file, name);
  if (found === null) return err(noDocument(name));
  const parsed = form === "json" ? parseBounded(file) : parseAt(await loadYaml(), file, found, name);
  if (!parsed.ok) return parsed;
  const document = parsed.value;
  if (!isJsonObject(document) || !isJsonObject(document.handoff)) return err(noDocument(name));
  const misread = idFault(document.handoff);
  if (misread !== null) return err(misread);
  const reading = await readingOf(found.text);
  return ok({ file, ...found, document, form, reading: reading.outcome === "accepted" ? reading : null });
}

/**
 * The draft's file, and its text, where the document says what `document` says. Refuses a place where it cannot be
 * written, and a document that passes a limit by what is added (`too-large`).
 */
export async function writtenLike(draft: Draft, document: JsonObject): Promise<Result<Written, Problem>> {
  const { file, from, text, form } = draft;
  if (form === "json") {
    const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? (text.includes("\n") ? "  " : "");
    const written = `${JSON.stringify(document, null, indent)}${text.endsWith("\n") ? "\n" : ""}`;
    return ok({ file: written, text: written });
  }
  const yaml = await loadYaml();
  const changed = tryEditYaml(yaml, text, document);
  if (!changed.ok)
    return err({ ...changed.error, path: "$.handoff", hint: "Name fewer files, or hand over in parts." });
  const edited = changed.value;
  const whole = file.slice(0, from) + edited + file.slice(from + text.length);
  if (whole === edited) return ok({ file: whole, text: edited });
  // What is a document by itself may be none among its words, as where a fence is indented.
  const again = findDocument(whole);
  const read = again === null ? null : parseYamlWith(yaml, again.source, "edited");
  const says = read?.ok === true && canonical(read.value.value) === canonical(document);
  return says && again?.source === edited ? ok({ file: whole, text: edited }) : err(misplaced);
}

/** Where the document stands; null: there is none. What looks like YAML and is none is left for the parser to say. */
function partOf(file: string, name: string): Pick<Draft, "from" | "text"> | null {
  const found = findDocument(file);
  if (found !== null) return { from: found.end - found.source.length, text: found.source };
  return /\.ya?ml$/i.test(name) ? { from: 0, text: file } : null;
}

/** The value of the part of the file, its faults with the lines of the file. */
function parseAt(
  yaml: YamlLibrary,
  file: string,
  { from, text }: Pick<Draft, "from" | "text">,
  name: string,
): Result<Json, Problem> {
  const parsed = parseYamlWith(yaml, file.slice(0, from).replaceAll(/[^\n]/g, "") + text, name);
  return parsed.ok ? ok(parsed.value.value) : parsed;
}

/** An id that is there and no text: written without quotes, `007` is the number 7. It is never taken for none. */
function idFault({ metadata }: JsonObject): Problem | null {
  const id = isJsonObject(metadata) ? (metadata.id ?? null) : null;
  if (id === null || typeof id === "string") return null;
  return problem("wrong-type", "$.handoff.metadata.id", "$.handoff.metadata.id must be a text.", {
    expected: "a text",
    received: JSON.stringify(id).slice(0, 80),
    hint: 'Put it in quotes, such as "7", or leave it out to get a new one.',
  });
}

const misplaced = problem("not-yaml", "$.handoff", "The document cannot be changed among the words where it stands.", {
  expected: "a file of its own, the head of a Markdown file, or a fence that is not indented",
  hint: "Put it into a file of its own, FILE.yaml, and issue that.",
});

/**
 * Making a YAML text say something else with the least changes: only what differs is written, everything else stays byte
 * by byte, so comments, order, quotes and blank lines survive. What is written is read back before it is given out.
 * Source: docs/protocol/handoffs.md, section 6.
 */
import type { Document, Node } from "yaml";
import { canonical } from "../canonical.ts";
import { invariant } from "../invariant.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Problem, ProblemCode } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";
import { spliced } from "./splice.ts";
import { parseYamlWith, type YamlLibrary } from "./yaml.ts";
import { splicesOf } from "./yaml-splices.ts";
import { quoteTimes } from "./yaml-style.ts";
import { hasAll, keyText, startsLike } from "./yaml-tree.ts";

/**
 * `text`, changed so that it says `wanted`. The text must be one that `parseYaml` reads; a key that it has and `wanted`
 * has not goes only with everything around it. A new key stands behind the one before it in `wanted`.
 */
export function editYaml(yaml: YamlLibrary, text: string, wanted: JsonObject): string {
  const edited = tryEditYaml(yaml, text, wanted);
  invariant(edited.ok, "a text that is changed stays within the limits");
  return edited.value;
}

/** As `editYaml`. Refuses what a changed text may not be: `too-large`, `too-deep`, `too-many-nodes`. */
export function tryEditYaml(yaml: YamlLibrary, text: string, wanted: JsonObject): Result<string, Problem> {
  const document = yaml.parseDocument(text, { uniqueKeys: false });
  invariant(document.errors.length === 0, "only a text that was read is changed");
  const edited = spliced(text, splicesOf(yaml, text, document.contents, wanted));
  if (says(yaml, edited, wanted)) return ok(edited);
  // A layout that splicing does not know: the library writes it from its tree, comments and all.
  const isWindows = text.includes("\r\n");
  const plain = isWindows ? yaml.parseDocument(text.replaceAll("\r\n", "\n"), { uniqueKeys: false }) : document;
  const written = writtenFrom(yaml, plain, wanted);
  const whole = isWindows ? written.replaceAll("\n", "\r\n") : written;
  if (says(yaml, whole, wanted)) return ok(whole);
  const read = parseYamlWith(yaml, whole, "$");
  invariant(!read.ok && limitCodes.includes(read.error.code), "a changed text says what was wanted");
  return err({ ...read.error, message: "The document with what is added to it is over the limit." });
}

/** Limits that a text may pass by what is added to it. */
const limitCodes: readonly ProblemCode[] = ["too-large", "too-deep", "too-many-nodes"];

/**
 * A YAML text for `value`, as a person would have written it: in blocks, a blank line before each part of the one under
 * its first key.
 */
export function writeYaml(yaml: YamlLibrary, value: JsonObject): string {
  const document = new yaml.Document(value);
  quoteTimes(yaml, document);
  const { contents } = document;
  const only = yaml.isMap(contents) ? contents.items[0]?.value : null;
  if (yaml.isMap(only)) {
    for (const [index, { key }] of only.items.entries()) {
      if (index > 0 && yaml.isScalar(key)) key.spaceBefore = true;
    }
  }
  return document.toString({ lineWidth: 0 });
}

function says(yaml: YamlLibrary, text: string, wanted: JsonObject): boolean {
  const read = parseYamlWith(yaml, text, "edited");
  return read.ok && canonical(read.value.value) === canonical(wanted);
}

function writtenFrom(yaml: YamlLibrary, document: Document, wanted: JsonObject): string {
  document.contents = changed(yaml, document, document.contents, wanted);
  quoteTimes(yaml, document);
  return document.toString({ lineWidth: 0 });
}

/** The node after it was made to say `wanted`: what it has already stays the node it is, with its comments. */
function changed(yaml: YamlLibrary, document: Document, node: Node | null, wanted: Json): Node {
  if (yaml.isMap(node) && isJsonObject(wanted) && hasAll(node, wanted)) {
    for (const [index, [key, value]] of Object.entries(wanted).entries()) {
      const pair = node.items.find((each) => keyText(each.key) === key);
      if (pair === undefined) node.items.splice(index, 0, document.createPair(key, value));
      // The library's tree holds nodes and nothing.
      else pair.value = changed(yaml, document, pair.value as Node | null, value);
    }
    return node;
  }
  if (yaml.isSeq(node) && isJsonList(wanted) && startsLike(node, wanted)) {
    for (const item of wanted.slice(node.items.length)) node.items.push(document.createNode(item));
    return node;
  }
  if (node !== null && canonical(node.toJSON() as Json) === canonical(wanted)) return node;
  const fresh = document.createNode(wanted) as Node;
  if (node?.comment) fresh.comment = node.comment;
  if (node?.commentBefore) fresh.commentBefore = node.commentBefore;
  return fresh;
}

/**
 * Making a YAML text say something else with the least changes: only what differs is written, everything else stays byte
 * by byte, so comments, order, quotes and blank lines survive. What is written is read back before it is given out.
 * Source: semantics.md section 3, Handoff documents ("YAML written as a person would have written it").
 */
import type { Document, Node, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { canonical } from "./canonical.ts";
import { invariant } from "./invariant.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "./json.ts";
import { parseYamlWith, type YamlLibrary } from "./yaml.ts";

/** One piece of text in the place of another. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * `text`, changed so that it says `wanted`. The text must be one that `parseYaml` reads; a key that it has and `wanted`
 * has not goes only with everything around it. A new key stands behind the one before it in `wanted`.
 */
export function editYaml(yaml: YamlLibrary, text: string, wanted: JsonObject): string {
  const document = yaml.parseDocument(text, { uniqueKeys: false });
  invariant(document.errors.length === 0, "only a text that was read is changed");
  const edit = new Edit(yaml, text);
  edit.collect(document.contents, wanted, 0);
  const edited = applied(text, edit.splices);
  if (says(yaml, edited, wanted)) return edited;
  // A place that splicing does not know, such as a map beside a list's dash: the library writes it, comments and all.
  const whole = writtenWhole(yaml, document, wanted);
  invariant(says(yaml, whole, wanted), "a changed text says what was wanted");
  return whole;
}

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

function applied(text: string, splices: readonly Splice[]): string {
  let edited = text;
  // From the end, so that the places of the others stay; of equal places the later one first.
  for (const { from, to, text: piece } of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, from) + piece + edited.slice(to);
  }
  return edited;
}

function says(yaml: YamlLibrary, text: string, wanted: JsonObject): boolean {
  const read = parseYamlWith(yaml, text, "edited");
  return read.ok && canonical(read.value.value) === canonical(wanted);
}

function writtenWhole(yaml: YamlLibrary, document: Document, wanted: JsonObject): string {
  for (const [key, value] of Object.entries(wanted)) document.set(key, document.createNode(value));
  quoteTimes(yaml, document);
  return document.toString({ lineWidth: 0 });
}

/** Other readers of YAML take a bare time for more than a text. */
function quoteTimes(yaml: YamlLibrary, document: Document): void {
  yaml.visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && /^\d{4}-\d{2}-\d{2}/.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
}

/** Collects what must be written where. */
class Edit {
  readonly splices: Splice[] = [];
  private readonly yaml: YamlLibrary;
  private readonly text: string;
  private readonly lineEnd: string;
  private readonly step: number;
  private readonly quotes: boolean;

  constructor(yaml: YamlLibrary, text: string) {
    this.yaml = yaml;
    this.text = text;
    this.lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    this.step = /\n( +)\S/.exec(text)?.[1]?.length ?? 2;
    const quoted = text.match(/: "/g)?.length ?? 0;
    this.quotes = quoted > (text.match(/: [A-Za-z]/g)?.length ?? 0);
  }

  /** `column`: where the key stands that `node` is the value of. */
  collect(node: unknown, wanted: Json, column: number): void {
    const { yaml } = this;
    if (yaml.isMap(node) && isJsonObject(wanted) && node.flow !== true && this.hasAll(node, wanted)) {
      this.collectMap(node as YAMLMap<ParsedNode, ParsedNode | null>, wanted);
    } else if (yaml.isSeq(node) && isJsonList(wanted) && node.flow !== true && this.startsLike(node, wanted)) {
      this.append(node, wanted.slice(node.items.length));
    } else if (!sameJson(jsonOf(node), wanted)) {
      this.replace(node as Node | null, wanted, column); // The library's tree holds nodes and nothing.
    }
  }

  private hasAll(map: YAMLMap, wanted: JsonObject): boolean {
    return map.items.length > 0 && map.items.every(({ key }) => Object.hasOwn(wanted, keyText(key)));
  }

  private startsLike(list: YAMLSeq, wanted: readonly Json[]): boolean {
    const { length } = list.items;
    if (length === 0 || wanted.length < length) return false;
    return list.items.every((item, index) => sameJson(jsonOf(item), wanted[index] ?? null));
  }

  private collectMap(map: YAMLMap<ParsedNode, ParsedNode | null>, wanted: JsonObject): void {
    const pairs = new Map(map.items.map((pair) => [keyText(pair.key), pair]));
    const column = this.columnOf(map.items[0]?.key?.range?.[0] ?? 0);
    let before: Pair<ParsedNode, ParsedNode | null> | null = null;
    let fresh: { [key: string]: Json } = {};
    const put = () => {
      if (Object.keys(fresh).length > 0) this.insert(fresh, column, before, map);
      fresh = {};
    };
    for (const [key, value] of Object.entries(wanted)) {
      const pair = pairs.get(key);
      if (pair === undefined) {
        fresh[key] = value;
        continue;
      }
      put();
      before = pair;
      // A value that is left out begins right behind its colon.
      if (pair.value === null || (pair.value.range?.[0] === pair.value.range?.[1] && value !== null)) {
        this.fill(pair, value, column);
      } else this.collect(pair.value, value, column);
    }
    put();
  }

  /** Writes new keys behind a pair, or before the map's first. */
  private insert(
    fresh: JsonObject,
    column: number,
    before: Pair<ParsedNode, ParsedNode | null> | null,
    map: YAMLMap<ParsedNode, ParsedNode | null>,
  ): void {
    const block = this.indented(this.written(fresh), column);
    if (before === null) {
      const at = this.lineStart(map.items[0]?.key?.range?.[0] ?? 0);
      this.splices.push({ from: at, to: at, text: block });
      return;
    }
    const end = this.endOf(before.value ?? before.key);
    this.splices.push({ from: end.at, to: end.at, text: `${end.isOpen ? this.lineEnd : ""}${block}` });
  }

  private append(list: YAMLSeq, items: readonly Json[]): void {
    const [first] = list.items as readonly Node[];
    const last = list.items.at(-1) as Node | undefined;
    if (items.length === 0 || first === undefined || last === undefined) return;
    // Behind the dash, which stands where the list begins.
    const column = this.columnOf(list.range?.[0] ?? 0);
    const end = this.endOf(last);
    const block = this.indented(this.written(items), column);
    this.splices.push({ from: end.at, to: end.at, text: `${end.isOpen ? this.lineEnd : ""}${block}` });
  }

  private fill({ key }: Pair<ParsedNode, ParsedNode | null>, value: Json, column: number): void {
    const colon = this.text.indexOf(":", key.range?.[1] ?? 0) + 1;
    this.splices.push({ from: colon, to: colon, text: this.besideKey(value, column) });
  }

  private replace(node: Node | null, wanted: Json, column: number): void {
    const [from = 0, to = 0] = node?.range ?? [];
    if (!isJsonObject(wanted) && !isJsonList(wanted)) {
      const quotes = this.yaml.isScalar(node) && node.type === "QUOTE_DOUBLE";
      this.splices.push({ from, to, text: this.scalar(wanted, quotes) });
      return;
    }
    const flow = this.yaml.isCollection(node) && node.flow !== true ? null : this.text.lastIndexOf(":", from) + 1;
    if (flow === null) {
      const block = this.indented(this.written(wanted), this.columnOf(from));
      this.splices.push({ from, to, text: block.trim() });
    } else this.splices.push({ from: flow, to, text: this.besideKey(wanted, column) });
  }

  /** A value as it stands behind a key's colon. */
  private besideKey(value: Json, column: number): string {
    const isBlock = (isJsonObject(value) && Object.keys(value).length > 0) || (isJsonList(value) && value.length > 0);
    if (!isBlock) return ` ${isJsonObject(value) ? "{}" : isJsonList(value) ? "[]" : this.scalar(value, false)}`;
    return `${this.lineEnd}${this.indented(this.written(value), column + this.step).trimEnd()}`;
  }

  private scalar(value: Json, quotes: boolean): string {
    return this.written(value, quotes).trimEnd();
  }

  private written(value: Json, quotes = this.quotes): string {
    const document = new this.yaml.Document(value);
    if (quotes) {
      this.yaml.visit(document, {
        Scalar(key, node) {
          if (key !== "key" && typeof node.value === "string") node.type = "QUOTE_DOUBLE";
        },
      });
    } else quoteTimes(this.yaml, document);
    return document.toString({ lineWidth: 0, indent: Math.max(2, this.step) });
  }

  private indented(block: string, column: number): string {
    const margin = " ".repeat(column);
    const lines = block.trimEnd().split("\n");
    return lines.map((line) => `${line === "" ? "" : margin}${line}${this.lineEnd}`).join("");
  }

  private columnOf(offset: number): number {
    return offset - this.lineStart(offset);
  }

  private lineStart(offset: number): number {
    return this.text.lastIndexOf("\n", offset - 1) + 1;
  }

  /** Where the line ends on which the node does, comment and all. `isOpen`: the text ends there, without a line end. */
  private endOf(node: Node): { readonly at: number; readonly isOpen: boolean } {
    const end = lastOffset(node);
    if (end > 0 && this.text[end - 1] === "\n") return { at: end, isOpen: false };
    const next = this.text.indexOf("\n", end);
    return next < 0 ? { at: this.text.length, isOpen: true } : { at: next + 1, isOpen: false };
  }
}

/** Where the last value in a node ends. */
function lastOffset(node: Node): number {
  const { items } = node as Partial<YAMLSeq>;
  const last = items?.at(-1) as Node | Pair<Node, Node | null> | undefined;
  if (last === undefined) return node.range?.[1] ?? 0;
  const inner = "key" in last ? (last.value ?? last.key) : last;
  return Math.max(lastOffset(inner), 0);
}

function keyText(key: unknown): string {
  const { value, source } = (key ?? {}) as Partial<Scalar>;
  return typeof value === "string" ? value : (source ?? "");
}

/** The JSON value of a node of a text that was read before, which has neither aliases nor tags. */
function jsonOf(node: unknown): Json {
  if (node === null || node === undefined) return null;
  return (node as Node).toJSON() as Json;
}

function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}

/**
 * Making a YAML text say something else with the least changes: only what differs is written, everything else stays byte
 * by byte, so comments, order, quotes and blank lines survive. What is written is read back before it is given out.
 * Source: docs/protocol/phases.md, section 12.
 */
import type { Document, Node, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { canonical } from "../canonical.ts";
import { invariant } from "../invariant.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Problem, ProblemCode } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";
import { parseYamlWith, type YamlLibrary } from "./yaml.ts";

/**
 * `text`, changed so that it says `wanted`. The text must be one that `parseYaml` reads; a key that `wanted` lacks is
 * removed only with everything around it. A new key follows the one before it in `wanted`.
 */
export function editYaml(yaml: YamlLibrary, text: string, wanted: JsonObject): string {
  const edited = tryEditYaml(yaml, text, wanted);
  invariant(edited.ok, "a changed document stays within the limits");
  return edited.value;
}

/** As `editYaml`. Refuses what a changed text may not be: `too-large`, `too-deep`, `too-many-nodes`. */
export function tryEditYaml(yaml: YamlLibrary, text: string, wanted: JsonObject): Result<string, Problem> {
  const document = yaml.parseDocument(text, { uniqueKeys: false });
  invariant(document.errors.length === 0, "only a document that was read is changed");
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

/** Limits that additions may exceed. */
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

/*
 * Where a YAML text must be changed so that it says something else, and into what. Nothing is changed here; a layout that
 * is not known gives splices that are wrong, which the reader of the changed text finds.
 */

/** The splices that make `text`, whose tree is `contents`, say `wanted`, in the order they were found. */
function splicesOf(yaml: YamlLibrary, text: string, contents: unknown, wanted: Json): readonly Splice[] {
  const edit = new Edit(yaml, text);
  edit.collect(contents, wanted, { column: 0, inFlow: false });
  return edit.splices;
}

/** Where a value is. */
interface Place {
  /** The column of its key. */
  readonly column: number;
  /** Within braces or brackets, where lines and columns mean nothing. */
  readonly inFlow: boolean;
}

class Edit {
  readonly splices: Splice[] = [];
  private readonly text: string;
  private readonly style: YamlStyle;

  constructor(yaml: YamlLibrary, text: string) {
    this.text = text;
    this.style = styleOf(yaml, text);
  }

  collect(node: unknown, wanted: Json, place: Place): void {
    const { yaml } = this.style;
    if (yaml.isMap(node) && isJsonObject(wanted) && hasAll(node, wanted) && this.staysAsLaidOut(node, place)) {
      this.collectMap(node as ParsedMap, wanted, node.flow === true);
    } else if (yaml.isSeq(node) && isJsonList(wanted) && startsLike(node, wanted) && this.staysAsLaidOut(node, place)) {
      const fresh = wanted.slice(node.items.length);
      if (fresh.length > 0) this.append(node, fresh);
    } else if (!sameJson(jsonOf(node), wanted)) {
      this.replace(node as Node | null, wanted, place); // The library's tree holds nodes and nothing.
    }
  }

  /** An empty pair of brackets becomes a block, unless it holds a comment or is within others. */
  private staysAsLaidOut(node: YAMLMap | YAMLSeq, { inFlow }: Place): boolean {
    const [from = 0, to = 0] = node.range ?? [];
    return node.items.length > 0 || inFlow || this.text.slice(from, to).includes("#");
  }

  private collectMap(map: ParsedMap, wanted: JsonObject, inFlow: boolean): void {
    const pairs = new Map(map.items.map((pair) => [keyText(pair.key), pair]));
    const place: Place = { column: this.columnOf(map.range?.[0] ?? 0), inFlow };
    let before: ParsedPair | null = null;
    let fresh: { [key: string]: Json } = {};
    const put = () => {
      if (Object.keys(fresh).length > 0) this.insert(fresh, before, map, place);
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
      if (isLeftOut(pair.value) && value !== null) this.fill(pair, value, place);
      else this.collect(pair.value, value, place);
    }
    put();
  }

  /** Writes new keys behind a pair, or before the map's first. */
  private insert(fresh: JsonObject, before: ParsedPair | null, map: ParsedMap, { column, inFlow }: Place): void {
    const [start = 0] = map.range ?? [];
    if (inFlow) {
      const pairs = inBraces(this.style, fresh).slice(1, -1);
      const first = map.items[0]?.key.range[0];
      if (before !== null) this.put(endInFlow(before), `, ${pairs}`);
      else if (first === undefined) this.put(start + 1, pairs);
      else this.put(first, `${pairs}, `);
      return;
    }
    const block = indented(this.style, written(this.style, fresh), column);
    // Before the first key on its own line, which may be a list's too.
    if (before === null) this.put(start, `${block.trimStart()}${" ".repeat(column)}`);
    else this.putBehind(before.value ?? before.key, block, column);
  }

  private append(list: YAMLSeq, items: readonly Json[]): void {
    const last = list.items.at(-1) as Node | undefined; // as the library parsed it
    const [start = 0] = list.range ?? [];
    if (list.flow === true) {
      const texts = inBraces(this.style, items).slice(1, -1);
      if (last === undefined) this.put(start + 1, texts);
      else this.put(endOfItem(last), `, ${texts}`);
    } else if (last !== undefined) {
      // Behind the dash, which is where the list begins.
      const column = this.columnOf(start);
      this.putBehind(last, indented(this.style, written(this.style, items), column), column);
    }
  }

  /** Writes the value of a key that has none. */
  private fill({ key, value: none }: ParsedPair, value: Json, place: Place): void {
    const end = key.range[1];
    if (none === null) this.put(end, `: ${inBraces(this.style, value)}`);
    else {
      const colon = this.text.indexOf(":", end) + 1;
      this.writeBesideKey(colon, colon, value, place);
    }
  }

  private replace(node: Node | null, wanted: Json, place: Place): void {
    const [from = 0, to = 0] = node?.range ?? [];
    const isBlock = this.style.yaml.isCollection(node) && node.flow !== true;
    if (place.inFlow) this.splices.push({ from, to, text: inBraces(this.style, wanted) });
    else if (!isJsonObject(wanted) && !isJsonList(wanted)) {
      const quotes = this.style.yaml.isScalar(node) && node.type === "QUOTE_DOUBLE";
      // A string in a block ends with its last line.
      const end = to > from && this.text[to - 1] === "\n" ? this.style.lineEnd : "";
      this.splices.push({ from, to, text: `${written(this.style, wanted, quotes).trimEnd()}${end}` });
    } else if (isBlock) {
      const block = indented(this.style, written(this.style, wanted), this.columnOf(from));
      this.splices.push({ from, to, text: block.trim() });
    } else this.writeBesideKey(this.text.lastIndexOf(":", from) + 1, to, wanted, place);
  }

  /** Writes a value behind a key's colon, in the place of what is there up to `to`. */
  private writeBesideKey(colon: number, to: number, value: Json, { column, inFlow }: Place): void {
    const isBlock = !inFlow && isFilled(value);
    const text = isBlock
      ? `${this.style.lineEnd}${indented(this.style, written(this.style, value), column + this.style.step).trimEnd()}`
      : ` ${inFlow || isJsonObject(value) || isJsonList(value) ? inBraces(this.style, value) : written(this.style, value).trimEnd()}`;
    const end = this.endOfLine(to);
    // A comment next to the key stays next to it.
    const hasComment = isBlock && /^[ \t]*#/.test(this.text.slice(to, end));
    this.splices.push({ from: colon, to, text: hasComment ? "" : text });
    if (hasComment) this.put(end, text);
  }

  private put(at: number, text: string): void {
    this.splices.push({ from: at, to: at, text });
  }

  /** Writes lines behind the one that the node ends on, comment and all, and behind comments that are deeper. */
  private putBehind(node: Node, block: string, column: number): void {
    const end = lastOffset(node);
    const isEnded = end > 0 && this.text[end - 1] === "\n";
    const next = isEnded ? end : this.text.indexOf("\n", end) + 1;
    const isOpen = !isEnded && next === 0;
    const at = isOpen ? this.text.length : this.behindComments(next, column);
    this.put(at, `${at > 0 && this.text[at - 1] === "\n" ? "" : this.style.lineEnd}${block}`);
  }

  /** Where the comments end that begin at the line of `offset` and are indented by more than `column`. */
  private behindComments(offset: number, column: number): number {
    const comments = /(?:[ \t\r]*\n)*([ \t]*)#.*(?:\n|$)/y;
    let at = offset;
    for (;;) {
      comments.lastIndex = at;
      const [whole, indent = ""] = comments.exec(this.text) ?? [];
      if (whole === undefined || indent.length <= column) return at;
      at += whole.length;
    }
  }

  private columnOf(offset: number): number {
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }

  /** Where the line ends that `offset` is on, before its line end. */
  private endOfLine(offset: number): number {
    const next = this.text.indexOf("\n", offset);
    if (next < 0) return this.text.length;
    return this.text[next - 1] === "\r" && next > offset ? next - 1 : next;
  }
}

function isFilled(value: Json): boolean {
  if (isJsonList(value)) return value.length > 0;
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** One piece of text in the place of another. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** `text` with these splices, whose places do not overlap. Of two at one place the later one comes behind the earlier. */
function spliced(text: string, splices: readonly Splice[]): string {
  let edited = text;
  // From the end, so that the places of the others stay.
  for (const splice of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, splice.from) + splice.text + edited.slice(splice.to);
  }
  return edited;
}

/* Where things stand in the text of a document, by the nodes of the library. */

/** Whether every key of the map stays. */
function hasAll(map: YAMLMap, wanted: JsonObject): boolean {
  return map.items.every(({ key }) => Object.hasOwn(wanted, keyText(key)));
}

/** Whether every item of the list stays, with others behind them at most. */
function startsLike(list: YAMLSeq, wanted: readonly Json[]): boolean {
  if (wanted.length < list.items.length) return false;
  return list.items.every((item, index) => sameJson(jsonOf(item), wanted[index] ?? null));
}

/** A key as the text has it, without quotes. */
function keyText(key: unknown): string {
  const { value, source } = (key ?? {}) as Partial<Scalar>;
  return typeof value === "string" ? value : (source ?? "");
}

/** A key with its value, if it has one. */
type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** A map as the library parsed it. */
type ParsedMap = YAMLMap<ParsedNode, ParsedNode | null>;

/** Whether a key has no value: none in the tree, or one that takes no room behind its colon. */
function isLeftOut(value: ParsedNode | null): boolean {
  return value === null || value.range[0] === value.range[1];
}

/** Where a pair within braces ends. */
function endInFlow({ key, value }: ParsedPair): number {
  return (value ?? key).range[1];
}

/** Where an item within brackets ends. */
function endOfItem(item: Node | Pair): number {
  if ("key" in item) return endInFlow(item as ParsedPair); // as the library parsed it
  return item.range?.[1] ?? 0;
}

/** Where the last value in a node ends. */
function lastOffset(node: Node): number {
  const { items, flow } = node as Partial<YAMLSeq>;
  const last = items?.at(-1) as Node | Pair<Node, Node | null> | undefined;
  if (last === undefined || flow === true) return node.range?.[1] ?? 0;
  return lastOffset("key" in last ? (last.value ?? last.key) : last);
}

/** The JSON value of a node of a document that was read before, which has neither aliases nor tags. */
function jsonOf(node: unknown): Json {
  if (node === null || node === undefined) return null;
  return (node as Node).toJSON() as Json;
}

/** Whether two values are the same, whatever the order of their keys. */
function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}

/* How a YAML text is laid out, so that what is written into it looks like the rest. */

/** The style of one document. */
interface YamlStyle {
  readonly yaml: YamlLibrary;
  readonly lineEnd: string;
  /** By how many columns a level is indented. */
  readonly step: number;
  /** Whether strings are mostly quoted. */
  readonly quotes: boolean;
}

/** The style of `text`. */
function styleOf(yaml: YamlLibrary, text: string): YamlStyle {
  const quoted = text.match(/: "/g)?.length ?? 0;
  return {
    yaml,
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    step: /\n( +)[^\s#]/.exec(text)?.[1]?.length ?? 2,
    quotes: quoted > (text.match(/: [A-Za-z]/g)?.length ?? 0),
  };
}

/** Other YAML readers take an unquoted time for more than a string. */
function quoteTimes(yaml: YamlLibrary, document: Document): void {
  yaml.visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && /^\d{4}-\d{2}-\d{2}/.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
}

/** A value in as many lines as it takes, ending with a line end. */
function written({ yaml, quotes: usual, step }: YamlStyle, value: Json, quotes = usual): string {
  const document = new yaml.Document(value);
  if (quotes) {
    yaml.visit(document, {
      Scalar(key, node) {
        if (key !== "key" && typeof node.value === "string") node.type = "QUOTE_DOUBLE";
      },
    });
  } else quoteTimes(yaml, document);
  return document.toString({ lineWidth: 0, indent: Math.max(2, step) });
}

/** A value on one line. */
function inBraces({ yaml, quotes }: YamlStyle, value: Json): string {
  const document = new yaml.Document(value);
  quoteTimes(yaml, document);
  yaml.visit(document, {
    Collection(_key, node) {
      node.flow = true;
    },
    Scalar(key, node) {
      if (typeof node.value !== "string") return;
      if ((quotes && key !== "key") || node.value.includes("\n")) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

/** The lines of a block, each behind `column` spaces. */
function indented({ lineEnd }: YamlStyle, block: string, column: number): string {
  const margin = " ".repeat(column);
  const lines = block.trimEnd().split("\n");
  return lines.map((line) => `${line === "" ? "" : margin}${line}${lineEnd}`).join("");
}

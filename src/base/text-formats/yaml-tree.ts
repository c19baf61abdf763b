/** What is in the tree of a YAML document that was read before, and where in its source it ends. */
import type { Document, Node, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { canonical } from "../canonical.ts";
import type { Json, JsonObject } from "../json.ts";
import type { YamlLibrary } from "./yaml.ts";

/** Whether every key of the map stays. */
export function hasAll(map: YAMLMap, wanted: JsonObject): boolean {
  return map.items.every(({ key }) => Object.hasOwn(wanted, keyText(key)));
}

/** Whether every item of the list stays, with others behind them at most. */
export function startsLike(list: YAMLSeq, wanted: readonly Json[]): boolean {
  if (wanted.length < list.items.length) return false;
  return list.items.every((item, index) => sameJson(jsonOf(item), wanted[index] ?? null));
}

/** A key as the text has it, without quotes. */
export function keyText(key: unknown): string {
  const { value, source } = (key ?? {}) as Partial<Scalar>;
  return typeof value === "string" ? value : (source ?? "");
}

/** A key with its value, if it has one. */
export type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** A map as the library parsed it. */
export type ParsedMap = YAMLMap<ParsedNode, ParsedNode | null>;

/** Whether a key has no value: none in the tree, or one that takes no room behind its colon. */
export function isLeftOut(value: ParsedNode | null): boolean {
  return value === null || value.range[0] === value.range[1];
}

/** Where a pair within braces ends. */
export function endInFlow({ key, value }: ParsedPair): number {
  return (value ?? key).range[1];
}

/** Where an item within brackets ends. */
export function endOfItem(item: Node | Pair): number {
  if ("key" in item) return endInFlow(item as ParsedPair); // as the library parsed it
  return item.range?.[1] ?? 0;
}

/** Where the last value in a node ends. */
export function lastOffset(node: Node): number {
  const { items, flow } = node as Partial<YAMLSeq>;
  const last = items?.at(-1) as Node | Pair<Node, Node | null> | undefined;
  if (last === undefined || flow === true) return node.range?.[1] ?? 0;
  return lastOffset("key" in last ? (last.value ?? last.key) : last);
}

/** The JSON value of a node of a document that was read before, which has neither aliases nor tags. */
export function jsonOf(node: unknown): Json {
  if (node === null || node === undefined) return null;
  return (node as Node).toJSON() as Json;
}

/** Whether two values are the same, whatever the order of their keys. */
export function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}

/* How a YAML text is laid out, so that what is written into it looks like the rest. */

/** The style of one document. */
export interface YamlStyle {
  readonly yaml: YamlLibrary;
  readonly lineEnd: string;
  /** By how many columns a level is indented. */
  readonly step: number;
  /** Whether strings are mostly quoted. */
  readonly quotes: boolean;
}

/** The style of `text`. */
export function styleOf(yaml: YamlLibrary, text: string): YamlStyle {
  const quoted = text.match(/: "/g)?.length ?? 0;
  return {
    yaml,
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    step: /\n( +)[^\s#]/.exec(text)?.[1]?.length ?? 2,
    quotes: quoted > (text.match(/: [A-Za-z]/g)?.length ?? 0),
  };
}

/** Other YAML readers take an unquoted time for more than a string. */
export function quoteTimes(yaml: YamlLibrary, document: Document): void {
  yaml.visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && /^\d{4}-\d{2}-\d{2}/.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
}

/** A value in as many lines as it takes, ending with a line end. */
export function written({ yaml, quotes: usual, step }: YamlStyle, value: Json, quotes = usual): string {
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
export function inBraces({ yaml, quotes }: YamlStyle, value: Json): string {
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
export function indented({ lineEnd }: YamlStyle, block: string, column: number): string {
  const margin = " ".repeat(column);
  const lines = block.trimEnd().split("\n");
  return lines.map((line) => `${line === "" ? "" : margin}${line}${lineEnd}`).join("");
}

/** What stands in the tree of a YAML text that was read before, and where in the text it ends. */
import type { Node, Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { canonical } from "../canonical.ts";
import type { Json, JsonObject } from "../json.ts";

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

/** The JSON value of a node of a text that was read before, which has neither aliases nor tags. */
export function jsonOf(node: unknown): Json {
  if (node === null || node === undefined) return null;
  return (node as Node).toJSON() as Json;
}

/** Whether two values are the same, whatever the order of their keys. */
export function sameJson(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other);
}

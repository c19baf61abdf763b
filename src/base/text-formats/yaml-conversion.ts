/** A parsed YAML document as the JSON value it stands for; what JSON cannot say is refused. */
import type { Document, Node, Pair, ParsedNode, YAMLMap } from "yaml";
import type { Json } from "../json.ts";
import { pathStep } from "../json-path.ts";
import { jsonNodesMax, yamlDepthMax } from "../limits.ts";
import type { Problem, ProblemCode } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";
import type { Place, Report } from "./yaml-report.ts";

export interface Yaml {
  readonly value: Json;
  /**
   * Where the value at a JSON path (`$.agents.dev-1.role`, steps as `pathStep` writes them) stands, or its key; where
   * there is none, the nearest one around it.
   */
  locate(path: string, part?: "key" | "value"): Place;
}

interface Kinds {
  isScalar(node: unknown): boolean;
  isMap(node: unknown): node is YAMLMap<ParsedNode, ParsedNode | null>;
  isSeq(node: unknown): node is { readonly items: readonly unknown[]; readonly range?: readonly number[] | null };
}

/** Turns the library's tree into a JSON value, with the place of each part. The first fault ends it. */
export class Conversion {
  private readonly report: Report;
  private readonly kinds: Kinds;
  private readonly keys = new Map<string, number>();
  private readonly values = new Map<string, number>();
  private nodes = 0;
  private fault: Problem | null = null;

  constructor(report: Report, kinds: Kinds) {
    this.report = report;
    this.kinds = kinds;
  }

  run(document: Document.Parsed): Result<Yaml, Problem> {
    const value = this.convert(document.contents, "$", 0, 0);
    if (this.fault !== null) return err(this.fault);
    return ok({ value, locate: (path, part = "value") => this.locate(path, part) });
  }

  private locate(path: string, part: "key" | "value"): Place {
    const first = part === "key" ? this.keys : this.values;
    for (let around = path; around !== ""; around = around.slice(0, Math.max(0, cut(around)))) {
      const offset = first.get(around) ?? this.values.get(around) ?? this.keys.get(around);
      if (offset !== undefined) return this.report.place(offset);
    }
    return { line: 1, column: 1 };
  }

  private convert(node: unknown, path: string, depth: number, near: number): Json {
    if (this.fault !== null) return null;
    const offset = (node as Node | null)?.range?.[0] ?? near; // the library's nodes have ranges, absent ones do not
    this.values.set(path, offset);
    if (++this.nodes > jsonNodesMax)
      return this.refuse("too-many-nodes", offset, `The text holds more than ${jsonNodesMax} values.`);
    if (node === null || node === undefined) return null;
    const isMap = this.kinds.isMap(node);
    if ((isMap || this.kinds.isSeq(node)) && depth >= yamlDepthMax) {
      return this.refuse("too-deep", offset, `The text is nested deeper than ${yamlDepthMax} levels.`);
    }
    if (isMap) return this.convertMap(node, path, depth);
    if (this.kinds.isSeq(node))
      return node.items.map((item, index) => this.convert(item, path + pathStep(index), depth + 1, offset));
    if (!this.kinds.isScalar(node))
      return this.refuse("not-yaml", offset, "The text holds something that has no JSON value.");
    return this.convertScalar((node as { readonly value: unknown }).value, offset); // a scalar, as just asked
  }

  private convertMap(map: YAMLMap<ParsedNode, ParsedNode | null>, path: string, depth: number): Json {
    const members = new Map<string, Json>();
    for (const pair of map.items) {
      const { key, offset } = this.keyOf(pair, map.range?.[0] ?? 0);
      if (key === null) return null;
      const step = `${path}${pathStep(key)}`;
      this.keys.set(step, offset);
      if (key === "__proto__")
        return this.refuse("forbidden-key", offset, 'The key "__proto__" is not allowed.', "Rename the key.");
      if (members.has(key)) {
        return this.refuse(
          "duplicate-key",
          offset,
          `The key ${JSON.stringify(key)} occurs twice in one place.`,
          "Keep one of the two.",
        );
      }
      members.set(key, this.convert(pair.value, step, depth + 1, offset));
    }
    return Object.fromEntries(members);
  }

  /** A key's text: scalars as they are written. Null: refused. */
  private keyOf(
    pair: Pair<ParsedNode, ParsedNode | null>,
    near: number,
  ): { readonly key: string | null; readonly offset: number } {
    const offset = pair.key?.range?.[0] ?? near;
    const scalar = this.kinds.isScalar(pair.key)
      ? (pair.key as { readonly value: unknown; readonly source?: string })
      : null;
    if (scalar === null) {
      this.refuse("not-yaml", offset, "A key is not text.", "Write keys as plain words.");
      return { key: null, offset };
    }
    const key = typeof scalar.value === "string" ? scalar.value : (scalar.source ?? String(scalar.value));
    this.convertScalar(key, offset);
    return { key: this.fault === null ? key : null, offset };
  }

  private convertScalar(value: unknown, offset: number): Json {
    if (value === null || value === undefined) return null;
    if (typeof value === "boolean") return value;
    if (typeof value === "number") {
      if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value;
      return this.refuse("number-range", offset, "The number would not be kept as written.", "Put it into quotes.");
    }
    if (typeof value !== "string")
      return this.refuse("not-yaml", offset, "The text holds something that has no JSON value.");
    if (value.includes("\0"))
      return this.refuse("nul-character", offset, "The text contains the NUL character.", "Remove it.");
    if (!value.isWellFormed())
      return this.refuse("lone-surrogate", offset, "The text contains half of a surrogate pair.");
    return value;
  }

  private refuse(code: ProblemCode, offset: number, message: string, hint?: string): null {
    this.fault ??= this.report.at(code, offset, message, hint);
    return null;
  }
}

/** Where the last step of a path starts; -1 where there is none. */
function cut(path: string): number {
  if (!path.endsWith('"]')) return Math.max(path.lastIndexOf("."), path.lastIndexOf("["));
  return path.lastIndexOf('["');
}

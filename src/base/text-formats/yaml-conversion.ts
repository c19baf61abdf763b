/** A parsed YAML document as the JSON value it stands for; what JSON cannot say is refused. */
import type { Document, LineCounter, Node, Pair, ParsedNode, YAMLMap } from "yaml";
import type { Json } from "../json.ts";
import { jsonNodesMax, yamlDepthMax } from "../limits.ts";
import { makeProblem, type Problem, type ProblemCode, pathStep } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";

export interface Yaml {
  readonly value: Json;
  /**
   * Where the value at a JSON path (`$.agents.dev-1.role`, steps as `pathStep` writes them) is, or its key; where there
   * is none, the nearest one around it.
   */
  locate(path: string, part?: "key" | "value"): Place;
}

interface Kinds {
  isScalar(node: unknown): boolean;
  isMap(node: unknown): node is YAMLMap<ParsedNode, ParsedNode | null>;
  isSeq(node: unknown): node is { readonly items: readonly unknown[]; readonly range?: readonly number[] | null };
}

/** Turns the library's tree into a JSON value, with the place of each part. The first error ends it. */
export class Conversion {
  private readonly report: Report;
  private readonly kinds: Kinds;
  private readonly keys = new Map<string, number>();
  private readonly values = new Map<string, number>();
  private nodes = 0;
  private problem: Problem | null = null;

  constructor(report: Report, kinds: Kinds) {
    this.report = report;
    this.kinds = kinds;
  }

  run(document: Document.Parsed): Result<Yaml, Problem> {
    const value = this.convert(document.contents, "$", 0, 0);
    if (this.problem !== null) return err(this.problem);
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
    if (this.problem !== null) return null;
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
    return { key: this.problem === null ? key : null, offset };
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
    this.problem ??= this.report.at(code, offset, message, hint);
    return null;
  }
}

/** Where the last step of a path starts; -1 where there is none. */
function cut(path: string): number {
  if (!path.endsWith('"]')) return Math.max(path.lastIndexOf("."), path.lastIndexOf("["));
  return path.lastIndexOf('["');
}

/* Problems of a YAML text that say where. */

/** A place in an input: both from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The hint for an input that is no YAML. */
export const syntaxHint =
  "Mend this line or the one before: indent by spaces, and quote text that holds `: `, ` #` or a bracket.";

/** Makes problems that say where. */
export class Report {
  private readonly text: string;
  private readonly source: string;
  private readonly lines: LineCounter;

  constructor(text: string, source: string, lines: LineCounter) {
    this.text = text;
    this.source = source;
    this.lines = lines;
  }

  place(offset: number): Place {
    if (this.lines.lineStarts.length > 0) {
      const { line, col } = this.lines.linePos(Math.min(offset, this.text.length));
      return { line: Math.max(1, line), column: Math.max(1, col) };
    }
    // Before parsing, lines are not counted yet.
    const before = this.text.slice(0, offset).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }

  at(code: ProblemCode, offset: number, message: string, hint?: string): Problem {
    const { line, column } = this.place(offset);
    const sentence = /[.!?]$/.test(message) ? message.slice(0, -1) : message;
    return makeProblem(code, `${this.source}:${line}:${column}`, `${sentence} (line ${line}, column ${column}).`, {
      hint,
    });
  }
}

/*
 * What is refused of a YAML text before it is parsed: characters, marks that the documents here never need, too much of
 * it. The lexer alone looks, which does not recurse. Source: docs/protocol/messages.md, section 17.
 */

/** The first forbidden character, or null. */
export function characterProblem(text: string, report: Report): Problem | null {
  if (text.startsWith("\ufeff"))
    return report.at("byte-order-mark", 0, "The text starts with a byte order mark.", "Save it as UTF-8 without one.");
  const nul = text.indexOf("\0");
  if (nul >= 0) return report.at("nul-character", nul, "The text contains the NUL character.", "Remove it.");
  if (text.isWellFormed()) return null;
  return report.at("lone-surrogate", text.search(/\p{Cs}/u), "The text contains half of a surrogate pair.");
}

const refusedTokens: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  anchor: ["an anchor (&)", "Write the value out where it is needed, or quote the text."],
  alias: ["an alias (*)", "Write the value out where it is needed, or quote the text."],
  tag: ["a tag (!)", "Leave it out, or quote the text."],
  "directive-line": ["a directive (%)", "Leave it out, or quote the text."],
};

/** A value brings at most its key, three marks and its own two brackets, or its text: more is more values, or no YAML. */
const tokensMax = 6 * jsonNodesMax;

/**
 * Line ends, blanks and comments: a value on a separate line has a line end and two blanks; far more only cost time.
 */
const blanksMax = 4 * jsonNodesMax;

/** A piece of the text as the lexer cuts it, and what the library calls such a piece; the source of a scalar may be any. */
export interface Token {
  readonly token: string;
  readonly type: string | null;
}

/** Marks that the next token is the bare source of a scalar. */
const SCALAR = "scalar";

/**
 * Refuses by tokens alone. Depth is that of flow collections plus that of open indentations; a list at the column of
 * its key is not told from the key, so up to twice the limit may pass here, and the exact count follows.
 */
export function prescan(tokens: Iterable<Token>, report: Report): Problem | null {
  let offset = 0;
  let lineStart = 0;
  let flow = 0;
  let scalars = 0;
  let contents = 0;
  let marks = 0;
  let commas = 0;
  let blanks = 0;
  let hasContent = false;
  let hasStarted = false;
  let isAfterScalarMark = false;
  const columns: number[] = [];
  for (const { token, type: said } of tokens) {
    const type: string | null = isAfterScalarMark ? "source" : said;
    isAfterScalarMark = type === SCALAR;
    if (type === SCALAR || type === "doc-mode" || type === "flow-error-end") continue;
    const refused = refusedTokens[type ?? ""];
    if (refused !== undefined)
      return report.at("not-yaml", offset, `The text uses ${refused[0]}, which is not read here.`, refused[1]);
    if (type === "doc-start") {
      if (hasContent || hasStarted)
        return report.at("not-yaml", offset, "The text holds several documents.", "Keep one of them.");
      hasStarted = true;
    }
    if (type === "flow-map-start" || type === "flow-seq-start") flow++;
    else if (type === "flow-map-end" || type === "flow-seq-end") flow--;
    if (flow < 0) return report.at("not-yaml", offset, "A bracket is closed that was not opened.", syntaxHint);
    if (type === "seq-item-ind" || type === "map-value-ind") marks++;
    else if (type === "comma") commas++;
    const isContent =
      type !== "space" && type !== "newline" && type !== "comment" && type !== "doc-start" && type !== "doc-end";
    if (!isContent && ++blanks > blanksMax)
      return report.at("too-many-nodes", offset, "The text is made of too many lines, blanks and comments.");
    if (isContent) {
      hasContent = true;
      contents++;
      const column = offset - lineStart;
      while (columns.length > 0 && (columns.at(-1) ?? 0) >= column) columns.pop();
      if (flow === 0 || columns.length === 0) columns.push(column);
      if (type === "source" || type?.endsWith("scalar") === true) scalars++;
    }
    // A scalar after its key on one line opens a separate column, but no level: hence the allowance of one.
    if (flow > yamlDepthMax || columns.length > 2 * yamlDepthMax + 1) {
      return report.at("too-deep", offset, `The text is nested deeper than ${yamlDepthMax} levels.`);
    }
    // Each mark of an entry or a value precedes a value, and each comma follows one; a key is none.
    if (scalars > 2 * jsonNodesMax || marks > jsonNodesMax || commas > jsonNodesMax || contents > tokensMax)
      return report.at("too-many-nodes", offset, `The text holds more than ${jsonNodesMax} values.`);
    offset += token.length;
    const newline = token.lastIndexOf("\n");
    if (newline >= 0) lineStart = offset - (token.length - newline - 1);
  }
  return null;
}

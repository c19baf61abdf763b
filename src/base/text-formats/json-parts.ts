/**
 * Where the parts of a JSON document are, so that one of them can be changed and all others stay byte by byte. The text
 * is a program's settings, so comments and a comma behind the last entry are taken, as those programs take them.
 * Linear.
 */

import type { Json } from "../json.ts";
import { decodeEscapes, stringEnd } from "../json-errors.ts";
import { settingsDepthMax } from "../limits.ts";
import type { Result } from "../result.ts";
import { fitted, type Unfit, Unfitting } from "./splice.ts";

/** A value and its place in the text: from its first character to behind its last. */
export type JsonPart = JsonContainer | JsonLeaf;

export interface JsonLeaf {
  readonly kind: "leaf";
  readonly from: number;
  readonly to: number;
  readonly value: Json;
}

/** An object or a list. */
export interface JsonContainer {
  readonly kind: "object" | "list";
  readonly from: number;
  readonly to: number;
  readonly entries: readonly JsonEntry[];
  /** Where the last token or comment before the closing bracket ends; behind it is white space only. */
  readonly lastEnd: number;
  readonly hasComment: boolean;
}

/** A member of an object, or an item of a list. */
export interface JsonEntry {
  /** Null in a list. */
  readonly key: string | null;
  /** Where the white space before it begins: behind the token or comment that it follows. */
  readonly headFrom: number;
  readonly from: number;
  readonly value: JsonPart;
  /** Where the comma behind it is, or null. */
  readonly comma: number | null;
}

/** The parts of `text`, or the first place where it is no JSON; `strict`: nor are comments and a comma at an end. */
export function jsonParts(text: string, rules: "lenient" | "strict" = "lenient"): Result<JsonPart, Unfit> {
  return fitted(() => new Reader(text, rules === "strict").whole());
}

/** What a part says. Of a key that appears twice the last one counts, as it does for programs. */
export function jsonOf(part: JsonPart): Json {
  if (part.kind === "leaf") return part.value;
  if (part.kind === "list") return part.entries.map(({ value }) => jsonOf(value));
  return Object.fromEntries(part.entries.map(({ key, value }) => [key ?? "", jsonOf(value)]));
}

const blank = /[ \t\r\n]*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const word = /true|false|null/y;
const words: Readonly<Record<string, Json>> = { true: true, false: false, null: null };

class Reader {
  private readonly text: string;
  private readonly isStrict: boolean;
  private at = 0;
  private lastEnd = 0;
  private comments = 0;

  constructor(text: string, isStrict: boolean) {
    this.text = text;
    this.isStrict = isStrict;
  }

  whole(): JsonPart {
    if (this.text.startsWith("\ufeff")) this.at = 1;
    this.skip();
    const root = this.value(0);
    this.skip();
    if (this.at < this.text.length) throw new Unfitting(this.at, "the end of the text");
    return root;
  }

  private value(depth: number): JsonPart {
    const sign = this.text.charAt(this.at);
    if (sign === "{" || sign === "[") return this.container(sign === "{" ? "object" : "list", depth);
    const from = this.at;
    if (sign === '"') return { kind: "leaf", from, value: this.string(), to: this.at };
    const literal = this.taken(word) ?? this.taken(number);
    if (literal === null) throw new Unfitting(from, "a value");
    const value = words[literal] ?? (literal === "null" ? null : Number(literal));
    return { kind: "leaf", from, to: this.at, value };
  }

  private container(kind: "object" | "list", depth: number): JsonContainer {
    if (depth >= settingsDepthMax)
      throw new Unfitting(this.at, `at most ${settingsDepthMax} objects and lists in each other`);
    const from = this.at;
    const close = kind === "object" ? "}" : "]";
    const entries: JsonEntry[] = [];
    this.at++;
    const before = this.comments;
    this.skip();
    let isDone = this.text.charAt(this.at) === close;
    while (!isDone) {
      const headFrom = this.lastEnd;
      const start = this.at;
      const key = kind === "object" ? this.key() : null;
      const value = this.value(depth + 1);
      this.skip();
      const hasComma = this.text.charAt(this.at) === ",";
      entries.push({ key, headFrom, from: start, value, comma: hasComma ? this.at : null });
      if (hasComma) {
        this.at++;
        this.skip();
      }
      isDone = this.text.charAt(this.at) === close;
      const end = entries.at(-1)?.comma ?? null;
      if (isDone && end !== null && this.isStrict) throw new Unfitting(end, `no "," before "${close}"`);
      if (!isDone && !hasComma) throw new Unfitting(this.at, `"," or "${close}"`);
    }
    const { lastEnd } = this;
    this.at++;
    return { kind, from, to: this.at, entries, lastEnd, hasComment: this.comments > before };
  }

  private key(): string {
    if (this.text.charAt(this.at) !== '"') throw new Unfitting(this.at, 'a key in double quotes, or "}"');
    const key = this.string();
    this.skip();
    if (this.text.charAt(this.at) !== ":") throw new Unfitting(this.at, 'a ":" after the key');
    this.at++;
    this.skip();
    return key;
  }

  private string(): string {
    const from = this.at;
    const end = stringEnd(this.text, from, () => undefined);
    if (!end.closed) throw new Unfitting(end.at, "the rest of a string");
    this.at = end.at;
    return decodeEscapes(this.text.slice(from + 1, end.at - 1));
  }

  /** Skips white space and comments. */
  private skip(): void {
    this.lastEnd = this.at;
    for (;;) {
      this.taken(blank);
      const opening = this.text.slice(this.at, this.at + 2);
      if (opening !== "//" && opening !== "/*") return;
      if (this.isStrict) throw new Unfitting(this.at, "no comment");
      const end = opening === "//" ? this.endOfLine() : this.text.indexOf("*/", this.at + 2) + 2;
      if (end < this.at + 2) throw new Unfitting(this.text.length, 'a "*/"');
      this.at = end;
      this.lastEnd = end;
      this.comments++;
    }
  }

  private endOfLine(): number {
    const end = this.text.indexOf("\n", this.at);
    if (end < 0) return this.text.length;
    return this.text.charAt(end - 1) === "\r" ? end - 1 : end;
  }

  private taken(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return null;
    this.at += found.length;
    return found;
  }
}

/**
 * The statements of a TOML document and where each is: headers of tables, keys with their values, comments. Enough to
 * tell which tables there are and to cut out lines; values are skipped, not read. Strings in three quotes hide nothing.
 * Linear. Source: TOML 1.0.0.
 */
import { isJsonList, isJsonObject, type Json } from "../json.ts";
import { settingsDepthMax } from "../limits.ts";
import type { Result } from "../result.ts";
import { fitted, type Unfit, Unfitting } from "./splice.ts";

/** One statement, from its first character to behind its line end. */
export interface TomlStatement {
  readonly kind: "table" | "tables" | "pair" | "comment";
  readonly from: number;
  readonly to: number;
  /** The whole path of names from the root; of a comment, that of the table it is in. */
  readonly path: readonly string[];
  /** The statement without what surrounds it; of a comment, all of it. */
  readonly text: string;
}

/** The statements of `text`, or the first place where it is none. */
export function tomlStatements(text: string): Result<readonly TomlStatement[], Unfit> {
  return fitted(() => [...new Reader(text).statements()]);
}

/** `value` as a TOML string on one line. */
export function tomlString(value: string): string {
  // JSON's escapes are TOML's, but for the one control character that JSON leaves as it is.
  return JSON.stringify(value).replaceAll("\u007f", "\\u007F");
}

/** A value of JSON as TOML writes it on one line; TOML has no null. */
export function tomlValue(value: Json): string {
  if (isJsonList(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (!isJsonObject(value)) return typeof value === "string" ? tomlString(value) : String(value);
  const pairs = Object.entries(value).map(([key, each]) => `${tomlString(key)} = ${tomlValue(each)}`);
  return `{${pairs.join(", ")}}`;
}

const blanks = /[ \t]*/y;
const blankLines = /(?:[ \t]|\r?\n)*/y;
const bareKey = /[A-Za-z0-9_-]+/y;
const bareValue = /[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.+Zz-]+|[A-Za-z0-9_+.:-]+/y;

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  *statements(): Iterable<TomlStatement> {
    if (this.text.startsWith("\ufeff")) this.at = 1;
    let table: readonly string[] = [];
    for (;;) {
      this.take(blankLines);
      const from = this.at;
      if (from >= this.text.length) return;
      const sign = this.text.charAt(from);
      if (sign === "#") {
        this.comment();
        const text = this.text.slice(from, this.at);
        yield { kind: "comment", from, to: this.lineEnd(), path: table, text };
        continue;
      }
      const kind = sign !== "[" ? "pair" : this.text.charAt(from + 1) === "[" ? "tables" : "table";
      const path = kind === "pair" ? [...table, ...this.pair()] : this.header(kind === "tables" ? "]]" : "]");
      if (kind !== "pair") table = path;
      const text = this.text.slice(from, this.at);
      this.take(blanks);
      if (this.text.charAt(this.at) === "#") this.comment();
      yield { kind, from, to: this.lineEnd(), path, text };
    }
  }

  private header(close: "]" | "]]"): readonly string[] {
    this.at += close.length;
    const path = this.names();
    if (!this.text.startsWith(close, this.at)) throw new Unfitting(this.at, `"${close}"`);
    this.at += close.length;
    return path;
  }

  private pair(): readonly string[] {
    const path = this.names();
    if (this.text.charAt(this.at) !== "=") throw new Unfitting(this.at, 'a "=" after the key');
    this.at++;
    this.take(blanks);
    this.value(0);
    return path;
  }

  private names(): readonly string[] {
    const path: string[] = [];
    for (;;) {
      this.take(blanks);
      path.push(this.name());
      this.take(blanks);
      if (this.text.charAt(this.at) !== ".") return path;
      this.at++;
    }
  }

  private name(): string {
    const from = this.at;
    const sign = this.text.charAt(from);
    if (sign === '"' || sign === "'") {
      this.string(false);
      const inside = this.text.slice(from + 1, this.at - 1);
      return sign === "'" ? inside : unescaped(inside);
    }
    const name = this.take(bareKey);
    if (name === "") throw new Unfitting(from, "a key");
    return name;
  }

  private value(depth: number): void {
    const sign = this.text.charAt(this.at);
    if (sign === '"' || sign === "'") this.string(true);
    else if (sign === "[") this.list(depth);
    else if (sign === "{") this.inlineTable(depth);
    else if (this.take(bareValue) === "") throw new Unfitting(this.at, "a value");
  }

  private list(depth: number): void {
    this.enter(depth);
    for (;;) {
      this.skip();
      if (this.text.charAt(this.at) === "]") break;
      this.value(depth + 1);
      if (this.isEnded("]")) break;
    }
    this.at++;
  }

  private inlineTable(depth: number): void {
    this.enter(depth);
    for (;;) {
      this.skip();
      if (this.text.charAt(this.at) === "}") break;
      this.names();
      if (this.text.charAt(this.at) !== "=") throw new Unfitting(this.at, 'a "=" after the key');
      this.at++;
      this.skip();
      this.value(depth + 1);
      if (this.isEnded("}")) break;
    }
    this.at++;
  }

  private enter(depth: number): void {
    if (depth >= settingsDepthMax)
      throw new Unfitting(this.at, `at most ${settingsDepthMax} lists and tables in each other`);
    this.at++;
  }

  /** Behind a value in brackets: whether they close now. Skips a comma. */
  private isEnded(close: string): boolean {
    this.skip();
    const sign = this.text.charAt(this.at);
    if (sign === close) return true;
    if (sign !== ",") throw new Unfitting(this.at, `"," or "${close}"`);
    this.at++;
    return false;
  }

  /** A string, in three quotes where `mayBeLong`. */
  private string(mayBeLong: boolean): void {
    const quote = this.text.charAt(this.at);
    const isLong = mayBeLong && this.text.startsWith(quote.repeat(3), this.at);
    const close = isLong ? quote.repeat(3) : quote;
    this.at += close.length;
    while (!this.text.startsWith(close, this.at)) {
      const sign = this.text.charAt(this.at);
      if (sign === "" || (!isLong && (sign === "\n" || sign === "\r")))
        throw new Unfitting(this.at, `the ${close} that ends the string`);
      this.at += sign === "\\" && quote === '"' ? 2 : 1;
    }
    this.at += close.length;
    // One or two quotes may be before the three that end it.
    for (let more = 0; isLong && more < 2 && this.text.charAt(this.at) === quote; more++) this.at++;
  }

  private skip(): void {
    for (;;) {
      this.take(blankLines);
      if (this.text.charAt(this.at) !== "#") return;
      this.comment();
    }
  }

  private comment(): void {
    const end = this.text.indexOf("\n", this.at);
    if (end < 0) this.at = this.text.length;
    else this.at = this.text.charAt(end - 1) === "\r" ? end - 1 : end;
  }

  /** Behind the line end that has to be here. */
  private lineEnd(): number {
    if (this.at >= this.text.length) return this.text.length;
    const end = this.text.startsWith("\r\n", this.at) ? 2 : this.text.charAt(this.at) === "\n" ? 1 : 0;
    if (end === 0) throw new Unfitting(this.at, "the end of the line");
    this.at += end;
    return this.at;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }
}

const escapes: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r" };

function unescaped(inside: string): string {
  return inside.replace(
    /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g,
    (_, short, long, sign: string | undefined) => {
      const code = Number.parseInt(short ?? long ?? "0", 16);
      return sign === undefined ? (code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code)) : (escapes[sign] ?? sign);
    },
  );
}

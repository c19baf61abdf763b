/**
 * The slow, exact reader of JSON text: finds the first error, where it is and what to do. It builds no value and does
 * not recurse; its memory is bounded by the limits. Input reaches it only when the quick way (`json.ts`) failed or
 * suspects an error. Depth, nodes and syntax end the reading where they occur; of the other errors the one first in
 * precedence is reported.
 */
import { inOrder, jsonPath, makeProblem, type PathStep, type Problem, type ProblemCode, place } from "./problem.ts";

/** Bounds of one JSON text. */
export interface JsonLimits {
  /** Most bytes of UTF-8. */
  readonly bytesMax: number;
  /** Deepest nesting; a bare scalar has depth 0. */
  readonly depthMax: number;
  /** Most values: objects, arrays and scalars, not keys. */
  readonly nodesMax: number;
}

/** The first error of `text`, or null when it is JSON within `limits`. Total: never throws. */
export function examineJson(text: string, limits: JsonLimits): Problem | null {
  return textProblem(text) ?? new Examination(text, limits).run();
}

type Expecting = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

interface Frame {
  readonly keys: Set<string> | null;
  /** The last key that was read; null: none yet. */
  key: string | null;
  index: number;
}

class Examination {
  private readonly text: string;
  private readonly limits: JsonLimits;
  private readonly stack: Frame[] = [];
  /**
   * The first error of each code: only one of them is reported, and saying where an error is takes a look at all before
   * it.
   */
  private readonly problems = new Map<ProblemCode, Problem>();
  private expecting: Expecting = "value";
  private nodes = 0;
  private at = 0;

  constructor(text: string, limits: JsonLimits) {
    this.text = text;
    this.limits = limits;
  }

  run(): Problem | null {
    for (;;) {
      this.skipSpace();
      if (this.at >= this.text.length) {
        return this.expecting === "nothing" ? (inOrder([...this.problems.values()])[0] ?? null) : this.unreadable();
      }
      const fatal = this.step(this.text.charAt(this.at));
      if (fatal !== null) return fatal;
    }
  }

  private step(sign: string): Problem | null {
    switch (this.expecting) {
      case "nothing":
        return this.unreadable();
      case "colon":
        return this.punctuation(sign === ":", "value");
      case "key":
        return sign === '"' ? this.key() : this.unreadable();
      case "key-or-end":
        if (sign === "}") return this.close();
        return sign === '"' ? this.key() : this.unreadable();
      case "comma-or-end":
        if (sign === (this.top()?.keys ? "}" : "]")) return this.close();
        return this.punctuation(sign === ",", this.top()?.keys ? "key" : "value");
      case "value-or-end":
        return sign === "]" ? this.close() : this.value(sign);
      case "value":
        return this.value(sign);
    }
  }

  private punctuation(isRight: boolean, next: Expecting): Problem | null {
    if (!isRight) return this.unreadable();
    const top = this.top();
    if (this.expecting === "comma-or-end" && top !== undefined) top.index++;
    this.at++;
    this.expecting = next;
    return null;
  }

  private value(sign: string): Problem | null {
    if (++this.nodes > this.limits.nodesMax) {
      return makeProblem(
        "too-many-nodes",
        this.path(),
        `The text holds more than ${this.limits.nodesMax} values (${this.here()}).`,
        {
          expected: `at most ${this.limits.nodesMax} values`,
          hint: "Split the message, or put the content into a file and name its path.",
        },
      );
    }
    if (sign === "{" || sign === "[") return this.open(sign === "{");
    if (sign === '"') {
      const read = this.readString();
      if (read === null) return this.unreadable();
      this.note(read.problems);
      this.afterValue();
      return null;
    }
    return /[-0-9]/.test(sign) ? this.number() : this.word();
  }

  private open(isObject: boolean): Problem | null {
    if (this.stack.length >= this.limits.depthMax) {
      return makeProblem(
        "too-deep",
        this.path(),
        `The text is nested deeper than ${this.limits.depthMax} levels (${this.here()}).`,
        {
          expected: `at most ${this.limits.depthMax} levels`,
          hint: "Flatten the value, or put the content into a file and name its path.",
        },
      );
    }
    this.stack.push({ keys: isObject ? new Set() : null, key: null, index: 0 });
    this.at++;
    this.expecting = isObject ? "key-or-end" : "value-or-end";
    return null;
  }

  private close(): null {
    this.stack.pop();
    this.at++;
    this.afterValue();
    return null;
  }

  private afterValue(): void {
    this.expecting = this.stack.length === 0 ? "nothing" : "comma-or-end";
  }

  private key(): Problem | null {
    const frame = this.top();
    const start = this.at;
    if (frame === undefined || frame.keys === null) return this.unreadable();
    const read = this.readString();
    if (read === null) return this.unreadable();
    const key = read.value;
    frame.key = key;
    this.note(read.problems);
    if (key === "__proto__") {
      this.problem("forbidden-key", start, (where) => [
        `The key "__proto__" is not allowed (${where}).`,
        { hint: "Rename the key." },
      ]);
    }
    if (frame.keys.has(key)) {
      this.problem("duplicate-key", start, (where) => [
        `The key ${JSON.stringify(key)} occurs twice in one object (${where}).`,
        { hint: "Keep one of the two." },
      ]);
    }
    frame.keys.add(key);
    this.expecting = "colon";
    return null;
  }

  /** Reads the string at the current place; null when it is none, with `at` on the error. */
  private readString(): { readonly value: string; readonly problems: readonly StringError[] } | null {
    const start = this.at;
    const problems: StringError[] = [];
    const end = stringEnd(this.text, start, (problem) => problems.push(problem));
    this.at = end.at;
    return end.closed ? { value: decodeEscapes(this.text.slice(start + 1, end.at - 1)), problems } : null;
  }

  private note(problems: readonly StringError[]): void {
    for (const { kind, at } of problems) {
      if (kind === "nul") this.problem("nul-character", at, nulCharacter);
      else this.problem("lone-surrogate", at, loneSurrogate);
    }
  }

  /** Keeps an error at `offset` where it is the first of its code. */
  private problem(code: ProblemCode, offset: number, say: (where: string) => Words): void {
    if (this.problems.has(code)) return;
    this.problems.set(code, makeProblem(code, this.path(), ...say(place(this.text, offset))));
  }

  private number(): Problem | null {
    NUMBER.lastIndex = this.at;
    const literal = NUMBER.exec(this.text)?.[0] ?? "";
    if (literal === "") return this.unreadable();
    const reason = whyNotNumber(literal);
    if (reason !== null) {
      this.problem("number-range", this.at, (where) => [
        `The number would not be kept as written: ${reason} (${where}).`,
        {
          expected: "a whole number up to 9007199254740991, or a finite number",
          received: literal.length > 60 ? `${literal.slice(0, 60)}…` : literal,
          hint: "Write it as a string.",
        },
      ]);
    }
    this.at += literal.length;
    this.afterValue();
    return null;
  }

  private word(): Problem | null {
    for (const word of ["true", "false", "null"]) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        this.afterValue();
        return null;
      }
    }
    return this.unreadable();
  }

  private unreadable(): Problem {
    const { expected, hint } = whyUnreadable(this.text, this.at, this.expecting, this.top()?.keys !== null);
    const found = this.text.slice(this.at, this.at + 20);
    return makeProblem("not-json", this.path(), `The text is not JSON: ${expected} was expected (${this.here()}).`, {
      expected,
      received: found === "" ? "the end of the text" : found,
      hint,
    });
  }

  private skipSpace(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at++;
    }
  }

  private top(): Frame | undefined {
    return this.stack.at(-1);
  }

  private here(): string {
    return place(this.text, this.at);
  }

  private path(): string {
    return jsonPath(this.stack.flatMap<PathStep>(({ keys, key, index }) => (keys === null ? index : (key ?? []))));
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;

/* Errors of a JSON text as a whole, found before any structure, and the messages for errors of its characters. */

/* The sentences for what is wrong with a text that is no JSON. */

/** An error inside a string that does not end the reading. */
interface StringError {
  readonly kind: "nul" | "surrogate";
  readonly at: number;
}

/**
 * Reads the JSON string that starts (with its quote) at `start`. `closed`: `at` is behind the closing quote; else on
 * the character where it stopped being a string. Escaped NULs and lone surrogates are reported to `note`.
 */
function stringEnd(
  text: string,
  start: number,
  note: (problem: StringError) => void,
): { readonly at: number; readonly closed: boolean } {
  // Whether the unit before was a high half waiting for its low half, and where. Raw and escaped halves may pair.
  let waiting = -1;
  let at = start + 1;
  while (at < text.length) {
    let unit = text.charCodeAt(at);
    const from = at;
    if (unit < 0x20) return { at, closed: false };
    if (unit === 0x22) {
      if (waiting >= 0) note({ kind: "surrogate", at: waiting });
      return { at: at + 1, closed: true };
    }
    at++;
    if (unit === 0x5c) {
      const escaped = text.charAt(at);
      if (escaped === "u") {
        const digits = text.slice(at + 1, at + 5);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) return { at: from, closed: false };
        unit = Number.parseInt(digits, 16);
        at += 5;
        if (unit === 0) note({ kind: "nul", at: from });
      } else if (escaped !== "" && '"\\/bfnrt'.includes(escaped)) at++;
      else return { at: from, closed: false };
    }
    const isLow = (unit & 0xfc00) === 0xdc00;
    if (waiting >= 0 && !isLow) note({ kind: "surrogate", at: waiting });
    if (isLow && waiting < 0) note({ kind: "surrogate", at: from });
    waiting = (unit & 0xfc00) === 0xd800 ? from : -1;
  }
  return { at, closed: false };
}

/** The text that the inside of a well-formed JSON string stands for. */
function decodeEscapes(inside: string): string {
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, digits: string | undefined, sign: string) =>
    digits === undefined ? (controls[sign] ?? sign) : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Why a number literal would change by being read, or null. */
function whyNotNumber(literal: string): string | null {
  const value = Number(literal);
  if (!Number.isFinite(value)) return "it is too large";
  if (value === 0) return /^-?[0.]*[1-9]/.test(literal) ? "it is too close to zero" : null;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return null;
  // Below 1e21 such a value is written as a whole number again, so it counts as one however it was spelled.
  if (Math.abs(value) < 1e21 || /^-?[0-9]+$/.test(literal))
    return "whole numbers are exact only up to 9007199254740991";
  return significant(literal) === significant(String(value)) ? null : "it has more digits than are kept";
}

/** Digits and exponent of a decimal literal without what does not count. */
function significant(literal: string): string {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().replace("-", "").split("e");
  const sign = /^[^e]*e-/i.test(literal.replace(/^-/, "")) ? -1 : 1;
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  // By hand: a pattern for the zeros at the end tries every zero inside, in squared time.
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  const kept = digits.slice(0, end);
  const power = sign * Math.abs(Number(exponent)) - fraction.length + (digits.length - kept.length);
  return `${kept}e${power}`;
}

interface Reason {
  readonly expected: string;
  readonly hint: string | undefined;
}

/** What would have fitted at `at` and the likeliest cause. */
function whyUnreadable(text: string, at: number, expecting: string, inObject: boolean): Reason {
  return { expected: expectation(expecting, inObject), hint: likelyCause(text, at, expecting) };
}

function expectation(expecting: string, inObject: boolean): string {
  switch (expecting) {
    case "nothing":
      return "the end of the text";
    case "colon":
      return 'a ":" after the key';
    case "key":
      return "a key in double quotes";
    case "key-or-end":
      return 'a key in double quotes or "}"';
    case "comma-or-end":
      return inObject ? '"," or "}"' : '"," or "]"';
    case "value-or-end":
      return 'a value or "]"';
    default:
      return "a value";
  }
}

/** First matching row wins. Each row guesses from the text at the error what most likely happened. */
function likelyCause(text: string, at: number, expecting: string): string | undefined {
  const rest = text.slice(at, at + 40);
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  const isInString = /^["\\]/.test(rest) === false && isInsideString(text, at);
  if (/^\\(?:"|n\s*["\\}])/.test(rest) && !isInsideString(text, at))
    return 'The text was turned into a string: write " and line breaks as they are, without a backslash before them.';
  if (rest.startsWith("\\"))
    return 'After "\\" only one of "\\/bfnrt or u and four hex digits may follow; write "\\\\" for a backslash.';
  if (isInString)
    return rest === ""
      ? 'A string is not closed: add the missing ".'
      : "Write line breaks and control characters in a string as escapes such as \\n.";
  if (rest === "")
    return expecting === "comma-or-end"
      ? "A list or object is not closed; the text may be cut off."
      : "The text ends too early; it may be cut off.";
  if (/^[}\]]/.test(rest) && before.endsWith(",")) return "Remove the comma before the closing bracket.";
  if (rest.startsWith(",") && /[,[{]$/.test(before)) return "Remove the extra comma.";
  const unseen = /^[\p{Z}\p{Cf}]/u.exec(rest)?.[0];
  if (unseen !== undefined)
    return `Remove the character ${named(unseen)}; between its parts JSON knows only blanks, tabs and line ends.`;
  if (rest.startsWith("'")) return "Use double quotes instead of single quotes.";
  if (/^[\u201c-\u201f\u2018\u2019\u00ab\u00bb\uff02\uff07]/.test(rest))
    return 'Use plain double quotes (") instead of typographic ones.';
  if (rest.startsWith("```") || rest.startsWith("~~~")) return "Remove the code fence; send the JSON alone.";
  if (rest.startsWith("//") || rest.startsWith("/*") || rest.startsWith("#"))
    return "Remove the comment; JSON has none.";
  if (/^(?:None|True|False)\b/.test(rest)) return "Write null, true or false, in lower case.";
  if (/^(?:undefined|[-+]?(?:NaN|Infinity))\b/.test(rest))
    return "Write null or a number; JSON has neither NaN, Infinity nor undefined.";
  if (/^[-+]?[.0-9]/.test(rest) && expecting.startsWith("value"))
    return "Write the number with digits on both sides of the point and without a plus sign.";
  if (/[0-9]$/.test(before) && /^[.0-9xXeE_]/.test(rest))
    return "Write numbers without leading zeros, separators or other bases, or as a string.";
  if (expecting.startsWith("key")) return "Put the key into double quotes.";
  if (expecting === "comma-or-end") return "A comma may be missing before this.";
  if (expecting === "colon") return 'Put a ":" between key and value.';
  if (expecting === "nothing") return "Send one JSON value; remove what follows it.";
  return "Put text into double quotes.";
}

/** `U+00A0`: a character that is not seen, by its number. */
function named(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Whether the place is inside an open string: an odd number of unescaped quotes on the way there. */
function isInsideString(text: string, at: number): boolean {
  let isInside = false;
  for (let index = 0; index < at; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x22) isInside = !isInside;
    else if (unit === 0x5c && isInside) index++;
  }
  return isInside;
}

/** The first such error, or null. */
function textProblem(text: string): Problem | null {
  if (text.charCodeAt(0) === 0xfeff) {
    return makeProblem("byte-order-mark", "$", "The text starts with a byte order mark.", {
      hint: "Save the text as UTF-8 without a byte order mark.",
    });
  }
  if (text.trim() === "") return makeProblem("empty-message", "$", "The text is empty.", { expected: "a JSON value" });
  const nul = text.indexOf("\0");
  if (nul >= 0) return makeProblem("nul-character", "$", ...nulCharacter(place(text, nul)));
  if (!text.isWellFormed()) {
    return makeProblem("lone-surrogate", "$", ...loneSurrogate(place(text, firstLoneSurrogate(text))));
  }
  return null;
}

function firstLoneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit & 0xf800) !== 0xd800) continue;
    if (unit >= 0xdc00 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) return at;
    at++;
  }
  return 0;
}

/** The message for an error whose code and path are known. */
type Words = readonly [
  message: string,
  more: { readonly expected?: string; readonly received?: string; readonly hint: string },
];

/** A NUL character, which `where` tells the place of. */
function nulCharacter(where: string): Words {
  return [`The text contains the NUL character (${where}).`, { hint: "Remove it." }];
}

/** Half of a surrogate pair, which `where` tells the place of. */
function loneSurrogate(where: string): Words {
  return [
    `The text contains half of a surrogate pair (${where}).`,
    { expected: "whole Unicode characters", hint: "Write the whole character, or remove the half." },
  ];
}

/**
 * The slow, exact reader of JSON text: finds the first error, where it is and what to do. It builds no value and does
 * not recurse; its memory is bounded by the limits. Input reaches it only when the quick way (`json.ts`) failed or
 * suspects an error. Depth, nodes and syntax end the reading where they occur; of the other errors the one first in
 * precedence is reported.
 */
import {
  decodeEscapes,
  loneSurrogate,
  nulCharacter,
  type StringError,
  stringEnd,
  textProblem,
  type Words,
  whyNotNumber,
  whyUnreadable,
} from "./json-errors.ts";
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

/**
 * What exactly is wrong with a piece of JSON text: a string, a number, or a place where nothing fits.
 * Only the examiner calls these; each is linear in what it looks at.
 */

import { makeProblem, type Problem, place } from "./problem.ts";

/** An error inside a string that does not end the reading. */
export interface StringError {
  readonly kind: "nul" | "surrogate";
  readonly at: number;
}

/**
 * Reads the JSON string that starts (with its quote) at `start`. `closed`: `at` is behind the closing quote; else on
 * the character where it stopped being a string. Escaped NULs and lone surrogates are reported to `note`.
 */
export function stringEnd(
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
export function decodeEscapes(inside: string): string {
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, digits: string | undefined, sign: string) =>
    digits === undefined ? (controls[sign] ?? sign) : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const controls: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Why a number literal would change by being read, or null. */
export function whyNotNumber(literal: string): string | null {
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
export function whyUnreadable(text: string, at: number, expecting: string, inObject: boolean): Reason {
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
export function textProblem(text: string): Problem | null {
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
export type Words = readonly [
  message: string,
  more: { readonly expected?: string; readonly received?: string; readonly hint: string },
];

/** A NUL character, which `where` tells the place of. */
export function nulCharacter(where: string): Words {
  return [`The text contains the NUL character (${where}).`, { hint: "Remove it." }];
}

/** Half of a surrogate pair, which `where` tells the place of. */
export function loneSurrogate(where: string): Words {
  return [
    `The text contains half of a surrogate pair (${where}).`,
    { expected: "whole Unicode characters", hint: "Write the whole character, or remove the half." },
  ];
}

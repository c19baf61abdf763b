/**
 * JSON objects anywhere in an input: where each begins and ends. Strings and brackets are followed, nothing else is
 * understood; whether a stretch is JSON is the parser's question. One pass: what one object covers is not searched
 * again, so time is linear in the text, however its brackets are nested or left open.
 */

/** Where something that opens like a JSON object is. `closed`: its brackets close within the bounds. */
export interface ObjectPlace {
  readonly start: number;
  /** Behind the closing bracket; of an open one the end of the bounds. */
  readonly end: number;
  readonly closed: boolean;
}

/** Every outermost place between `start` and `end` where something opens like a JSON object, in order. */
export function* objectsIn(text: string, start: number, end: number): Generator<ObjectPlace, void> {
  let at = start;
  for (;;) {
    at = text.indexOf("{", at);
    if (at < 0 || at >= end) return;
    if (!opensLikeObject(text, at)) {
      at++;
      continue;
    }
    const place = matched(text, at, end);
    yield place;
    at = place.end;
  }
}

const AFTER_BRACE =
  /\s*(?:["'\u201c-\u201f\u2018\u2019\u00ab\u00bb\uff02\uff07,:}]|\\(?:"|n\s*(?:"|\\))|[A-Za-z_$][\w$-]*\s*:|\/[/*]|$)/y;

/**
 * Whether the brace at `at` opens something that was meant as JSON: a key in any quotes, escaped too, a bare key with
 * its colon, a stray comma or colon, a comment, an end. `{note}` and `{{name}}` do not.
 */
export function opensLikeObject(text: string, at: number): boolean {
  AFTER_BRACE.lastIndex = at + 1;
  return AFTER_BRACE.test(text);
}

const AFTER_BRACKET = /[\s[]*\{/y;

/** Whether the bracket at `at` opens a list, however deep, whose first entry opens like an object. */
export function opensLikeListOfObjects(text: string, at: number): boolean {
  AFTER_BRACKET.lastIndex = at + 1;
  return AFTER_BRACKET.test(text) && opensLikeObject(text, AFTER_BRACKET.lastIndex - 1);
}

/** The bracket at `start` with everything up to the one that closes it. */
export function matched(text: string, start: number, end: number): ObjectPlace {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(text, at, end);
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return { start, end: at + 1, closed: true };
    }
  }
  return { start, end, closed: false };
}

/** The place of the quote that closes the string opened at `start`; a string also ends with its line. */
function stringEnd(text: string, start: number, end: number): number {
  for (let at = start + 1; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === NEWLINE) return at;
    if (unit === BACKSLASH) at++;
  }
  return end;
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

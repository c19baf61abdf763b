/**
 * Canonical JSON text (RFC 8785): equal values give equal text, so that digests over it agree everywhere.
 * A short recursion of our own because it runs several times for each message and the library takes more than twice as
 * long; the library is the oracle of the tests.
 */
import type { Json } from "./json.ts";

/**
 * The canonical text of `value`: keys sorted by UTF-16 units, no white space, numbers and strings as ECMAScript writes
 * them. Total for every value that `parseBounded` returns; depth is bounded there, and lone surrogates do not occur.
 */
export function canonical(value: Json): string {
  if (typeof value === "string") return textOf(value);
  if (typeof value !== "object" || value === null) return `${value === 0 ? 0 : value}`;
  if (Array.isArray(value)) {
    let text = "[";
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text += ",";
      text += canonical(value[index]);
    }
    return `${text}]`;
  }
  const members = value as { readonly [key: string]: Json }; // neither scalar nor list, so an object
  const keys = sortKeys(Object.keys(members));
  let text = "{";
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    const member = members[key];
    // Optional fields of our own objects may be present and undefined; JSON has no such thing.
    if (member === undefined) continue;
    text += `${text === "{" ? "" : ","}${textOf(key)}:${canonical(member)}`;
  }
  return `${text}}`;
}

/** Sorts in place by UTF-16 units. Messages have few keys, and for those insertion is three times as quick as `sort`. */
function sortKeys(keys: string[]): readonly string[] {
  if (keys.length > 24) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] ?? "";
    let place = index;
    for (; place > 0; place--) {
      const before = keys[place - 1] ?? "";
      if (before <= key) break;
      keys[place] = before;
    }
    keys[place] = key;
  }
  return keys;
}

/** Whether a string needs escapes is cheaper to ask than to have every string escaped. */
const PLAIN = /^[ !#-[\]-~\u00a0-\ud7ff\ue000-\uffff]*$/;

function textOf(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

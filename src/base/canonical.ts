/**
 * Canonical JSON text (RFC 8785), and SHA-256: equal values give equal text, so that digests over it agree everywhere.
 * The text is written by our own code, because it runs with each message and the library takes several times as long;
 * the library is the oracle of the tests.
 */
import type { Json } from "./json.ts";

/**
 * The canonical text of `value`: keys sorted by UTF-16 units, no white space, numbers and strings as ECMAScript writes
 * them. Total for every value that `parseBounded` returns; depth is bounded there, and lone surrogates do not occur.
 */
export function canonical(value: Json): string {
  const sorted = sortedCopy(value);
  return sorted === null && value !== null ? spelled(value) : JSON.stringify(sorted);
}

/**
 * `value` with the keys of every object in order, which `JSON.stringify` then writes as they come. Null when some key
 * cannot be in its place: whole numbers always come first in an object, and `__proto__` is no plain key.
 */
function sortedCopy(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return sortedList(value);
  const members = value as { readonly [key: string]: Json }; // neither scalar nor list, so an object
  const copy: { [key: string]: Json } = {};
  const keys = sortKeys(Object.keys(members));
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    const first = key.charCodeAt(0);
    if ((first >= DIGIT_0 && first <= DIGIT_9) || key === "__proto__") return null;
    const member = members[key] as Json; // an own key
    if (typeof member !== "object" || member === null) copy[key] = member;
    else {
      const inner = sortedCopy(member);
      if (inner === null) return null;
      copy[key] = inner;
    }
  }
  return copy;
}

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Most lists hold no objects and need no copy. */
function sortedList(list: readonly Json[]): Json {
  let copy: Json[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== "object" || item === null) continue;
    const inner = sortedCopy(item);
    if (inner === null) return null;
    if (inner === item) continue;
    copy ??= list.slice();
    copy[index] = inner;
  }
  return copy ?? list;
}

/** The same text for every value, spelled out here. */
function spelled(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(",")}]`;
  const members = value as { readonly [key: string]: Json }; // neither scalar nor list, so an object
  // Optional fields of our objects may be present and undefined; JSON has no such thing.
  const keys = sortKeys(Object.keys(members)).filter((key) => members[key] !== undefined);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${spelled(members[key] as Json)}`).join(",")}}`;
}

/** Sorts in place by UTF-16 units. Messages have few keys, and for those insertion is three times as quick as `sort`. */
function sortKeys(keys: string[]): string[] {
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

/** `node:crypto` is loaded with the first digest: that takes a millisecond, and many commands make none. */
type Hash = (algorithm: string, data: string | Uint8Array, encoding: "hex") => string;
let hash: Hash | null = null;

/** The SHA-256 of `data` (a string counts as its UTF-8 bytes), 64 lower case hex digits. */
export function sha256(data: string | Uint8Array): string {
  hash ??= process.getBuiltinModule("node:crypto").hash as Hash;
  return hash("sha256", data, "hex");
}

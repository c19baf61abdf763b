/**
 * Folded state as JSON text and back, exactly: plain JSON values, and `Map`s at any depth. A `Map` is written as
 * `{"$map": [[key, value], ...]}`; an object that looks like such a mark is written as `{"$object": [[key, value],
 * ...]}`, so that no content is read as something else, even with hostile keys.
 */
import { InvariantError } from "./invariant.ts";

type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

/** `state` as JSON text. Throws `InvariantError` for a value that JSON text cannot carry; state holds none. */
export function encodeState(state: unknown): string {
  return JSON.stringify(plain(state));
}

/** The state that `encodeState` wrote; the caller knows its type. Throws `SyntaxError` for text of another origin. */
export function decodeState(text: string): unknown {
  return revive(JSON.parse(text));
}

function plain(value: unknown): Plain {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0)) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return { $map: [...value].map(([key, inner]) => [plain(key), plain(inner)]) };
  if (typeof value === "object" && isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, inner]): [string, Plain] => [key, plain(inner)]);
    return entries.length === 1 && isMark(entries[0]?.[0]) ? { $object: entries } : Object.fromEntries(entries);
  }
  throw new InvariantError(`state holds plain JSON values and Maps, not ${describe(value)}`);
}

function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revive);
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isMark(only[0]) && Array.isArray(only[1])) {
    const pairs = only[1].map(([key, inner]: [string, unknown]): [string, unknown] => [key, revive(inner)]);
    return only[0] === "$map" ? new Map(pairs) : Object.fromEntries(pairs);
  }
  // `fromEntries` defines keys instead of assigning them, so a key such as `__proto__` stays a key.
  return Object.fromEntries(entries.map(([key, inner]) => [key, revive(inner)]));
}

function isMark(key: string | undefined): boolean {
  return key === "$map" || key === "$object";
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  if (typeof value === "number") return String(Object.is(value, -0) ? "-0" : value);
  return typeof value === "object" ? (value?.constructor.name ?? "object") : typeof value;
}

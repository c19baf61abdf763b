/** What a rule between fields is, and how rules look at fields whose type they cannot rely on. */
import type { JsonObject } from "../../base/json.ts";
import { isJsonList, isJsonObject } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import type { Json } from "../../message/facts.ts";

export interface Rule {
  /** The rule in words, for the reference pages. */
  readonly words: string;
  /** The rule's fault in a message's own fields, or null. `place` is the JSON path of the object that holds them. */
  check(fields: JsonObject, place: string): Problem | null;
}

/** The fault of a rule at `path`. */
export function crossFault(
  path: string,
  message: string,
  more: { readonly expected: string; readonly received: string; readonly hint: string },
): Problem {
  return problem("cross-field", path, message, more);
}

/** A count, or null where the value is none. */
export function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

/** The object, or an empty one. */
export function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list of them, or none. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

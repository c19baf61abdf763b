/**
 * Forms of values that a client of a hub checks and JSON Schema has no word for: our own words, which hold nothing that a
 * terminal acts on, names, ids and hashes. A shape is marked with its form; the OpenAPI document does not show it.
 */
import { z } from "zod";

/** `word`: nothing invisible; `code`: of a problem; the rest as `base/ids.ts` and the chain have them. */
export type ValueForm = "word" | "hash" | "id" | "team" | "dialect" | "code" | "count";

/** The form of each marked shape. */
export const valueForms = z.registry<{ readonly form: ValueForm }>();

/** `shape` marked with its form. To be called last: what describes a shape again makes a new one. */
export function inForm<Shape extends z.ZodType>(form: ValueForm, shape: Shape): Shape {
  valueForms.add(shape, { form });
  return shape;
}

/** A text of Baton's own. */
export function word(says?: string): z.ZodString {
  return inForm("word", says === undefined ? z.string() : z.string().describe(says));
}

/** A time, RFC 3339. */
export const time = word("RFC 3339, UTC");

/** 64 hex digits. */
export function hash(says?: string): z.ZodString {
  return inForm("hash", says === undefined ? z.string() : z.string().describe(says));
}

/** A whole number from 0 that the document shows as a whole number. */
export function count(says?: string): z.ZodInt {
  return inForm("count", says === undefined ? z.int() : z.int().describe(says));
}

/** A moment in whole milliseconds. */
export function moment(): z.ZodNumber {
  return inForm("count", z.number());
}

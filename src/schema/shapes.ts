/**
 * The shapes that definitions are written in: zod, narrowed to what JSON Schema can say. Only `messages.ts` files, the
 * generator and tests import this; run time reads what the generator wrote, so no bundle contains zod.
 * Not here: refinements and transforms. JSON Schema would drop them silently; cross-field rules are functions of a dialect.
 */
import { z } from "zod";

export type Shape = z.ZodType;

/** Any text, also the empty one. */
export const text = (): Shape => z.string();

/** A text of at least one character: names of plans, tasks and requests. */
export const name = (): Shape => z.string().min(1);

/** A message id: 1 to 128 ASCII characters of a closed alphabet (semantics.md section 1.5). */
export const messageIdShape = (): Shape => z.string().regex(/^[A-Za-z0-9._:/@-]{1,128}$/);

/** A git commit: 7 to 64 hex digits, or nothing yet; a rule of the message says when it may be empty. */
export const commit = (): Shape => z.string().regex(/^(?:[0-9a-fA-F]{7,64})?$/);

/**
 * An RFC 3339 date-time or full date. JSON Schema says it as two formats; run time checks it itself (`timestamp.ts`),
 * because zod's own would emit a pattern and a format, one fault reported twice.
 */
export const timestamp = (): Shape => z.string().meta({ anyOf: [{ format: "date-time" }, { format: "date" }] });

/** One of the words. */
export const oneOf = (words: readonly string[]): Shape => z.enum(words);

/** Exactly this text. */
export const exactly = (word: string): Shape => z.literal(word);

/** A whole number of at least 0. */
export const count = (): Shape => z.int().min(0);

/** True or false. */
export const flag = (): Shape => z.boolean();

/** A list. */
export const listOf = (entry: Shape): Shape => z.array(entry);

/** An object that has at least these fields; further ones are kept (an entry's fields are all required). */
export const entry = (fields: { readonly [name: string]: Shape }): Shape => z.looseObject({ ...fields });

/** A field with what people should know about it. */
export interface Field {
  readonly shape: Shape;
  readonly required: boolean;
  readonly summary: string;
  /** The name in a neutral fact; absent: the wire name in camel case. */
  readonly neutral?: string;
}

/** A field that every message of the type carries. */
export function required(shape: Shape, summary: string, more: { readonly neutral?: string } = {}): Field {
  return { shape, required: true, summary, ...more };
}

/** A field that a message may leave out. */
export function optional(shape: Shape, summary: string, more: { readonly neutral?: string } = {}): Field {
  return { shape, required: false, summary, ...more };
}

/** The fields as one object shape that keeps unknown fields, each field carrying its summary as description. */
export function objectOf(fields: { readonly [name: string]: Field }): Shape {
  const shapes = Object.entries(fields).map(([key, field]) => {
    const described = field.shape.describe(field.summary);
    return [key, field.required ? described : described.optional()] as const;
  });
  return z.looseObject(Object.fromEntries(shapes));
}

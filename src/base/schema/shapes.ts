/**
 * The shapes that definitions are written in: zod, narrowed to what JSON Schema can say. Only `messages.ts` files, the
 * generator and tests import this; run time reads what the generator wrote, so no bundle contains zod.
 * Not here: refinements and transforms. JSON Schema would drop them silently; cross-field rules are functions of a dialect.
 */
import { z } from "zod";

export type Shape = z.ZodType;

/** Any string, also the empty one. */
export const text = (): Shape => z.string();

/** A string of at least one character: names of plans, tasks and requests. */
export const name = (): Shape => z.string().min(1);

/** A string of at most so many characters, also the empty one. */
export const textUpTo = (max: number): Shape => z.string().max(max);

/** A message id: 1 to 128 ASCII characters of a closed alphabet (docs/protocol/messages.md, section 3). */
export const messageIdShape = (): Shape => z.string().regex(/^[A-Za-z0-9._:/@-]{1,128}$/);

/** A git commit: 7 to 64 hex digits, or nothing yet; a rule of the message says when it may be empty. */
export const commit = (): Shape => z.string().regex(/^(?:[0-9a-fA-F]{7,64})?$/);

/**
 * An RFC 3339 date-time or full date. JSON Schema says it as two formats; run time checks it itself (`timestamp.ts`),
 * because zod's own would emit a pattern and a format, so one error would be reported twice.
 */
export const timestamp = (): Shape => z.string().meta({ anyOf: [{ format: "date-time" }, { format: "date" }] });

/** The same, or null: a moment that has not come yet. */
export const timestampOrNull = (): Shape =>
  z.unknown().meta({ type: ["string", "null"], anyOf: [{ format: "date-time" }, { format: "date" }] });

/** An RFC 3339 date-time; a full date is not enough. */
export const dateTime = (): Shape => z.string().meta({ format: "date-time" });

/** One of the words. */
export const oneOf = (words: readonly string[]): Shape => z.enum(words);

/** Exactly this text. */
export const exactly = (word: string): Shape => z.literal(word);

/** A whole number of at least 0. */
export const count = (): Shape => z.int().min(0);

/** A number from 0 to 100. */
export const percent = (): Shape => z.number().min(0).max(100);

/** True or false. */
export const flag = (): Shape => z.boolean();

/** A list. */
export const listOf = (entry: Shape): Shape => z.array(entry);

/** An object that has at least these fields; further ones are kept (an entry's fields are all required). */
export const entry = (fields: { readonly [name: string]: Shape }): Shape => z.looseObject({ ...fields });

/** An object whose keys are free and whose values are all of one shape. */
export const mapOf = (value: Shape): Shape => z.record(z.string(), value);

/** An object of any keys and values. */
export const anyObject = (): Shape => z.looseObject({});

/** The list, or null. */
export const listOrNull = (one: Shape): Shape => z.array(one).nullable();

/** A field with what people should know about it. */
export interface Field {
  readonly shape: Shape;
  readonly required: boolean;
  readonly summary: string;
  /** The name in a neutral fact's body; absent: the wire name in camel case. `head.phase`: it is the head's own. */
  readonly neutral?: string;
  /** What a translated message says here where its source says nothing; named in `assumed`. */
  readonly assumed?: string | number | boolean;
}

type More = Pick<Field, "neutral" | "assumed">;

/** A field that every message of the type carries. */
export function required(shape: Shape, summary: string, more: More = {}): Field {
  return { shape, required: true, summary, ...more };
}

/** A field that a message may leave out. */
export function optional(shape: Shape, summary: string, more: More = {}): Field {
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

/**
 * Shapes that several tools answer with. Objects are open and name what an agent reads: every word of a schema costs
 * each of its readers, and what is more in an answer does no harm.
 */
import * as z from "zod";

const text = z.string();

/**
 * Why there is no other answer, in answers with `isError`; else why this agent may only look. Every tool has it, so it
 * is short.
 */
export const problemsShape = z.array(z.looseObject({ code: text, message: text, hint: text }).partial()).optional();

/** What was noteworthy, though no fault. */
export const notesShape = z.array(z.looseObject({ message: text })).optional();

/** A page of an inbox. Everything is optional but in a good answer: the same shape says a refusal. */
export const inboxShape = z.looseObject({
  messages: z
    .array(
      z
        .looseObject({
          seq: z.int(),
          id: text.nullable(),
          dialect: text.nullable(),
          type: text.nullable(),
          sender: text,
          message: z.unknown().describe("wire object, or text for prose"),
          effect: z.literal(false).optional().describe("let pass only"),
        })
        .partial(),
    )
    .optional(),
  unread: z.int().optional(),
  acknowledged: z.int().optional(),
  problems: problemsShape,
});

/** The same, of a tool whose description says that a message looks as in an inbox. */
export const waitedShape = inboxShape.extend({ messages: z.array(z.looseObject({})).optional() });

/**
 * A reading: what became of one input. Total: every input has one. Whether it may have an effect is decided later, by
 * who sent it and against the team's state; a reading only says what the text is. Source: docs/protocol/messages.md,
 * sections 10 to 18.
 */

import { isJsonObject, type Json } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Fact } from "../facts.ts";
import type { DialectId, Note, Rung } from "../message.ts";
import type { Connection } from "./flat-to-envelope.ts";

/** What every reading carries. */
interface ReadingHead {
  readonly rung: Rung;
  /** The text as it came, decoded. */
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** A heading of a Markdown text; `level` is 1 to 6. */
export interface Heading {
  readonly level: number;
  readonly text: string;
}

/**
 * A message that a definition accepts. `message` is its wire object: as it came, or, where spellings had drifted and
 * notes say so, as the definition spells it.
 */
export interface AcceptedReading extends ReadingHead {
  readonly outcome: "accepted";
  readonly rung: "typed" | "structured" | "document";
  readonly dialect: DialectId;
  readonly type: string;
  readonly wireId: string | null;
  readonly message: { readonly [key: string]: Json };
  readonly fact: Fact;
}

/**
 * Prose: delivered as it is, never with an effect. `problems` is not empty when the input is JSON that no definition
 * accepts; such an input is deliverable, but not valid.
 */
export interface ProseReading extends ReadingHead {
  readonly outcome: "prose";
  readonly rung: "markdown";
  readonly dialect: null;
  readonly type: null;
  readonly wireId: null;
  readonly message: null;
  readonly fact: null;
  /** The headings of its Markdown, in order. */
  readonly headings: readonly Heading[];
}

/** An input that has the marks of a typed message, or breaks a limit, and has errors. `problems` is never empty. */
export interface InvalidReading extends ReadingHead {
  readonly outcome: "invalid";
  readonly dialect: DialectId | null;
  readonly type: string | null;
  readonly wireId: string | null;
  /** The JSON value where the text is JSON within the limits. */
  readonly message: { readonly [key: string]: Json } | null;
  readonly fact: null;
}

/** What an input is: a message of a dialect, prose, or neither. Rules: docs/protocol/messages.md, sections 10 to 18. */
export type Reading = AcceptedReading | ProseReading | InvalidReading;

/** Whether a checker would accept the input: accepted, or plain prose without an error. */
export function isValid(reading: Reading): boolean {
  return reading.outcome !== "invalid" && reading.problems.length === 0;
}

const nothingRead = { rung: "markdown", dialect: null, type: null, wireId: null, message: null, fact: null } as const;

/** The reading of words. `problems` says why JSON among them is no message. */
export function proseReading(
  text: string,
  problems: readonly Problem[] = [],
  notes: readonly Note[] = [],
  headings: readonly Heading[] = [],
): ProseReading {
  return { ...nothingRead, outcome: "prose", text, problems, notes, headings };
}

/** The reading of an input that breaks a limit or is broken JSON. */
export function invalidText(text: string, problem: Problem): InvalidReading {
  return { ...nothingRead, outcome: "invalid", text, problems: [problem], notes: [] };
}

/** Longest id of a task that `taskNamedIn` finds, in characters. */
const taskCharactersMax = 400;

/**
 * The task that the input says it is about, as written; null: it names none. Of a message with errors it is what one of
 * the usual names says, on the message or in its payload.
 */
export function taskNamedIn({ fact, message }: Reading): string | null {
  if (fact !== null) return fact.head.task;
  const places = [message, isJsonObject(message?.payload) ? message.payload : null];
  const named = places.flatMap((place) => [place?.task, place?.task_id, place?.taskId]);
  const isId = (each: unknown): each is string =>
    typeof each === "string" && each !== "" && each.length <= taskCharactersMax;
  return named.find(isId) ?? null;
}

/** How recognising goes about it. */
export interface RecogniseOptions {
  /** Asked in this order; the sender's own dialect first. */
  readonly dialects: readonly Dialect[];
  /**
   * Dialects that the team does not use: a message of one of them is refused with what a dialect in force still needs
   * of it. Absent: such a message is of an unknown type.
   */
  readonly foreign?: readonly Dialect[];
  /** Refuse what is otherwise read with a note: unknown fields, unknown flat types, drifted spellings. */
  readonly strict?: boolean;
  /**
   * What is known in addition to the input. Absent: a typed dialect's message without its envelope is not lifted into
   * it.
   */
  connection?(): Connection;
  /** Whether the first dialect is known to be the sender's, so that a second acceptance is no ambiguity. */
  readonly senderKnown?: boolean;
}

/** A problem or a note of a message that was sent as a draft, at the place where the draft has it. */
export function atDraft<Told extends { readonly path: string; readonly message: string; readonly hint?: string }>(
  told: Told,
): Told {
  const { path, message, hint } = told;
  const placed = { ...told, path: inDraft(path), message: inDraft(message) };
  return hint === undefined ? placed : { ...placed, hint: inDraft(hint) };
}

/** Words with the paths of a whole message as a draft has them: the place of its fields is the draft itself. */
function inDraft(words: string): string {
  return words.replaceAll(/\$\.(?:payload|handoff)(?=[.[]|$)/g, "$");
}

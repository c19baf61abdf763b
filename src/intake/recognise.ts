/**
 * Recognising: which dialect a JSON value belongs to. Dialects are asked in order and answer accepted, not mine, or
 * invalid; a value that carries the mark of a typed envelope is typed or invalid and never falls to a lower rung.
 * Source: semantics.md section 1.2 and 1.3.
 */
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { inOrder, type Problem, problem } from "../base/problem.ts";
import { nearest } from "../base/text.ts";
import type { Answer, Dialect } from "../dialects/dialect.ts";
import type { Note } from "../message/message.ts";
import { invalidText, proseReading, type Reading } from "./reading.ts";

/** How recognising goes about it. */
export interface RecogniseOptions {
  /** Asked in this order; the sender's own dialect first. */
  readonly dialects: readonly Dialect[];
  /** Refuse unknown fields and unknown flat types instead of noting them. */
  readonly strict?: boolean;
  /** Whether the first dialect is known to be the sender's, so that a second acceptance is no ambiguity. */
  readonly senderKnown?: boolean;
}

/** The reading of a JSON value whose text is `text`. Never throws. */
export function recognise(value: Json, text: string, options: RecogniseOptions): Reading {
  if (!isJsonObject(value)) return prose(text, options, "not-an-object");
  const strict = options.strict === true;
  let invalid: { readonly dialect: Dialect; readonly answer: Answer & { answer: "invalid" } } | null = null;
  for (const [index, dialect] of options.dialects.entries()) {
    const answer = dialect.read(value, { strict });
    if (answer.answer === "accepted") {
      const others = options.senderKnown === true ? [] : alsoAcceptedBy(value, options.dialects.slice(index + 1));
      return {
        outcome: "accepted",
        rung: "typed",
        text,
        dialect: dialect.id,
        type: answer.type,
        wireId: answer.wireId,
        message: value,
        fact: answer.fact,
        problems: [],
        notes: others.length === 0 ? answer.notes : [...answer.notes, ambiguity(dialect, others)],
      };
    }
    if (answer.answer === "invalid" && invalid === null && typedBy(value, dialect)) invalid = { dialect, answer };
  }
  if (invalid !== null) {
    const { dialect, answer } = invalid;
    return refused(value, text, dialect.id, answer.type, answer.problems, answer.notes);
  }
  if (!carriesEnvelopeMark(value)) return prose(text, options, "unknown-type", value);
  const type = typeof value.type === "string" ? value.type : null;
  return refused(value, text, null, type, [typeProblem(value, options.dialects)], []);
}

/**
 * The mark of a typed envelope: `schema_version`, or `author_role` together with a payload. Text that has it is never
 * read as something lower.
 */
export function carriesEnvelopeMark(value: JsonObject): boolean {
  return (
    Object.hasOwn(value, "schema_version") || (Object.hasOwn(value, "author_role") && Object.hasOwn(value, "payload"))
  );
}

/** Whether the dialect's own faults should be told: it knows the type, or the envelope is marked and untyped. */
function typedBy(value: JsonObject, dialect: Dialect): boolean {
  if (typeof value.type === "string") return dialect.definitions.has(value.type);
  return carriesEnvelopeMark(value);
}

function alsoAcceptedBy(value: Json, dialects: readonly Dialect[]): readonly Dialect[] {
  return dialects.filter((dialect) => dialect.accepts(value));
}

function ambiguity(chosen: Dialect, others: readonly Dialect[]): Note {
  return {
    code: "ambiguous-dialect",
    path: "$",
    message: `Read as ${chosen.id}; ${others.map((dialect) => dialect.id).join(" and ")} would accept it too.`,
  };
}

function refused(
  message: JsonObject,
  text: string,
  dialect: Dialect["id"] | null,
  type: string | null,
  problems: readonly Problem[],
  notes: readonly Note[],
): Reading {
  const wireId = typeof message.id === "string" ? message.id : null;
  return {
    outcome: "invalid",
    rung: "typed",
    text,
    dialect,
    type,
    wireId,
    message,
    fact: null,
    problems: inOrder(problems),
    notes,
  };
}

function typeProblem(value: JsonObject, dialects: readonly Dialect[]): Problem {
  const known = [...new Set(dialects.flatMap((dialect) => [...dialect.definitions.keys()]))];
  if (value.type === undefined) {
    return problem("missing-field", "$.type", "The message does not say its type.", {
      expected: known.join(" | "),
      hint: `Add "type" with one of the types that \`baton schema\` lists.`,
    });
  }
  if (typeof value.type !== "string") {
    return problem("wrong-type", "$.type", "The type of a message is a string.", {
      expected: "a string",
      received: typeof value.type,
    });
  }
  const near = nearest(value.type, known);
  return problem("unknown-type", "$.type", `No dialect in use has a message of type "${value.type}".`, {
    expected: known.join(" | "),
    received: value.type,
    hint: near === null ? "`baton schema` lists every type." : `did you mean "${near}"?`,
  });
}

/** JSON that is no message of ours: delivered as prose and noted, or under `strict` refused. */
function prose(
  text: string,
  options: RecogniseOptions,
  reason: "not-an-object" | "unknown-type",
  value?: JsonObject,
): Reading {
  const fault =
    reason === "not-an-object"
      ? problem("not-an-object", "$", "The text is JSON, but not an object, so it is no message.", {
          expected: "an object",
        })
      : typeProblem(value ?? {}, options.dialects);
  if (options.strict === true) {
    const type = typeof value?.type === "string" ? value.type : null;
    return { ...invalidText(text, fault), type, message: value ?? null };
  }
  const note: Note = {
    code: "read-as-prose",
    path: "$",
    message: "JSON that no definition accepts; delivered as prose, without effect.",
  };
  return proseReading(text, [fault], [note]);
}

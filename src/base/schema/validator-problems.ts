/**
 * Turns a validator's errors into problems: where (JSON path), what was expected, what was received, how to repair it.
 * One error, one problem: where several keywords fail at one place, only the most telling is kept.
 */
import { inOrder, jsonPath, makeProblem, type PathStep, type Problem, type ProblemCode, valueAt } from "../problem.ts";
import { escapedStep, isObject, misplacedHint, nearest, sampleAt, shortened, stepsOf } from "./hint.ts";
import { listInText } from "./text-list.ts";
import type { ValidatorError } from "./value-form.ts";

/**
 * Keywords from the most telling to the least: a closed list of words says more than the type, the type more than a
 * form.
 */
const keywordRanks: ReadonlyMap<string, number> = new Map(
  [
    "required",
    "additionalProperties",
    "const",
    "enum",
    "type",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "anyOf",
    "oneOf",
  ].map((word, rank) => [word, rank]),
);

/** What a validator's errors come to. */
export interface FoundProblems {
  /** The first problems in their fixed order, one a place. */
  readonly problems: readonly Problem[];
  /** How many more there are. */
  readonly more: number;
}

/** Whether a message may lack the field that the steps lead to. */
export type MayBeMissing = (steps: readonly PathStep[]) => boolean;

/**
 * The first `max` problems of `value` in `errors`. `example` is a valid message of the type: missing and misshapen
 * fields are shown with its values; null in one that may be missing means to leave it out. Describing a problem costs
 * far more than finding it, so no others are described.
 */
export function firstProblemsOf(
  errors: readonly ValidatorError[],
  value: unknown,
  example: unknown,
  max: number,
  mayBeMissing: MayBeMissing = () => false,
): FoundProblems {
  const byPlace = new Map<string, ValidatorError>();
  for (const error of errors) {
    const missing = error.params.missingProperty;
    const place =
      error.keyword === "required" ? `${error.instancePath}/${escapedStep(String(missing))}` : error.instancePath;
    const known = byPlace.get(place);
    if (known === undefined || rankOf(error) < rankOf(known)) byPlace.set(place, error);
  }
  const found = inOrder([...byPlace].map(([place, error]) => ({ place, error, code: codeOf(place, error, value) })));
  const problems = found.slice(0, max).map(({ place, error }) => {
    const said = problemAt(place, error, value, example);
    const steps = stepsOf(place, value);
    const isLeftOut = said.code === "wrong-type" && valueAt(value, steps) === null && mayBeMissing(steps);
    return isLeftOut ? { ...said, hint: leaveOut(steps) } : said;
  });
  return { problems, more: found.length - problems.length };
}

function leaveOut(steps: readonly PathStep[]): string {
  return `leave ${JSON.stringify(String(steps.at(-1) ?? ""))} out: a field that has no value here is not written at all`;
}

/** All problems that `errors` tell about `value`; see `firstProblemsOf`. */
export function problemsOf(errors: readonly ValidatorError[], value: unknown, example: unknown): readonly Problem[] {
  return firstProblemsOf(errors, value, example, Number.POSITIVE_INFINITY).problems;
}

/** The code of what `problemAt` says of an error. */
function codeOf(place: string, { keyword, params }: ValidatorError, value: unknown): ProblemCode {
  if (keyword === "enum") return wordCode(listOf(params.allowedValues), valueAt(value, stepsOf(place, value)));
  if (keyword === "const") return wordCode([params.allowedValue], valueAt(value, stepsOf(place, value)));
  return codes[keyword] ?? "wrong-format";
}

/** The code of a keyword's error, where it does not depend on the value; of every other it is `wrong-format`. */
const codes: Readonly<Record<string, ProblemCode>> = {
  required: "missing-field",
  additionalProperties: "unknown-field",
  type: "wrong-type",
  anyOf: "wrong-value",
  oneOf: "wrong-value",
  minimum: "wrong-value",
  maximum: "wrong-value",
};

function problemAt(place: string, error: ValidatorError, value: unknown, example: unknown): Problem {
  const steps = stepsOf(place, value);
  const path = jsonPath(steps);
  const received = valueAt(value, steps);
  switch (error.keyword) {
    case "required":
      return missingField(path, steps, value, example);
    case "type":
      return makeProblem("wrong-type", path, `${path} must be ${typeWords(String(error.params.type))}.`, {
        expected: typeWords(String(error.params.type)),
        received: shortened(received),
        hint: typeHint(String(error.params.type), received, sampleAt(example, steps)),
      });
    case "enum":
      return wrongWord(path, listOf(error.params.allowedValues), received);
    case "const":
      return wrongWord(path, [error.params.allowedValue], received);
    case "additionalProperties":
      return furtherField(path, steps, wordsOf(error.params.known), valueAt(value, steps.slice(0, -1)));
    default:
      return formProblem(path, error, received, sampleAt(example, steps));
  }
}

/** The problem of a required field that is not there. */
export function missingField(path: string, steps: readonly PathStep[], value: unknown, example: unknown): Problem {
  const field = String(steps.at(-1) ?? "");
  const sample = sampleAt(example, steps);
  return makeProblem("missing-field", path, `The field ${field} is missing.`, {
    expected: sample === undefined ? "a value" : typeWords(typeOf(sample)),
    received: "nothing",
    hint: misplacedHint(steps, value, example) ?? addedHint(field, sample),
  });
}

/** A sample that is copied as it is would be another message's id and time, so the hint says whose value is meant. */
function addedHint(field: string, sample: unknown): string | undefined {
  if (sample === undefined) return undefined;
  const isMoment = typeof sample === "string" && momentForm.test(sample);
  const meant = field === "id" ? ", a new one for each message" : isMoment ? ", the time now" : "";
  return `add ${JSON.stringify(field)}${meant}, such as ${shortened(sample)}`;
}

/** How a date with a time begins. */
const momentForm = /^\d{4}-\d{2}-\d{2}T/;

/** The problem of a word outside its closed list. */
export function wrongWord(path: string, values: readonly unknown[], received: unknown): Problem {
  const allowed = values.map(String);
  const meant =
    typeof received === "string" || typeof received === "number" ? nearest(String(received), allowed) : null;
  const only = values.length === 1 ? values[0] : undefined;
  const listed = allowed.join(" | ");
  return makeProblem(
    wordCode(values, received),
    path,
    only === undefined ? `${path} must be one of ${listed}.` : `${path} must be ${JSON.stringify(only)}.`,
    {
      expected: listed,
      received: shortened(received),
      hint:
        meant !== null
          ? `did you mean ${JSON.stringify(meant)}?`
          : `write ${only === undefined ? "one of the listed words" : JSON.stringify(only)}`,
    },
  );
}

function wordCode(values: readonly unknown[], received: unknown): ProblemCode {
  const isOfTheirType = values.some((value) => typeof value === typeof received && received !== null);
  return isOfTheirType ? "wrong-value" : "wrong-type";
}

/** The problem of a field where its definition allows no further ones. */
function furtherField(path: string, steps: readonly PathStep[], known: readonly string[], owner: unknown): Problem {
  const key = String(steps.at(-1) ?? "");
  const meant = nearest(key, isObject(owner) ? known.filter((name) => !Object.hasOwn(owner, name)) : known);
  return makeProblem("unknown-field", path, `${path} is not part of the definition, which allows no further fields.`, {
    expected: known.join(", "),
    received: shortened(key),
    hint: meant === null ? "leave it out" : `did you mean "${meant}"?`,
  });
}

/** How `received` becomes one of `type`, as JSON Schema names it; else what `sample` shows, where there is one. */
export function typeHint(type: string, received: unknown, sample: unknown): string | undefined {
  if (type === "array" && received !== null && typeof received !== "object") {
    const list = typeof received === "string" ? listInText(received) : [received];
    return list === null ? "write the list itself, not a string of it" : `write a list: ${shortened(list)}`;
  }
  if (type === "object" && typeof received === "string" && received.trimStart().startsWith("{"))
    return "write the object itself, not a string of it";
  if (type === "boolean" && typeof received === "string") return "write true or false without quotes";
  if (type === "integer" && typeof received === "string" && received !== "" && Number.isInteger(Number(received))) {
    return `write ${Number(received)} without quotes`;
  }
  return sample === undefined ? undefined : `for example ${shortened(sample)}`;
}

const words: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** A type in words; several, as a validator lists them with commas, are alternatives. */
export function typeWords(type: string): string {
  return type
    .split(",")
    .map((one) => words[one] ?? one)
    .join(" or ");
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function wordsOf(allowed: unknown): readonly string[] {
  return listOf(allowed).map(String);
}

function listOf(allowed: unknown): readonly unknown[] {
  return Array.isArray(allowed) ? allowed : [];
}

function rankOf(error: ValidatorError): number {
  return keywordRanks.get(error.keyword) ?? keywordRanks.size;
}

/* What is said of a value that is of the right type and not of the right form: its length, its range, its pattern. */

/** The problem of the value that came; `sample`: one that would do, undefined where none is known. */
function formProblem(path: string, error: ValidatorError, received: unknown, sample: unknown): Problem {
  const hint = sample === undefined ? undefined : `for example ${shortened(sample)}`;
  const more = { received: shortened(received), hint };
  switch (error.keyword) {
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return lengthProblem(path, error, more);
    case "format": {
      const expected = "an RFC 3339 date-time";
      return makeProblem("wrong-format", path, `${path} must be ${expected}.`, { ...more, expected });
    }
    case "anyOf":
    case "oneOf": {
      const several = error.keyword === "oneOf" && Number(error.params.fitting) > 1;
      const expected = `${error.keyword === "oneOf" ? "exactly one" : "one"} of ${String(error.params.forms)} forms`;
      const told = several ? "fits more than one of the forms" : "fits none of the forms";
      return makeProblem("wrong-value", path, `${path} ${told} that its definition allows.`, { ...more, expected });
    }
    case "pattern": {
      const expected = formOf(String(error.params.pattern));
      return makeProblem("wrong-format", path, `${path} must be ${expected}.`, { ...more, expected });
    }
    case "minimum":
    case "maximum": {
      const bound = `${error.keyword === "minimum" ? "at least" : "at most"} ${String(error.params.limit)}`;
      return makeProblem("wrong-value", path, `${path} must be ${bound}.`, { ...more, expected: bound });
    }
    default:
      return makeProblem("wrong-format", path, `${path} does not fit its definition (${error.keyword}).`, more);
  }
}

/** A string or a list that is too short or too long. */
function lengthProblem(
  path: string,
  { keyword, params }: ValidatorError,
  more: Parameters<typeof makeProblem>[3],
): Problem {
  const limit = Number(params.limit);
  const isList = keyword.endsWith("Items");
  const thing = isList ? "a list" : "a string";
  const unit = isList ? (limit === 1 ? "entry" : "entries") : limit === 1 ? "character" : "characters";
  if (keyword.startsWith("min") && limit === 1) {
    const expected = `${thing} that is not empty`;
    return makeProblem("wrong-format", path, `${path} must not be empty.`, { ...more, expected });
  }
  const bound = `${keyword.startsWith("min") ? "at least" : "at most"} ${limit} ${unit}`;
  return makeProblem("wrong-format", path, `${path} must have ${bound}.`, {
    ...more,
    expected: `${thing} of ${bound}`,
  });
}

/** What a pattern of ours asks for, in words; a pattern nobody described is shown as it is. */
function formOf(pattern: string): string {
  if (pattern.includes("0-9a-fA-F")) return "a commit of 7 to 64 hex digits";
  if (pattern.includes("._:/@-")) return "an id of 1 to 128 letters, digits or any of . _ : / @ -";
  return `a string that matches ${pattern}`;
}

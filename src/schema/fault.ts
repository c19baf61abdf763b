/**
 * From a validator's errors to problems: where (JSON path), what was expected, what came, how to repair it.
 * One fault, one problem: where several keywords fail at one place, only the most telling is kept.
 */
import { inOrder, type Problem, type ProblemCode, problem } from "../base/problem.ts";
import { nearest } from "./hint.ts";
import type { ValidatorError } from "./validator.ts";

/** Keywords from the most telling to the least: a closed list of words says more than the type, the type more than a form. */
const keywordRanks: ReadonlyMap<string, number> = new Map(
  ["required", "const", "enum", "type", "minLength", "pattern", "format", "minimum", "maximum"].map((word, rank) => [
    word,
    rank,
  ]),
);

/**
 * The problems that `errors` tell about `value`, in their fixed order, one a place. `example` is a valid message
 * of the type: missing and misshapen fields are shown with its values.
 */
export function problemsOf(errors: readonly ValidatorError[], value: unknown, example: unknown): readonly Problem[] {
  const byPlace = new Map<string, ValidatorError>();
  for (const error of errors) {
    const missing = error.params.missingProperty;
    const place =
      error.keyword === "required" ? `${error.instancePath}/${escaped(String(missing))}` : error.instancePath;
    const known = byPlace.get(place);
    if (known === undefined || rankOf(error) < rankOf(known)) byPlace.set(place, error);
  }
  return inOrder([...byPlace].map(([place, error]) => problemAt(place, error, value, example)));
}

function problemAt(place: string, error: ValidatorError, value: unknown, example: unknown): Problem {
  const steps = place.split("/").slice(1).map(unescaped);
  const path = jsonPath(steps);
  const received = at(value, steps);
  switch (error.keyword) {
    case "required":
      return missingField(path, steps, value, example);
    case "type":
      return problem("wrong-type", path, `${path} must be ${typeWords(String(error.params.type))}.`, {
        expected: typeWords(String(error.params.type)),
        received: shortened(received),
        hint: typeHint(String(error.params.type), received, sampleAt(example, steps)),
      });
    case "enum":
      return wrongWord(path, wordsOf(error.params.allowedValues), received);
    case "const":
      return wrongWord(path, [String(error.params.allowedValue)], received);
    default:
      return formFault(path, error, received, sampleAt(example, steps));
  }
}

/** The problem of a required field that is not there. */
export function missingField(path: string, steps: readonly string[], value: unknown, example: unknown): Problem {
  const field = steps.at(-1) ?? "";
  const owner = at(value, steps.slice(0, -1));
  const sample = sampleAt(example, steps);
  // A key close to the missing one, and no field of its own, is most likely the same thing under another name.
  const own = sampleAt(example, steps.slice(0, -1));
  const strangers = Object.keys(isObject(owner) ? owner : {}).filter(
    (key) => !isObject(own) || !Object.hasOwn(own, key),
  );
  const misspelt =
    nearest(field, strangers) ?? strangers.find((key) => key.length > 2 && field.startsWith(`${key}_`)) ?? null;
  const shown = sample === undefined ? undefined : `add ${JSON.stringify(field)}: ${shortened(sample)}`;
  return problem("missing-field", path, `The field ${field} is missing.`, {
    expected: sample === undefined ? "a value" : typeWords(typeOf(sample)),
    received: "nothing",
    hint:
      misspelt === null ? shown : `did you mean ${JSON.stringify(field)} where you wrote ${JSON.stringify(misspelt)}?`,
  });
}

/** The problem of a word outside its closed list. */
export function wrongWord(path: string, allowed: readonly string[], received: unknown): Problem {
  const meant =
    typeof received === "string" || typeof received === "number" ? nearest(String(received), allowed) : null;
  const only = allowed.length === 1 ? allowed[0] : undefined;
  const isText = typeof received === "string";
  const code: ProblemCode = isText ? "wrong-value" : "wrong-type";
  const listed = allowed.join(" | ");
  return problem(
    code,
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

function formFault(path: string, error: ValidatorError, received: unknown, sample: unknown): Problem {
  const hint = sample === undefined ? undefined : `for example ${shortened(sample)}`;
  const more = { received: shortened(received), hint };
  switch (error.keyword) {
    case "minLength":
      return problem("wrong-format", path, `${path} must not be empty.`, {
        ...more,
        expected: "a text that is not empty",
      });
    case "pattern": {
      const expected = formOf(String(error.params.pattern));
      return problem("wrong-format", path, `${path} must be ${expected}.`, { ...more, expected });
    }
    case "minimum":
    case "maximum": {
      const bound = `${error.keyword === "minimum" ? "at least" : "at most"} ${String(error.params.limit)}`;
      return problem("wrong-value", path, `${path} must be ${bound}.`, { ...more, expected: bound });
    }
    default:
      return problem("wrong-format", path, `${path} does not fit its definition (${error.keyword}).`, more);
  }
}

/** What a pattern of ours asks for, in words; a pattern nobody described is shown as it is. */
function formOf(pattern: string): string {
  if (pattern.includes("0-9a-fA-F")) return "a commit of 7 to 64 hex digits";
  if (pattern.includes("._:/@-")) return "an id of 1 to 128 letters, digits or any of . _ : / @ -";
  return `a text that matches ${pattern}`;
}

function typeHint(type: string, received: unknown, sample: unknown): string | undefined {
  if (type === "array" && received !== null && typeof received !== "object")
    return `write a list: [${shortened(received)}]`;
  if (type === "boolean" && typeof received === "string") return "write true or false without quotes";
  if (type === "integer" && typeof received === "string" && received !== "" && Number.isInteger(Number(received))) {
    return `write ${Number(received)} without quotes`;
  }
  return sample === undefined ? undefined : `for example ${shortened(sample)}`;
}

const words: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function typeWords(type: string): string {
  return words[type] ?? type;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function wordsOf(allowed: unknown): readonly string[] {
  return Array.isArray(allowed) ? allowed.map(String) : [];
}

function rankOf(error: ValidatorError): number {
  return keywordRanks.get(error.keyword) ?? keywordRanks.size;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value that `steps` lead to, or undefined. */
function at(value: unknown, steps: readonly string[]): unknown {
  let here: unknown = value;
  for (const step of steps) {
    if (Array.isArray(here)) here = here[Number(step)];
    else if (isObject(here) && Object.hasOwn(here, step)) here = here[step];
    else return undefined;
  }
  return here;
}

/** The same in an example, whose lists may be shorter: their first entry stands for every further one. */
function sampleAt(example: unknown, steps: readonly string[]): unknown {
  let here: unknown = example;
  for (const step of steps) here = Array.isArray(here) ? (here[Number(step)] ?? here[0]) : at(here, [step]);
  return here;
}

/** `$.payload.failures[0].check`; a key that is no plain word is quoted. */
export function jsonPath(steps: readonly string[]): string {
  return steps.reduce((path, step) => {
    if (/^[0-9]+$/.test(step)) return `${path}[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
  }, "$");
}

const shownCharactersMax = 80;
const shownDepthMax = 4;
const shownEntriesMax = 12;

/** A value as JSON on one line, at most 80 characters; never walks a large or deep value to its end. */
export function shortened(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = preview(value, shownDepthMax);
  return json.length <= shownCharactersMax ? json : `${json.slice(0, shownCharactersMax - 1)}…`;
}

function preview(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, shownCharactersMax + 1));
  if (Array.isArray(value)) {
    if (depth === 0) return "[…]";
    return `[${value.slice(0, shownEntriesMax).map((one) => preview(one, depth - 1))}]`;
  }
  if (!isObject(value)) return String(value);
  if (depth === 0) return "{…}";
  const fields = Object.keys(value).slice(0, shownEntriesMax);
  return `{${fields.map((key) => `${preview(key, 0)}:${preview(value[key], depth - 1)}`)}}`;
}

function escaped(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

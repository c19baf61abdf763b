/**
 * Reading a request or the arguments of a tool by the shape that its door publishes: what does not fit is reported as
 * coded problems, in the same words at every door, with paths as everywhere else.
 */
import * as z from "zod";
import { unreachable } from "../invariant.ts";
import { inOrder, jsonPath, makeProblem, type PathStep, type Problem, type ProblemCode, valueAt } from "../problem.ts";
import { err, ok, type Result } from "../result.ts";
import { counted, nearest } from "../text.ts";
import { shortened } from "./hint.ts";
import { listInText, type ReadNote, textListNote } from "./text-list.ts";
import { typeHint, typeWords } from "./validator-problems.ts";

/**
 * `value` as `shape` takes it, or every error in the order of precedence: `missing-field`, `wrong-type`, `wrong-value`,
 * `wrong-format`, `unknown-field`. `root` is what the paths begin with. With `notes`, a text where a list of texts belongs
 * is taken for the list that it stands for (`text-list.ts`), and they say so.
 */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  root: string,
  notes?: ReadNote[],
): Result<z.infer<Shape>, readonly Problem[]> {
  const read = shape.safeParse(value);
  if (read.success) return ok(read.data);
  const listed = notes === undefined ? null : withLists(read.error.issues, value, root);
  const again = listed === null ? null : shape.safeParse(listed.value);
  if (listed !== null && again?.success === true) {
    notes?.push(...listed.notes);
    return ok(again.data);
  }
  return err(inOrder(read.error.issues.flatMap((issue) => problemsOf(issue, shape, value, root))));
}

type Issue = z.core.$ZodIssue;

/** The value with lists in the place of texts where the issues ask for lists; null: nowhere. */
function withLists(
  issues: readonly Issue[],
  value: unknown,
  root: string,
): { readonly value: unknown; readonly notes: readonly ReadNote[] } | null {
  const notes: ReadNote[] = [];
  let listed = value;
  for (const issue of issues) {
    if (!wantsList(issue)) continue;
    const steps = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    const text = valueAt(value, steps);
    const list = typeof text === "string" ? listInText(text) : null;
    if (list === null) return null;
    listed = replaced(listed, steps, list);
    notes.push(textListNote(jsonPath(steps, root), list));
  }
  return notes.length === 0 ? null : { value: listed, notes };
}

/** Whether a list would fit, perhaps among other things. */
function wantsList(issue: Issue): boolean {
  if (issue.code === "invalid_union")
    return issue.errors.flat().some((each) => each.path.length === 0 && wantsList(each));
  return issue.code === "invalid_type" && issue.expected === "array";
}

/** A copy of `value` with another value at the end of `steps`, which lead to one. */
function replaced(value: unknown, [step, ...further]: readonly PathStep[], by: unknown): unknown {
  if (step === undefined || typeof value !== "object" || value === null) return by;
  const inner = replaced(valueAt(value, [step]), further, by);
  return Array.isArray(value) ? value.with(Number(step), inner) : { ...value, [step]: inner };
}

function problemsOf(issue: Issue, shape: z.ZodType, value: unknown, root: string): readonly Problem[] {
  const steps = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(shape, value, steps);
    return issue.keys.map((key) => unknownField(key, known, jsonPath([...steps, key], root)));
  }
  const path = jsonPath(steps, root);
  const found = valueAt(value, steps);
  const expected = expectedOf(issue);
  if (found === undefined) return [makeProblem("missing-field", path, "This is missing.", { expected })];
  const inside = issue.code === "invalid_union" ? issuesInside(issue) : [];
  if (inside.length > 0) return inside.flatMap((each) => problemsOf(each, shape, value, root));
  const code = codeOf(issue, found);
  const isKind = issue.code === "invalid_type" || issue.code === "invalid_union";
  const message =
    isKind && expected !== undefined ? `This must be ${expected}.` : `This does not fit: ${issue.message}.`;
  return [makeProblem(code, path, message, { expected, received: shortened(found), hint: hintFor(issue, found) })];
}

function unknownField(key: string, known: readonly string[], path: string): Problem {
  const near = nearest(key, known);
  return makeProblem("unknown-field", path, "There is no such field here.", {
    expected: known.length === 0 ? "nothing" : known.join(" | "),
    received: shortened(key),
    hint: near === null ? "Leave it out." : `did you mean "${near}"?`,
  });
}

/** What JSON Schema calls the types that a shape names otherwise. */
const jsonTypes: Readonly<Record<string, string>> = { int: "integer", record: "object" };

function expectedOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return typeWords(jsonTypes[issue.expected] ?? issue.expected);
    case "invalid_value":
      return issue.values.map(String).join(" | ");
    case "invalid_union":
      return alternativesOf(issue).join(" or ") || undefined;
    case "too_small":
      return boundWords(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return boundWords(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "invalid_format":
      return issue.pattern ?? issue.format;
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return undefined; // its message says all of it
    default:
      return unreachable(issue);
  }
}

/** What a bound is counted in, by what it bounds; a number is counted in nothing. */
const unitsOf: Readonly<Record<string, string>> = { string: "character", array: "entry", set: "entry", map: "entry" };

function boundWords(origin: string, words: string, bound: number | bigint): string {
  const unit = unitsOf[origin];
  return `${words} ${unit === undefined ? bound : counted(Number(bound), unit, unit === "entry" ? "entries" : undefined)}`;
}

/* A value that is none of several alternatives: which of them was meant, and what each of them would be. */

type UnionIssue = Extract<Issue, { readonly code: "invalid_union" }>;

/** The errors inside the alternative whose kind the value has; of several that with the fewest. None: it has no kind. */
function issuesInside({ errors, path }: UnionIssue): readonly Issue[] {
  const fitting = errors.filter((issues) => issues.length > 0 && issues.every((each) => isInside(each)));
  const [meant = []] = fitting.toSorted((a, b) => a.length - b.length);
  return meant.map((each) => ({ ...each, path: [...path, ...each.path] }));
}

/** Whether the value has the kind of its alternative, and something else of it is wrong. */
function isInside({ code, path }: Issue): boolean {
  return path.length > 0 || !(code === "invalid_type" || code === "invalid_value" || code === "invalid_union");
}

/** Each in words: a type, or the value itself in quotes. */
function alternativesOf(issue: UnionIssue): readonly string[] {
  const options = "options" in issue ? (issue.options ?? []) : [];
  if (options.length > 0) return options.map((option) => JSON.stringify(option));
  const words = issue.errors.flat().flatMap((each) => {
    if (isInside(each)) return [];
    if (each.code === "invalid_value") return each.values.map((value) => JSON.stringify(value));
    return each.code === "invalid_union" ? alternativesOf(each) : (expectedOf(each) ?? []);
  });
  return [...new Set(words)];
}

/** How what was found becomes what is expected; of alternatives the first for which that is known. */
function hintFor(issue: Issue, found: unknown): string | undefined {
  if (issue.code === "invalid_type") return typeHint(jsonTypes[issue.expected] ?? issue.expected, found, undefined);
  if (issue.code !== "invalid_union") return undefined;
  for (const each of issue.errors.flat()) {
    const hint = isInside(each) ? undefined : hintFor(each, found);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function codeOf(issue: Issue, found: unknown): ProblemCode {
  if (issue.code === "invalid_type") return "wrong-type";
  if (issue.code === "invalid_union") return hasTypeOfValue(issue, found) ? "wrong-value" : "wrong-type";
  return issue.code === "invalid_format" ? "wrong-format" : "wrong-value";
}

/** Whether the type is right and only the value is not: one alternative is another value of the type. */
function hasTypeOfValue(issue: UnionIssue, found: unknown): boolean {
  const options = "options" in issue ? (issue.options ?? []) : [];
  const values = issue.errors.flat().flatMap((each) => (each.code === "invalid_value" ? each.values : []));
  return [...options, ...values].some((value) => typeof value === typeof found);
}

/** The keys that the shape knows in the object that `steps` lead to in `value`; empty where it names none. */
function keysAt(shape: unknown, value: unknown, steps: readonly PathStep[]): readonly string[] {
  const [step, ...further] = steps;
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return keysAt(shape.unwrap(), value, steps);
  if (shape instanceof z.ZodUnion) return keysAt(alternativeFor(shape, value), value, steps);
  const next = step === undefined ? undefined : valueAt(value, [step]);
  if (shape instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(shape.shape);
    return keysAt(valueAt(shape.shape, [step]), next, further);
  }
  return shape instanceof z.ZodArray && step !== undefined ? keysAt(shape.element, next, further) : [];
}

/** The alternative of which the value has the fewest errors. */
function alternativeFor({ options }: z.ZodUnion, value: unknown): unknown {
  const errors = (option: z.core.$ZodType) => z.safeParse(option, value).error?.issues.length ?? 0;
  return options.toSorted((a, b) => errors(a) - errors(b))[0];
}

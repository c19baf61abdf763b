/**
 * Reading a request or the arguments of a tool by the shape that its door publishes: what does not fit is reported as
 * coded problems, in the same words at every door, with paths as everywhere else.
 */
import * as z from "zod";
import { inOrder, jsonPath, type PathStep, type Problem, type ProblemCode, problem, valueAt } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text.ts";
import { shortened } from "./hint.ts";
import { typeHint, typeWords } from "./validator-problems.ts";

/**
 * `value` as `shape` takes it, or every error in the order of precedence: `missing-field`, `wrong-type`, `wrong-value`,
 * `wrong-format`, `unknown-field`. `root` is what the paths begin with.
 */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  root: string,
): Result<z.infer<Shape>, readonly Problem[]> {
  const read = shape.safeParse(value);
  if (read.success) return ok(read.data);
  return err(inOrder(read.error.issues.flatMap((issue) => faultsOf(issue, shape, value, root))));
}

type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, shape: z.ZodType, value: unknown, root: string): readonly Problem[] {
  const steps = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(shape, steps);
    return issue.keys.map((key) => unknownField(key, known, jsonPath([...steps, key], root)));
  }
  const path = jsonPath(steps, root);
  const found = valueAt(value, steps);
  const expected = expectedOf(issue);
  if (found === undefined) return [problem("missing-field", path, "This is missing.", { expected })];
  const received = shortened(found);
  if (issue.code !== "invalid_type")
    return [problem(codeOf(issue), path, `This does not fit: ${issue.message}.`, { expected, received })];
  const type = jsonTypes[issue.expected] ?? issue.expected;
  const message = `This must be ${typeWords(type)}.`;
  return [problem("wrong-type", path, message, { expected, received, hint: typeHint(type, found, undefined) })];
}

function unknownField(key: string, known: readonly string[], path: string): Problem {
  const near = nearest(key, known);
  return problem("unknown-field", path, "There is no such field here.", {
    expected: known.length === 0 ? "nothing" : known.join(" | "),
    received: shortened(key),
    hint: near === null ? "Leave it out." : `did you mean "${near}"?`,
  });
}

/** What JSON Schema calls the types that a shape names otherwise. */
const jsonTypes: Readonly<Record<string, string>> = { int: "integer", record: "object" };

function expectedOf(issue: Issue): string | undefined {
  if (issue.code === "invalid_type") return typeWords(jsonTypes[issue.expected] ?? issue.expected);
  return issue.code === "invalid_value" ? issue.values.map(String).join(" | ") : undefined;
}

function codeOf({ code }: Issue): ProblemCode {
  if (code === "invalid_type") return "wrong-type";
  return code === "invalid_format" ? "wrong-format" : "wrong-value";
}

/** The keys that the shape knows in the object that `steps` lead to; empty where it names none. */
function keysAt(shape: unknown, steps: readonly PathStep[]): readonly string[] {
  const [step, ...further] = steps;
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return keysAt(shape.unwrap(), steps);
  if (shape instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(shape.shape);
    return keysAt(valueAt(shape.shape, [step]), further);
  }
  return shape instanceof z.ZodArray && step !== undefined ? keysAt(shape.element, further) : [];
}

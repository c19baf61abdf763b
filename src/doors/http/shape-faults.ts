/** Reading values by a shape: what is wrong is said as problems with paths, like everywhere else. */
import { z } from "zod";
import { pathStep } from "../../base/json-path.ts";
import { inOrder, type Problem, type ProblemCode, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** `value` as `shape` takes it, or every fault in the order of precedence. `root` is how the paths begin. */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  root: string,
): Result<z.infer<Shape>, readonly Problem[]> {
  const read = shape.safeParse(value);
  if (read.success) return ok(read.data);
  return err(inOrder(read.error.issues.map((issue) => faultOf(issue, value, root))));
}

/**
 * The parameters of a query string as `shape` takes them: fields of whole numbers and of yes and no are read as such,
 * fields that are lists may be repeated, and what the shape does not know is refused.
 */
export function readQuery<Shape extends z.ZodObject>(
  shape: Shape,
  search: URLSearchParams,
): Result<z.infer<Shape>, readonly Problem[]> {
  const given: Record<string, unknown> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const field: unknown = Object.hasOwn(shape.shape, name) ? shape.shape[name] : undefined;
    const wanted = field instanceof z.ZodOptional ? field.unwrap() : field;
    given[name] = wanted instanceof z.ZodArray ? values : plainValue(wanted, values);
  }
  return readShape(shape, given, "?");
}

function plainValue(wanted: unknown, values: readonly string[]): unknown {
  const [value, ...others] = values;
  // Two answers to one question: neither is taken, and the shape refuses the list.
  if (others.length > 0) return values;
  if (wanted instanceof z.ZodNumber && value !== undefined && /^\d{1,15}(\.\d{1,3})?$/.test(value))
    return Number(value);
  if (wanted instanceof z.ZodBoolean && (value === "true" || value === "false")) return value === "true";
  return value;
}

type Issue = z.core.$ZodIssue;

function faultOf(issue: Issue, value: unknown, root: string): Problem {
  const path = `${root}${issue.path.map((step) => (typeof step === "number" ? `[${step}]` : pathStep(String(step)))).join("")}`;
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => key.slice(0, 64)).join(", ");
    return problem("unknown-field", path, `There is no field ${names} here.`, { hint: "Leave it out." });
  }
  const found = valueAt(value, issue.path);
  if (issue.code === "invalid_type" && found === undefined) {
    return problem("missing-field", path, "This is missing.", { expected: String(issue.expected) });
  }
  return problem(codeOf(issue), path, `This does not fit: ${issue.message}.`, {
    received: JSON.stringify(found)?.slice(0, 100).toWellFormed(),
    ...(issue.code === "invalid_value" ? { expected: issue.values.map(String).join(" | ") } : {}),
  });
}

function codeOf(issue: Issue): ProblemCode {
  if (issue.code === "invalid_type") return "wrong-type";
  return issue.code === "invalid_format" ? "wrong-format" : "wrong-value";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<PropertyKey, unknown>)[step]; // read only, and the parser allows no `__proto__`
  }
  return found;
}

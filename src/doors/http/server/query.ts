/** Parameters of a query string, read by the shape of their operation. */
import { z } from "zod";
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { readShape } from "../../../schema/shape-faults.ts";

/**
 * The parameters of a query string as `shape` takes them: fields of whole numbers and of yes and no are read as such,
 * fields that are lists may be repeated, and what the shape does not know is refused.
 */
export function readQuery<Shape extends z.ZodObject>(
  shape: Shape,
  search: URLSearchParams,
): Result<z.infer<Shape>, readonly Problem[]> {
  const given: [name: string, value: unknown][] = [];
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const field: unknown = Object.hasOwn(shape.shape, name) ? shape.shape[name] : undefined;
    const wanted = field instanceof z.ZodOptional ? field.unwrap() : field;
    given.push([name, wanted instanceof z.ZodArray ? values : plainValue(wanted, values)]);
  }
  // `fromEntries` defines each field; assigning `__proto__` would set no field, and it would not be refused.
  return readShape(shape, Object.fromEntries(given), "?");
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

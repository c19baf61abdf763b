/**
 * The message of a tool call as text for the one way in. A string is sent as it stands. An object has been parsed by
 * the transport, which keeps the last of equal keys; what it cannot say again in JSON is refused here, not changed.
 */
import { pathStep } from "../../base/json-path.ts";
import { jsonDepthMax } from "../../base/limits.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** The text to send. Refuses `wrong-type`, `too-deep` and `number-range`. */
export function messageText(message: unknown): Result<string, Problem> {
  if (typeof message === "string") return ok(message);
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return err(
      problem("wrong-type", "arguments.message", "The message is neither an object nor text.", {
        expected: "a message object, or text (JSON or prose)",
      }),
    );
  }
  const fault = unsayable(message, "$", 0);
  return fault === null ? ok(JSON.stringify(message)) : err(fault);
}

/** The first value that JSON text would not bring back: a number beyond every range, or nesting beyond the limit. */
function unsayable(value: unknown, path: string, depth: number): Problem | null {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return problem("number-range", path, "The number is beyond what can be kept.", { hint: "Write it as a string." });
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > jsonDepthMax) {
    return problem("too-deep", path, "The message is nested too deep.", { expected: `at most ${jsonDepthMax} levels` });
  }
  const entries: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, inner] of entries) {
    const fault = unsayable(inner, path + pathStep(key), depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** What is said of a value that is of the right type and not of the right form: its length, its range, its pattern. */
import { type Problem, problem } from "../base/problem.ts";
import { shortened } from "./preview.ts";
import type { ValidatorError } from "./validator.ts";

/** The problem of the value that came; `sample`: one that would do, undefined where none is known. */
export function formFault(path: string, error: ValidatorError, received: unknown, sample: unknown): Problem {
  const hint = sample === undefined ? undefined : `for example ${shortened(sample)}`;
  const more = { received: shortened(received), hint };
  switch (error.keyword) {
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
      return lengthFault(path, error, more);
    case "format": {
      const expected = "an RFC 3339 date-time";
      return problem("wrong-format", path, `${path} must be ${expected}.`, { ...more, expected });
    }
    case "anyOf":
    case "oneOf": {
      const several = error.keyword === "oneOf" && Number(error.params.fitting) > 1;
      const expected = `${error.keyword === "oneOf" ? "exactly one" : "one"} of ${String(error.params.forms)} forms`;
      const told = several ? "fits more than one of the forms" : "fits none of the forms";
      return problem("wrong-value", path, `${path} ${told} that its definition allows.`, { ...more, expected });
    }
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

/** A text or a list that is too short or too long. */
function lengthFault(path: string, { keyword, params }: ValidatorError, more: Parameters<typeof problem>[3]): Problem {
  const limit = Number(params.limit);
  const isList = keyword.endsWith("Items");
  const thing = isList ? "a list" : "a text";
  const unit = isList ? (limit === 1 ? "entry" : "entries") : limit === 1 ? "character" : "characters";
  if (keyword.startsWith("min") && limit === 1) {
    const expected = `${thing} that is not empty`;
    return problem("wrong-format", path, `${path} must not be empty.`, { ...more, expected });
  }
  const bound = `${keyword.startsWith("min") ? "at least" : "at most"} ${limit} ${unit}`;
  return problem("wrong-format", path, `${path} must have ${bound}.`, { ...more, expected: `${thing} of ${bound}` });
}

/** What a pattern of ours asks for, in words; a pattern nobody described is shown as it is. */
function formOf(pattern: string): string {
  if (pattern.includes("0-9a-fA-F")) return "a commit of 7 to 64 hex digits";
  if (pattern.includes("._:/@-")) return "an id of 1 to 128 letters, digits or any of . _ : / @ -";
  return `a text that matches ${pattern}`;
}

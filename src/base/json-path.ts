/**
 * How problems say where in a JSON value something is: the steps of a JSON path, and line and column; and what is
 * there. The only place where a path is spelled, so that every report writes a key the same way.
 */

/** A step to a value: the key of a member, or the number of an entry of a list. */
export type PathStep = string | number;

/**
 * `[3]` for an entry; `.key` where the key is a plain word, else `["key"]`, shortened so that a hostile key stays readable.
 * A key of digits is quoted, so that it is never read as an entry.
 */
export function pathStep(step: PathStep): string {
  if (typeof step === "number") return `[${step}]`;
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(step)) return `.${step}`;
  return `[${JSON.stringify(step.length > 64 ? `${step.slice(0, 63).toWellFormed()}…` : step)}]`;
}

/** `$.payload.failures[0]["a.b"]`; `root` is what the path begins with. */
export function jsonPath(steps: readonly PathStep[], root = "$"): string {
  return steps.reduce<string>((path, step) => path + pathStep(step), root);
}

/** The value that `steps` lead to, by own members only, or undefined. */
export function valueAt(value: unknown, steps: readonly PathStep[]): unknown {
  let here = value;
  for (const step of steps) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<PathStep, unknown>>)[step]; // an own member, by the line above
  }
  return here;
}

/** `line L, column C` of an offset, both from 1, columns in UTF-16 units. */
export function place(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (;;) {
    const next = text.indexOf("\n", start);
    if (next < 0 || next >= offset) return `line ${line}, column ${offset - start + 1}`;
    line++;
    start = next + 1;
  }
}
